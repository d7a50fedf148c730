"""`replace` is one for both kinds of values."""

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pkgutil import walk_packages

from msgspec import Struct

import campaign
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


def test_a_struct_that_keeps_what_it_worked_out_has_a_place_for_it():
    """Without `dict=True`, a cached property of a Struct fails when it is first asked for."""
    for module in walk_packages(campaign.__path__, "campaign."):
        if module.name not in ("campaign.__main__", "campaign.pytest_plugin"):
            import_module(module.name)
    kinds, found = [Struct], 0
    for kind in kinds:
        kinds += kind.__subclasses__()
        if any(isinstance(part, cached_property) for base in kind.__mro__ for part in vars(base).values()):
            found += 1
            assert kind.__dictoffset__, kind
    assert found >= 10
