"""`Composer`: what a person does at the form becomes another form, or an act; then the page is drawn anew.

It knows no widget and no browser: `receive` takes what was done, and `show` hands on the page as plain
values.
"""

from __future__ import annotations

import itertools
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from campaign.environments import Environment
from campaign.errors import CampaignError, ConfirmationError, UsageError
from campaign.log import log
from campaign.notebook.composer.beginning import begin, begin_again
from campaign.notebook.composer.check_page import check_line, check_page
from campaign.notebook.composer.facts import Facts, Settled, Trial
from campaign.notebook.composer.files import LISTS, UPLOADS, keep, kept, kept_last, kept_upload, made_file
from campaign.notebook.composer.form import STEPS, Form, Step
from campaign.notebook.composer.items import Button, Sheet, cell, told
from campaign.notebook.composer.message_page import (
    check_message,
    message_line,
    message_page,
    turned,
    written_language,
)
from campaign.notebook.composer.people_page import check_people, fitted, guessed, people_line, people_page
from campaign.notebook.composer.result_page import result_page
from campaign.notebook.composer.send_page import send_page
from campaign.notebook.composer.start_page import start_page
from campaign.sending.afterwards.resolving import resolve
from campaign.sending.afterwards.settling import reconcile
from campaign.sending.rounds.difference import sent_this_text
from campaign.sending.run import Run
from campaign.sending.store.identity import CAMPAIGNS, folder_name
from campaign.sending.store.kept_accounts import keep_account
from campaign.sending.try_out import try_out
from campaign.values import replace
from campaign.words.finding import Finding

SCRIPT, STYLE = (Path(__file__).with_name(name) for name in ("page.js", "page.css"))  # of the page
_TICK = 0.2  # seconds between two looks at a run
_PAGES: dict[Step, Callable[[Form, Facts], Sheet]] = {
    "start": start_page, "people": people_page, "message": message_page, "check": check_page,
    "send": send_page, "result": result_page,
}  # fmt: skip
_NAMES = dict(zip(STEPS, ("1 People", "2 Message", "3 Check", "4 Send"), strict=True))

Show = Callable[[Mapping[str, Any], bytes], None]  # a message to the page, with the content of a file


