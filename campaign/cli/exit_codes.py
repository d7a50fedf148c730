"""The exit codes of the commands; `campaign --help` lists them."""

ACCEPTED, USAGE, NOTHING_TO_SEND, NOT_ALL, INTERRUPTED = 0, 2, 3, 4, 130
