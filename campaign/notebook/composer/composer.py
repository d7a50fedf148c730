"""The composer: five sections one below the other, and what happens when one of them is finished."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from ipywidgets import HTML

from campaign import markup
from campaign.errors import CampaignError
from campaign.local_times import LocalTimes
from campaign.masking import mask_text
from campaign.notebook.composer.check import CheckSection
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.memory import Kept, Memory
from campaign.notebook.composer.message import MessageSection
from campaign.notebook.composer.open_campaigns import OpenCampaigns
from campaign.notebook.composer.outcome import OutcomeSection
from campaign.notebook.composer.reopening import PAGE_IS_BACK, reopen
from campaign.notebook.composer.section import KEPT, STYLE, Section
from campaign.notebook.composer.sending import SendingSection
from campaign.notebook.composer.spreadsheet import SpreadsheetSection
from campaign.notebook.panel import Panel
from campaign.sending.run import Run
from campaign.text import clean

_IN_WORK = "A campaign that is being composed."
_AGAIN = (
    "To go on with it, run this cell while the notebook's kernel is running. What was sent is not sent again."
)
_BEGUN_ANEW = (
    "“{}” stays as it is, and can be looked at from here. Choose the next spreadsheet: if it has the same "
    "columns, section 2 offers the text."
)
_WORKING = "Working it out …"
_LOCKED = "Sections 1 to 3 open again when the sending has ended."
_TICK = 0.2  # seconds between two looks at whether a run has ended


class Composer(Panel):
    """Leads from the spreadsheet to the report. Each section decides something and hands on to the next.

    What was finished can be opened again. Then everything below is worked out anew, and says what changed.
    """

    def __init__(self, memory: Memory | None = None) -> None:
        self._memory = memory
        super().__init__(lambda: self._state, [], style=STYLE)
        kept = None if memory is None else memory.recall()
        self._begin(kept if kept is not None and kept.composition.source else None)

    def _begin(self, kept: Kept | None) -> None:
        """Lay out a desk as it was kept, or with nothing on it."""
        self.desk = Desk()
        self._reached = 0
        self._is_shown = False
        self._is_looking_back = False
        self.lay_out(self._parts())
        self._open(0)
        if kept is None:
            self.open_campaigns.offer()
        else:
            self._fill_in(kept, PAGE_IS_BACK)
        self._is_shown = True
        self.desk.remember = self._go_on
        self._remember()

    def _parts(self) -> list[Any]:
        """The sections of a new desk, and what stands between them."""
        self.spreadsheet = SpreadsheetSection(self.desk, self._finished)
        self.message = MessageSection(self.desk, self._finished)
        self.check = CheckSection(self.desk, self._finished)
        self.sending = SendingSection(self.desk, self._started)
        self.outcome = OutcomeSection(
            self.desk, lambda: self.sending.way_on, self._begin_anew, lambda: self.sending.has_form
        )
        self.sections: list[Section] = [
            self.spreadsheet, self.message, self.check, self.sending, self.outcome,
        ]  # fmt: skip
        for section in self._decided:
            section.touched = self._put_away_below
        self.spreadsheet.brought_back = self._show_brought_back
        self.spreadsheet.file_read = self.outcome.say
        self.sending.touched = self._put_away_below
        self.sending.looked_up = self._say_who_leaves
        self.sending.answers_taken = self.check.take_answers
        self.sending.way_changed = self.outcome.say
        self.sending.result_wanted = self._show_outcome
        self.sending.text_taken = self._take_text
        self.outcome.settled = self._show_settled
        self.outcome.found_in_list = self._renew_sending
        self._greeting, self._locked = HTML(), HTML()
        self._greeting.add_class("campaign-greeting")
        self._locked.add_class("campaign-locked")
        self.open_campaigns = OpenCampaigns(self.desk, self._take_up, self._look_back)
        return [
            self._greeting, self.open_campaigns, *self._decided, self._locked, self.sending, self.outcome,
        ]  # fmt: skip

    def _begin_anew(self) -> None:
        """Put everything away; what was sent stays in its campaign, and can be looked at from here."""
        name = self.outcome.name
        self._begin(None)
        said = _BEGUN_ANEW.format(mask_text(clean(name)))
        self._greeting.value = f'<div role="status">{markup.paragraph(said)}</div>'
        self.refresh_card()
        self.spreadsheet.take_focus()

    def card(self) -> str:
        """What a notebook shows when it is opened again."""
        notes = (_AGAIN, LocalTimes().written_now())
        return markup.card(self._state, [markup.paragraph(words, note=True) for words in notes])

    @property
    def _state(self) -> str:
        """What was sent, once something was."""
        is_sent = self.outcome.is_open and self.desk.name
        return f"Campaign “{mask_text(clean(self.desk.name))}”. {self.outcome.line}" if is_sent else _IN_WORK

    def _fill_in(self, kept: Kept, is_back: str) -> None:
        """Fill everything in as it was, and say so."""
        sentence = reopen(
            self.desk, self.sections, kept, self._show_outcome, lambda: self.sending.way_on, is_back=is_back
        )
        self._greeting.value = f'<div role="status">{markup.paragraph(sentence)}</div>'

    def _take_up(self, name: str, kept: Kept) -> None:
        """Go on with a campaign of this folder as if its page had been loaded again."""
        self._is_shown = False
        self._fill_in(kept, f"“{name}” is as it was.")
        self._is_shown = True
        self._remember()
        next(section for section in self.sections if section.is_open).take_focus()

    def _look_back(self, folder: Path) -> None:
        """Show the result of a campaign of this folder, until something is decided."""
        self._is_looking_back, self.desk.sent = True, folder
        with self.outcome.problems_shown():
            self.outcome.enter()
        self.outcome.unfold()
        self.outcome.take_focus()

    def _show_brought_back(self) -> None:
        """Show what a campaign has decided, below the spreadsheet that continues it."""
        for section in self.sections[1:]:
            section.refill(self.desk.composition)
        self.check.opt_outs.decide_anew()  # the spreadsheet of then may have lacked the column

    def _take_text(self, text: str, texts: dict[str, str], sender: str) -> None:
        """Write the text of a campaign that a person has changed to, and work out what follows from it."""
        self.message.reopen()
        self.message.take(text, texts, sender)
        self.message.finish()

    def _go_on(self) -> None:
        """What is said before anything is decided goes with the first decision."""
        self._greeting.value = ""
        self.open_campaigns.hide()
        if self._is_looking_back:
            self._is_looking_back, self.desk.sent = False, None
            self.outcome.hide()
        self._remember()

    def _remember(self) -> None:
        if self._memory is not None:
            open_again = (place for place, section in enumerate(self._decided) if section.is_open)
            reached = next(open_again, min(self._reached, self.sections.index(self.sending)))
            desk = self.desk
            self._memory.keep(
                Kept(desk.composition, desk.version, reached, desk.sent, desk.price, desk.own_number)
            )

    def _open(self, position: int) -> None:
        """Open a section, and announce the one after it; nothing is shown beyond that."""
        self._reached = max(self._reached, position)
        self.sections[position].unfold()
        for later, section in enumerate(self.sections[self._reached + 1 :]):
            section.announce() if later == 0 else section.hide()

    def _put_away_below(self, touched: Section) -> None:
        """Put away what follows from a section until it is finished again.

        What was sent stays in sight, below the titles of all sections that come before it.
        """
        position, is_sent = self.sections.index(touched), self.desk.run is not None
        following = self._decided if is_sent else self.sections
        for later, section in enumerate(following[position + 1 :]):
            is_kept = section in self._decided and position + 1 + later <= self._reached
            section.announce(KEPT if is_kept else "") if is_sent or later == 0 else section.hide()
        self.desk.remember()

    def _say_who_leaves(self) -> None:
        """The line of the closed check follows what is chosen in the section that sends."""
        self.check.follow()
        if not self.check.is_open:
            self.check.fold()
        self.outcome.say()

    def _finished(self, finished: Section) -> None:
        """Fold a section and go on: to the next, and through all below that were reached before."""
        position = self.sections.index(finished)
        finished.say_changed("")
        finished.fold()
        for section in self._decided[position + 1 :]:
            if not section.is_open:  # it takes a while with many rows
                section.announce(_WORKING)
        for below in range(position + 1, max(self._reached, position + 1) + 1):
            section = self.sections[below]
            if section is self.outcome:  # it belongs to what was sent, not to what is composed now
                self._reached = below - 1
                section.hide()
            elif not self._entered(section, is_new=below > self._reached):
                self._reached = below
                break
        following = self._reached if position < self._reached else position + 1
        self._open(following)
        if self._is_shown:  # else nobody has pressed anything yet
            self.sections[following].take_focus()
        self.desk.remember()

    def _entered(self, section: Section, *, is_new: bool) -> bool:
        """Let a section take what was decided above; False if a person has to look at it first."""
        line = "" if is_new else section.line
        findings = self.check.findings if section is self.check and not is_new else ""
        try:
            section.enter()
        except CampaignError as error:
            section.show_problem(error)
            return False
        if is_new:
            return True
        section.say_changed(section.news)  # what was said of a file that was chosen in between is over
        if section.news:
            return False
        if section is self.check and self.check.findings != findings:
            same = "As many people get a text as before."
            before = same if section.line == line else f"Before, it said: “{line}.”"
            section.say_changed(f"Your change above affects this section. {before}")
            return False
        section.fold()
        return True

    def _started(self, run: Run) -> None:
        """Fold what was decided, and show the result when the run has ended."""
        for section in self._decided:
            section.fold()
        self.outcome.announce()  # what it shows was before this run
        self.sending.take_focus()
        threading.Thread(target=self._watch, args=[run], name="campaign composer", daemon=True).start()

    def _watch(self, run: Run) -> None:
        """Keep what was decided closed while texts are on their way, and show the result at each end.

        A run that has ended can be continued in its dashboard, as long as no other was begun here.
        """
        begun, shown = run, False
        while self.desk.run is begun:
            if run.continuation is not None:
                run, shown = run.continuation, False
            if run.ended and not shown:
                self.sending.offer_way_on(run)
                self._say_who_leaves()
                self._lock(False)
                self._show_outcome()
                shown = True
            elif not shown:
                self._lock(True)
                if self.outcome.is_open:
                    self.outcome.announce()
            if shown and not run.can_be_continued and run.continuation is None:
                return
            time.sleep(_TICK)

    def _show_outcome(self) -> None:
        with self.outcome.problems_shown():
            self.outcome.enter()
        self._open(self.sections.index(self.outcome))
        self.refresh_card()

    def _renew_sending(self) -> None:
        """Let section 4 ask anew: it may have something else to send now, and the run on the page is one of
        before."""
        is_changing = any(section.is_open for section in self._decided)
        self.desk.run = None
        if self.sending.is_open and is_changing:
            self.sending.announce()
        elif self.sending.is_open:
            with self.sending.problems_shown():
                self.desk.prepared()
                self.sending.enter()
        self.desk.sent = self.outcome.folder

    def _show_settled(self) -> None:
        """Show what a person has settled."""
        self._renew_sending()
        with self.outcome.problems_shown():
            self.outcome.enter()
        if not self._is_looking_back:
            self._remember()
        self.refresh_card()
        self.outcome.take_focus()

    def _lock(self, locked: bool) -> None:
        for section in self._decided:
            section.lock(locked)
        said = f'<div role="status">{markup.paragraph(_LOCKED, note=True)}</div>'
        self._locked.value = said if locked else ""

    @property
    def _decided(self) -> list[Section]:
        return [self.spreadsheet, self.message, self.check]
