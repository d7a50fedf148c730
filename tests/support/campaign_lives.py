"""The life of a campaign at random: a person edits a sheet, sends it, is interrupted, settles, sends again.

A life is its seed. `story` tells it step by step, and `broken` says which promises were broken.
"""

from __future__ import annotations

import random
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

import campaign
from campaign.values import replace
from support import life_corrections, life_decisions, life_places
from support.life_attempts import Sender
from support.life_decisions import resolve, unknown_batches, what_became_of
from support.life_desk import PromiseBroken
from support.life_intents import Intent, death
from support.life_rivals import send_from_two_programs
from support.living_sheets import TEMPLATES, Editor
from support.round_places import names_mean_this_machine
from support.told_truth import SENT
from support.witnessed_service import WitnessedService, account_of

LOSSES = ("reset", "close", "html", "empty", "accept_reset", "accept_close", "accept_garbage", "accept_half")
REFUSALS = (
    "Money Not Enough To Send This Batch of Msgs", "Wrong Username or Password", "Invalid sender ID",
)  # fmt: skip
ENVIRONMENTS = ("local", "local", "sandbox", "live")


class Life(Sender):
    """One life of so many `days`. `kills` says how often a run is killed, and `places` at which places.

    `edits` are those that a person makes, all of them if there are none.
    """

    def __init__(
        self, seed: int, folder: Path, link: Any, *, design: str = "", days: tuple[int, int] = (3, 7),
        kills: float = 0.1, places: tuple[str, ...] = (), environments: tuple[str, ...] = ENVIRONMENTS,
        edits: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        chance = random.Random(seed)
        self.editor = Editor(chance, edits)
        balance = chance.choice((10**6, 10**6, 35 * chance.randrange(1, 20)))
        service = WitnessedService(chance.choice(environments), link, balance=balance)
        super().__init__(chance, folder, service, self.editor.first_sheet(), design)
        self.has_ledger_outside = chance.random() < 0.1
        self.is_named_by_file = chance.random() < 0.3
        self.name = self.sheet.file if self.is_named_by_file else self.name
        self.days, self.kills, self.places = days, kills, places
        self.tell(f"seed {seed}, environment {service.environment}, {len(self.sheet.lines)} rows")

    def live(self) -> Life:
        """Live it to the end, or until a promise is broken."""
        with (
            pytest.MonkeyPatch.context() as user, chdir(self.folder), names_mean_this_machine(), self.service,
        ):  # fmt: skip
            user.setenv("CAMPAIGN_STATE_DIR", str(self.folder / "state"))
            try:
                for _ in range(self.chance.randrange(*self.days)):
                    self._spend_a_day()
                self._converge()
            except PromiseBroken:
                pass
            finally:
                self.let_go()
        return self

    def _spend_a_day(self) -> None:
        for _ in range(self.chance.choice((0, 1, 1, 2, 3))):
            self.sheet, words = self.editor.edit(self.sheet)
            self.tell(words)
            self.name = self.sheet.file if self.is_named_by_file else self.name
        intent = self._intent()
        self.send(intent)
        if intent.die and self.has_begun and self.chance.random() < 0.5:
            self.send(Intent("resume", {"batch_size": 5, "progress": False}))
        for act_afterwards, how_often in (
            (life_decisions.settle_one, 0.3), (life_decisions.reconcile, 0.3), (life_decisions.close, 0.07),
            (life_decisions.erase, 0.1), (life_places.move_the_folder, 0.07),
            (life_places.send_from_elsewhere, 0.1), (life_places.back_up, 0.2), (life_places.restore, 0.5),
            (Life._write_follow_up, 0.2), (life_corrections.send_follow_up, 0.7),
            (life_decisions.settle_wrongly_and_find_out, 0.3), (send_from_two_programs, 0.05),
            (Life._from_another_file, 0.3), (Life._rehearse, 0.08), (Life._change_the_text_halfway, 0.1),
            (Life._send_to_others, 0.1), (Life._save_under_another_name, 0.1), (Life._top_up, 0.3),
            (Life._change_campaign, 0.05),
        ):  # fmt: skip
            if self.chance.random() < how_often:
                act_afterwards(self)

    def _intent(self) -> Intent:
        if self.chance.random() < 0.3:
            number = self.chance.choice((1, 1, 2))
            troubles = [self.chance.choice(LOSSES + REFUSALS) for _ in range(number)]
            self.service.coming = [""] * self.chance.randrange(3) + troubles
            self.has_trouble = True
            self.tell(f"the service will answer: {self.service.coming}")
        verb = self.chance.choices(("send", "resume", "start", "stop", "cancel"), (60, 15, 9, 8, 8))[0]
        if verb == "resume" and not self.has_begun:
            verb = "send"
        wrong = f"wrong-for-{self.service.environment}" if self.chance.random() < 0.07 else None
        is_killed = verb in ("send", "resume") and self.chance.random() < self.kills
        die = death(self.chance, self.places) if is_killed else None
        return Intent(verb, self._options(verb), wrong, die)

    def _options(self, verb: str) -> dict[str, Any]:
        options: dict[str, Any] = {
            "batch_size": self.chance.randrange(1, 6),
            "concurrency": self.chance.choice((1, 1, 2, 3)),
            "max_unknown": self.chance.choice((1, 10)),
            "canary": self.chance.random() < 0.7,
            "progress": False,
        }
        if verb != "resume" and self.chance.random() < 0.15:
            options["pilot"] = self.chance.randrange(1, 6)
        if self.chance.random() < 0.15:
            options["budget"] = 35 * self.chance.randrange(30)
        elif self.chance.random() < 0.5:
            options["budget"] = campaign.Budget()  # the one given before holds no longer
        if self.chance.random() < 0.25:
            options["changed"] = self.chance.choice(("skip", "send"))
        if self.chance.random() < 0.25:
            options["waiting"] = "withdraw"
        if verb == "resume" and self.truth.is_closed is False and self.chance.random() < 0.4:
            numbers = sorted({number for sheet in self.truth.sheets for number in sheet.numbers})
            stopped = self.chance.sample(numbers, min(len(numbers), 2))
            options["opt_outs"] = [f"+{number}" for number in stopped] or None
        return options

    # afterwards

    def _write_follow_up(self) -> None:
        life_corrections.write_follow_up(self, self.editor)

    def _top_up(self) -> None:
        if self.service.balance < 10**5:
            self.service.top_up(10**6)
            self.tell("top up")

    def _change_campaign(self) -> None:
        self.is_named_by_file = False
        later = f" after {self.erased}" if self.erased else ""  # those of before may be erased
        self.name = self.chance.choice(("Visits", "visits 2", "visits-2", "Клиника")) + later
        self.tell(f"the campaign {self.name!r} from now on")

    def _change_the_text_halfway(self) -> None:
        """Some wait for a text, another one is sent, perhaps the first again; all of it is asked about."""
        self.send(Intent("send", {"pilot": self.chance.randrange(1, 4), "batch_size": 2, "progress": False}))
        self.let_go()
        templates = self.chance.choice(list(TEMPLATES)), self.sheet.template
        for template in templates[: self.chance.randrange(1, 3)]:
            self.tell(f"the text {template!r}, while some may wait for another one")
            self.sheet = replace(self.sheet, template=template)
            self.send(Intent("send", {"batch_size": 2, "progress": False}))

    def _from_another_file(self) -> None:
        """A file of the same name from another folder is no part of the campaign unless somebody says so."""
        if not self.is_named_by_file or not self.has_begun or self.key in self.folders:
            return
        if self.sheet.duplicates == "error":
            return
        self.tell("another file of the same name")
        (self.folder / "desk").mkdir(exist_ok=True)
        there = self.sheet.write().rename(self.folder / "desk" / f"{self.sheet.file}.csv")
        plan = campaign.prepare(campaign.read_contacts(there), **self.sheet.preparation)
        requests = self.service.requests
        try:
            campaign.send(plan, account=account_of(self.service.login()), progress=False)
        except campaign.UsageError as error:
            self.check([] if error.finding.code == "other_file" else [str(error)])
        else:
            self.check(["a file from another folder went on with the campaign"])
        self.check(["something left"] if self.service.requests != requests else [])

    def _rehearse(self) -> None:
        """In an embedded sandbox: it reaches nobody, and the campaign does not notice."""
        if self.service.environment == "local" or self.sheet.duplicates == "error":
            return
        self.tell("rehearse")
        requests = self.service.requests
        with campaign.Sandbox() as sandbox:
            options = {"changed": "send", "waiting": "withdraw", "opted_out": "send", "progress": False}
            campaign.send(self.sheet.prepare(), account=sandbox, name=self.name, **options)
        self.check(["the rehearsal was none"] if self.service.requests != requests else [])

    def _send_to_others(self) -> None:
        """Another campaign leaves out whom this one has reached."""
        if not self.has_begun or self.sheet.duplicates == "error":
            return
        waits = any(batch.state == "pending" for batch in self.batches)
        may_wait = not self.truth.is_closed and any(
            batch.state in ("refused", "again") for batch in self.batches
        )
        reached = {number for number, _ in self.truth.arrivals}
        self.tell("another campaign leaves these people out" + (", although some wait" if waits else ""))
        first = self.name, self.sheet, self.is_named_by_file
        self.sheet = replace(
            self.sheet, not_again=(str(self.place),), template="Tuesday", may_be_refused=True
        )
        self.name, self.is_named_by_file = f"others than {self.name}", False
        before = self.truth.arrivals.copy()
        options = {"changed": "skip", "waiting": "withdraw", "progress": False, "concurrency": 1}
        self.send(Intent("send", options))
        refusal = self.refusal
        both = {number for number, _ in self.truth.arrivals - before} & reached
        self.name, self.sheet, self.is_named_by_file = first
        if refusal:
            self.check([] if waits or may_wait else [refusal])
        else:
            self.check(["a campaign that waits was left out"] if waits else [])
        self.check([f"{both} got both campaigns"] if both else [])

    def _save_under_another_name(self) -> None:
        """The same spreadsheet as a campaign of its own, in the same week."""
        if not self.has_begun or self.sheet.duplicates == "error" or self.sheet.follow_up:
            return
        self.tell("the spreadsheet is saved under another name")
        self.let_go()
        first = self.name, self.is_named_by_file
        self.name, self.is_named_by_file = f"{self.name} v2", False
        self.send(Intent("send", {"batch_size": 3, "progress": False}))
        self.let_go()
        self.name, self.is_named_by_file = first

    # the end

    def _converge(self) -> None:
        """Everything works and the doubts are settled: everybody in the table is reached, and then nobody."""
        self.tell("everything works from here on")
        self.service.coming, self.has_trouble = [], False
        self.service.top_up(10**7)
        if self.sheet.duplicates == "error":
            self.sheet = replace(self.sheet, duplicates="keep")
        if life_decisions.refused_as_older(self):
            self._send_at_last("skip")  # a person takes it over first
        for batch in unknown_batches(self):
            if self.chance.random() < 0.8:
                resolve(self, batch, what_became_of(self, batch))
        changed = self.chance.choice(("skip", "send"))
        self._send_at_last(changed)
        self.check(self._people_never_reached(changed))
        requests = self.service.requests
        result = self._send_at_last(changed)
        if self.service.requests != requests or not result.nothing_sent:
            self.check(["the same once more sent something"])

    def _send_at_last(self, changed: str) -> campaign.Result:
        options = {"changed": changed, "waiting": "withdraw", "batch_size": 5, "progress": False}
        options["budget"] = campaign.Budget()
        while True:  # a person may give up a few times
            result = self.send(Intent("send", dict(options)))
            if result is not None:
                return result

    def _people_never_reached(self, changed: str) -> list[str]:
        """Who should have been reached and was not; what is unknown, or ordered again, may have arrived."""
        doubtful = [text for batch in unknown_batches(self) for text in batch.texts]
        ordered_again = set(self.truth.again)
        missing = []
        for number, texts in self.sheet.texts_by_number().items():
            reached = self.truth.reached(number) | {text for other, text in doubtful if other == number}
            keeps = reached | {text for other, text in ordered_again if other == number}
            is_settled = texts <= reached or (self.sheet.duplicates == "skip" and texts & reached)
            is_skipped = changed == "skip" and (keeps - texts or self._keeps_other_number(number))
            if not (is_settled or is_skipped or number in self.truth.perhaps_stopped):
                missing.append(f"{number} never got {texts - reached}")
        return missing

    def _keeps_other_number(self, number: str) -> bool:
        """Whether the cell of a row with this number may have been reached when it meant another one."""
        national = {line.national for line in self.sheet.lines if line.number(self.sheet.region) == number}
        sent = {other for batch in self.batches if batch.state in SENT for other, _ in batch.texts}
        return any(other[3:] in national for other in sent - self.sheet.numbers)
