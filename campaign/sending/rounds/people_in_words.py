"""Whom the messages of a compared plan are for, and who gets nothing more, each figure with its unit."""

from __future__ import annotations

from collections.abc import Mapping

from campaign.contract import Changed
from campaign.environments import EnvironmentWords
from campaign.sending.rounds.comparison import (
    ACCEPTED,
    AGAIN,
    ASKED,
    GOES_OUT,
    MAY_GO_OUT,
    NEW,
    OTHER_NUMBER,
    OTHER_TEXT,
    REFUSED,
    UNKNOWN,
    UNSENT,
)
from campaign.text import agreeing, counted, listed_words

# What is recorded of rows that get a message, in words for people, in the order in which they are told.
_KINDS = {
    "new": NEW, "left out before": NEW, "still waiting": UNSENT, "to be sent again": AGAIN,
    "refused before": REFUSED, "{reached} before": ACCEPTED, "under way": UNKNOWN, "unknown": UNKNOWN,
    "{reached} with another text": OTHER_TEXT, "{reached} under another number": OTHER_NUMBER,
}  # fmt: skip
_OF_MESSAGE = ("under way", "unknown")  # said of the message, not of the person
_AGAIN = "to be sent again"


class PeopleInWords:
    """The people of a compared plan by what is recorded of them. A row that gets a message is a person.

    `recorded` has how many of them each state has. Of the new people, `left_out` were left out before,
    because they wanted no messages. Of those who are unknown, `under_way` have a message that another run
    is sending: its answer may come any moment.
    """

    def __init__(
        self,
        recorded: Mapping[int, int],
        words: EnvironmentWords,
        *,
        left_out: int = 0,
        under_way: int = 0,
    ) -> None:
        self._recorded, self._words = recorded, words
        self._left_out, self._under_way = left_out, under_way

    @property
    def kinds(self) -> dict[str, int]:
        """How many people there are of each kind."""
        reached = self._words.reached
        kinds = {kind.format(reached=reached): self._recorded.get(state, 0) for kind, state in _KINDS.items()}
        return kinds | {
            "new": kinds["new"] - self._left_out,
            "left out before": self._left_out,
            "under way": self._under_way,
            "unknown": kinds["unknown"] - self._under_way,
        }

    @property
    def all(self) -> list[str]:
        """Everybody by kind: "3 new people", "47 people reached before"."""
        return self._told((*MAY_GO_OUT, ACCEPTED, UNKNOWN))

    @property
    def asked(self) -> str:
        """On whom `changed=` decides: "1 person reached with another text"; "" for nobody."""
        return listed_words(self._told(ASKED))

    def leaving(
        self, messages: int, *, changed: Changed, noun: str = "message", is_open: bool = False
    ) -> str:
        """How many messages would leave, and for whom; where none would, why that is so for everybody.

        With `is_open`, people who are none of these may get one too.
        """
        done = self._words.done
        if not messages:
            is_open |= changed == "ask" and bool(self.asked)
            yet, why = " yet" if is_open else "", self._why_nothing
            return f"Nothing would be {done}{yet}{f': {why}' if why else ''}."
        whom = listed_words(self._told(MAY_GO_OUT if changed == "send" else GOES_OUT))
        return f"{counted(messages, noun)} would be {done}, for {whom}."

    def staying(self, messages: int, *, changed: Changed) -> str:
        """Who gets nothing more, where others get something; "" for nobody.

        Whom `changed="ask"` asks about is in neither sentence: nobody knows yet.
        """
        others = listed_words(self._told((ACCEPTED, UNKNOWN, *(ASKED if changed == "skip" else ()))))
        return f"Nothing more goes to {others}." if messages and others else ""

    def _told(self, states: tuple[int, ...]) -> list[str]:
        """The kinds of some states with how many people each has, without those that have nobody."""
        kinds = zip(self.kinds.items(), _KINDS.values(), strict=True)
        return [_people(count, kind) for (kind, count), state in kinds if count and state in states]

    @property
    def _why_nothing(self) -> str:
        """What was done for everybody already, as a clause; "" for a table without messages."""
        return listed_words(
            f"{counted(count, 'person', 'people')} {_clause(count, kind)}"
            for kind, count in self.kinds.items()
            if count
        )


def _clause(count: int, kind: str) -> str:
    """What was done for so many people of a kind."""
    if kind in _OF_MESSAGE:
        return f"{agreeing(count, 'has', 'have')} a message that is {kind}"
    if kind == _AGAIN:
        return f"{agreeing(count, 'is', 'are')} to get it again"
    return f"{agreeing(count, 'was', 'were')} {kind}"


def _people(count: int, kind: str) -> str:
    if kind == "new":
        return counted(count, "new person", "new people")
    if kind == "still waiting":  # new people, or some who were reached with another text before
        return counted(count, "person who still waits", "people who still wait")
    people = counted(count, "person", "people")
    if kind == _AGAIN:  # a person has ordered that, and was told so
        return f"{people} who may get it twice"
    return f"{people} whose message is {kind}" if kind in _OF_MESSAGE else f"{people} {kind}"
