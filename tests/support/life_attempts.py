"""A person's attempts to send: what is tried, how questions are answered, and what has to be true of it."""

from __future__ import annotations

import os
import pickle
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import campaign
from campaign.errors import ConfirmationError, ContactsError, FolderError, LedgerError
from campaign.values import replace
from support.crash_sender import begin
from support.life_desk import Desk
from support.life_intents import Intent
from support.living_sheets import Sheet
from support.round_places import ASKED, QUESTION, act
from support.told_rows import check_result
from support.told_truth import cost_of, differences, left_behind
from support.witnessed_service import Request, account_of, whole_texts

Process: TypeAlias = Any  # of multiprocessing, by any start method
BUSY = 0.15  # seconds after a kill in which the service may still accept what it has got


@dataclass
class Sender(Desk):
    """Somebody who sends the sheet on the desk, and answers what is asked."""

    def send(self, intent: Intent) -> campaign.Result | None:
        """Send until it is sent or given up; each question is answered as a person might."""
        if self.service.environment == "live" and self.phrase and self.chance.random() < 0.3:
            intent.options["confirm"] = self.phrase  # it was right once
        self.refusal = ""
        for _ in range(8):
            self.tell(str(intent))
            requests = self.service.requests
            try:
                return self._attempt(intent)
            except LedgerError as error:  # it has never been seen when all is right
                raise self.failed([f"the registration was refused: {error}"]) from error
            except (ConfirmationError, FolderError) as error:
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
        if "takeover" in intent.options and "takeover=" not in question and self.place is not None:
            # This comes first, and the rest is asked afterwards.
            self.truth.is_displaced = self.truth.is_older = False
        if not self.sheet.may_be_refused and self.chance.random() < 0.1:
            self.tell("  gave up")
            return None
        options = dict(intent.options)
        if phrase := re.search(r"takeover='([^']+)'", question):
            options["takeover"] = phrase[1]
            if self.truth.is_displaced is False:
                raise self.failed([f"refused although it is where it always was: {question}"])
        elif answers := self._answers(question):
            self._check_questions(intent, answers)
            return replace(intent, options=options | answers, is_answered=True)
        elif phrase := re.search(r'confirm="([^"]+)"', question):
            options["confirm"] = self.phrase = phrase[1]
        elif self.sheet.may_be_refused:
            self.refusal = question
            self.tell("  which is refused for good")
            return None
        else:
            raise self.failed([f"a question without choices: {question}"])
        return replace(intent, options=options)

    def _answers(self, question: str) -> dict[str, str]:
        """An answer to each of the questions that one error asks."""
        answers = {
            "changed": self.chance.choice(("skip", "send")),
            "waiting": "withdraw",
            "elsewhere": "send",
        }
        choices = {
            "changed": 'changed="send"',
            "waiting": 'waiting="withdraw"',
            "elsewhere": 'elsewhere="send"',
        }
        return {option: answers[option] for option, choice in choices.items() if choice in question}

    def _check_questions(self, intent: Intent, answers: dict[str, str]) -> None:
        """Everything is asked at once, and only what has to be."""
        self.check([f"{list(answers)} asked after other questions"] if intent.is_answered else [])
        sheets = self.truth.sheets if intent.verb == "resume" else [self.sheet]
        for question in answers:
            if not any(sheet.follow_up or self._justifies(question, sheet) for sheet in sheets):
                raise self.failed([f"asked {question}=, and there is nothing to ask"])

    def _justifies(self, question: str, sheet: Sheet) -> bool:
        if question == "elsewhere":
            is_live = self.service.environment == "live"
            said = not self.texts_elsewhere().isdisjoint(filter(None, sheet.texts()))
            return is_live and (said or not self.are_others_at_home)  # what was left behind has sent it, too
        return self.truth.justifies(question, sheet, self.place)

    def _attempt(self, intent: Intent) -> campaign.Result | None:
        plan = None if intent.verb == "resume" else self.sheet.prepare()
        foreseen = None if plan is None or intent.die else self._foresee(plan, intent)
        lost = self.service.lost
        with self._checked_budget(intent):
            result = self._kill(intent) if intent.die else self._run(intent, plan)
        self.truth.lost_answers += self.service.lost - lost
        self.observe(intent, result, foreseen)
        return result

    def _foresee(self, plan: campaign.Plan, intent: Intent) -> set[Any] | None:
        """What would leave, by `compare`; now and then only, because it takes as long as sending."""
        if self.chance.random() > 0.2:
            return None
        account = account_of(self.service.login(intent.password))
        difference = campaign.compare(plan, account=account, **self.names)
        positions = difference.outgoing(changed=intent.options.get("changed") == "send")
        outgoing = difference.messages.iloc[positions]
        return set(whole_texts(zip(outgoing["number"], outgoing["message"], strict=True)))

    def _run(self, intent: Intent, plan: campaign.Plan | None) -> campaign.Result:
        options = {"account": account_of(self.service.login(intent.password)), **intent.options}
        if plan is None:
            return campaign.resume(self.place, **options)
        options |= self.names | self.ledger
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

    def _kill(self, intent: Intent) -> None:
        """Let another program do it and die."""
        work: dict[str, Any] = {"options": intent.options}
        if intent.verb == "resume":
            work["resume"] = str(self.place)
        else:
            work |= {"sheet": self.sheet.source(), "preparation": self.sheet.preparation}
            work["options"] = {**intent.options, **self.names, **self.ledger}
        self.let_go()
        self.end(self.begin(work, intent))
        self.service.settle(BUSY)

    def begin(self, work: dict[str, Any], intent: Intent) -> Process:
        """Let another program send."""
        login, state = self.service.login(intent.password), os.environ["CAMPAIGN_STATE_DIR"]
        return begin(act, self.folder, state, login, work, intent.die, self.design)

    def end(self, process: Process) -> None:
        """Wait for another program; raises what it was refused with."""
        process.join(60)
        if process.exitcode == ASKED:
            raise pickle.loads((self.folder / QUESTION).read_bytes())
        if process.exitcode not in (0, -9):
            raise RuntimeError(f"the program ended with {process.exitcode}: {self.story}")

    # looking

    def observe(
        self, intent: Intent, result: campaign.Result | None, foreseen: set[Any] | None = None
    ) -> None:
        """Hold what an attempt has done to what may be true."""
        truth, options = self.truth, intent.options
        if intent.die or intent.verb == "cancel":
            truth.lost_answers += options["concurrency"]
        was_closed = bool(intent.verb == "resume" and truth.is_closed)
        may_be_closed = (
            intent.verb == "resume" and truth.is_closed is not False
        )  # by a program that was killed
        self._note_sheets(intent, result)
        requests = self.service.accepted_since()
        truth.begin_pilot(options.get("pilot"), self.sheet.template)
        self.check(truth.count_pilot(requests))
        self.check(truth.receive(requests, [] if was_closed else truth.sheets, options.get("changed", "ask")))
        self.check(self._check_promised(intent, requests, foreseen))
        self.check(self._sent_elsewhere_unasked(intent, requests))
        self._note_place(intent, result)
        if self.place is not None and "waiting" not in options and not may_be_closed:
            self.check(truth.replaced_unasked(self.place))
        if result is not None:
            self.tell(f"  {result.sentence}")
            told = [check_result(result, sheet, truth, self.place) for sheet in truth.sheets]
            self.check(min(told, key=len))
            self.check(differences(result, campaign.load_result(result.folder)))
            is_rich = self.service.balance > 10**5
            is_free = intent.is_undisturbed and truth.budgets == {None}
            if is_free and is_rich and not self.has_trouble and not may_be_closed:
                self.check(left_behind(result))
        if self.place is not None:
            self.check(truth.check_record(self.place))
        self.service.coming, self.has_trouble = [], False

    def _note_place(self, intent: Intent, result: campaign.Result | None) -> None:
        """Whether the campaign is at home: a program that was killed may have taken it over."""
        truth = self.truth
        if truth.is_displaced and result is not None and "takeover" not in intent.options:
            self.check(["a folder that was moved went on, and nobody had typed the phrase"])
        if result is not None:
            truth.is_displaced = truth.is_older = False
        elif truth.is_displaced and "takeover" in intent.options:
            truth.is_displaced = None
            truth.is_older = None if truth.is_older else truth.is_older

    def _note_sheets(self, intent: Intent, result: campaign.Result | None) -> None:
        """Which sheets the last round may be of; after a kill there may be several."""
        truth = self.truth
        sheets = [replace(self.sheet, opt_outs=self.sheet.opt_outs | truth.stopped)]
        stopped = self.sheet.opt_outs
        if intent.verb == "resume":
            stopped = frozenset(number.strip("+") for number in intent.options.get("opt_outs") or ())
            sheets = [replace(sheet, opt_outs=sheet.opt_outs | stopped) for sheet in truth.sheets]
        truth.perhaps_stopped |= stopped
        truth.stopped |= set() if result is None else stopped
        if result is None:
            truth.sheets = [*truth.sheets, *sheets]  # registered or not
            truth.is_closed = None if truth.is_closed else truth.is_closed
            return
        columns = result.contacts["name"], result.contacts["phone"]
        if self.sheet.follow_up:
            self.sheet = self.sheet.with_rows(*columns)
            sheets = [replace(self.sheet, opt_outs=self.sheet.opt_outs | truth.stopped)]
        cells = list(zip(*columns, strict=True))
        truth.sheets = [sheet for sheet in sheets if [line.cells for line in sheet.lines] == cells]
        if intent.verb != "resume":  # where nothing had to be sent, a closed campaign stays closed
            is_same = truth.is_closed is not False and result.nothing_sent
            truth.is_closed = None if is_same else False
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

    def _sent_elsewhere_unasked(self, intent: Intent, requests: list[Request]) -> list[str]:
        """What left live although another campaign has sent it, or has it waiting, and nobody was asked."""
        is_asked = self.service.environment == "live" and "elsewhere" not in intent.options
        if not requests or not is_asked or not self.are_others_at_home:
            return []
        both = {text for request in requests for text in request.texts} & self.texts_elsewhere()
        return [f"{both} are from another campaign, and nobody was asked"] if both else []

    @contextmanager
    def _checked_budget(self, intent: Intent) -> Iterator[None]:
        before = sum(cost_of(messages) * count for messages, count in self.truth.requests.items())
        is_priced = any(batch.cost for batch in self.batches)
        charged = self.service.charged
        yield
        self._note_budget(intent)
        spent, budgets = self.service.charged - charged, self.truth.budgets
        if None not in budgets and is_priced and spent and before + spent > max(budgets):
            self.check([f"the budget was {budgets}, {before} were spent before and {spent} now"])

    def _note_budget(self, intent: Intent) -> None:
        """Which budget the campaign may have from now on; one that is not given leaves it as it was."""
        if "budget" not in intent.options:
            return
        given, truth = intent.options["budget"], self.truth
        limit = None if isinstance(given, campaign.Budget) else given
        is_certain = not intent.die and truth.is_closed is False
        truth.budgets = {limit} if is_certain else truth.budgets | {limit}

    def _check_that_nothing_left(self, requests: int) -> None:
        if self.service.requests != requests:
            self.check([f"{self.service.requests - requests} requests left before the question"])
