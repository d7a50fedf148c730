"""A world that differs from what is promised, made as small as it stays so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

from support.worlds import Round, Row, World


def smallest(world: World, differs: Callable[[World], bool]) -> World:
    """The world without anything that can be left out so that it still differs."""
    while smaller := next((one for one in _smaller(world) if differs(one)), None):
        world = smaller
    return world


def _smaller(world: World) -> Iterator[World]:
    """The world with one thing less."""
    rounds = world.rounds
    for place in range(len(rounds)):
        if len(rounds) > 1:
            yield World((*rounds[:place], *rounds[place + 1 :]))
    for place, sent in enumerate(rounds):
        for less in chain(_fewer_rows(sent), _simpler_rows(sent), _usual(sent)):
            yield World((*rounds[:place], less, *rounds[place + 1 :]))


def _fewer_rows(sent: Round) -> Iterator[Round]:
    for place in range(len(sent.rows)):
        if len(sent.rows) > 1:
            yield replace(sent, rows=(*sent.rows[:place], *sent.rows[place + 1 :]))


def _simpler_rows(sent: Round) -> Iterator[Round]:
    """The round with a row that has the plain text, the usual cell, or no mark."""
    for place, row in enumerate(sent.rows):
        digits = "".join(character for character in row.cell if character.isdigit())
        cell = f"0772 000 {digits[-3:]}" if len(digits) > 2 else row.cell
        for simple in (
            Row(cell, row.text, row.marked),
            Row(row.cell, row.meaning, row.marked),
            Row(row.cell, row.text),
        ):
            if simple != row:
                yield replace(sent, rows=(*sent.rows[:place], simple, *sent.rows[place + 1 :]))


def _usual(sent: Round) -> Iterator[Round]:
    """The round with one of its choices as usual."""
    usual = Round(())
    for name in ("streamed", "resumed", "stopped", "region", "duplicates", "changed", "waiting", "decisions"):
        if getattr(sent, name) != getattr(usual, name):
            yield replace(sent, **{name: getattr(usual, name)})
    if len(sent.outcomes) > 1:
        yield replace(sent, outcomes=sent.outcomes[:-1])
    if sent.outcomes != "a" * len(sent.outcomes):
        yield replace(sent, outcomes="a" * len(sent.outcomes))
