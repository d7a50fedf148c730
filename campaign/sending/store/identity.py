"""Who a campaign is: its name, its account, and the folder that follows from both."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from campaign.errors import UsageError
from campaign.messages.plan import Plan
from campaign.service.account import Account

_SLUG_LENGTH = 40
_HASH = re.compile(r".*-[0-9a-f]{8}", re.DOTALL)
# Windows keeps these names for devices, with any extension.
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}


@dataclass(frozen=True, slots=True)
class ChosenName:
    """The name of a campaign; `source` is the path of the file that a default name was taken from, or "".

    With `from_folder` the name is that of a folder, so that a campaign that is there already keeps its own.
    """

    name: str
    source: str = ""
    from_folder: bool = False


def choose_name(
    plan: Plan, name: str | None, folder: str | os.PathLike[str] | None, environment: str
) -> ChosenName:
    """The name that was given, or that of the folder or of the plan's file.

    Raises `UsageError` for a name without a character, and where nothing can give a name.
    """
    if name is not None:
        if not folded_name(name):
            raise UsageError('name needs at least one character. Write name="visits".')
        return ChosenName(name.strip())
    if folder is not None:
        return ChosenName(Path(folder).absolute().name.removesuffix(f".{environment}"), from_folder=True)
    path = Path(plan.reading.path) if plan.reading is not None and plan.reading.path else None
    if path is not None and folded_name(path.stem):
        return ChosenName(path.stem.strip(), str(path))
    if environment == "local":
        return ChosenName("campaign")
    raise UsageError(
        "A campaign is known by its name, and this plan is not from a file that could give one. "
        'Write name="visits".'
    )


def folded_name(name: str) -> str:
    """A name as names are compared: NFC, without case, every run of white space one space."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    return " ".join(folded.split())


def campaign_key(name: str, account: Account) -> str:
    """64 hexadecimal digits that stand for a campaign: its name and its account."""
    folded = folded_name(name).encode("utf-8", "surrogatepass")
    return hashlib.sha256(
        b"campaign key 1\n%d\n%s\n" % (len(folded), folded) + account.identity.encode()
    ).hexdigest()


def folder_name(name: str, environment: str) -> str:
    """The last part of the folder of a campaign: `visits`, or `visits.local` for a rehearsal.

    A short hash is added unless the name consists of a to z, digits, hyphens and underscores, so that no two
    names share a folder. It is a name that every system allows.
    """
    folded = folded_name(name)
    slug = re.sub(r"[^a-z0-9_-]+", "-", folded).strip("-")[:_SLUG_LENGTH].strip("-")
    if slug != folded or slug in _RESERVED or _HASH.fullmatch(slug):
        content = folded.encode("utf-8", "surrogatepass")
        slug = f"{slug or 'campaign'}-{hashlib.sha256(content).hexdigest()[:8]}"
    return slug if environment == "live" else f"{slug}.{environment}"
