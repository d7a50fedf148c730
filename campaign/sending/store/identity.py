"""Which campaign is meant: its name, its key and the name of its folder."""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from campaign.argument_checks import check_text
from campaign.environments import Environment
from campaign.errors import UsageError
from campaign.messages.plan import Plan
from campaign.service.account import Account
from campaign.text import clean

CAMPAIGNS = Path("campaigns")
_SUFFIXES: dict[str, str] = {"local": ".local", "sandbox": ".sandbox", "live": ""}
_SLUG_LENGTH = 40
_TRY_OUT = re.compile(r"try-out-\d{8}-\d{6}-\d{6}(?:\.|$)")
# "Naming Files, Paths, and Namespaces" in the documentation of Windows: with any ending, too.
_RESERVED = re.compile(r"con|prn|aux|nul|(com|lpt)[0-9]")
_LIKE_HASHED = re.compile(r".*-[0-9a-f]{8}")
_UNNAMED = "campaign"


class ChosenName(NamedTuple):
    """The name of a campaign, and the file that it comes from: an absolute path, or "" if none is known.

    With `from_folder` it is the name of a folder: a campaign that is in it already keeps its own.
    """

    name: str
    source: str = ""
    from_folder: bool = False


def choose_name(
    plan: Plan, name: str | None, folder: str | os.PathLike[str] | None, environment: Environment
) -> ChosenName:
    """The name as given, else the last part of the folder, else that of the campaign to which rows to correct
    belong, else the stem of the plan's file.

    A plan of a DataFrame, of bytes or of several files is called "campaign" in the local environment.
    Raises `UsageError` for a blank name, and where a name is needed and none is given.
    """
    if name is not None:
        check_text(name, subject="name", write='name="visits"')
        return ChosenName(_checked(name))
    if folder is not None:
        last = Path(os.path.abspath(folder)).name  # noqa: PTH100 - Path.absolute keeps ".."
        return ChosenName(_checked(last.removesuffix(_SUFFIXES[environment])), from_folder=True)
    if plan.reading is not None and plan.reading.continues is not None:
        return ChosenName(_checked(plan.reading.continues.campaign))
    file = "" if plan.reading is None else plan.reading.path
    if not file:
        if environment == "local":
            return ChosenName(_UNNAMED)
        raise UsageError("campaign_name_missing")
    return ChosenName(_checked(Path(file).stem), file)


def locate_campaign(
    plan: Plan, name: str | None, folder: str | os.PathLike[str] | None, environment: Environment
) -> tuple[Path, ChosenName]:
    """The folder of the campaign that a plan belongs to, whether it exists or not, and its name."""
    chosen = choose_name(plan, name, folder, environment)
    if folder is not None:
        return Path(folder).absolute(), chosen
    return (CAMPAIGNS / folder_name(chosen.name, environment)).absolute(), chosen


def try_out_name(moment: datetime) -> str:
    """The name of the campaign of a single message that was tried out at this moment."""
    return f"try-out-{moment:%Y%m%d-%H%M%S-%f}"


def is_try_out(folder: str) -> bool:
    """Whether a campaign folder with this name is that of a try-out."""
    return _TRY_OUT.match(folder) is not None


def folded_name(name: str) -> str:
    """The name as names are compared: without case, and with single spaces between its words only."""
    folded = unicodedata.normalize("NFC", name).casefold()  # which can leave letters decomposed
    return " ".join(unicodedata.normalize("NFC", folded).split())


def campaign_key(name: str, account: Account) -> str:
    """The campaign's key: 64 hexadecimal digits that identify name and account without showing either."""
    return _digest(json.dumps([folded_name(name), account.identity]))


def folder_name(name: str, environment: Environment) -> str:
    """The name of the campaign's folder, which every system accepts: "visits", "visit-day-3f1c09aa.sandbox".

    A name that is not such a name already is followed by 8 digits of its hash, so that two names never share
    a folder. A plain name that ends like that gets a hash too.
    """
    folded = folded_name(name)
    slug = re.sub(r"[^a-z0-9_-]+", "-", folded).strip("-")[:_SLUG_LENGTH].strip("-")
    if slug != folded or not slug or _RESERVED.fullmatch(slug) or _LIKE_HASHED.fullmatch(slug):
        slug = f"{slug or _UNNAMED}-{_digest(folded)[:8]}"
    return slug + _SUFFIXES[environment]


def _checked(name: str) -> str:
    if not folded_name(clean(name)):
        raise UsageError("campaign_name_missing")
    return name.strip()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()  # file names can have halves
