"""What a person decides afterwards: unknown batches settled by hand or by a list, closing, erasing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

import campaign
from campaign.errors import ConfirmationError, FolderError
from campaign.sending.afterwards import settling
from campaign.sending.afterwards.reconciling import NETWORK
from support.life_attempts import Sender
from support.told_truth import SENT, Recorded, differences
from support.witnessed_service import account_of

# Six digits alone turn up in random codes and digests now and then.
_TRACES = ("256772000", "0772000", "772 000", "come on")
_STRANGER = {"number": "256772000998", "text": "Lunch at one?"}


def unknown_batches(life: Sender) -> list[Recorded]:
    return [batch for batch in life.batches if batch.state == "unknown"]


def what_became_of(life: Sender, batch: Recorded) -> str:
    """What the provider answers when it is asked."""
    same = [other for other in life.batches if other.messages == batch.messages]
    accounted = sum(other.state == "accepted" for other in same)
    return "accepted" if life.truth.requests[batch.messages] > accounted else "refused"


def settle_one(life: Sender) -> None:
    """Ask the provider what became of a batch, and say so; or order it again whatever became of it."""
    if refused_as_older(life):
        return
    if unknown := unknown_batches(life):
        batch = life.chance.choice(unknown)
        resolve(life, batch, "again" if life.chance.random() < 0.3 else what_became_of(life, batch))


def resolve(life: Sender, batch: Recorded, outcome: str) -> None:
    life.tell(f"resolve batch {batch.batch} of {batch.texts}: {outcome}")
    confirmed(life, lambda **confirm: campaign.resolve(life.place, batch.batch, outcome, **confirm))
    if outcome == "again":
        life.truth.again.update(batch.texts)


def close(life: Sender) -> None:
    if not life.has_begun or refused_as_older(life):
        return
    life.tell("close")
    life.truth.is_closed = True
    confirmed(life, lambda **confirm: campaign.close(life.place, **confirm))


def refused_as_older(life: Sender) -> bool:
    """Whether this is a backup that was copied back and not taken over: then nothing in it can be changed."""
    if life.truth.is_older is False:
        return False
    life.let_go()
    try:
        campaign.close(life.place, confirm="")
    except ConfirmationError:
        life.check(["an older copy could be closed"] if life.truth.is_older else [])
        return False
    except FolderError as error:
        life.check([] if error.finding.code == "ledger_older" else [f"refused otherwise: {error}"])
        return True
    life.check(["an older copy was closed"] if life.truth.is_older else [])
    life.truth.is_closed = True
    return False


def confirmed(life: Sender, decide: Callable[..., campaign.Result]) -> None:
    """Decide something that has to be confirmed; nothing leaves, and the record stays true."""
    requests = life.service.requests
    try:
        result = decide()
    except ConfirmationError as error:
        phrase = re.search(r'confirm="([^"]+)"', str(error))
        result = decide(confirm=phrase[1])
    except FolderError as error:
        raise life.failed([f"refused: {error}"]) from error
    life.check(["something left"] if life.service.requests != requests else [])
    life.check(differences(result, campaign.load_result(life.place)))
    life.check(life.truth.check_record(life.place))


def erase(life: Sender) -> None:
    """Refused while something is unknown or waits; then nobody's name, number or text is left."""
    if not life.has_begun or refused_as_older(life):
        return
    life.let_go()
    before = life.batches
    doubtful = any(batch.state in ("unknown", "sending") for batch in before)
    open_ones = any(batch.state in ("pending", "again") for batch in before)
    try:
        campaign.erase(life.place)
    except FolderError as error:
        life.tell(f"to erase is refused: {error}")
        life.check([] if doubtful or open_ones else [f"nothing is open, and to erase is refused: {error}"])
        return
    except ConfirmationError as error:
        life.check(["erased although it is unknown what was sent"] if doubtful else [])
        life.tell("erase")
        phrase = re.search(r'confirm="([^"]+)"', str(error))
        before = _counts(life.place)
        campaign.erase(life.place, confirm=phrase[1])
        life.check([] if _counts(life.place) == before else ["the erased campaign has other totals"])
        life.check([f"{trace} is left after erasing" for trace in _traces(life.place)])
        _find_it_ended(life)


def _counts(folder: Path) -> dict[str, object]:
    """What the list of campaigns says of one, but for what it is called afterwards."""
    (listed,) = campaign.history(folder).drop(columns=["state", "sender", "template"]).to_dict("records")
    return listed


def _find_it_ended(life: Sender) -> None:
    """Nothing is sent from a campaign that was erased, and the person goes on under another name."""
    requests = life.service.requests
    try:
        campaign.resume(life.place, account=account_of(life.service.login()), progress=False)
    except FolderError as error:
        is_ended = error.finding.code == "erased_before" or life.truth.is_displaced is not False
        life.check([] if is_ended else [str(error)])
    else:
        life.check(["an erased campaign was resumed"])
    life.check(["something left"] if life.service.requests != requests else [])
    life.erased += 1
    life.name, life.is_named_by_file = f"{life.name} {life.erased} later", False
    life.tell(f"the campaign {life.name!r} from now on")


