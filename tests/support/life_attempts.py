"""A person's attempts to send: what is tried, how questions are answered, and what has to be true of it."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

import campaign
from campaign.errors import ConfirmationError, ContactsError
from support.crash_sender import begin
from support.living_sheets import Sheet
from support.round_places import ASKED, PLACES, QUESTION, act
from support.told_truth import Recorded, Truth, ask_ledger, cost_of, recorded_batches
from support.witnessed_service import Request, WitnessedService, account_of, whole_texts

BUSY = 0.15  # seconds after a kill in which the service may still accept what it has got


class PromiseBroken(Exception):  # noqa: N818 - no error of a program
    """The rest of the life says nothing more."""


@dataclass(frozen=True)
class Intent:
    """One attempt to send: how, with which options, and at which place the program dies."""

    verb: str
    options: dict[str, Any]
    password: str | None = None
    die: tuple[str, int] | None = None

    @property
    def is_undisturbed(self) -> bool:
        """Whether nothing but the service can keep it from sending everything."""
        limits = {"pilot", "budget"} & self.options.keys()
        return self.verb in ("send", "resume", "start") and not limits and self.password is None

    def __str__(self) -> str:
        more = [f"{name}={value!r}" for name, value in self.options.items() if name != "progress"]
        more += ["wrong password"] if self.password else []
        more += [f"killed {self.die[0]} ({self.die[1]})"] if self.die else []
        return f"{self.verb} {', '.join(more)}"


@dataclass
class Sender:
    """Somebody who sends a sheet under a name, with an account at a service that remembers everything."""

    chance: random.Random
    folder: Path
    service: WitnessedService
    sheet: Sheet
    design: str = ""
    name: str = "Visits"
    story: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    has_ledger_outside: bool = False
    truths: dict[str, Truth] = field(default_factory=dict)
    has_trouble: bool = False  # the service was told to fail
    held: campaign.Run | None = None
    phrase: str | None = None  # the last one that was typed

    @property
    def truth(self) -> Truth:
        return self.truths.setdefault(self.name, Truth())

    @property
    def place(self) -> Path | None:
        """The folder of the campaign, found by its name as a person would."""
        for manifest in Path("campaigns").glob("[!.]*/manifest.json"):
            content = manifest.read_text("utf-8")
            environment = f'"environment": "{self.service.environment}"'
            if f'"name": "{self.name}"' in content and environment in content:
                return manifest.parent.absolute()
        return None

    @property
    def has_begun(self) -> bool:
        """Whether there is a campaign with a round; a kill may leave one without."""
        if self.place is None:
            return False
        return bool(ask_ledger(self.place, "SELECT * FROM rounds"))

    @property
    def batches(self) -> list[Recorded]:
        return recorded_batches(self.place) if self.place is not None else []

    def send(self, intent: Intent) -> campaign.Result | None:
        """Send until it is sent or given up; each question is answered as a person might."""
        if self.service.environment == "live" and self.phrase and self.chance.random() < 0.3:
            intent.options["confirm"] = self.phrase  # it was right once
        for _ in range(6):
            self.tell(str(intent))
            requests = self.service.requests
            try:
                return self._attempt(intent)
            except ConfirmationError as error:
                self._check_that_nothing_left(requests)
                answered = self._answer(intent, str(error))
            except ContactsError:  # duplicates="error"
                self._check_that_nothing_left(requests)
                return None
            if answered is None:
                return None
            intent = answered
        raise self.failed([f"asked again and again: {intent}"])

    def _answer(self, intent: Intent, question: str) -> Intent | None:
        """The same with an answer, or None where a person gives up."""
        self.tell(f"  asked “{question.splitlines()[0][:150]}”")
        if self.chance.random() < 0.1:
            self.tell("  gave up")
            return None
        options = dict(intent.options)
        if 'changed="skip"' in question:
            options["changed"] = self.chance.choice(("skip", "send"))
            sheets = self.truth.sheets if intent.verb == "resume" else [self.sheet]
            if not any(self.truth.is_question_justified(sheet, self.place) for sheet in sheets):
                raise self.failed(["asked about other texts, and nobody got one"])
        elif 'gone="withdraw"' in question:
            options["gone"] = "withdraw"
        elif phrase := re.search(r'confirm="([^"]+)"', question):
            options["confirm"] = self.phrase = phrase[1]
        else:
            raise self.failed([f"a question without choices: {question}"])
        return replace(intent, options=options)

    def _attempt(self, intent: Intent) -> campaign.Result | None:
        plan = None if intent.verb == "resume" else self.sheet.prepare()
        foreseen = None if plan is None or intent.die else self._foresee(plan, intent)
        lost = self.service.lost
        with self._checked_budget(intent):
            result = self._kill(intent) if intent.die else self._run(intent, plan)
        self.truth.lost_answers += self.service.lost - lost
        self._observe(intent, result, foreseen)
        return result

    def _foresee(self, plan: campaign.Plan, intent: Intent) -> set[Any] | None:
        """What would leave, by `compare`; now and then only, because it takes as long as sending."""
        if self.chance.random() > 0.2:
            return None
        account = account_of(self.service.login(intent.password))
        difference = campaign.compare(plan, name=self.name, account=account)
        positions = difference.outgoing(changed=intent.options.get("changed") == "send")
        outgoing = difference.messages.iloc[positions]
        return set(whole_texts(zip(outgoing["number"], outgoing["message"], strict=True)))

    def _run(self, intent: Intent, plan: campaign.Plan | None) -> campaign.Result:
        options = {"account": account_of(self.service.login(intent.password)), **intent.options}
        if plan is None:
            return campaign.resume(self.place, **options)
        options |= self._names
        if intent.verb == "send":
            return campaign.send(plan, **options)
        self.service.slow_down(0.01 if intent.verb in ("stop", "cancel") else 0)
        self.held = campaign.start(plan, **options)  # a valve may hold it: the next `send` has to end it
        if intent.verb in ("stop", "cancel"):
            self.held.wait(self.chance.choice((0.0, 0.02, 0.05)))
            (self.held.stop if intent.verb == "stop" else self.held.cancel)()
        result = self.held.wait()
        self.service.slow_down(0)
        self.service.settle(0.02 if intent.verb == "cancel" else 0)
        return result

    @property
    def _names(self) -> dict[str, str]:
        return {"name": self.name} | ({"ledger": f"{self.name}.sqlite"} if self.has_ledger_outside else {})

    def _kill(self, intent: Intent) -> None:
        """Let another program do it and die."""
        work: dict[str, Any] = {"options": intent.options}
        if intent.verb == "resume":
            work["resume"] = str(self.place)
        else:
            work |= {"sheet": self.sheet.write(), "preparation": self.sheet.preparation}
            work["options"] = {**intent.options, **self._names}
        self.let_go()
        login, state = self.service.login(intent.password), os.environ["CAMPAIGN_STATE_DIR"]
        process = begin(act, self.folder, state, login, work, intent.die, self.design)
        process.join(60)
        self.service.settle(BUSY)
        if process.exitcode == ASKED:
            kind, question = Path(QUESTION).read_text("utf-8").split("\n", 1)
            raise getattr(campaign, kind)(question)
        if process.exitcode not in (0, -9):
            raise RuntimeError(f"the program ended with {process.exitcode}: {self.story}")

    def let_go(self) -> None:
        """End a run that a valve holds, because it has the lock."""
        if self.held is not None:
            self.held.stop()
            self.held.wait()

    # looking

    def _observe(self, intent: Intent, result: campaign.Result | None, foreseen: set[Any] | None) -> None:
        truth, options = self.truth, intent.options
        if intent.die or intent.verb == "cancel":
            truth.lost_answers += options["concurrency"]
        was_closed = bool(intent.verb == "resume" and truth.is_closed)
        may_be_closed = (
            intent.verb == "resume" and truth.is_closed is not False
        )  # before a program was killed
        self._note_sheets(intent, result)
        requests = self.service.accepted_since()
        truth.begin_pilot(options.get("pilot"), self.sheet.template)
        self.check(truth.count_pilot(requests))
        self.check(truth.receive(requests, [] if was_closed else truth.sheets, options.get("changed", "ask")))
        self.check(self._check_promised(intent, requests, foreseen))
        if result is not None:
            self.tell(f"  {result.sentence}")
            self.check(truth.check_result(result, truth.sheets[-1]))
            self.check(differences(result, campaign.load_result(result.folder)))
            is_rich = self.service.balance > 10**5
            if intent.is_undisturbed and is_rich and not self.has_trouble and not may_be_closed:
                self.check(_left_behind(result))
        if self.place is not None:
            self.check(truth.check_record(self.place))
        self.service.coming, self.has_trouble = [], False

    def _note_sheets(self, intent: Intent, result: campaign.Result | None) -> None:
        """Which sheets the last round may be of; after a kill there may be several."""
        truth = self.truth
        sheets = [replace(self.sheet, opt_outs=self.sheet.opt_outs | truth.stopped)]
        stopped = {number.strip("+") for number in intent.options.get("opt_outs") or ()}
        truth.perhaps_stopped |= stopped
        if intent.verb == "resume":
            sheets = [replace(sheet, opt_outs=sheet.opt_outs | stopped) for sheet in truth.sheets]
            if result is not None and truth.is_closed is False:
                truth.stopped |= {
                    number
                    for number in stopped
                    if all(number in {line.number(sheet.region) for line in sheet.lines} for sheet in sheets)
                }
        if result is None:
            truth.sheets = [*truth.sheets, *sheets]  # registered or not
            truth.is_closed = None if truth.is_closed else False
            return
        cells = list(zip(result.contacts["name"], result.contacts["phone"], strict=True))
        truth.sheets = [
            sheet for sheet in sheets if [(line.name, line.cell) for line in sheet.lines] == cells
        ]
        truth.is_closed = truth.is_closed if intent.verb == "resume" else False
        if not truth.sheets:
            raise self.failed(["the result is about another table"])

    def _check_promised(
        self, intent: Intent, requests: list[Request], foreseen: set[Any] | None
    ) -> list[str]:
        """What left although neither the confirmation nor `compare` had said so."""
        broken = []
        count = sum(len(request.messages) for request in requests)
        confirm = intent.options.get("confirm")
        if self.service.environment == "live" and count and (not confirm or count > int(confirm.split()[1])):
            broken.append(f"{count} messages left, and confirmed was {confirm}")
        if foreseen is not None:
            unforeseen = {text for request in requests for text in request.texts} - foreseen
            broken += [f"compare did not say that {unforeseen} would leave"] if unforeseen else []
        return broken

    @contextmanager
    def _checked_budget(self, intent: Intent) -> Iterator[None]:
        before = sum(cost_of(messages) * count for messages, count in self.truth.requests.items())
        is_priced = any(batch.cost for batch in self.batches)
        charged = self.service.charged
        yield
        spent, budget = self.service.charged - charged, intent.options.get("budget")
        if budget is not None and is_priced and spent and before + spent > budget:
            self.check([f"the budget was {budget}, {before} were spent before and {spent} now"])

    def _check_that_nothing_left(self, requests: int) -> None:
        if self.service.requests != requests:
            self.check([f"{self.service.requests - requests} requests left before the question"])

    def check(self, broken: list[str]) -> None:
        if broken:
            raise self.failed(broken)

    def failed(self, broken: list[str]) -> PromiseBroken:
        self.broken += broken
        self.story += [f"BROKEN: {promise}" for promise in broken]
        return PromiseBroken()

    def tell(self, words: str) -> None:
        self.story.append(words)


def death(chance: random.Random, places: tuple[str, ...]) -> tuple[str, int]:
    """One of some places, or of all, and at which passing a program dies there."""
    every = tuple(f"{when} {place}" for place in PLACES for when in ("before", "after"))
    place = chance.choice(places or every)
    return place, chance.randrange(1, PLACES[place.split(" ", 1)[1]] + 1)


def differences(result: campaign.Result, other: campaign.Result) -> list[str]:
    """In which tables two results differ."""
    broken = []
    for name in ("messages", "contacts", "batches", "issues"):
        try:
            pd.testing.assert_frame_equal(getattr(result, name), getattr(other, name))
        except AssertionError as error:
            broken.append(f"{name} on disk differ from those that were returned: {error}")
    return broken


def _left_behind(result: campaign.Result) -> list[str]:
    waiting = {status: result.totals[status] for status in ("not_sent", "refused") if result.totals[status]}
    return [f"nothing was in the way, and {waiting} are left"] if waiting else []
