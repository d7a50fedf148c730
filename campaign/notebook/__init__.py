"""What a notebook shows: the dashboard of a run, the summary of a result."""
