"""The exit codes of the commands, and what they mean."""

ACCEPTED, USAGE, NOTHING_TO_SEND, NOT_ALL, INTERRUPTED, TERMINATED = 0, 2, 3, 4, 130, 143
EXIT_CODES = {
    ACCEPTED: "everything was accepted, or could be shown",
    USAGE: "wrong usage, or something has to be corrected or confirmed first: nothing was sent",
    NOTHING_TO_SEND: "no row of the file can be sent; the issues say why",
    NOT_ALL: "not everything was accepted, or a report or the output could not be written",
    INTERRUPTED: "stopped with Ctrl-C",
    TERMINATED: "stopped by SIGTERM",
}
