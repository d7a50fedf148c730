"""`Option` and `OptionGroup`: what the tables of options are made of, and how argparse takes them."""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple


class Option:
    """An option or argument of a command: its names, and the settings that argparse has for it.

    Its `dest` is the parameter of the library that it stands for: so errors can name the option.
    """

    def __init__(self, *names: str, **settings: Any) -> None:
        self.names, self.settings = names, settings

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        parser.add_argument(*self.names, **self.settings)

    @property
    def parameter(self) -> str:
        """The parameter of the library that it stands for."""
        return str(self.settings.get("dest", self.names[0].lstrip("-").replace("-", "_")))

    @property
    def usage(self) -> str:
        """How it is typed, if it must be; "" for an option that can be left out."""
        value = self.settings.get("metavar", self.names[0].lstrip("-").upper())
        if not self.names[0].startswith("-"):
            value = self.settings.get("metavar") or "|".join(self.settings.get("choices", ()))
            return {"*": f"[{value} …]", "?": f"[{value}]"}.get(self.settings.get("nargs", ""), value)
        return f"{self.names[0]} {value}" if self.settings.get("required") else ""


class OneOf:
    """Options of which only one can be given."""

    def __init__(self, *options: Option, required: bool = False) -> None:
        self.options, self.required = options, required

    @property
    def usage(self) -> str:
        first = self.options[0]
        return f"{first.names[0]} {first.settings['metavar']}" if self.required else ""

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        group = parser.add_mutually_exclusive_group(required=self.required)
        for option in self.options:
            option.add_to(group)


class OptionGroup(NamedTuple):
    """Options that stand together in the help, below a title."""

    title: str
    options: tuple[Option | OneOf, ...]

    @property
    def all_options(self) -> list[Option]:
        """Its options, also those of which only one can be given."""
        return [
            option
            for entry in self.options
            for option in (entry.options if isinstance(entry, OneOf) else (entry,))
        ]

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        section = parser.add_argument_group(self.title)
        for option in self.options:
            option.add_to(section)


def words(text: str) -> list[str]:
    """Words with commas between them: mobile,fixed."""
    return [word.strip() for word in text.split(",")]


def batches(text: str) -> list[int]:
    """Numbers of batches with commas between them: 19,20."""
    return [int(word) for word in words(text)]


def fault(text: str) -> tuple[int, str]:
    """A fault of the embedded sandbox: 3=accept_close."""
    request, _, name = text.partition("=")
    if not (request.isascii() and request.isdigit() and name):
        raise ValueError
    return int(request), name


def chance(text: str) -> tuple[str, float]:
    """A random fault of the embedded sandbox: html=0.02."""
    name, _, number = text.rpartition("=")
    return name, float(number)
