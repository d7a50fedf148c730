"""Every small world: two rows, one number or two, two texts, three rounds, each outcome and each answer.

Worlds that differ only by the names of the texts, or in which nothing can come out differently in the last
round because the record is the same before it, are one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product

from support.promised_rows import Cut, Record, judge
from support.worlds import Round, Row, World

PHONE, OTHER_PHONE = "0772 000 001", "0772 000 002"
OUTCOMES = "aruwg"
STATES = {"a": "accepted", "r": "refused", "u": "unknown", "w": "pending", "g": "again"}

ONE_NUMBER = ("A", "B", "AA", "AB", "BA", "BB")  # the texts of the rows, all with one number
TWO_NUMBERS = ("A-", "B-", "-A", "-B", "AA", "AB", "BA", "BB")  # of the row of each number, - for none


@cache
def one_number() -> tuple[World, ...]:
    """Both rows have one number. Where their texts differ, one of them goes out, or both."""
    tables = [_rows(texts, PHONE, PHONE) for texts in ONE_NUMBER]
    return tuple(_worlds(tables, ("skip", "keep"), ("UG",)))


@cache
def two_numbers() -> tuple[World, ...]:
    """Each row has a number of its own. Rows come and go."""
    tables = [_rows(texts, PHONE, OTHER_PHONE) for texts in TWO_NUMBERS]
    return tuple(_worlds(tables, ("skip",), ("UG",)))


@cache
def moved_number() -> tuple[World, ...]:
    """The cell of a row is read as the number of another country, and back."""
    tables = [_rows(text, PHONE) for text in "AB"]
    return tuple(_worlds(tables, ("skip",), ("UG", "KE")))


def _rows(texts: str, *cells: str) -> tuple[Row, ...]:
    return tuple(Row(cell, text) for cell, text in zip(cells, texts, strict=False) if text != "-")


def _worlds(
    tables: list[tuple[Row, ...]], duplicates: tuple[str, ...], regions: tuple[str, ...]
) -> Iterator[World]:
    """Three rounds of some tables. What becomes of the last one takes turns."""
    choices = [
        Round(rows, duplicates=choice, region=region)
        for rows, choice, region in product(tables, duplicates, regions)
        if choice == "skip" or len({(row.cell, row.text) for row in rows}) > 1
    ]
    histories: list[tuple[Round, ...]] = [()]
    for _ in range(2):
        histories = _different([*_continued(histories, choices)])
    last = _last_rounds(histories, choices)
    for place, rounds in enumerate(last):
        outcomes = OUTCOMES[place % 5] + OUTCOMES[place // 5 % 5]
        yield World((*rounds[:-1], replace(rounds[-1], outcomes=outcomes)))


def _continued(histories: list[tuple[Round, ...]], choices: list[Round]) -> Iterator[tuple[Round, ...]]:
    for history in histories:
        for sent in _answered(history, choices):
            verdict = judge(record_of(history), sent)
            declined = verdict.asks(sent.changed, sent.waiting)
            batches = 0 if declined else len(verdict.outgoing(sent.changed))
            for letters in product(OUTCOMES, repeat=batches):
                yield (*history, replace(sent, outcomes="".join(letters) or "a"))


def _last_rounds(histories: list[tuple[Round, ...]], choices: list[Round]) -> Iterator[tuple[Round, ...]]:
    for history in histories:
        for sent in _answered(history, choices):
            yield (*history, sent)


def _answered(history: tuple[Round, ...], choices: list[Round]) -> Iterator[Round]:
    """The tables with each answer where there is a question."""
    record = record_of(history)
    for sent in choices:
        verdict = judge(record, sent)
        changed = ("send", "skip", "ask") if verdict.changed else ("send",)
        waiting = ("withdraw", "ask") if verdict.waiting else ("withdraw",)
        # Nobody has to see the error for each answer to the other question.
        answers = [*product(changed, waiting)]
        declined = [one for one in answers if verdict.asks(*one)]
        for one, other in answers:
            if (one, other) not in declined[1:]:
                yield replace(sent, changed=one, waiting=other)


def record_of(rounds: tuple[Round, ...]) -> Record:
    """What is recorded after some rounds if all goes as promised."""
    record = Record()
    for number, sent in enumerate(rounds, 1):
        verdict = judge(record, sent)
        if verdict.asks(sent.changed, sent.waiting):
            continue
        for cut in record.waiting():
            cut.state = "withdrawn"
        for place, row in enumerate(verdict.outgoing(sent.changed)):
            state = STATES[sent.outcomes[place % len(sent.outcomes)]]
            record.cuts.append(Cut(len(record.cuts) + 1, number, *row.key, row.row.cell, state))
    return record


def _different(histories: list[tuple[Round, ...]]) -> list[tuple[Round, ...]]:
    """Those of some histories after which something else is recorded, or another table was sent last."""
    return list({_mark(history): history for history in reversed(histories)}.values())[::-1]


def _mark(history: tuple[Round, ...]) -> tuple[object, ...]:
    """What is recorded, and the last table, with the texts in the order in which they first came."""
    cuts = record_of(history).cuts
    sent = history[-1]
    names: dict[str, str] = {}
    for text in [cut.text for cut in cuts] + [row.text for row in sent.rows]:
        names.setdefault(text, f"text {len(names)}")
    recorded = tuple((cut.number, names[cut.text], cut.state) for cut in cuts)
    table = tuple((row.cell, names[row.text]) for row in sent.rows)
    return recorded, table, sent.duplicates, sent.region
