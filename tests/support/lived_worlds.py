"""A world lived with the real package, and held to what is promised of each row. No network is used:
the batches that a round has cut are moved in its ledger, as a run would."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

import campaign
from campaign.errors import ConfirmationError
from campaign.sending.ledger.views import snapshot
from campaign.sending.opening import OpenCampaign, open_campaign
from campaign.sending.options import SendOptions
from campaign.sending.store.frozen_messages import pending_batches
from campaign.words.finding import Finding
from campaign.words.stored import stored
from support.promised_rows import (
    ASKED,
    OUTGOING,
    REACHED,
    Cut,
    Key,
    Record,
    Standing,
    Told,
    Verdict,
    judge,
    tell,
)
from support.worlds import TEXTS, WORDS, Round, World

ACCOUNT = campaign.Account("local", "http://127.0.0.1:9", "clinic", "sesame", encoding="plain")
FIRST_ROW = 2  # the header is row 1
BY_A_BATCH = ("ACCEPTED", "UNKNOWN", *ASKED)  # what is recorded by a certain batch
_PATHS = {
    "a": ("sending", "accepted"), "r": ("sending", "refused"), "u": ("sending", "unknown"),
    "g": ("sending", "unknown", "again"), "w": (),
}  # fmt: skip
_DECISIONS = {"a": "accepted", "r": "refused", "g": "again"}
_FACTS: dict[str, dict[str, Any]] = {
    "sending": {"attempts": 1, "submitted_at": "2026-11-22T09:00:00+00:00"},
    "accepted": {"cost": "35"},
    "refused": {"error": "Money Not Enough To Send This Batch of Msgs"},
    "unknown": {"error": stored(Finding("no_answer"))},
}


class BrokenError(Exception):
    """A promise was broken, so that the world cannot be followed any further."""


class Life:
    """A world in a new folder. `differences` says what was not as promised; it ends with the first round
    that has any."""

    def __init__(self, world: World, folder: Path, *, compares: bool = False) -> None:
        """With `compares`, each table is compared before it is sent."""
        self.world, self.folder, self.compares = world, folder, compares
        self.record = Record()
        self._sent: Round | None = None  # whose table is that of the last round
        self._kept: set[Key] = set()  # the texts of the rows that it kept
        self.differences: list[str] = []

    def live(self) -> list[str]:
        """Live it to the end and return the differences."""
        for number, sent in enumerate(self.world.rounds, 1):
            self._send(sent, number)
            if self.differences:
                break
        return self.differences

    def branches(self, last_rounds: Iterable[Round]) -> Iterator[list[str]]:
        """Live it to the end, and from there on each of some other rounds; yield the differences of each."""
        self.live()
        if self.differences:
            yield self.differences
            return
        saved, rounds = self.folder.with_name("saved"), self.world.rounds
        shutil.copytree(self.folder, saved)
        for last in last_rounds:
            branch = Life(World((*rounds, last)), self.folder)
            branch.record, branch._sent, branch._kept = deepcopy(self.record), self._sent, self._kept
            branch._send(last, len(rounds) + 1)
            yield branch.differences
            shutil.rmtree(self.folder)
            shutil.copytree(saved, self.folder)
        shutil.rmtree(saved)

    def differ(self, words: str) -> None:
        self.differences.append(f"round {self._number}: {words}")

    def _send(self, sent: Round, number: int) -> None:
        self._number = number
        try:
            self._send_checked(sent)
        except BrokenError:
            pass
        except Exception as error:
            self.differ(f"ERROR {type(error).__name__}: {error}")

    def _send_checked(self, sent: Round) -> None:
        self._decide(sent.decisions)
        if sent.resumed and self._sent is not None:
            # Decided: `resume` asks nothing again that was answered, stays out of what was left out, and
            # keeps to the rows that the round kept for each number: what was refused goes out again.
            sent = replace(self._sent, outcomes=sent.outcomes, changed="skip")
            verdict = judge(self.record, sent, self._kept)
            opened = open_campaign(None, options(self.folder, "skip", "withdraw"))
        else:
            verdict = judge(self.record, sent)
            if self.compares:
                self._compare(sent, verdict)
            opened = self._open(sent, verdict)
        if opened is None:
            return
        self._sent, self._kept = sent, verdict.kept
        self.record.remember(sent)
        try:
            self._check_cut(opened, verdict.outgoing(sent.changed))
            self._move(opened, sent.outcomes)
            last_round = opened.last_round.number
        finally:
            opened.close()
        self._check_result(tell(self.record, verdict, sent.changed, last_round), verdict)

    def _decide(self, letters: str) -> None:
        """Settle what is unknown, as a person does with `resolve`."""
        unknown = [cut for cut in self.record.cuts if cut.state == "unknown"]
        if not unknown or not letters.strip("-"):
            return
        with campaign_ledger(self.folder) as ledger:
            for place, cut in enumerate(unknown):
                state = _DECISIONS.get(letters[place % len(letters)])
                if state is not None:
                    ledger.move(cut.batch, state, note="a person decided", **_facts(state, cut.batch))
                    cut.state = state

    def _compare(self, sent: Round, verdict: Verdict) -> None:
        """Hold what `compare` says to what is recorded of each row that has a text."""
        difference = campaign.compare(plan_of(sent), account=ACCOUNT, folder=self.folder, name="visits")
        messages = difference.messages.drop_duplicates("row").set_index("row")
        found = {
            row: (recorded.upper(), batch if recorded.upper() in BY_A_BATCH else 0)
            for row, recorded, batch in zip(
                messages.index, messages["recorded"], messages["batch"], strict=True
            )
        }
        promised = {
            row: (standing.recorded, standing.before.batch if standing.before else 0)
            for row, standing in enumerate(verdict.standings, FIRST_ROW)
            if standing.recorded in OUTGOING + BY_A_BATCH
        }
        if found != promised:
            self.differ(f"compared: {found}, not {promised}")
        before = [
            meaning_of(text)
            for text, recorded in zip(messages["before"], messages["recorded"], strict=True)
            if recorded == "other_text"
        ]
        if before != [
            row.before.text for row in verdict.changed if row.before and row.recorded == "OTHER_TEXT"
        ]:
            self.differ(f"compared: another text before: {before}")
        waiting = difference.questions.get("waiting", 0)
        if waiting != len(verdict.waiting):
            self.differ(f"compared: {waiting} waiting, not {len(verdict.waiting)}")
        gone = {cut.number for cut in self.record.cuts if cut.state in REACHED}
        gone -= {standing.number for standing in verdict.standings}
        if {*difference.not_in_table["number"].astype("int64")} != {*map(int, gone)}:
            self.differ(f"compared: {difference.gone} gone, not {len(gone)}")

    def _open(self, sent: Round, verdict: Verdict) -> OpenCampaign | None:
        """Open the campaign with the answers; before each answer it has to ask, and only where it must."""
        answers = [("ask", "ask")]
        if verdict.asks("ask", "ask"):
            answers += [("ask", sent.waiting), (sent.changed, "ask"), (sent.changed, sent.waiting)]
        for changed, waiting in dict.fromkeys(answers):
            try:
                opened = open_campaign(plan_of(sent), options(self.folder, changed, waiting))
            except ConfirmationError as question:
                if not verdict.asks(changed, waiting):
                    self.differ(f"asked with {changed}, {waiting}: {question}")
                    raise BrokenError from None
                continue
            if not verdict.asks(changed, waiting):
                return opened
            opened.close()
            asked = sorted({row.recorded for row in verdict.changed})
            self.differ(f"not asked with {changed}, {waiting}: {asked}, {len(verdict.waiting)} waiting")
            raise BrokenError
        return None

    def _check_cut(self, opened: OpenCampaign, outgoing: list[Standing]) -> None:
        """Hold what waits to leave to what has to, and record it."""
        batches = dict(pending_texts(opened))
        if len(set(batches.values())) < len(batches):
            self.differ("PROMISE cut twice in one round")
        cut_before = {cut.batch: cut for cut in self.record.cuts}
        for number, key in batches.items():
            if number in cut_before:
                if cut_before[number].key != key or cut_before[number].state != "pending":
                    self.differ(f"batch {number} is another one than before")
            elif self.record.settling(key) is not None:
                self.differ(f"PROMISE cut a second time: {key[1]}")
        wanted, found = Counter(row.key for row in outgoing), Counter(batches.values())
        if wanted != found:
            missing, beyond = [(text for _, text in some) for some in (wanted - found, found - wanted)]
            self.differ(f"goes out {[*beyond]}, does not {[*missing]}")
        if self.differences:
            raise BrokenError
        cells = {row.key: row.row.cell for row in outgoing}
        for cut in self.record.waiting():
            if cut.batch not in batches:
                cut.state = "withdrawn"
        round_ = opened.last_round.number
        self.record.cuts += [
            Cut(number, round_, *key, cells[key])
            for number, key in batches.items()
            if number not in cut_before
        ]
        states = {one.batch: one.state for one in snapshot(opened.folder.ledger_place).batches}
        if states != {cut.batch: cut.state for cut in self.record.cuts}:
            self.differ(f"the ledger has other states: {states}")

    def _move(self, opened: OpenCampaign, outcomes: str) -> None:
        """What becomes of the batches that wait."""
        for place, cut in enumerate(self.record.waiting()):
            for state in _PATHS[outcomes[place % len(outcomes)]]:
                note = {"note": "a person decided"} if state == "again" else {}
                opened.ledger.move(cut.batch, state, **_facts(state, cut.batch), **note)
                cut.state, cut.was_unknown = state, cut.was_unknown or state == "unknown"

    def _check_result(self, promised: list[Told], verdict: Verdict) -> None:
        result = campaign.load_result(self.folder)
        contacts = result.contacts
        if len(contacts) != len(promised):
            self.differ(f"{len(contacts)} rows")
            raise BrokenError
        columns = [contacts[name].tolist() for name in ("status", "why", "code")]
        batches = contacts["batch"].fillna(0).astype("int64").tolist()
        for told, standing, status, why, code, batch in zip(
            promised, verdict.standings, *columns, batches, strict=True
        ):
            self._check_row(told, standing, status, why, code, batch)
        self._check_totals(result.totals, Counter(columns[0]), len(contacts))

    def _check_row(
        self, told: Told, standing: Standing, status: str, why: str, code: str, batch: int
    ) -> None:
        recorded = standing.recorded
        own = [cut for cut in self.record.of(standing.key) if cut.state == "accepted"]
        if status == "accepted" and not own:
            self.differ(f"PROMISE {recorded} row is accepted for a text that did not arrive")
        if status not in told.statuses:
            self.differ(f"{recorded} row is {status}, not {told.statuses[0]}")
        elif told.whys and not _is_one(why, told.whys):
            self.differ(f"{recorded} row, {status}: why is {why!r}, not {told.whys[0]!r}")
        if batch not in told.batches:
            words = "no batch" if not batch else "another batch" if any(told.batches) else "a batch"
            self.differ(f"{recorded} row, {status}: {words}")
        elif code != self._code(batch):
            self.differ(f"{recorded} row, {status}: code {code!r} of another batch")

    def _code(self, batch: int) -> str:
        states = {cut.batch: cut.state for cut in self.record.cuts}
        return f"code{batch}" if states.get(batch) == "accepted" else ""

    def _check_totals(self, totals: Any, statuses: Counter[str], rows: int) -> None:
        counted = {status: count for status, count in dict(totals).items() if count}
        if counted != dict(statuses) or totals.rows != rows or sum(counted.values()) != rows:
            self.differ(f"PROMISE totals {counted}, rows {dict(statuses)}")
        accepted = sum(cut.state == "accepted" for cut in self.record.cuts)
        if accepted and totals.cost != 35 * accepted:
            self.differ(f"PROMISE cost {totals.cost} of {accepted} batches at 35")

    def check_nothing_is_sent_again(self) -> None:
        """Run the last round again with its answers once everything that waited is settled."""
        sent = self.world.rounds[-1]
        verdict = judge(self.record, sent)
        if verdict.outgoing(sent.changed) or verdict.asks(sent.changed, sent.waiting):
            return
        opened = open_campaign(plan_of(sent), options(self.folder, sent.changed, sent.waiting))
        try:
            if cut := [*pending_texts(opened)]:
                self.differ(f"PROMISE sent again: {[key[1] for _, key in cut]}")
        finally:
            opened.close()


def _is_one(why: str, whys: Iterable[str]) -> bool:
    """Whether a code is one of some, or begins with one: refused_funds is refused."""
    return any(why == code or (code and why.startswith(f"{code}_")) for code in whys)


def campaign_ledger(folder: Path) -> Any:
    """The ledger of a campaign, open for a person's decisions."""
    from campaign.sending.afterwards.opened_ledger import opened_ledger
    from campaign.sending.store.folder import open_folder

    return opened_ledger(open_folder(folder))


