"""`completion`: a script with which a shell completes commands, options, choices and files."""

from __future__ import annotations

import argparse

from campaign.cli.arguments import commands_of, parser
from campaign.cli.exit_codes import ACCEPTED
from campaign.cli.output import Page

_FILES = ("file", "message_file", "report", "opt_outs", "list", "path", "ledger")
_FOLDERS = ("folder", "not_again")


def run_completion(options: argparse.Namespace, page: Page) -> int:
    import shtab

    program = parser()
    for action in _all_actions(program):
        if action.dest in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined] # where shtab looks for it
        elif action.dest in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined] # likewise
    script = shtab.complete(program, options.shell)
    page.facts["script"] = script
    page.script(script)
    return ACCEPTED


def _all_actions(program: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for command in commands_of(program).values() for action in command._actions]
