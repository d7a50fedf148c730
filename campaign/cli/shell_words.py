"""The library's sentences in the words of the shell: `changed="skip"` becomes `--changed skip`.

Every remedy in a sentence is written as Python: an argument (`confirm="…"`, `header=`), a value that takes
arguments (`Budget(messages=1000)`) or a call (`campaign.resume(result.folder)`). The parameters are looked up
in the options of the command, whose `dest` they are; so no sentence is known here by itself.
"""

from __future__ import annotations

import argparse
import ast
import re
import shlex
import subprocess
from os import name as system

from campaign.cli.arguments import commands_of

_CALLS = r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*\([^()]*\)(?:\.\w+\([^()]*\))*"
_VALUE = (
    r'"(?:[^"\\]|\\.)*"' r"|'(?:[^'\\]|\\.)*'" r"|\d[\d_]*(?:\.\d+)?|True\b|False\b|None\b"
    rf"|\[[^\]]*\]|\{{[^}}]*\}}|{_CALLS}"
)  # fmt: skip
_REMEDY = re.compile(
    r"“[^”]*”"  # what somebody wrote stays as it is
    rf"|(?<![\w.?&/=-])(?P<parameter>[a-z][a-z_]*)=(?P<value>{_VALUE})?(?![\w\"'{{\[(])"
    r"|\b(?:campaign\.(?P<function>[a-z_]+)|(?P<kind>[A-Z][A-Za-z]+))\((?P<arguments>[^()]*)\)"
    r"(?P<messages>\.messages\.query\([^()]*\))?"
    r"|\b(?P<bare>load_result|try_out|write_follow_up|write_report)\b"
    r"|(?:^|(?<=[.:] ))(?P<subject>[a-z][a-z_]*)(?= (?:needs|names|takes|cannot|is ')\b)"
)
_COMMANDS = {
    "load_result": "status", "workers": "status", "write_follow_up": "follow-up", "write_report": "report",
}  # fmt: skip
_SYNONYMS = {"environment": "account"}
_PLAIN = re.compile(r"[\w@%+:,./…=-]+")