def _traces(folder: Path) -> list[str]:
    left = []
    for path in (path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes().decode("latin-1")
        if path.suffix == ".parquet":
            content += repr(pq.read_table(path).to_pydict())
        left += [f"{trace} in {path.name}" for trace in _TRACES if trace in content]
    return left


# the provider's own list


def settle_wrongly_and_find_out(life: Sender) -> None:
    """Somebody says that a batch did not get there, and the provider's list shows that it did."""
    if refused_as_older(life) or not _can_reconcile(life):
        return
    taken = [batch for batch in unknown_batches(life) if _is_alone(life, batch) and _is_taken(life, batch)]
    if taken:
        batch = life.chance.choice(taken)
        life.tell(f"resolve batch {batch.batch} of {batch.texts}: refused, which is wrong")
        with pytest.raises(ConfirmationError) as asked:
            campaign.resolve(life.place, batch.batch, "refused")
        campaign.resolve(life.place, batch.batch, "refused", confirm=asked.value.phrase)
        _reconcile(life, "complete", None, {batch.batch: "accepted"})


def reconcile(life: Sender) -> None:
    """By a list that is complete, that ends too early, or in which a message is missing."""
    if refused_as_older(life) or not _can_reconcile(life):
        return
    unknown = unknown_batches(life)
    kind = life.chance.choice(("complete", "too early", "incomplete"))
    cut = next((batch for batch in unknown if _is_alone(life, batch) and _is_taken(life, batch)), None)
    if kind == "incomplete" and (cut is None or len(cut.messages) < 2):
        kind = "complete"
    _reconcile(life, kind, cut, {})


def _can_reconcile(life: Sender) -> bool:
    """Whether something is unknown, and the list has nothing of other campaigns."""
    is_only_campaign = life.service.inbox["request"].nunique() == life.truth.requests.total()
    return bool(unknown_batches(life)) and is_only_campaign


def _reconcile(life: Sender, kind: str, cut: Recorded | None, also: dict[int, str]) -> None:
    """Reconcile, and check what becomes of the unknown batches, and of some others `also`."""
    life.tell(f"reconcile with a list that is {kind}")
    _provider_list(life.service.inbox, kind, cut).to_csv("provider.csv", index=False)
    alone = [batch for batch in unknown_batches(life) if _is_alone(life, batch)]
    expected = {batch.batch: _expected(life, batch, kind, cut) for batch in alone} | also
    later = pd.Timestamp.now("UTC") + pd.Timedelta(hours=3)  # the list goes on for two hours
    with pytest.MonkeyPatch.context() as clock:
        clock.setattr(settling, "moment_now", lambda: later)
        found = campaign.reconcile(life.place, "provider.csv")
        if found.phrase:
            confirmed(life, lambda **_: campaign.reconcile(life.place, "provider.csv", confirm=found.phrase))
    now = {batch.batch: batch.state for batch in life.batches}
    life.check(
        [
            f"batch {batch} is {now[batch]} and not {state} by a list that is {kind}: {found!r}"
            for batch, state in expected.items()
            if now[batch] != state
        ]
    )


def _provider_list(inbox: pd.DataFrame, kind: str, cut: Recorded | None) -> pd.DataFrame:
    """What the service has accepted, with somebody else's messages before and, unless too early, after."""
    entries = inbox[["number", "text", "time"]]
    if kind == "incomplete" and cut is not None:
        number, text = cut.messages[0]
        entries = entries[(entries["number"] != number) | (entries["text"] != text)]
    now, hours = pd.Timestamp.now("UTC"), pd.Timedelta(hours=2)
    moments = [now - hours] if kind == "too early" else [now - hours, now + hours]
    strangers = pd.DataFrame([{**_STRANGER, "time": moment} for moment in moments])
    entries = pd.concat([strangers, entries.assign(time=pd.to_datetime(entries["time"], utc=True))])
    return entries.assign(time=entries["time"].astype(str))


def _is_alone(life: Sender, batch: Recorded) -> bool:
    """Whether no other batch may have brought one of these people the same text, or a piece of it."""
    messages = set(batch.messages)
    return not any(
        messages & set(other.messages)
        for other in life.batches
        if other.batch != batch.batch and other.state in SENT
    )


def _is_taken(life: Sender, batch: Recorded) -> bool:
    return what_became_of(life, batch) == "accepted"


def _expected(life: Sender, batch: Recorded, kind: str, cut: Recorded | None) -> str:
    """With nothing accepted beside it, and in its network, no list can show that a batch was not taken."""
    if _is_taken(life, batch):
        return "unknown" if kind == "incomplete" and batch == cut else "accepted"
    accepted = [other for other in life.batches if other.state == "accepted"]
    known = _networks_of(accepted) | {_STRANGER["number"][:NETWORK]}
    is_covered = kind != "too early" and accepted and _networks_of([batch]) & known
    return "refused" if is_covered else "unknown"


def _networks_of(batches: list[Recorded]) -> set[str]:
    return {number[:NETWORK] for batch in batches for number, _ in batch.messages}
