"""A plan is sent and its outcome recorded. Begin with `campaigns`, then `run` and `engine`."""
