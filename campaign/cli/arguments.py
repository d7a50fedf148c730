"""The command line: reads what was typed, by the table of the commands."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from shutil import get_terminal_size
from typing import Any, NoReturn

from campaign.cli.commands import COMMANDS, Command
from campaign.cli.exit_codes import EXIT_CODES
from campaign.suggestions import did_you_mean
from campaign.text import clean
from campaign.version import VERSION


class Parser(argparse.ArgumentParser):
    """A parser whose errors suggest what was meant and name the help."""

    def __init__(self, **settings: Any) -> None:
        # A job that abbreviates an option must not fail when another one is added.
        super().__init__(formatter_class=_Help, allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        choice = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message)
        if choice:
            meant = did_you_mean(choice[1], re.findall(r"[\w-]+", choice[2]))
            message = f"{message[: choice.start()]}there is no {choice[1]!r}."
            message += meant or f" Choose from {choice[2]}."
        number = re.search(r"^argument (.*): invalid (int|float) value: (.*)$", message)
        if number:
            kind = "a whole number" if number[2] == "int" else "a number"
            message = f"{number[1]} needs {kind}, but got {number[3]}."
        message += "" if message.endswith((".", "?")) else "."
        raise WrongUsage(f"{clean(message)} See {self.prog} --help.", self.format_usage())


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help whose examples stay as they are written, with room for the longest command."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=min(get_terminal_size().columns, 100))
        self._action_max_length = 16  # argparse forgets that commands are indented once more


class WrongUsage(Exception):  # noqa: N818 - it is what a person did, and main answers it
    """The command line cannot be understood."""

    def __init__(self, sentence: str, usage: str) -> None:
        super().__init__(sentence)
        self.usage = usage


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
    """What was typed; raises `WrongUsage` for what the command does not know, with what may be meant."""
    options, unknown = program.parse_known_args(arguments)
    if unknown:
        command = commands_of(program)[options.command]
        names = [name for action in command._actions for name in action.option_strings]
        wrong = clean(unknown[0])
        meant = _without_option(wrong, options.command) or did_you_mean(wrong, names)
        command.error(f"there is no {wrong!r} in {command.prog}.{meant}")
    return options


def _without_option(wrong: str, command: str) -> str:
    """What to write where an option names what the command takes by its place: `--report`, `--folder`."""
    usage = COMMANDS[command].usage
    places = [re.sub(r"\W", "", place).casefold() for place in usage]
    if wrong.removeprefix("--").casefold() not in (command, *places):
        return ""
    return f" It needs no option: campaign {' '.join([command, *usage])}."


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
