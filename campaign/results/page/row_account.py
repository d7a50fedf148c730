"""All rows of the sheet: what became of each, and those that were not read."""

from __future__ import annotations

from campaign.contacts.reading_record import Reading
from campaign.results.totals import ResultTotals
from campaign.text import agreeing, capitalised, counted, figure

MEANINGS = {
    "invalid": "has to be corrected, and gets nothing until then",
    "blank": "is empty",
    "duplicate": "repeats a number: another row, now or in an earlier round, has it",
    "opted_out": "wants no texts: on the opt-out list, or marked",
    "not_sent": "ready, and not sent",
    "accepted": "accepted by the service, which does not say whether it reached the phone",
    "refused": "refused by the service, so not sent",
    "unknown": "may have been sent: the request left, and no readable answer came back",
}

_ONE_PERSON = (
    "Rows with the same number and the same text count as one person, also where two people share the phone."
)


def row_account(totals: ResultTotals, reading: Reading | None) -> list[tuple[str, int, str]]:
    """A name, the number of rows and what it means, for each status, and for rows that were not read."""
    sharing, unreached = totals.sharing, totals.sharing_unreached
    meanings = MEANINGS | {
        "invalid": MEANINGS["invalid"] + _about_sent(totals["invalid"] - totals.to_correct),
        "duplicate": MEANINGS["duplicate"] + _about_sharing(sharing) + _about_sent(sharing - unreached),
    }
    counts = dict(totals) | {"blank": totals.empty, "duplicate": totals["duplicate"] - totals.left_out}
    lines = [(name.replace("_", " "), count, meanings[name]) for name, count in counts.items()]
    others = [
        ("reached before", totals.left_out, "its number was reached by another campaign, or a list says so"),
        ("line of totals", totals.totals_lines, "adds up other rows, and is no person"),
        ("remark", totals.remarks, "stands below the table, and is no person"),
    ]
    return [*lines, *(other for other in others if other[1]), *not_read(reading)]


def rows_in_words(totals: ResultTotals, reading: Reading | None) -> str:
    """How people and rows go together: "38 rows in the file: 36 people, 1 duplicate, 1 blank row."

    Where people share a phone and a text is for all of them, they are fewer than with a text for each.
    """
    copies = totals["duplicate"] - totals.sharing - totals.left_out
    others = {
        ("row whose number was reached before", "rows whose numbers were reached before"): totals.left_out,
        ("duplicate", "duplicates"): copies,
        ("blank row", "blank rows"): totals.empty,
    }
    people = counted(totals.people, "person", "people")
    if totals.sharing:
        people += f" ({_sharing_in_words(totals)})"
    pieces = [people, *(counted(count, *nouns) for nouns, count in others.items() if count)]
    pieces += totals.lines_in_words
    rows = capitalised(f"{counted(totals.rows, 'row')} in the file")
    sentences = [f"{rows}: {', '.join(pieces)}." if len(pieces) > 1 or totals.sharing else f"{rows}."]
    sentences += [_ONE_PERSON] * bool(copies)
    return " ".join([*sentences, not_read_in_words(reading)]).strip()


def _sharing_in_words(totals: ResultTotals) -> str:
    """How many people share a phone; whoever was sent a text all the same counts as what became of it."""
    sharing, earlier = totals.sharing, totals.sharing - totals.sharing_unreached
    words = f"{figure(sharing)} {agreeing(sharing, 'shares', 'share')} a phone"
    sent = f"{agreeing(earlier, 'was', 'were')} sent a text earlier"
    if not earlier:
        return words
    return f"{words} and {sent}" if earlier == sharing else f"{words}, of whom {figure(earlier)} {sent}"


def not_read_in_words(reading: Reading | None) -> str:
    """The rows of the sheet that are in no table: "1 row hidden in the sheet was not read."; "" for none."""
    return " ".join(
        f"{capitalised(counted(count, f'row {name}', f'rows {name}'))} "
        f"{agreeing(count, 'was', 'were')} not read."
        for name, count, _ in not_read(reading)
    )


def _about_sharing(people: int) -> str:
    """How many of the duplicates are people of their own, as a continued sentence; "" for none."""
    if not people:
        return ""
    have = agreeing(people, "has another text: a person who shares", "have another text: people who share")
    return f". {figure(people)} of them {have} a phone"


def _about_sent(rows: int) -> str:
    """How many rows were sent earlier, as after a follow-up file, as a continued sentence; "" for none."""
    were = agreeing(rows, "was", "were")
    return f". {figure(rows)} of them {were} sent earlier in the campaign" if rows else ""


def not_read(reading: Reading | None) -> list[tuple[str, int, str]]:
    """The rows of the sheet that are in no table: hidden ones, and those above the header."""
    if reading is None:
        return []
    above = (reading.header_row or 1) - 1
    lines = [
        ("hidden in the sheet", reading.hidden_rows, "not read, as nobody asked for hidden rows"),
        ("above the header", above, "not read"),
    ]
    return [line for line in lines if line[1]]
