"""`replace` is one for both kinds of values."""

from dataclasses import dataclass

from msgspec import Struct

from campaign.values import replace


@dataclass(frozen=True)
class Ruled:
    rows: int
    name: str = ""


class Plain(Struct, frozen=True):
    rows: int
    name: str = ""


def test_both_kinds_of_values_are_replaced_and_stay_as_they_were():
    ruled, plain = Ruled(2), Plain(2)
    assert (replace(ruled, name="Ann"), replace(plain, name="Ann")) == (Ruled(2, "Ann"), Plain(2, "Ann"))
    assert (ruled, plain) == (Ruled(2), Plain(2))
