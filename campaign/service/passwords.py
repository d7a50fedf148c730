"""Passwords: where they come from, and how they stay hidden."""

from __future__ import annotations

import getpass
import hmac
import json
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn, TypeGuard, TypeVar
from urllib.parse import quote, quote_plus

from campaign.argument_checks import kind_of
from campaign.errors import AccountError, InstallationError, Interrupted
from campaign.libraries import require
from campaign.words.finding import Finding

Made = TypeVar("Made")
_LONGEST = 4096  # bytes of a password file


class Secret:
    """A text that can be used but not seen: no repr, no attribute, no pickle, no copy.

    The text lives in a closure. Tracebacks that print local variables show only the repr, and nothing is
    raised here while the text is a local variable: `problem` says why it cannot be a password, if it cannot.
    """

    __slots__ = ("_use", "problem")

    def __init__(self, text: str) -> None:
        self.problem = _problem_with(text)

        def use(action: Callable[[str], Made]) -> Made:
            return action(text)

        self._use: Callable[[Callable[[str], Any]], Any] = use

    def use(self, action: Callable[[str], Made]) -> Made:
        """Call `action` with the text and return its result.

        Its exceptions are replaced: a traceback through its frames could show the text.
        """
        try:
            made: Made = self._use(action)
            return made
        except Exception as error:
            kind = type(error).__name__
        raise AccountError("password_unusable", reason=kind)

    def is_same(self, other: Secret) -> bool:
        """Whether both hold the same text, compared in constant time."""
        return self.use(
            lambda text: other.use(lambda other_text: hmac.compare_digest(text.encode(), other_text.encode()))
        )

    def __repr__(self) -> str:
        return "<hidden>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise AccountError("secret_not_copied")

    __reduce__ = __reduce_ex__  # type: ignore[assignment]  # pickle and copy may call either method


def _problem_with(password: object) -> Finding | None:
    """Why this cannot be a password, if it cannot. Nothing of it is repeated, not even its length."""
    if is_text(password) and password.strip():
        return None
    given = kind_of(password)
    if isinstance(password, str):
        given = "half a character" if password.strip() else "an empty text"
    facts = {"argument": "password", "needs": "text", "given": given, "write": "password=getpass.getpass()"}
    return Finding("wrong_value", facts)


def is_text(value: object) -> TypeGuard[str]:
    """Whether this is text that UTF-8 can encode, which half a surrogate pair is not."""
    return isinstance(value, str) and not re.search(r"[\ud800-\udfff]", value)


