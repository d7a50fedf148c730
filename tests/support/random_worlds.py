"""Worlds at random, each from its seed: up to six rows and four numbers, and a person who edits the table."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from support.worlds import TEXTS, Round, Row, World

NUMBERS = range(1, 5)
SPELLINGS = ("0772 000 {:03}", "0772 000 {:03}", "+256 772 000 {:03}", "0772000{:03}")
WRONG_CELLS = ("12", "")
USUAL_TEXTS = ("A", "A", "B", "C")


def random_world(seed: int) -> World:
    """Two to five rounds."""
    chance = random.Random(seed)
    writer = _Writer(chance)
    rows = tuple(writer.row() for _ in range(chance.randint(1, 6)))
    sent = Round(rows, duplicates=chance.choice(("skip", "skip", "keep")))
    rounds = []
    for _ in range(chance.randint(2, 5)):
        rounds.append(writer.decided(sent))
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            sent = chance.choice(writer.edits)(sent)
    return World(tuple(rounds))


class _Writer:
    """The person who edits the table."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.numbers = chance.randint(1, len(NUMBERS))
        self.texts = chance.choice((USUAL_TEXTS, ("A", "B"), ("Long", "Longer", "A"), tuple(TEXTS)))
        self.edits: tuple[Callable[[Round], Round], ...] = (
            self._rewrite, self._rewrite, self._rewrite_all, self._respace, self._renumber, self._respell,
            self._spoil, self._add, self._add, self._drop, self._drop, self._sort, self._swap_texts,
            self._mark, self._stop, self._read_elsewhere, self._keep_or_skip,
        )  # fmt: skip

    def row(self) -> Row:
        return Row(self._cell(), self.chance.choice(self.texts))

    def decided(self, sent: Round) -> Round:
        """The round with answers, with what becomes of its batches, and in parts or not."""
        chance = self.chance
        letters = chance.choice(("a", "aarugw", "aarugw", "arugw"))
        return replace(
            sent,
            outcomes="".join(chance.choice(letters) for _ in range(chance.randint(1, 5))),
            decisions="".join(chance.choice("--arg") for _ in range(chance.randint(1, 3))),
            changed=chance.choice(("send", "send", "skip", "skip", "ask")),
            waiting=chance.choice(("withdraw", "withdraw", "withdraw", "ask")),
            streamed=chance.random() < 0.1,
            resumed=chance.random() < 0.1,
        )

    def _cell(self) -> str:
        return self.chance.choice(SPELLINGS).format(self.chance.randint(1, self.numbers))

    def _at_one(self, sent: Round, change: Callable[[Row], Row]) -> Round:
        if not sent.rows:
            return sent
        place = self.chance.randrange(len(sent.rows))
        rows = (*sent.rows[:place], change(sent.rows[place]), *sent.rows[place + 1 :])
        return replace(sent, rows=rows)

    def _rewrite(self, sent: Round) -> Round:
        return self._at_one(sent, lambda row: replace(row, text=self.chance.choice(self.texts)))

    def _rewrite_all(self, sent: Round) -> Round:
        text = self.chance.choice(self.texts)
        return replace(sent, rows=tuple(replace(row, text=text) for row in sent.rows))

    def _respace(self, sent: Round) -> Round:
        """The same text with other spaces, or normalized otherwise."""

        def respace(row: Row) -> Row:
            alike = [name for name in TEXTS if name.split(" ")[0] == row.meaning]
            return replace(row, text=self.chance.choice(alike or [row.text]))

        return replace(sent, rows=tuple(respace(row) for row in sent.rows))

    def _renumber(self, sent: Round) -> Round:
        return self._at_one(sent, lambda row: replace(row, cell=self._cell()))

    def _respell(self, sent: Round) -> Round:
        """The same number, in another cell."""

        def respell(row: Row) -> Row:
            digits = "".join(character for character in row.cell if character.isdigit())
            return (
                replace(row, cell=self.chance.choice(SPELLINGS).format(int(digits[-3:]))) if digits else row
            )

        return self._at_one(sent, respell)

    def _spoil(self, sent: Round) -> Round:
        """A row with a mistake, or an empty one."""
        mistake = self.chance.choice(({"text": ""}, {"text": ""}, {"cell": "12"}, {"cell": ""}))
        if self.chance.random() < 0.2:
            return self._at_one(sent, lambda row: Row("", ""))
        return self._at_one(sent, lambda row: replace(row, **mistake))

    def _add(self, sent: Round) -> Round:
        if len(sent.rows) == 6:
            return sent
        place = self.chance.randint(0, len(sent.rows))
        return replace(sent, rows=(*sent.rows[:place], self.row(), *sent.rows[place:]))

    def _drop(self, sent: Round) -> Round:
        if len(sent.rows) < 2:
            return sent
        place = self.chance.randrange(len(sent.rows))
        return replace(sent, rows=(*sent.rows[:place], *sent.rows[place + 1 :]))

    def _sort(self, sent: Round) -> Round:
        rows = list(sent.rows)
        self.chance.shuffle(rows)
        return replace(sent, rows=tuple(rows))

    def _swap_texts(self, sent: Round) -> Round:
        """Each row has the text of the next one."""
        texts = [row.text for row in sent.rows]
        rows = zip(sent.rows, texts[1:] + texts[:1], strict=True)
        return replace(sent, rows=tuple(replace(row, text=text) for row, text in rows))

    def _mark(self, sent: Round) -> Round:
        return self._at_one(sent, lambda row: replace(row, marked=bool(row.cell) and not row.marked))

    def _stop(self, sent: Round) -> Round:
        """Somebody answers STOP: the list of opt-outs is a new one, and those of before hold, too."""
        return replace(sent, stopped=(f"+256 772 000 {self.chance.randint(1, self.numbers):03}",))

    def _read_elsewhere(self, sent: Round) -> Round:
        """The same cells are read as numbers of another country."""
        return replace(sent, region="KE" if sent.region == "UG" else "UG")

    def _keep_or_skip(self, sent: Round) -> Round:
        return replace(sent, duplicates="skip" if sent.duplicates == "keep" else "keep")
