"""What came of a campaign, as tables and as files. Begin with `tables`."""
