"""`campaign` in a shell: finds the function of a command, and turns what comes of it into an exit code."""

from __future__ import annotations

import argparse
import errno
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from campaign.cli.arguments import WrongUsage, parse, parser
from campaign.cli.commands import COMMANDS
from campaign.cli.exit_codes import ACCEPTED, INTERRUPTED, NOT_ALL, USAGE
from campaign.cli.output import Page, complain, quoted, system_error
from campaign.errors import CampaignError
from campaign.words.finding import Finding

_THRESHOLD = 10_000  # objects between two searches for garbage; with 700 they took 2% of a short command
_SENDING = ("send", "resume", "try-out", "worker")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; `exit_codes` says what they mean."""
    as_program = arguments is None
    if as_program:
        gc.disable()  # modules are no garbage: looking for some while they load took a fifth of all
    arguments = sys.argv[1:] if arguments is None else arguments
    with steady_streams() as output:
        code, folder = _run(arguments)
        output.flush()
        if output.loss:
            complain(Finding("output_lost", {"reason": output.loss, "folder": folder}))
            code = code or NOT_ALL
    if as_program:
        gc.freeze()  # nor is what is left at the end: Python would look through all of it twice
    return code


def _run(arguments: Sequence[str]) -> tuple[int, str]:
    """The exit code of a command, and the folder in which its outcome can be looked up."""
    try:
        options = parse(parser(), arguments)
    except CampaignError as error:
        _refuse_arguments(error, as_json="--json" in arguments)
        return USAGE, ""
    except SystemExit:  # the help and the version
        return ACCEPTED, ""
    page = Page(options.command, COMMANDS[options.command].facts, as_json=options.json)
    if getattr(options, "folder", None):
        page.folder = quoted(options.folder)
    code = _answer(options, page)
    page.finish(code)
    return code, _folder_on_record(options, page)


def _answer(options: argparse.Namespace, page: Page) -> int:
    """Run the command; whatever a person or a system can cause is a finding, and never a traceback."""
    try:
        return function_of(options.command)(options, page)
    except CampaignError as error:
        page.refuse(error)
        return USAGE
    except KeyboardInterrupt:
        facts = {"signal": "Ctrl-C", "folder": _folder_on_record(options, page)}
        page.fail(Finding("stopped", facts), "Interrupted")
        return INTERRUPTED
    except SystemExit as end:  # SIGTERM, after a clean stop
        facts = {"signal": "SIGTERM", "folder": _folder_on_record(options, page)}
        page.fail(Finding("stopped", facts), "Terminated")
        return int(end.code or ACCEPTED)
    except OSError as error:
        page.fail(system_error(error, _folder_on_record(options, page)), "OSError")
        return NOT_ALL if options.command in _SENDING else USAGE


def _folder_on_record(options: argparse.Namespace, page: Page) -> str:
    return (page.folder or "FOLDER") if options.command in _SENDING else ""


def _refuse_arguments(error: CampaignError, *, as_json: bool) -> None:
    if isinstance(error, WrongUsage) and not as_json:
        print(error.usage, file=sys.stderr, end="")
    page = Page(None, (), as_json=as_json)
    page.refuse(error)
    page.finish(USAGE)


def function_of(command: str) -> Callable[[argparse.Namespace, Page], int]:
    """The function `run_…` of a command, whose module is imported now."""
    module = import_module(COMMANDS[command].module)
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(_THRESHOLD, *gc.get_threshold()[1:])
        gc.enable()
    function: Callable[[argparse.Namespace, Page], int] = getattr(module, f"run_{command.replace('-', '_')}")
    return function


# The reader has seen what it wanted to see: `| head -1`.
_READER_LEFT = (errno.EPIPE, errno.ESHUTDOWN)


class SteadyStream:
    """A text stream that goes silent, instead of raising, once it cannot be written to.

    Characters that its encoding lacks are escaped.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._failure: OSError | None = None
        if hasattr(stream, "reconfigure"):
            with self._without_raising():
                stream.reconfigure(errors="backslashreplace")

    @property
    def loss(self) -> str:
        """Why a reader who was still there did not get everything, in the system's words; "" otherwise."""
        if self._failure is None or self._failure.errno in _READER_LEFT:
            return ""
        return self._failure.strerror or type(self._failure).__name__

    def write(self, text: str) -> int:
        with self._without_raising():
            self._stream.write(text)
        if "\n" in text:
            self.flush()
        return len(text)

    def flush(self) -> None:
        with self._without_raising():
            self._stream.flush()

    @contextmanager
    def _without_raising(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._failure = self._failure or error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def steady_streams() -> Iterator[SteadyStream]:
    """Standard streams that always exist and never raise, for as long as a command runs; yields the output.

    A stream that was closed (`>&-`) leads nowhere, and its number is taken, so that no ledger or socket gets
    it and what is written there.
    """
    before = sys.stdin, sys.stdout, sys.stderr
    with ExitStack() as opened:
        sys.stdin = sys.stdin or opened.enter_context(Path(os.devnull).open(encoding="utf-8"))
        output, errors = (
            SteadyStream(stream or opened.enter_context(Path(os.devnull).open("w", encoding="utf-8")))
            for stream in (sys.stdout, sys.stderr)
        )
        sys.stdout, sys.stderr = output, errors
        try:
            yield output
        finally:
            output.flush()
            errors.flush()
            sys.stdin, sys.stdout, sys.stderr = before
