"""The environments, in the words that people read: live, or a rehearsal that reaches nobody."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

Environment = Literal["local", "sandbox", "live"]


class EnvironmentWords(Struct, frozen=True):
    """What an environment is called.

    - `name`: what it is in a word or two, for a cell of a table
    - `where`: where a result comes from, as in "Result (live)"
    - `label`: where messages go, for everybody who looks at a run
    - `service`: who accepts messages there
    - `campaign`: what is sent there: a campaign, or a rehearsal
    - `doing`: what a run does with its messages
    - `before`: when people were sent something there, as in "was sent a text before"
    - `has_made_up_costs`: whether its costs are those of no service
    """

    name: str
    where: str
    label: str
    service: str = "the service"
    campaign: str = "campaign"
    doing: str = "sending"
    before: str = "before"
    has_made_up_costs: bool = False


def _rehearsal(name: str, owner: str, *, has_made_up_costs: bool = False) -> EnvironmentWords:
    return EnvironmentWords(
        name=name.removeprefix("the "),
        where=f"rehearsal in {name}: nobody got anything",
        label=f"REHEARSAL {owner}: nobody gets anything",
        service=name,
        campaign="rehearsal",
        doing="rehearsing",
        before="in rehearsal",
        has_made_up_costs=has_made_up_costs,
    )


_WORDS: Final[dict[str, EnvironmentWords]] = {
    "local": _rehearsal("the embedded sandbox", "on this machine", has_made_up_costs=True),
    "sandbox": _rehearsal("the provider's sandbox", "in the provider's sandbox"),
    "live": EnvironmentWords(name="live", where="live", label="LIVE"),
}


def words_for(environment: str) -> EnvironmentWords:
    """The words for an environment; one that is not known, as in a damaged folder, is called by its name."""
    return _WORDS.get(environment) or EnvironmentWords(name=environment, where=environment, label=environment)
