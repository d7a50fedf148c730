"""What to do now: one task for each status that needs a person, with the command that does it."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from campaign.contract import ORDERED_AGAIN, SETTLED_BY
from campaign.paths import seen_from_here
from campaign.remedies import ADD_COST, EVERY_TEXT, without_code
from campaign.results.plain_words import in_plain_words
from campaign.results.redaction import Redaction
from campaign.results.replaced_file import free_name
from campaign.results.tables import Result
from campaign.text import agreeing, capitalised, counted
from campaign.values import replace

_ADD_COSTS = (
    f"Once the provider has told you, add it: with “{ADD_COST}” on the page that sent it, or with campaign "
    "resolve and --cost."
)
_SEND_BOTH = (
    f" Or let all texts go to the phone: send your own spreadsheet again with “{EVERY_TEXT}” (in a command, "
    '--duplicates keep; in Python, duplicates="keep").'
)
FOLDER = "FOLDER"  # in a command, where the folder is not inside the one in which the report is written
_NAMED = 6  # batches that a task names


class Task(Struct, frozen=True):
    """What to do in bold, why and how in a sentence or two, the command, and the tone of its mark."""

    title: str
    detail: str
    command: str
    tone: str


def tasks(result: Result, redaction: Redaction) -> list[Task]:
    """The tasks, the most urgent first; none where everybody was accepted or left out on purpose."""
    decisions = result.decisions
    counts = result.totals
    makers = {"unknown": _unknown, "refused": _refused, "not_sent": _not_sent, "invalid": _invalid}
    chosen = [
        _decided(decisions[status]) if status in decisions else make(result, counts[status], _place(result))
        for status, make in makers.items()
        if counts[status]
    ]
    if result.about_ordered_again:
        chosen.append(_decided(result.about_ordered_again))
    if result.totals.sharing:
        chosen.append(_sharing(result.totals.sharing, _place(result)))
    if result.about_costs:
        chosen.append(Task(without_code(result.about_costs), _ADD_COSTS, "", "quiet"))
    details = redaction.texts(task.detail for task in chosen)
    return [replace(task, detail=detail) for task, detail in zip(chosen, details, strict=True)]


def _decided(sentences: str) -> Task:
    """What is left to do where a person has decided already: the first sentence says what."""
    first, full_stop, rest = without_code(sentences).partition(". ")
    return Task(first + full_stop.strip(), rest, "", "quiet")


def _unknown(result: Result, _: int, place: str) -> Task:
    rows, batches = result.unknown_rows, result.batches
    is_decided = rows["batch"].isin(batches.loc[batches["error"] == ORDERED_AGAIN, "batch"])
    asked = rows if is_decided.all() else rows[~is_decided]
    people = asked["row"].nunique()
    named = _named(asked["batch"].unique().tolist())
    return Task(
        f"Find out about {counted(people, 'person', 'people')} in {named}.",
        f"No readable answer came, so {agreeing(people, 'this person', 'they')} may have been reached. Ask "
        "the provider for its list of what it received and reconcile it, or settle each batch with resolve. "
        "Nothing is sent to them again by itself.",
        f"campaign reconcile {place} LIST",
        "doubt",
    )


def _refused(result: Result, count: int, place: str) -> Task:
    batches = result.batches[result.messages_by_batch > 0]  # in others, people were tried again since
    refused = batches[batches["status"] == "refused"]
    is_settled = refused["error"].str.startswith(SETTLED_BY)  # those are no words of the service
    said = in_plain_words(refused["error"], refused["status"])[~is_settled]
    texts = [text for text in said.value_counts().index if text]
    resume = f"resume for {counted(count, 'refused person', 'refused people')}."
    reason = f"The service said: {texts[0]} " if texts else ""
    if is_settled.all():
        reason = "What is refused was settled so by a person: the service does not have it. "
    return Task(
        capitalised(resume) if is_settled.all() else f"Remove the cause, then {resume}",
        f"{reason}{'Other reasons are in the table below. ' if len(texts) > 1 else ''}"
        "Nobody who has got this text is tried again.",
        f"campaign resume {place}",
        "bad",
    )


def _not_sent(result: Result, count: int, place: str) -> Task:
    people = counted(count, "person", "people")
    return Task(
        f"Resume the campaign for {people} who {agreeing(count, 'waits', 'wait')}.",
        without_code(result.remarks[0]) or "Their messages are ready and have not left.",
        f"campaign resume {place}",
        "quiet",
    )


def _invalid(result: Result, count: int, place: str) -> Task:
    them, beside = agreeing(count, "it", "them"), agreeing(count, "it", "each row")
    return Task(
        f"Correct {counted(count, 'row')}, then send again.",
        f"Correct {them} in your own spreadsheet, or in the follow-up file, which has the reason beside "
        f"{beside}; in the app it is a button, “Rows to correct”. Either one, sent under the same name, "
        "reaches only people who have not got this text.",
        f"campaign follow-up {place} {free_name(Path('to_correct.xlsx'))}",
        "bad",
    )


def _sharing(count: int, place: str) -> Task:
    theirs = agreeing(count, "the text of this row was", "the texts of their rows were")
    has = agreeing(count, "has this row", "has their rows")
    is_reached = agreeing(count, "this person is", "they are")
    return Task(
        f"Find {agreeing(count, 'another number', 'other numbers')} for "
        f"{counted(count, 'person', 'people')} who {agreeing(count, 'shares', 'share')} a phone.",
        f"Their number is also that of somebody else, who has another text, so {theirs} not sent. The "
        f"follow-up file {has}: with another number there, {is_reached} reached.{_SEND_BOTH}",
        f"campaign follow-up {place} {free_name(Path('to_correct.xlsx'))}",
        "bad",
    )


def _named(batches: list[int]) -> str:
    names = ", ".join(map(str, batches[:_NAMED]))
    more = f" and {len(batches) - _NAMED:,} more" if len(batches) > _NAMED else ""
    return f"{'batch' if len(batches) == 1 else 'batches'} {names}{more}"


def _place(result: Result) -> str:
    """The folder as it is written in a shell."""
    path = Path(FOLDER if result.folder is None else seen_from_here(result.folder))
    if path.is_absolute():
        return FOLDER
    return f'"{path}"' if " " in str(path) else str(path)
