"""What holds for every test."""

from hypothesis import settings

# Every run tries the same examples, so that a failure is there again when it is looked at; and none is
# blamed on a busy machine. The long proofs look for new examples.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
