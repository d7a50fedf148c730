"""Public functions and classes refuse arguments that they do not have, and name what was meant.

    prepare has no argument sendr. Did you mean sender=?
    prepare has no argument name. Write campaign.send(plan, name=…).

What a function takes stays what it says: its signature, its help and what editors complete are its own.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any, ParamSpec, TypeVar, cast

from campaign.errors import CallError
from campaign.suggestions import closest
from campaign.text import clean, shorten

Given = ParamSpec("Given")
Returned = TypeVar("Returned")
Kind = TypeVar("Kind")

_LONGEST_NAME = 40
# What to write for arguments that somebody who sends for the first time may not know.
_EXAMPLES = {"message": 'message="Hi {first_name}, …"', "sender": 'sender="CLINIC"'}
# Who misses an argument of one of these steps may give it to another.
_FLOW = ("read_contacts", "prepare", "send", "write_report")


def public_call(function: Callable[Given, Returned], instead: str = "") -> Callable[Given, Returned]:
    """Have a function raise `CallError` where Python would raise `TypeError` for its arguments.

    `instead` is the call of another function that takes what this one does not.
    """
    parameters = inspect.signature(function).parameters

    @functools.wraps(function)
    def answering(*args: Given.args, **kwargs: Given.kwargs) -> Returned:
        call = _Call(function, *args, **kwargs)
        del args, kwargs  # a password can be among them, and tracebacks may show local variables
        name = function.__qualname__.removesuffix(".__init__")
        if problem := _problem(name, parameters, len(call.args), call.keywords):
            code, facts = problem
            raise CallError(code, **{"function": name, **facts, **({"write": instead} if instead else {})})
        return cast(Returned, call())

    if not inspect.iscoroutinefunction(inspect.unwrap(function)):
        return answering

    @functools.wraps(function)
    async def answering_later(*args: Given.args, **kwargs: Given.kwargs) -> Any:
        return await cast(Any, answering(*args, **kwargs))

    return cast(Callable[Given, Returned], answering_later)


def public_class(kind: type[Kind]) -> type[Kind]:
    """Apply `public_call` to a class whose `__init__` is made by `dataclass`."""
    kind.__init__ = public_call(kind.__init__)  # type: ignore[method-assign] # once, on import
    return kind


class _Call(functools.partial[Any]):
    """A call with its arguments: unlike a closure it has no frame that a traceback could show."""

    def __repr__(self) -> str:
        return f"<call of {self.func.__qualname__}>"


def _problem(
    function: str, parameters: Mapping[str, inspect.Parameter], unnamed: int, named: Collection[str]
) -> tuple[str, dict[str, Any]] | None:
    """What is wrong with so many arguments without a name and these named ones, as code and facts."""
    own = [name for name in parameters if name != "self" and name != "cls"]
    if unknown := [name for name in named if name not in own]:
        return "argument_unknown", _facts_of_unknown(unknown[0], own, function)
    positional = [name for name, one in parameters.items() if one.kind is one.POSITIONAL_OR_KEYWORD]
    if unnamed > len(positional):
        implied = len(parameters) - len(own)
        most = len(positional) - implied
        others = [name for name in own if name not in positional]
        return "arguments_unnamed", {"most": most, "given": unnamed - implied, "named": others[:1]}
    required = [name for name, one in parameters.items() if one.default is one.empty]
    without_name = positional[:unnamed]
    if twice := [name for name in without_name if name in named]:
        return "argument_twice", {"argument": twice[0]}
    if missing := [name for name in required if name not in named and name not in without_name]:
        examples = [_EXAMPLES[name] for name in missing if name in _EXAMPLES]
        return "argument_missing", {"missing": missing, "write": examples}
    return None


def _facts_of_unknown(name: str, own: Collection[str], function: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"argument": shorten(clean(name), _LONGEST_NAME)}
    if elsewhere := _call_with(name, function):
        return facts | {"write": elsewhere}
    meant = closest(name, own)
    return facts | ({"suggestion": meant} if meant else {"arguments": [*own]})


def _call_with(name: str, function: str) -> str:
    """The other step on the way from a spreadsheet to a report that has this very argument, and its call.

    "" if there is none. Methods and classes are no such steps: who calls one means an argument of its own.
    """
    if "." in function or function[:1].isupper():
        return ""
    package = import_module(__package__)  # which imports this: only at a mistake
    for step in _FLOW:
        parameters = [*inspect.signature(getattr(package, step)).parameters]
        if name in parameters:
            return f"campaign.{step}({parameters[0]}, {name}=…)"
    return ""