class ShellWords:
    """Puts sentences into the words of one command; options that it lacks are those of the others.

    `folder` is what a command that is named in a sentence takes as the campaign folder.
    """

    folder = "FOLDER"

    def __init__(self, program: argparse.ArgumentParser, command: str) -> None:
        commands = commands_of(program)
        self._commands = set(commands)
        own = commands[command]
        others = [parser for name, parser in commands.items() if name != command]
        self._actions: dict[str, list[argparse.Action]] = {}
        for parser in (own, *others):
            found = {action.dest for action in parser._actions} - self._actions.keys()
            for action in parser._actions:
                if action.dest in found:
                    self._actions.setdefault(action.dest, []).append(action)

    def __call__(self, sentence: str) -> str:
        return _REMEDY.sub(self._translated_or_left, sentence)

    def argument(self, sentence: str, parameter: str) -> str | None:
        """The text that a sentence asks to be given for a parameter; None if it asks for none."""
        for match in _REMEDY.finditer(sentence):
            if match["parameter"] == parameter and match["value"]:
                return str(ast.literal_eval(match["value"]))
        return None

    def _translated_or_left(self, match: re.Match[str]) -> str:
        try:
            return self._translated(match)
        except (SyntaxError, TypeError, ValueError):  # it only looks like Python: somebody's own words
            return match[0]

    def _translated(self, match: re.Match[str]) -> str:
        if match["parameter"]:
            return self._option(match["parameter"], match["value"]) or match[0]
        if match["messages"]:  # no command lists them: the workbook does
            return (
                f"{self._command('write_report', match['arguments'])} messages.xlsx --reveal, sheet Messages"
            )
        if match["function"] or match["bare"]:
            return self._command(match["function"] or match["bare"], match["arguments"] or "") or match[0]
        if match["kind"]:
            prefix = match["kind"].lower()
            options = [
                self._value_of(f"{prefix}_{k.arg}", k.value) for k in _call(match["arguments"]).keywords
            ]
            return " ".join(options) if options and all(options) else match[0]
        if match["subject"]:
            return self._name(match["subject"]) or match[0]
        return match[0]

    def _option(self, parameter: str, value: str | None) -> str:
        if value is None:
            return self._name(parameter)
        return self._value_of(parameter, ast.parse(value, mode="eval").body)

    def _name(self, parameter: str) -> str:
        """The option of a parameter, or what stands for it if it has a place of its own; "" if unknown."""
        actions = self._actions.get(_SYNONYMS.get(parameter, parameter), [])
        return _called(actions[0]) if actions else ""

    def _value_of(self, parameter: str, value: ast.expr) -> str:
        """An option with a value: `--changed skip`, `--no-header`, `--number A --number B`."""
        actions = self._actions.get(_SYNONYMS.get(parameter, parameter), [])
        if not actions:
            return ""
        if isinstance(value, ast.List):
            items = [str(ast.literal_eval(item)) for item in value.elts]
            is_repeated = isinstance(actions[0], argparse._AppendAction)
            together = items if is_repeated else [",".join(items)]
            return " ".join(f"{_called(actions[0])} {quoted(item)}" for item in together)
        if isinstance(value, ast.Dict):  # several texts, each from a file of its own
            names = [str(getattr(key, "value", "")) for key in value.keys]
            return " ".join(f"--{parameter}-file {name}=FILE" for name in names)
        if isinstance(value, ast.Constant):
            flags = [a for a in actions if a.nargs == 0 and a.const == value.value]
            option = _called((flags or actions)[0])
            return option if flags else f"{option} {quoted(str(value.value))}"
        if isinstance(value, ast.Call) and value.keywords and "read_contacts" in ast.dump(value.func):
            return ""  # no option of a list says how it is read
        texts = [str(ast.literal_eval(node)) for node in ast.walk(value) if isinstance(node, ast.Constant)]
        if isinstance(value, ast.Call) and "read_text" in ast.dump(value):
            return f"--{parameter}-file FILE"
        option = _called(actions[0])
        return f"{option} {texts[0] if texts else _placeholder(actions[0])}"

    def _command(self, function: str, arguments: str) -> str:
        """A call as a command: `campaign follow-up FOLDER to_correct.xlsx`; "" if there is none."""
        command = _COMMANDS.get(function, function.replace("_", "-"))
        if command not in self._commands:
            return ""
        call = _call(arguments)
        texts = [getattr(argument, "value", None) for argument in call.args]
        place = "FILE" if command == "send" else self.folder
        words = [quoted(text) if isinstance(text, str) else place for text in texts if text is not Ellipsis]
        options = [self._value_of(keyword.arg or "", keyword.value) for keyword in call.keywords]
        return " ".join(["campaign", command, *words, *filter(None, options)])


def _call(arguments: str) -> ast.Call:
    call = ast.parse(f"call({arguments.replace('…', '...')})", mode="eval").body
    assert isinstance(call, ast.Call)  # noqa: S101 - for mypy
    return call


def _called(action: argparse.Action) -> str:
    return action.option_strings[0] if action.option_strings else str(action.metavar or action.dest).upper()


def _placeholder(action: argparse.Action) -> str:
    """What stands for a value that depends on the person: FOLDER, local|sandbox|live."""
    return str(action.metavar or "|".join(map(str, action.choices or ())) or action.dest.upper())


def quoted(text: str) -> str:
    """A word as it is typed in a shell, in double quotes if it needs quotes and they are enough."""
    if _PLAIN.fullmatch(text):
        return text
    if system == "nt":
        return subprocess.list2cmdline([text])
    return shlex.quote(text) if re.search(r'["$`\\!]', text) else f'"{text}"'
