"""What a campaign has said already, beside what its plan says now. Begin with `comparison`."""
