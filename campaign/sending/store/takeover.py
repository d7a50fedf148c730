"""Whether a campaign is opened where it lives, and the phrase that moves it to another place.

A ledger that was copied, restored or forgotten knows less than what was sent, so going on with it would send
messages twice. A person who knows better types the phrase of the refusal. It names place and moves, and ends
with a mark of all that the list knows, so that it does not fit a second time.
"""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path

from msgspec import structs

from campaign.errors import FolderError
from campaign.messages.templates.date_names import MONTHS
from campaign.sending.store.user_list import ListedCampaign, listed_campaign
from campaign.text import agreeing, clean, counted


def check_listed(key: str, folder: Path, ledger_id: str, moves: int, takeover: str | None) -> str:
    """Compare a live campaign that is about to be opened with the user's list; call it before `check_place`.

    Returns "" if they agree or nothing is listed, and the note for the journal if `takeover` fits. Raises
    `FolderError` with the phrase otherwise.
    """
    listed = listed_campaign(key)
    problem = "" if listed is None else _difference(listed, folder, ledger_id, moves)
    if listed is None or not problem:
        return ""
    phrase = f"{_phrase(folder, moves)} {_mark(listed, ledger_id, moves)}"
    if _fits(takeover, phrase):
        return _note(phrase, problem)
    known = f"{problem} {_sent_sentence(listed)}"
    advice = "Continue in that folder" if _is_there(listed, folder) else "Restore the newest copy there"
    raise _refusal(known, advice, f"to go on in {clean(folder)} all the same", phrase, takeover)


def check_newest(listed: ListedCampaign, folder: Path, moves: int) -> None:
    """Raise `FolderError` if a live campaign that is about to be changed is an older copy of itself.

    A change would make its ledger as long as the list says, and nothing would tell any more that it is older.
    """
    problem = _difference(listed, folder, listed.ledger, moves)
    if problem:
        raise FolderError(
            f"{problem} {_sent_sentence(listed)} Nothing was changed. Restore the newest copy there. To go "
            "on in this one all the same, resume the campaign first: its error shows the phrase for that."
        )


def check_unlisted(key: str, folder: Path, takeover: str | None) -> str:
    """Check that a live campaign that is about to be made in `folder` is not listed already.

    Returns "" or the note for the journal, and raises `FolderError`, like `check_listed`.
    """
    listed = listed_campaign(key)
    if listed is None:
        return ""
    phrase = f"{_phrase(listed.folder, listed.moves)} {_mark(listed, '', 0)}"
    there = Path(listed.folder)
    if _same_place(there, folder):
        problem = f"This campaign was in {clean(there)}, and is no longer there."
    elif os.path.lexists(there):
        problem = f"This campaign is in {clean(there)}."
    else:
        problem = f"This campaign was in {clean(there)}, which no longer exists."
    if _fits(takeover, phrase):
        return _note(phrase, problem)
    known = f"{problem} {_sent_sentence(listed)}"
    advice = (
        "Continue in that folder" if _is_there(listed, folder) else "Put that folder back, and continue in it"
    )
    raise _refusal(known, advice, f"to begin anew in {clean(folder)}", phrase, takeover)


def check_place(
    recorded_machine: str,
    recorded_folder: str | Path,
    machine: str,
    folder: Path,
    moves: int,
    takeover: str | None,
) -> str:
    """Check that a ledger is opened on the machine and in the folder that it records as its own.

    Returns "" if it is at home, and the note for the journal if `takeover` fits; a phrase of `check_listed`
    for the same folder fits here too. Raises `FolderError` with the phrase otherwise.
    """
    if recorded_machine != machine:
        problem = f"This campaign lives on another machine, in {clean(recorded_folder)} there."
    elif not _same_place(Path(recorded_folder), folder):
        problem = f"This campaign lives in {clean(recorded_folder)}, and {clean(folder)} is a copy of it."
        if not os.path.lexists(recorded_folder):
            problem = f"This campaign was moved from {clean(recorded_folder)} to {clean(folder)}."
    else:
        return ""
    phrase = _phrase(folder, moves)
    if _fits(takeover, phrase, with_mark=True):
        return _note(phrase, problem)
    raise _refusal(problem, "Continue it there", f"to go on in {clean(folder)}", phrase, takeover)