def eraser(*secrets: str) -> Callable[[str], str]:
    """A function that removes these secrets from texts, in any spelling that they are sent or shown in."""
    forms = {*secrets}
    for secret in secrets:
        forms |= {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
        forms |= {quote(secret), quote(secret, safe=""), quote_plus(secret)}
    forms |= {repr(form)[1:-1] for form in forms} | {repr(form.encode())[2:-1] for form in forms}
    # Shorter ones also occur in ordinary words and codes.
    spellings = sorted((form for form in forms if len(form) >= 6), key=len, reverse=True)

    def erase(text: str) -> str:
        for spelling in spellings:
            text = text.replace(spelling, "<hidden>")
        return text

    return erase


def variable_names(environment: str) -> tuple[str, str, str]:
    """The names of the variables for address, user name and password."""
    start = f"CAMPAIGN_{environment.upper()}_"
    return start + "URL", start + "USERNAME", start + "PASSWORD"


def from_variables(environment: str) -> tuple[str, str, Secret]:
    """Address, user name and password from the environment; where someone can answer, asks for the rest.

    Raises `AccountError` naming the variables that are missing.
    """
    url, username, password = variable_names(environment)
    kept = kept_password(environment)
    missing = [name for name in (url, username) if not os.environ.get(name)]
    missing += [password] if kept is None else []
    if missing and not _is_attended():
        _refuse(missing)
    return _text_of(url), _text_of(username), kept or Secret(_text_of(password, hidden=True))


def kept_credentials(environment: str) -> tuple[str, str, Secret] | None:
    """Address, user name and password, if all are kept in variables or, the password, in a file or keyring.

    Nobody is asked for anything. None if one of them is missing.
    """
    url, username = (os.environ.get(name, "") for name in variable_names(environment)[:2])
    if not url or not username:
        return None
    if (password := kept_password(environment)) is not None:
        return url, username, password
    with suppress(AccountError, InstallationError):  # no keyring, or nothing in it
        return url, username, from_keyring(environment, username)
    return None


def kept_password(environment: str) -> Secret | None:
    """The password in its variable, or in the file that a second one names; None where there is neither."""
    return kept_secret(variable_names(environment)[2])


def kept_secret(name: str) -> Secret | None:
    """The secret in the variable of that name, or in the file that `…_FILE` names.

    Containers are given passwords as files. The line break that editors put at the end is left out.
    """
    path = os.environ.get(f"{name}_FILE")
    if not path:
        return Secret(os.environ[name]) if os.environ.get(name) else None
    if os.environ.get(name):
        raise AccountError("variables_conflict", variables=[name, f"{name}_FILE"])
    content = b""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a name with NUL is refused below
            content = file.read(_LONGEST + 1)
        if len(content) <= _LONGEST:
            return Secret(content.decode("utf-8-sig").removesuffix("\n").removesuffix("\r"))
        problem = "too long"
    except UnicodeDecodeError:
        problem = "not UTF-8 text"
    except (OSError, ValueError) as error:  # the latter is a name with NUL
        problem = getattr(error, "strerror", None) or "impossible name"
    content = b""  # a traceback may show local variables
    raise AccountError("account_file_unusable", file=path, variable=f"{name}_FILE", reason=problem)


def _refuse(missing: list[str]) -> NoReturn:
    raise AccountError("variables_missing", variables=missing, count=len(missing))


def _text_of(name: str, *, hidden: bool = False) -> str:
    """The variable, or what a person types."""
    if os.environ.get(name):
        return os.environ[name]
    ask = getpass.getpass if hidden else input
    with suppress(EOFError, NotImplementedError):  # the latter is a notebook that is run by a program
        try:
            return ask(f"{name}: ") or _refuse([name])
        except KeyboardInterrupt:  # the message stands for frames of ours, which help nobody
            raise Interrupted(f"{name}: not typed") from None
    _refuse([name])


def _is_attended() -> bool:
    """Whether somebody can answer: at a terminal, or in a notebook, which asks in the page."""
    shell = sys.modules.get("IPython")
    if shell is not None and hasattr(shell.get_ipython(), "kernel"):
        return True
    return sys.stdin is not None and sys.stdin.isatty()


def from_keyring(environment: str, username: str) -> Secret:
    """The password that the system's keyring keeps as "campaign live" or "campaign sandbox".

    Raises `AccountError` if there is no keyring, if it has no such password (and says how to save it), and
    if the sandbox has the password of live.
    """
    password = _kept_in_keyring(environment, username)
    if password is None:
        raise AccountError("keyring_without_password", environment=environment, username=username)
    live = _kept_in_keyring("live", username) if environment == "sandbox" else None
    if live is not None and live.is_same(password):
        raise AccountError("passwords_alike", where="keyring")
    return password


def keep_in_keyring(environment: str, username: str, password: Secret) -> bool:
    """Keep a password in the system's keyring; whether there is one that took it."""
    try:
        import keyring

        password.use(lambda text: keyring.set_password(_keyring_entry(environment), username, text))
        kept = _kept_in_keyring(environment, username)
    except Exception:  # no library, or no keyring that can be written: each raises its own
        return False
    return kept is not None and kept.is_same(password)


def _kept_in_keyring(environment: str, username: str) -> Secret | None:
    require("keyring")
    try:
        import keyring

        password = keyring.get_password(_keyring_entry(environment), username)
        return Secret(password) if password else None
    except Exception as error:  # each keyring raises its own; the frames could show a password
        problem = type(error).__name__
    raise AccountError("password_unusable", reason=problem, place="the system's keyring")


def _keyring_entry(environment: str) -> str:
    return f"campaign {environment}"
