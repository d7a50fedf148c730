"""What a plan adds to the earlier rounds of its campaign, and who decides about it."""