def options(folder: Path, changed: str, waiting: str) -> SendOptions:
    return SendOptions(
        account=ACCOUNT, folder=folder, name="visits", batch_size=1, canary=False, opted_out="send",
        changed=changed, waiting=waiting,
    )  # fmt: skip


@lru_cache(maxsize=500)
def _plan_of(
    rows: tuple[Any, ...], duplicates: str, region: str, stopped: tuple[str, ...], streamed: bool
) -> campaign.Plan:
    marks = ["x" if row.marked else "" for row in rows]
    table = pd.DataFrame(
        {"phone": [row.cell for row in rows], "text": [TEXTS.get(row.text, "") for row in rows], "no": marks},
        dtype="str",
    )
    opt_outs: list[Any] = [table["no"] == "x"] if any(marks) else []
    opt_outs += [pd.Series([*stopped], dtype="str")] if stopped else []
    return campaign.prepare(
        table, message="{text}", number="phone", sender="CLINIC", region=region, duplicates=duplicates,
        overlong="split", opt_outs=opt_outs or None, stream=streamed,
    )  # fmt: skip


def plan_of(sent: Round) -> campaign.Plan:
    """The table of a round, prepared."""
    return _plan_of(sent.rows, sent.duplicates, sent.region, sent.stopped, sent.streamed)


def pending_texts(opened: OpenCampaign) -> Iterator[tuple[int, Key]]:
    """The batches that would leave, by their number: what their bytes say to whom."""
    frozen = opened.last_round
    for batch in pending_batches(frozen.plan_path, frozen.manifest.parts, opened.ledger, ACCOUNT.encoding):
        messages = json.loads(b"[" + bytes(batch.entries) + b"]")
        (number,) = {message["number"] for message in messages}
        text = " ".join(message["message"] for message in messages)
        yield batch.number, (int(number), meaning_of(text))


def meaning_of(text: str) -> str:
    """The text that somebody means who reads this."""
    (meaning,) = [meaning for word, meaning in WORDS.items() if word in text]
    return meaning


def _facts(state: str, batch: int) -> dict[str, Any]:
    code = {"code": f"code{batch}"} if state == "accepted" else {}
    return _FACTS.get(state, {}) | code
