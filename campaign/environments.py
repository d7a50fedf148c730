"""The environments, in the words that people read: live, or a rehearsal that reaches nobody."""

from __future__ import annotations

from typing import Final, Literal, get_args

from msgspec import Struct

Environment = Literal["local", "sandbox", "live"]
ENVIRONMENTS: Final[tuple[str, ...]] = get_args(Environment)


class EnvironmentWords(Struct, frozen=True):
    """What an environment is called.

    - `name`: what it is in a word or two, for a cell of a table
    - `where`: where a result comes from, as in "Result (live)"
    - `label`: where messages go, for everybody who looks at a run
    - `service`: who accepts messages there, and `service_explained`: what that is, "" for live
    - `campaign`: what is sent there: a campaign, or a rehearsal
    - `doing` and `done`: what a run does with its messages, and what is done with them
    - `reached`: what people were whose message was accepted there
    - `before`: when people were sent something there, as in "was sent a text before"
    - `caution`: what has to be said before any figure, "" for live
    - `has_made_up_costs`: whether its costs are those of no service
    """

    name: str
    where: str
    label: str
    service: str = "the service"
    service_explained: str = ""
    campaign: str = "campaign"
    doing: str = "sending"
    done: str = "sent"
    reached: str = "reached"
    before: str = "before"
    caution: str = ""
    has_made_up_costs: bool = False


_CAUTION = "This was a rehearsal: nobody got anything."
_WORDS: Final[dict[str, EnvironmentWords]] = {
    "local": EnvironmentWords(
        name="embedded sandbox",
        where="rehearsal in the embedded sandbox: nobody got anything",
        label="REHEARSAL on this machine: nobody gets anything",
        service="the embedded sandbox",
        service_explained="The embedded sandbox is a practice service on this machine: it answers as the "
        "real one does, and passes no message on.",
        campaign="rehearsal",
        doing="rehearsing",
        done="rehearsed",
        reached="reached in rehearsal",
        before="in rehearsal",
        caution=_CAUTION,
        has_made_up_costs=True,
    ),
    "sandbox": EnvironmentWords(
        name="provider's sandbox",
        where="rehearsal in the provider's sandbox: nobody got anything",
        label="REHEARSAL in the provider's sandbox: nobody gets anything",
        service="the provider's sandbox",
        service_explained="The provider's sandbox is a practice service of the provider: it answers as the "
        "real one does, and passes no message on.",
        campaign="rehearsal",
        doing="rehearsing",
        done="rehearsed",
        reached="reached in rehearsal",
        before="in rehearsal",
        caution=_CAUTION,
    ),
    "live": EnvironmentWords(name="live", where="live", label="LIVE"),
}


def words_for(environment: str) -> EnvironmentWords:
    """The words for an environment; one that is not known, as in a damaged folder, is called by its name."""
    return _WORDS.get(environment) or EnvironmentWords(name=environment, where=environment, label=environment)
