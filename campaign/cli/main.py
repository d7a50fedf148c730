"""`campaign` in a shell: finds the function of a command, and turns errors into exit codes.

Exit codes: 0 everything was accepted (or, for `check`, can be sent); 2 wrong usage, or something that has to
be corrected first; 3 nothing can be sent because of issues in the file; 4 some messages were refused, are
unknown or were not sent; 130 stopped with Ctrl-C; 143 by SIGTERM.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from campaign.cli.arguments import parser
from campaign.cli.exit_codes import INTERRUPTED, USAGE
from campaign.errors import CampaignError
from campaign.text import clean

# The module with the function `run_…` of each command. It is imported when the command runs: help and usage
# errors do not load pandas, and `check` does not load the network client.
_MODULES = {
    "check": "campaign.cli.check_command",
    "try-out": "campaign.cli.sending_commands",
    "send": "campaign.cli.sending_commands",
    "status": "campaign.cli.result_commands",
    "resume": "campaign.cli.sending_commands",
    "resolve": "campaign.cli.result_commands",
    "report": "campaign.cli.result_commands",
    "follow-up": "campaign.cli.afterwards_commands",
    "reconcile": "campaign.cli.afterwards_commands",
    "close": "campaign.cli.afterwards_commands",
    "erase": "campaign.cli.afterwards_commands",
    "history": "campaign.cli.afterwards_commands",
    "sandbox": "campaign.cli.sandbox_command",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = parser().parse_args(arguments)
    try:
        return _command(options.command)(options)
    except CampaignError as error:
        print(f"campaign: {clean(error)}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print(
            "campaign: stopped. What was sent is in the campaign folder; resume sends the rest.",
            file=sys.stderr,
        )
        return INTERRUPTED


def _command(name: str) -> Callable[[argparse.Namespace], int]:
    function: Callable[[argparse.Namespace], int] = getattr(
        import_module(_MODULES[name]), f"run_{name.replace('-', '_')}"
    )
    return function
