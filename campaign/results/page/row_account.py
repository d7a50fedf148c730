"""All rows of the sheet: what became of each, and those that were not read."""

from __future__ import annotations

from campaign.contacts.reading_record import Reading
from campaign.results.totals import ResultTotals
from campaign.text import agreeing, capitalised, counted

MEANINGS = {
    "invalid": "has to be corrected, and gets nothing until then",
    "blank": "is empty",
    "duplicate": "has the number and the text of another row",
    "sharing a phone": "has the number of another row, and another text: a person who shares a phone",
    "with an earlier text": "keeps another text of this campaign, which the phone got before",
    "under another number": "was reached at another number, and not at this one",
    "reached by another campaign": "its number was reached by another campaign, or a list says so",
    "opted out": "wants no texts: on the opt-out list, or marked",
    "not sent": "ready, and not sent",
    "accepted": "accepted by the service, which does not say whether it reached the phone",
    "refused": "refused by the service, so not sent",
    "unknown": "may have been sent: the request left, and no readable answer came back",
    "line of totals": "adds up other rows, and is no person",
    "remark": "stands below the table, and is no person",
}

_ONE_PERSON = (
    "Rows with the same number and the same text count as one person, also where two people share the phone."
)


def row_account(totals: ResultTotals, reading: Reading | None) -> list[tuple[str, int, str]]:
    """A name, the number of rows and what it means, for each status, and for rows that were not read."""
    lines = [
        (kind, count, MEANINGS[kind])
        for kind, count in totals.kinds.items()
        if count or kind.replace(" ", "_") in totals
    ]
    return [*lines, *not_read(reading)]


def rows_in_words(totals: ResultTotals, reading: Reading | None) -> str:
    """How people and rows go together: "38 rows in the file: 36 people, 1 duplicate, 1 blank row."

    Where people share a phone and a text is for all of them, they are fewer than with a text for each.
    """
    copies, elsewhere = totals.kinds["duplicate"], totals.why.get("other_campaign", 0)
    others = {
        ("row that another campaign reached", "rows that another campaign reached"): elsewhere,
        ("duplicate", "duplicates"): copies,
        ("blank row", "blank rows"): totals.empty,
    }
    people = counted(totals.people, "person", "people")
    if totals.sharing:
        people += f" ({totals.sharing:,} {agreeing(totals.sharing, 'shares', 'share')} a phone)"
    pieces = [people, *(counted(count, *nouns) for nouns, count in others.items() if count)]
    pieces += totals.lines_in_words
    rows = capitalised(f"{counted(totals.rows, 'row')} in the file")
    sentences = [f"{rows}: {', '.join(pieces)}." if len(pieces) > 1 or totals.sharing else f"{rows}."]
    sentences += [_ONE_PERSON] * bool(copies)
    return " ".join([*sentences, not_read_in_words(reading)]).strip()


def not_read_in_words(reading: Reading | None) -> str:
    """The rows of the sheet that are in no table: "1 row hidden in the sheet was not read."; "" for none."""
    return " ".join(
        f"{capitalised(counted(count, f'row {name}', f'rows {name}'))} "
        f"{agreeing(count, 'was', 'were')} not read."
        for name, count, _ in not_read(reading)
    )


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
