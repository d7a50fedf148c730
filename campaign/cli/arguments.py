"""The command line: reads what was typed, by the table of the commands."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from shutil import get_terminal_size
from typing import Any, NoReturn

from campaign.cli.commands import COMMANDS, Command
from campaign.cli.exit_codes import EXIT_CODES
from campaign.errors import UsageError
from campaign.suggestions import closest
from campaign.text import clean
from campaign.version import VERSION


class Parser(argparse.ArgumentParser):
    """A parser whose errors suggest what was meant and name the help."""

    def __init__(self, **settings: Any) -> None:
        # A job that abbreviates an option must not fail when another one is added.
        super().__init__(formatter_class=_Help, allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        choice = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message)
        suggestion = closest(choice[1], re.findall(r"[\w-]+", choice[2])) if choice else ""
        problem = message.partition(" (choose")[0] if suggestion else message
        raise WrongUsage(self, problem, suggestion)


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help whose examples stay as they are written, with room for the longest command."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=min(get_terminal_size().columns, 100))
        self._action_max_length = 16  # argparse forgets that commands are indented once more


class WrongUsage(UsageError):  # noqa: N818 - its name is in what --json prints
    """The command line cannot be understood; `usage` is how the command is typed."""

    def __init__(self, program: argparse.ArgumentParser, problem: str, suggestion: str) -> None:
        self.usage = program.format_usage()
        facts = {"problem": problem.rstrip("."), "suggestion": suggestion, "command": program.prog}
        super().__init__("wrong_usage", **facts)


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    codes = "\n".join(f"  {code:>3}  {meaning}" for code, meaning in EXIT_CODES.items())
    program = Parser(
        prog="campaign",
        description="Bulk SMS campaigns from a spreadsheet: no message sent twice, no row lost.",
        epilog=f"exit codes:\n{codes}\n\nWith --json, every command prints one JSON object instead of text.",
    )
    program.add_argument(
        "--version", action="version", version=f"campaign {VERSION}", help="show the version"
    )
    commands = program.add_subparsers(required=True, metavar="command", dest="command")
    for name, command in COMMANDS.items():
        _add(commands, name, command)
    return program


def parse(program: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """What was typed; raises `WrongUsage` for what the command does not know."""
    options, unknown = program.parse_known_args(arguments)
    if unknown:
        command = commands_of(program)[options.command]
        names = [name for action in command._actions for name in action.option_strings]
        raise WrongUsage(command, f"there is no {clean(unknown[0])}", closest(unknown[0], names))
    return options


def commands_of(program: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parser of each command."""
    (commands,) = (a for a in program._actions if isinstance(a, argparse._SubParsersAction))
    return dict(commands.choices)


def _add(commands: Any, name: str, command: Command) -> None:
    examples = "\n".join(f"  campaign {example}" for example in command.examples)
    verb = commands.add_parser(
        name,
        help=command.help,
        usage=" ".join(["campaign", name, *command.usage, "[options]"]),
        description=f"{command.help[0].upper()}{command.help[1:]}.",
        epilog=f"examples:\n{examples}",
    )
    verb.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    for group in command.groups:
        group.add_to(verb)