class Composer:
    """The form and its facts. `show` gets each message to the page; any thread may call `receive`."""

    def __init__(self, show: Show = lambda message, content: None, *, may_add_account: bool = False) -> None:
        self.show = show
        self.form, self.facts = Form(), Facts(may_add_account=may_add_account)
        self._problem: CampaignError | None = None
        self._lock = threading.RLock()

    def receive(self, message: Mapping[str, Any], content: bytes = b"") -> None:
        """Take what a person did: {"do": "change" or "press" or "upload", "id": …, "value": …}, or {"do":
        "look"} for a page that has just been opened."""
        with self._lock:
            try:
                self._problem = None
                self._act(message, content)
            except Exception as error:
                self._problem = _said_of(error)
            finally:
                self.draw(int(message.get("number", 0)))

    def draw(self, number: int = 0) -> None:
        """Hand on the page as it is now; `number` is that of the last message that it has taken in."""
        with self._lock:
            self.show({"page": self.sheet().as_message(), "number": number}, b"")

    def end(self) -> None:
        """Let a run issue nothing more, because the program ends."""
        if self.facts.run is not None:
            self.facts.run.stop()

    def sheet(self) -> Sheet:
        """The page as it is now. What is wrong is said on it, above everything that can still be drawn."""
        try:
            page = _PAGES[self.form.step](self.form, self.facts)
        except Exception as error:
            self._problem = self._problem or _said_of(error)
            page = Sheet(step=self.form.step, title=_TITLES[self.form.step], items=(), foot=_WAYS_BACK)
        problem = () if self._problem is None else (replace(told(self._problem), id="problem"),)
        return replace(page, items=(*problem, *page.items), top=self._top, steps=self._steps(page))

    @property
    def _top(self) -> str:
        if self.form.step == "start":
            return ""
        if self.form.step == "result":
            with suppress(Exception):
                return cell(self.facts.result(self.form).name)
        with suppress(Exception):
            return cell(self.facts.campaign_name(self.form)) or "New message"
        return "New message"

    def _steps(self, page: Sheet) -> tuple[tuple[str, str, str], ...]:
        """The four steps, with what was decided in those that are done."""
        if page.step not in STEPS:
            return ()
        now = STEPS.index(self.form.step)
        steps = []
        for place, step in enumerate(STEPS):
            state = "done" if place < now else "now" if place == now else ""
            steps.append((_NAMES[step], self._line_of(step) if place < now else "", state))
        return tuple(steps)

    def _line_of(self, step: Step) -> str:
        with suppress(Exception):
            if step == "people":
                return people_line(self.form, self.facts)
            return message_line(self.form) if step == "message" else check_line(self.form, self.facts)
        return ""

    # what a person does

    def _act(self, message: Mapping[str, Any], content: bytes) -> None:
        do, item = str(message.get("do")), str(message.get("id", ""))
        if do == "change":
            self._change(item, message.get("value"))
        elif do == "upload":
            self._upload(item, str(message.get("name", "")), content)
        elif do == "press":
            verb, _, rest = item.partition(":")
            self._PRESSES[verb](self, rest)

    def _change(self, item: str, value: Any) -> None:
        """Take what was typed or chosen in a field."""
        kind, _, rest = item.partition(":")
        form = self.form
        if kind == "typed":
            self.facts.typed[rest] = str(value)
        elif kind == "answer":
            where, _, question = rest.partition(":")
            self.form = self._answered(cast(Environment, where), question, str(value))
        elif kind == "consent":
            self.form = form.changed(consent={**form.consent, rest: tuple(map(str, value))})
        elif item == "text":
            self.form = form.written(str(value))
        elif item == "language":
            self.form = written_language(form, self.facts, str(value))
        elif item == "sheet":
            self.form = guessed(form.changed(sheet=value), self.facts, form.region)
        elif item == "dates":
            self.form = form.changed(dates=value or None)
        else:
            self.form = form.changed(**{item: value})

    def _answered(self, where: Environment, question: str, answer: str) -> Form:
        """The form with an answer. Who is left out because another campaign has reached them is listed."""
        if answer != "leave_out":
            return self.form.answered(where, question, answer)
        difference = self.facts.difference(self.form, where)
        reached = {
            number for numbers in sent_this_text(difference, changed="send").values() for number in numbers
        }
        listed = {*self.form.not_again, *(f"+{number}" for number in reached)}
        return replace(self.form, not_again=tuple(sorted(listed)))

    def _upload(self, item: str, name: str, content: bytes) -> None:
        """Keep a file and read it; one that cannot be read changes nothing."""
        if item == "source":
            with kept_upload(name, content, UPLOADS) as path:
                self._take_source(str(path))
        elif item == "opt_outs":
            with kept_upload(name, content, LISTS) as path:
                form = self.form.changed(opt_outs=str(path), answers={}, not_again=())
                self.facts.forget("plan")  # the same list may have another content
                self.facts.plan(form)
                self.form = form
        elif item == "provider_list":
            with kept_upload(name, content, LISTS) as path:
                self.facts.reconciliation = path, reconcile(self.form.folder, path)

    def _take_source(self, path: str) -> None:
        """Take a spreadsheet, with the column and the country that are likely."""
        last = kept_last()
        usual = "" if last is None else last.region
        self.facts.forget()  # the same file may have another content
        form = self.form.changed(source=path, step="people", folder="", answers={}, not_again=())
        if form.sheet is not None and form.sheet not in self.facts.reading(replace(form, sheet=None)).sheets:
            form = form.changed(sheet=None)
        form = guessed(form, self.facts, usual)
        continues = self.facts.reading(form).continues
        before = None if continues is None else self._composed(continues.campaign)
        if continues is None and self.form.step == "result":  # the table that was sent, as it is today
            form = form.changed(name=self.facts.result(self.form).name)
        if not self.form.source and last is not None:
            # Whoever wants none wants none of the next message.
            form = form.changed(opt_outs=last.opt_outs, opt_out_numbers=last.opt_out_numbers)
        if before is not None:  # rows to correct have the text and the lists of their campaign
            form = fitted(replace(before, source=path, sheet=None, step="people"), self.facts)
        elif last is not None and not form.sender:
            form = form.changed(sender=last.sender)
        self.form = self._checked(form, before or self.form) if self.form.step == "result" else form

    def _checked(self, form: Form, before: Form) -> Form:
        """The form at its check, where all before that is as it was looked at, and nothing was left out."""
        is_as_before = (form.number, form.second) == (before.number, before.second)
        is_whole = {one.code for one in self.facts.reading(form).notices} <= {"rows_continue"}
        if not is_as_before or not is_whole:
            return form
        with suppress(CampaignError):
            check_people(form, self.facts)
            check_message(form, self.facts)
            return replace(form, step="check")
        return form

    def _composed(self, name: str) -> Form | None:
        """How the campaign of this name was composed, wherever it was sent or rehearsed."""
        folders = (CAMPAIGNS / folder_name(name, where) for where in self.facts.accounts)
        return next((form for form in map(kept, folders) if form is not None), None)

    def _new(self, _: str) -> None:
        self._leave(Form(step="people"))

    def _open(self, folder: str) -> None:
        """Look at a campaign: what came of it and what is left."""
        self.facts.forget("result", "unknown")
        form, run = kept(Path(folder)) or Form(), self.facts.run
        is_under_way = run is not None and not run.ended and str(run.folder) == folder
        self._leave(replace(form, step="send" if is_under_way else "result", folder=folder))

    def _look(self, where: str) -> None:
        """Look at what this campaign has sent there."""
        name = self.facts.campaign_name(self.form)
        folder = CAMPAIGNS / folder_name(name, cast(Environment, where))
        self.facts.forget("result", "unknown")
        self._leave(replace(self.form, step="result", folder=str(folder)))

    def _leave(self, form: Form) -> None:
        self.facts.forget_asked()
        self.form = form

    def _new_name(self, _: str) -> None:
        """The same list with a new text: a campaign of its own, named after the file and the day."""
        now = datetime.now()
        self.form = self.form.changed(
            name=self._free_name(f"{Path(self.form.source).stem} {now.day} {now:%b}")
        )

    def _free_name(self, stem: str) -> str:
        names = (stem if number == 1 else f"{stem} ({number})" for number in itertools.count(1))
        return next(name for name in names if not any(self._folders(name)))

    def _folders(self, name: str) -> list[Path]:
        folders = (CAMPAIGNS / folder_name(name, where) for where in self.facts.accounts)
        return [folder for folder in folders if folder.exists()]

    def _continue(self, name: str) -> None:
        """Go on with a campaign of this file: with its text, its lists and its name."""
        before, now = self._composed(name), self.form
        if before is None:
            self.form = now.changed(name=name)
        else:
            form = replace(before, source=now.source, sheet=now.sheet, step="people", name=name)
            self.form = self._checked(fitted(form, self.facts), before)

    def _back(self, _: str) -> None:
        before: Mapping[Step, Step] = dict(zip(STEPS[1:], STEPS, strict=False))
        self._leave(replace(self.form, step=before.get(self.form.step, "start")))

    def _next(self, _: str) -> None:
        """Go on, unless what is on this page would stop everybody."""
        if self.form.step == "people":
            check_people(self.form, self.facts)
        elif self.form.step == "message":
            check_message(self.form, self.facts)
        elif self.form.step == "check" and (fault := self.facts.fault_in_numbers(self.form)):
            raise fault
        place = STEPS.index(self.form.step) + 1
        self._leave(replace(self.form, step=STEPS[min(place, len(STEPS) - 1)]))

    def _step(self, place: str) -> None:
        """Go back to a step that is done."""
        if int(place) < STEPS.index(self.form.step):
            self._leave(replace(self.form, step=STEPS[int(place)]))

    def _turn(self, step: str) -> None:
        self.form = turned(self.form, self.facts, int(step))

    def _no_list(self, _: str) -> None:
        self.form = self.form.changed(opt_outs="")

    def _download(self, kind: str) -> None:
        name, content = made_file(kind, self.form, self.facts)
        self.show({"file": name}, content)

    # sending

    def _send(self, where: str) -> None:
        environment = cast(Environment, where)
        self._begin(lambda phrase: begin(self.form, self.facts, environment, phrase))

    def _send_rest(self, _: str) -> None:
        environment = cast(Environment, self.facts.result(self.form).environment)
        self._begin(lambda phrase: begin_again(self.form, self.facts, environment, phrase))

    def _begin(self, attempt: Callable[[str | None], Run]) -> None:
        """Begin a run, with the phrase that was typed. Nothing is begun twice by a second click."""
        if self.facts.run is not None and not self.facts.run.ended:
            if self.form.step == "send":  # which shows the run that is under way
                return
            raise UsageError("form_busy")
        typed = self.facts.typed.get("phrase", "").strip() or None
        try:
            run = attempt(typed)
        except ConfirmationError as error:
            if not error.phrase:
                raise
            self.facts.is_refused = True
            self.facts.forget("phrase")
            return
        self.facts.run = run
        self.facts.forget_asked()
        if self.form.source:  # else it was composed elsewhere
            keep(run.folder, self.form)
        self.form = replace(self.form, step="send", folder=str(run.folder))
        threading.Thread(target=self._watch, args=[run], name="campaign form", daemon=True).start()

    def _watch(self, run: Run) -> None:
        """Draw the run until its end, then its result."""
        while not run.ended:
            time.sleep(_TICK)
            if self.form.step == "send" and self.facts.run is run:
                self.draw()
        with self._lock:
            if self.facts.run is run and self.form.step == "send":
                self.facts.forget("result", "unknown", "phrase")
                self.form, self._problem = replace(self.form, step="result", folder=str(run.folder)), None
                self.draw()

    def _pause(self, _: str) -> None:
        self._run.pause()

    def _resume(self, _: str) -> None:
        self._run.resume()

    def _stop(self, _: str) -> None:
        self._run.stop()

    @property
    def _run(self) -> Run:
        assert self.facts.run is not None  # noqa: S101 - the buttons are those of a run
        return self.facts.run

    def _trial(self, _: str) -> None:
        """Send one message to the person's own phone."""
        where: Environment = "live" if "live" in self.facts.accounts else "local"
        typed = self.facts.typed.pop("trial", "").strip() or None
        try:
            outcome = try_out(
                self.facts.plan(self.form), self.facts.accounts[where], number=self.form.own_number,
                region=self.form.region or None, confirm=typed,
            )  # fmt: skip
        except ConfirmationError as error:
            wrong = (Finding("wrong_phrase", {}, "warning"),) if typed else ()
            self.facts.trial = Trial(error.phrase, wrong)
        except CampaignError as error:
            self.facts.trial = Trial(said=(error,))
        else:
            texts = tuple((text, "") for text in outcome.preview.messages)
            self.facts.trial = Trial(said=(outcome.headline, outcome.question), texts=texts)

    def _account(self, _: str) -> None:
        """Use an account that was typed in."""
        typed = self.facts.typed
        try:
            password = typed.pop("password", "")
            self.facts.accounts["live"] = keep_account(typed.get("url", ""), typed.get("user", ""), password)
        except CampaignError as error:
            self.facts.account_problem = (error,)
        else:
            self._leave(self.form)

    # settling

    def _settle(self, rest: str) -> None:
        """Ask whether an answer about a batch is meant, and once it is, take it."""
        if rest:
            batch, _, outcome = rest.partition(":")
            self.facts.settling = int(batch), cast(Settled, outcome)
            return
        settling, self.facts.settling = self.facts.settling, None
        if settling is not None:
            self._forget_result()
            try:
                resolve(self.form.folder, *settling)
            except ConfirmationError as error:  # the page has asked already
                resolve(self.form.folder, *settling, confirm=error.phrase)

    def _settle_not(self, _: str) -> None:
        self.facts.settling = None

    def _settle_list(self, _: str) -> None:
        """Settle by the provider's list what is certain. If that has changed, it is shown anew."""
        if self.facts.reconciliation is None:
            return
        path, shown = self.facts.reconciliation
        self.facts.reconciliation = None
        self._forget_result()
        try:
            reconcile(self.form.folder, path, confirm=shown.phrase)
        except ConfirmationError:
            self.facts.reconciliation = path, reconcile(self.form.folder, path)
            raise

    def _forget_result(self) -> None:
        """What was known of the campaign, and how a run ended here, is no longer so."""
        if self.facts.run is not None and self.facts.run.ended:
            self.facts.run = None
        self.facts.forget("result", "unknown", "phrase")

    def _to_send(self, _: str) -> None:
        self._leave(replace(self.form, step="send", folder=""))

    def _done(self, _: str) -> None:
        self._leave(Form())

    _PRESSES: Mapping[str, Callable[[Composer, str], None]] = {
        "new": _new, "open": _open, "look": _look, "new-name": _new_name, "continue": _continue,
        "back": _back, "next": _next, "step": _step, "turn": _turn, "no-list": _no_list,
        "download": _download, "send": _send, "send-rest": _send_rest, "pause": _pause, "resume": _resume,
        "stop": _stop, "trial": _trial, "account": _account, "settle": _settle, "settle-not": _settle_not,
        "settle-list": _settle_list, "to-send": _to_send, "done": _done, "start": _done,
    }  # fmt: skip


_TITLES: dict[Step, str] = {
    "start": "Your messages", "people": "Who is it for?", "message": "What do you want to tell them?",
    "check": "Who gets it", "send": "Send", "result": "Result",
}  # fmt: skip
_WAYS_BACK = (Button(id="back", label="Back"),)


def _said_of(error: Exception) -> CampaignError:
    """What is said of an error. One that nobody has foreseen is a fault of this program, and in its log."""
    if isinstance(error, CampaignError):
        return error
    # Without the words of the error, which may quote a cell of the table.
    where = "".join(traceback.format_tb(error.__traceback__))
    log.error("A fault of the form: %s\n%s", type(error).__name__, where)
    return CampaignError("form_fault", kind=type(error).__name__)
