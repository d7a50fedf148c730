"""The third section: who gets a text and who does not, and why."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from ipywidgets import HTML, Layout, VBox

from campaign import markup
from campaign.environments import words_for
from campaign.errors import CampaignError, OtherFileError
from campaign.messages.plan import Plan
from campaign.notebook.composer.choice import QUESTIONS, Choice, Question, about_reset
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.desk import Desk, has_rows_to_correct
from campaign.notebook.composer.desk_words import GO_ON_TO_SENDING, desk_words
from campaign.notebook.composer.download import Download
from campaign.notebook.composer.fields import button, set_shown
from campaign.notebook.composer.fitted_texts import fitted_texts
from campaign.notebook.composer.left_out import left_out_among
from campaign.notebook.composer.opt_out_choice import OptOutChoice
from campaign.notebook.composer.overview import STYLE, headline, read_dates, shares
from campaign.notebook.composer.reasons import ReasonList, reasons_of
from campaign.notebook.composer.rows_without_text import write_rows_without_text
from campaign.notebook.composer.section import Section, marked
from campaign.notebook.composer.sent_before import SentBefore
from campaign.notebook.composer.sent_elsewhere import numbers_sent_elsewhere
from campaign.notebook.composer.shared_phones import SharedPhones
from campaign.notebook.composer.who_leaves import WhoLeaves
from campaign.sending.opening import compare_instead
from campaign.values import replace

_CORRECT = (
    "This list only shows them, with the reasons: it is not a file to choose. Correct them in {}, save it, "
    "and choose it again in section 1."
)
_REHEARSAL = "In a rehearsal, as section 4 has it: "
_LOOKING = "Looking at who was reached before …"


class CheckSection(Section):
    """Shows the plan in people, asks what is to be chosen, and offers the rows to correct."""

    def __init__(self, desk: Desk, done: Callable[[Section], None]) -> None:
        self._desk, self._done = desk, done
        self._drawn: Plan | None = None  # what is shown, while the desk may have another plan already
        self._drawn_line = ""
        self._asked_after: tuple[object, ...] = ()  # what was known when the questions were asked
        self._overview, self._refusal, self._fitted = HTML(), HTML(), HTML()
        self._reasons, self._before = ReasonList(), SentBefore(desk)
        self._fitted.add_class("campaign-fitted")
        self.shared = SharedPhones(self._keep)
        self.choices = [Choice(question, self._answer) for question in QUESTIONS]
        self._answered = Composition()  # with the answers that a person has seen or given here
        self._reset = HTML()
        self._reset.add_class("changed")
        self._reset.add_class("campaign-reset")
        self.opt_outs = OptOutChoice(desk, self._take_opt_outs, self.problems_shown)
        self.download = Download(
            "Download a list of these rows",
            lambda: self._desk.file_name("rows without a text.xlsx"),
            lambda path: write_rows_without_text(self._who_leaves(self._plan), path),
            self.show_problem,
        )
        self._correcting = HTML()
        self._asked = VBox(layout=Layout(width="100%"))
        body = [
            self._reset, self._overview, self._refusal, self._reasons, self.download, self._correcting,
            self._asked, self.opt_outs, self._before,
            button(GO_ON_TO_SENDING, "go-on", self.finish, main=True, meanwhile=_LOOKING),
        ]  # fmt: skip
        super().__init__(3, "Check", body)

    @property
    def line(self) -> str:
        """What was decided."""
        return self._drawn_line

    @property
    def findings(self) -> str:
        """Who gets no text and why: whether this has changed, whatever was sent in the meantime."""
        if self._drawn is None:
            return ""
        why_not = "".join(reason.html for reason in reasons_of(self._drawn))
        return f"{self._drawn.totals['not_sent']} {why_not} {self._reset.value}"

    def enter(self) -> None:
        """Check everybody with what was decided above."""
        self.show_problem("")  # of an earlier spreadsheet
        if self._drawn is not None and _version_of(self._drawn) != self._desk.version:
            self._clear()  # it may be long before the new one can be drawn
        self.opt_outs.enter()
        self._read_opt_outs()
        self._draw()

    def _clear(self) -> None:
        """Show nothing of an earlier spreadsheet."""
        self._drawn, self._drawn_line, self._asked.children = None, "", ()
        for shown in (self._reset, self._overview, self._refusal, self._correcting, self._fitted):
            shown.value = ""
        self._reasons.offer([])
        self._before.clear()
        set_shown(self.download, False)

    def refill(self, composition: Composition) -> None:
        """Show the file of opt-outs again; everything else is drawn when the section is entered."""
        self.opt_outs.refill(composition)
        self._answered = composition

    def finish(self) -> None:
        """Go on, once the list of people who want no texts is read as it is now."""
        with self.problems_shown():
            self._read_opt_outs()
            self._answered = self._desk.composition
            self._draw()
            self.opt_outs.check_decided()
            self._done(self)

    def _take_opt_outs(self) -> None:
        self._read_opt_outs()
        self._draw()

    def _read_opt_outs(self) -> None:
        """Prepare with the list that is chosen; if it cannot be read, nobody goes on without it."""
        self.touched(self)
        self._decide(**self.opt_outs.decisions(self._composed))

    @property
    def _plan(self) -> Plan:
        if self._desk.plan is None:
            return self._desk.prepared()
        return self._desk.plan

    def unfold(self) -> None:
        """Open, and ask again if more was sent by now: nobody is asked about people who have their text."""
        super().unfold()
        self.follow()

    def follow(self) -> None:
        """Say anew who leaves, once it is known what went before to the place that is chosen.

        While the section is folded its questions wait: each of their answers takes a plan to count.
        """
        if self._drawn is not None and self.is_open and self._asked_after != self._known:
            with self.problems_shown():
                self._draw()
        else:
            self._say_who_leaves()

    def take_answers(self) -> None:
        """Draw what is given by answers that were brought back below: nobody has to give them again."""
        with self.problems_shown():
            self._answered = self._desk.composition
            self.opt_outs.refill(self._desk.composition)
            self._draw()

    @property
    def _known(self) -> tuple[object, ...]:
        """What the questions depend on besides the plan: what was sent before, and the answer about it."""
        composition = self._desk.composition
        with suppress(CampaignError):  # the section that sends says why
            return self._desk.difference(composition.environment), composition.changed
        return (composition.changed,)

    def _say_who_leaves(self) -> None:
        """Say how many people get a text, and why others get none."""
        if self._drawn is not None:
            leaves = self._who_leaves(self._drawn)
            self._count(leaves)
            self._explain(leaves)

    def _count(self, leaves: WhoLeaves) -> None:
        """Say how many people get a text."""
        if refusal := self._desk.refusal:
            leaves = WhoLeaves.refused(leaves.plan)
        self._refusal.value = marked(desk_words(refusal, here=3)) if refusal else ""
        where = words_for(self._desk.composition.environment)
        self._drawn_line = f"{self._in_rehearsal}{headline(leaves, where)}"
        open_line = f"{self._in_rehearsal}{headline(leaves, where, asks_here=True)}"
        # Who wanted none before is asked about in the same place: one word about it is enough.
        asked = "" if len(leaves.unwanted_rows) else self.opt_outs.about_question
        said = f"{open_line}{asked}."
        sentence = f'<div role="status">{markup.paragraph(said)}</div>'
        bar = shares(leaves, where)
        self._overview.value = f"<style>{STYLE}</style>{sentence}{bar}{read_dates(leaves.plan)}"
        self.opt_outs.say_forgotten(len(leaves.unwanted_rows))

    def _explain(self, leaves: WhoLeaves) -> None:
        """Say why people get no text, with advice that names only choices which are asked now."""
        unasked = self._unasked
        self._reasons.offer(
            reasons_of(leaves.plan, leaves.left_out, own_rows=leaves.own_rows, unasked=unasked)
        )
        self._before.say(leaves.plan, unasked)

    @property
    def _in_rehearsal(self) -> str:
        """That the figures are those of a rehearsal, where texts were sent live too; "" elsewhere."""
        desk = self._desk
        if desk.composition.environment == "live" or "live" not in desk.accounts:
            return ""
        with suppress(CampaignError):  # the section that sends says why
            return "" if desk.difference("live").is_first else _REHEARSAL
        return ""

    @property
    def _unasked(self) -> list[str]:
        """The parameters of the questions that these rows do not need: no advice is about them."""
        asked = {*self._asked.children}
        return [choice.question.parameter for choice in self.choices if choice not in asked]

    def _who_leaves(self, plan: Plan) -> WhoLeaves:
        """Whom a plan has texts for now: the desk's, or one that another answer would give."""
        composition, difference, elsewhere = self._desk.composition, None, np.empty(0, np.int64)
        try:
            difference = self._desk.difference(composition.environment)
            if plan is not self._desk.plan:
                difference = compare_instead(difference, plan)
            elsewhere = numbers_sent_elsewhere(self._desk, difference)
        except OtherFileError:  # the section that sends asks which campaign is meant
            return WhoLeaves.undecided(plan)
        except CampaignError:  # it is said below the others
            pass
        unwanted = partial(left_out_among, self._desk)
        return WhoLeaves.of(
            plan, difference, changed=composition.changed, unwanted=unwanted, elsewhere=elsewhere
        )

    def _draw(self) -> None:
        self.say_changed("")  # it was about what is replaced now
        plan = self._drawn = self._plan
        leaves = self._who_leaves(plan)
        self.opt_outs.say(plan)
        to_correct = plan.totals["invalid"] > 0 or not plan.addressing.alternatives.empty
        set_shown(self.download, to_correct)
        file = "this file" if has_rows_to_correct(self._desk.contacts) else "your own spreadsheet"
        self._correcting.value = markup.paragraph(_CORRECT.format(file), note=True) if to_correct else ""
        self._count(leaves)
        self.shared.offer(leaves)
        self._fitted.value = fitted_texts(leaves, self._desk.contacts, self._desk.composition)
        try:
            self._ask()
        finally:  # also where an answer cannot be looked at
            self._explain(leaves)
        self._asked_after = self._known

    def _ask(self) -> None:
        """Ask what the rows of this spreadsheet make necessary, with the effects of the answers."""
        careful = [next(iter(choice.question.answers.values())) for choice in self.choices]
        plain = self._composed(dict(ChainMap(*map(dict, careful))))
        codes = {*_codes(plain), *_codes(self._plan)}
        asked = [
            choice
            for choice in self.choices
            if codes & {*choice.question.codes} and choice.ask(self._desk.composition, self._look)
        ]
        self._reset.value = about_reset(
            [choice.question for choice in asked], self._answered, self._desk.composition
        )
        below = {"overlong": self._fitted, "duplicates": self.shared}  # what an answer means, in detail
        self._asked.children = [
            widget
            for choice in asked
            for widget in (choice, choice.rows, below.get(choice.question.parameter))
            if widget is not None
        ]

    def _composed(self, decisions: Mapping[str, Any]) -> Plan:
        """The plan that some decisions would give, besides all the others."""
        composition = replace(self._desk.composition, **decisions)
        return self._plan if composition == self._desk.composition else self._desk.planned(composition)[1]

    def _look(self, decisions: Mapping[str, Any]) -> WhoLeaves:
        """What some decisions would give."""
        return self._who_leaves(self._composed(decisions))

    def _answer(self, question: Question, answer: str) -> None:
        with self.problems_shown():
            self._decide(**question.answers[answer])
            self._answered = replace(self._answered, **question.answers[answer])
            self._draw()

    def _decide(self, **decisions: Any) -> None:
        """Decide and prepare anew; what cannot be prepared is not decided."""
        self.touched(self)
        before = self._desk.composition
        try:
            self._desk.decide(**decisions)
            self._desk.prepared()
        except CampaignError:
            self._desk.decide(**{name: getattr(before, name) for name in decisions})
            raise

    def _keep(self, rows: tuple[int, ...]) -> None:
        """Let these rows get the texts of the phones that they share."""
        with self.problems_shown():
            self.touched(self)
            waiting = (row for row in self._desk.chosen_rows if row not in self.shared.rows)
            self._desk.decide(instead=(*rows, *waiting))
            self._desk.prepared()
            self._draw()


def _version_of(plan: Plan) -> str:
    return "" if plan.reading is None else plan.reading.version


def _codes(plan: Plan) -> Iterable[str]:
    """The codes of the plan's issues; for people who want no texts there is nothing to ask."""
    issues, statuses = plan.issues, plan.contacts["status"]
    codes: Iterable[str] = issues.loc[
        ~issues["row"].isin(statuses.index[statuses == "opted_out"]), "code"
    ].unique()
    return codes