def check_account(recorded: str, account: str, folder: Path, moves: int, takeover: str | None) -> str:
    """Check that a campaign is continued with the account that it was sent with; both are hashes.

    Returns "" or the note for the journal, and raises `FolderError`, like `check_place`.
    """
    if recorded == account:
        return ""
    problem = f"The campaign in {clean(folder)} was sent to another address or with another user name."
    phrase = _phrase(folder, moves)
    if _fits(takeover, phrase, with_mark=True):
        return _note(phrase, problem)
    wish = "if the provider has moved or the account was renamed"
    raise _refusal(problem, "Give the account that it was sent with", wish, phrase, takeover)


def _difference(listed: ListedCampaign, folder: Path, ledger_id: str, moves: int) -> str:
    """How the list differs from the campaign in this folder, in words; "" if it does not."""
    there, here = Path(listed.folder), clean(folder)
    problem = ""
    if not _same_place(there, folder):
        state = "which still exists" if os.path.lexists(there) else "which no longer exists"
        problem = f"This campaign is listed in {clean(there)}, {state}, and not in {here}."
        if listed.ledger != ledger_id:
            problem += " The two have different ledgers."
    elif listed.ledger != ledger_id:
        problem = f"The ledger in {here} is not the one that this campaign was sent with."
    missing = listed.moves - moves
    if listed.ledger == ledger_id and missing > 0:
        verb = agreeing(missing, "is", "are")
        older = f"The ledger in {here} is an older copy: {counted(missing, 'move')} {verb} missing."
        problem = f"{problem} {older}".strip()
    return problem


def _sent_sentence(listed: ListedCampaign) -> str:
    """How many messages left from the place that is listed, and when."""
    if not listed.reached or not listed.last_sent_at:
        return "Nothing was sent from there so far."
    verb = agreeing(listed.reached, "was", "were")
    day = _day(listed.last_sent_at)
    first = _day(listed.first_sent_at) if listed.first_sent_at else day
    when = f"on {day}" if first == day else f"from {first} to {day}"
    return f"{counted(listed.reached, 'message')} {verb} sent from {clean(listed.folder)} {when}."


def _day(moment: str) -> str:
    day = datetime.fromisoformat(moment).astimezone(UTC)
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _is_there(listed: ListedCampaign, folder: Path) -> bool:
    """Whether the listed folder is another one than this, and still exists."""
    there = Path(listed.folder)
    return not _same_place(there, folder) and os.path.lexists(there)


def _same_place(one: Path, other: Path) -> bool:
    """Whether two paths lead to one folder, whether or not it still exists."""
    if os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other)):
        return True
    try:
        return one.samefile(other)  # a disk that ignores case
    except (OSError, ValueError):
        return False


def _phrase(folder: str | Path, moves: int) -> str:
    return f"take over {clean(folder)} at {counted(moves, 'move')}"


def _mark(listed: ListedCampaign, ledger_id: str, moves: int) -> str:
    """Four digits that change with whatever the list or the ledger says."""
    facts = json.dumps([structs.asdict(listed), ledger_id, moves])
    return hashlib.sha256(facts.encode()).hexdigest()[:4]


def _fits(takeover: str | None, phrase: str, *, with_mark: bool = False) -> bool:
    words, needed = (takeover or "").split(), phrase.split()
    return words == needed or (with_mark and words[:-1] == needed and len(words[-1]) == 4)


def _note(phrase: str, problem: str) -> str:
    """What the journal keeps of a takeover."""
    return f'"{phrase}": {problem}'


def _refusal(known: str, advice: str, wish: str, phrase: str, takeover: str | None) -> FolderError:
    outdated = "The phrase that was given does not fit, or no longer fits. " if takeover else ""
    quoted = json.dumps(phrase, ensure_ascii=False)  # as Python reads it, backslashes of Windows included
    return FolderError(
        f"{known} Messages could be sent twice. {outdated}{advice}; or, {wish}, give takeover={quoted}."
    )
