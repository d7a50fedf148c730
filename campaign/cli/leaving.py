"""The end of the program, without Python's own, which takes everything apart first."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """End the process with an exit code, once all is written and whoever asked to be called at the end was.

    Python's own end takes 4 to 16% of a short command. It is left to Python where another thread is at work,
    or where the output cannot be written.
    """
    if all(thread.daemon or thread is threading.main_thread() for thread in threading.enumerate()):
        atexit._run_exitfuncs()
        try:
            for stream in filter(None, (sys.stdout, sys.stderr)):  # none of one that was closed before
                stream.flush()
        except (OSError, ValueError):  # a pipe that nobody reads any more
            raise SystemExit(code) from None
        os._exit(code)
    raise SystemExit(code)
