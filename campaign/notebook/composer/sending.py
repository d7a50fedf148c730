"""The fourth section: where the texts go, one to try, and the start. Then it is the dashboard."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from ipywidgets import HTML, HBox, Layout, RadioButtons, VBox

from campaign import markup
from campaign.environments import Environment
from campaign.errors import ConfirmationError, OtherFileError, UsageError
from campaign.masking import mask_text
from campaign.messages.plan import Plan
from campaign.notebook.composer.campaign_name import CampaignName
from campaign.notebook.composer.choice import about_taken
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.cost_choice import CostChoice
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import (
    BEGIN,
    CHANGE_BUDGET,
    CHOICES,
    FIELDS,
    desk_html,
    desk_words,
)
from campaign.notebook.composer.earlier_text import EarlierText, TakeText
from campaign.notebook.composer.fields import Field, Picker, asked_phrase, button, set_shown, wrong_phrase
from campaign.notebook.composer.leaving import Leaving, is_another_message
from campaign.notebook.composer.left_out import LeftOutBefore
from campaign.notebook.composer.memory import Kept, keep_with_campaign
from campaign.notebook.composer.more_choices import MoreChoices
from campaign.notebook.composer.other_texts import OtherTexts
from campaign.notebook.composer.pace_choice import USUAL, PaceChoice
from campaign.notebook.composer.people_beside import PeopleBeside
from campaign.notebook.composer.places import PLACES, about_accounts, about_only_place
from campaign.notebook.composer.section import Section
from campaign.notebook.composer.sent_elsewhere import SentElsewhere, undecided_numbers
from campaign.notebook.composer.trial import Trial
from campaign.notebook.composer.who_gets import WhoGets
from campaign.notebook.dashboard import Dashboard
from campaign.sending.rounds.confirmation import COST_IS_NOT_KNOWN
from campaign.sending.rounds.difference import (
    Difference,
    decided_messages,
    plan_behind,
)
from campaign.sending.run import Run
from campaign.sending.store.identity import CAMPAIGNS, folder_name
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox
from campaign.text import clean, counted, shorten

_NOT_WHAT_WAS_SHOWN = (
    "What would leave has changed since this was shown, so nothing was sent. Look at the line and the button "
    "as they are now."
)
_WHY_NOT = {  # why the button does not send
    "price": "This waits for the price of one SMS above: correct it, or leave it empty.",
    "budget": "This waits for the amount at which to stop above: correct it, or leave it empty.",
    "used up": "This waits for a higher amount at which to stop above: the budget covers none of the texts. "
    "{enough} is enough for all.",
    "opted_out": "This waits for your answer above about the people who wanted no texts before.",
    "elsewhere": "This waits for your answer above about the people who have this text already.",
    "name": "This waits for your answer above about the name: another campaign has sent these texts.",
    "changed": f"This waits for your answer above about “{FIELDS['changed']}”.",
    "waiting": f"This waits for your answer above about “{FIELDS['waiting']}”.",
    "questions": "This waits for your answers to the questions above.",
    "problem": "This waits until what is said below is put right.",
}
_BALANCE = 1_000_000_000  # SMS that a rehearsal can pay for
_BUDGET = "budget="  # what `Run.option_for_the_rest` begins with once a budget is used up
_UNDECIDED = ("Please choose", "ask")
_MORE = "price, limit, your own phone"  # which may stay empty
_BEGIN = "begin"  # an answer about another text that is no parameter of `send`
_NAME = 40  # characters of a name in an answer
_BEGUN_BESIDE = (
    "“{}” is a campaign of its own. Another name can be written into the field “{}”. What “{}” has sent, and "
    "its result, stay as they are."
)


class SendingSection(Section):
    """Asks where to, what is left to decide and, for live, for the phrase; then sends."""

    def __init__(self, desk: Desk, started: Callable[[Run], None]) -> None:
        self._desk, self._started = desk, started
        self.place = RadioButtons(
            options=[(PLACES[where], where) for where in desk.accounts], layout=Layout(width="max-content"),
            description="Where to",
        )  # fmt: skip
        self.place.add_class("campaign-place")
        self.name, self._taken = CampaignName(desk, self._take_name, self._begin_own), HTML()
        self._taken.add_class("changed")
        self.answers_taken: Callable[[], None] = lambda: None  # called when answers of a campaign are back
        self.text_taken: TakeText = lambda text, texts, sender: None
        self.earlier = EarlierText(desk, lambda *taken: self.text_taken(*taken))
        self.costs = CostChoice(desk, self._show_cost)
        self.changed, self.waiting = (
            Picker(FIELDS[name], name, partial(self._settle, name)) for name in ("changed", "waiting")
        )
        self.other_texts, self.who_gets, self._beside = OtherTexts(), WhoGets(desk), PeopleBeside()
        self.pace = PaceChoice(self._look_up)
        self.phrase, self._refusal = Field("Type the phrase", "phrase", entered=self.begin), HTML()
        self._refusal.add_class("problem")
        self._refusal.add_class("campaign-refusal")
        self.looked_up: Callable[[], None] = lambda: None  # called when it is known anew what would leave
        self.result_wanted: Callable[[], None] = lambda: None  # called to show a result where nothing is sent
        self.way_changed: Callable[[], None] = lambda: None  # called when `way_on` may say something else
        self.questions: frozenset[str] = frozenset()  # those that have no answer yet, by code
        self._obstacle = ""  # why nothing can be sent, whatever the price
        self._leaving = Leaving()  # what the line and the button speak of
        self._difference, self._question = HTML(), HTML()
        self._question.add_class("campaign-question")
        self.left_out = LeftOutBefore(desk, self._look_up, self._leave_out_again)
        self.elsewhere = SentElsewhere(desk, self._leave_out, self._look_up)
        self._asking = [self.left_out, self.elsewhere, self.changed, self.other_texts, self.waiting]
        self._start = button("Rehearse", "send", self.begin, main=True)
        self._why_not = HTML()
        self._why_not.add_class("campaign-why-not")
        self._change_budget = button(CHANGE_BUDGET, "change-budget", self._open_budget, main=True)
        self.trial = Trial(desk)
        self.trial.asking = self._ask_nothing  # one phrase at a time
        self.more = MoreChoices([self.costs, self.trial, self.pace], self._show_cost)
        only_place = HTML(about_only_place(desk))
        set_shown(self.place, not only_place.value)
        self._form = [
            only_place, self.place, HTML(about_accounts(desk)), self.name, self._taken, self.earlier,
            self._difference, self._beside, self.who_gets, *self._asking, self.costs.said, self.more,
            self._question, self._refusal, self.phrase, HBox([self._start, self._why_not]),
            self.name.ways_away,
        ]  # fmt: skip
        self._area = VBox(self._form)
        super().__init__(4, "Send", [self._area])
        self.place.observe(lambda change: self._move(change["new"]), "value")

    @property
    def line(self) -> str:
        """What was decided, and what came of it so far."""
        run = self._desk.run
        if run is None:
            return self.title
        counts = run.counts
        return f"{run.label}: {counts.accepted:,} of {counted(counts.messages, 'text')} accepted"

    @property
    def has_form(self) -> bool:
        """Whether it asks where the texts go, and is open: else it shows a run, or nothing yet."""
        return self.is_open and self._area.children == tuple(self._form)

    @property
    def way_on(self) -> str:
        """Which button sends what was not sent yet, and with which budget."""
        is_form = self._area.children == tuple(self._form)
        if self._desk.contacts.empty:  # a result of before is looked at
            return "the button in section 4 after you have chosen its spreadsheet in section 1"
        if is_form and self._start.disabled and not self.costs.obstacle:
            return "the button in section 4 once you have answered what it waits for"
        if is_form and not len(self._leaving.messages):
            return "the button in section 4"
        if is_form:
            enough = f" with at least {self.costs.enough} in “{FIELDS['budget']}”"
            return f"“{self._start.description}” in section 4{enough if self.costs.enough else ''}"
        run = self._desk.run
        is_held = run is not None and run.option_for_the_rest.startswith(_BUDGET)
        return f"“{CHANGE_BUDGET if is_held else 'Resume'}” in section 4"

    def enter(self) -> None:
        """Ask anew for the desk's plan."""
        self._desk.run = self._desk.sent = None
        self._desk.find_names_sent()
        self._area.children = self._form
        self.left_out.forget()
        self.elsewhere.forget()
        self._taken.value = ""
        self.name.refill()
        self._look_up()

    def refill(self, composition: Composition) -> None:
        """Show where to and the name again; whoever sends live types the phrase again."""
        self.name.refill()
        self.costs.refill()
        self.trial.refill()
        self.pace.refill(composition.rate)
        if composition.environment in self._desk.accounts:
            self.place.value = composition.environment

    def begin(self) -> None:
        """Start sending; live asks for the phrase first."""
        if self._area.children != tuple(self._form):
            return  # a second click or Enter, on its way while the first one started a run
        with self.problems_shown():
            plan, typed = self._desk.prepared(), self.phrase.value.strip() or None
            account = self._account()  # what is no price stops here
            self.costs.check()
            shown = self._leaving
            self._say_what_leaves(self._desk.difference(self._desk.composition.environment, anew=True))
            if not shown.is_as(self._leaving):
                self._look_up()
                raise UsageError(_NOT_WHAT_WAS_SHOWN)
            if len(shown.undecided):
                raise UsageError("Nothing was sent. First decide about the people who are asked about above.")
            if (sent := self._sent_before(plan)) is not None:
                self._desk.run, self._desk.sent = None, sent
                return self.result_wanted()
            try:
                run = self._desk.composition.start(plan, account, typed)
            except ConfirmationError as confirmation:
                self._ask_for_phrase(confirmation)
                return
            self._desk.run, self._desk.sent, self._desk.confirmed = run, run.folder, typed
            desk = self._desk
            keep_with_campaign(
                run.folder, Kept(desk.composition, desk.version, self.number - 1, run.folder, desk.price)
            )
            desk.remember()
            words = desk_html if self.costs.amount is None else _at_own_price
            self._area.children = [Dashboard(run, in_words=words)]
            self._started(run)

    def _sent_before(self, plan: Plan) -> Path | None:
        """The folder of what the campaign has sent, where the plan has no text for anybody: a run with it
        would only replace that result by an empty one. None where there is something to do."""
        environment = self._desk.composition.environment
        difference = self._desk.difference(environment)
        if plan.totals.messages or difference.is_first or "waiting" in difference.questions:
            return None
        return CAMPAIGNS / folder_name(self._desk.name, environment)

    def offer_way_on(self, run: Run) -> None:
        """Offer another budget below a run that has used up its own."""
        set_shown(self._change_budget, run.ended and run.option_for_the_rest.startswith(_BUDGET))
        if self._change_budget not in self._area.children:
            self._area.children = [*self._area.children, self._change_budget]

    def _open_budget(self) -> None:
        """Show the form again, with a budget that is enough for everybody."""
        run = self._desk.run
        if run is None:
            return
        enough = run.option_for_the_rest.removeprefix(_BUDGET)
        self.enter()
        self.costs.suggest(enough if enough.isdecimal() else "")
        self.touched(self)
        self.take_focus()

    def _ask_for_phrase(self, confirmation: ConfirmationError) -> None:
        """Show what would leave and the phrase that a person types to let it."""
        if not confirmation.phrase:
            raise confirmation
        question = confirmation.question
        if self.costs.amount is not None:  # said above as an estimate
            question = question.replace(f" {COST_IS_NOT_KNOWN}", "")
        who, *others = desk_words(question).splitlines()
        question = f"<p><strong>{markup.escape(who)}</strong></p>" + markup.paragraph("\n".join(others))
        phrase = asked_phrase("To send", confirmation)
        self.trial.stop_asking()
        self._question.value = f'<div role="status">{question}{phrase}</div>'
        self._refusal.value = wrong_phrase(self.phrase.value)
        set_shown(self.phrase, True)

    def _ask_nothing(self) -> None:
        self._question.value = self._refusal.value = self.phrase.value = ""
        set_shown(self.phrase, False)

    def _decide(self, **decisions: Any) -> None:
        desk, left_out = self._desk, self._desk.composition.not_again
        desk.decide(**decisions)
        if desk.composition.not_again != left_out:
            with self.problems_shown():
                desk.prepared()
                self.answers_taken()
        self._look_up()

    def _leave_out_again(self, numbers: tuple[str, ...]) -> None:
        """Leave these people out, who wanted no texts before, besides those whose numbers were written."""
        with self.problems_shown():
            self._desk.decide(opt_out_numbers=(*self._desk.composition.opt_out_numbers, *numbers))
            self._desk.prepared()
            self.answers_taken()
        self._look_up()

    def _leave_out(self, rows: tuple[int, ...]) -> None:
        """Leave these rows out, besides those that are left out already; () for none any more."""
        before = self._desk.composition.not_again
        self._decide(not_again=(*before, *rows) if rows else ())

    def _take_name(self, name: str) -> None:
        """Go on with the campaign of this name, with the answers that were given for it."""
        desk, self._taken.value = self._desk, ""
        left_out = desk.composition.not_again
        desk.decide(name=name)
        self.elsewhere.forget()
        self.left_out.forget()
        with self.problems_shown():
            before = desk.composition
            if desk.take_answers() or left_out:
                desk.prepared()
                named = mask_text(clean(desk.name))
                self._taken.value = about_taken(named, before, desk.composition)
                self.answers_taken()
        self._look_up()

    def _begin_own(self, name: str) -> None:
        """Begin a campaign of this name for people who have their texts from another one."""
        self._take_name(name)
        self.elsewhere.agree()

    def _move(self, environment: Environment) -> None:
        if environment != self._desk.composition.environment:  # else it was shown, not chosen
            self.elsewhere.forget()
            self._decide(environment=environment)

    def _look_up(self) -> None:
        """Say what the campaign has sent there before, and ask about people it has reached otherwise."""
        self._ask_nothing()
        self._difference.value = ""
        self.trial.follow()
        is_live = self._desk.composition.environment == "live"
        start = self._start.description = "Send" if is_live else "Rehearse"
        self._leaving, self._obstacle = Leaving(), "problem"
        for hidden in (self.earlier, self._beside, self.who_gets, *self._asking, self.pace):
            set_shown(hidden, False)
        with self.problems_shown():
            difference = self._difference_of_name()
            asked = [*self._ask_about(difference), *self._say_what_leaves(difference)]
            self.costs.compare(difference)
            if is_another_message(difference):
                self.earlier.offer_instead()
            self._difference.value = self._leaving.about(self._desk, difference)
            self._beside.show(plan_behind(difference))
            self.who_gets.show(difference, self._leaving.messages)
            count = len(self._leaving.messages)
            without_texts = start if asked else "Show the result"
            self._start.description = f"{start} {counted(count, 'text')}" if count else without_texts
            self.questions = frozenset(asked)
            self._obstacle = "questions" if len(asked) > 1 else "".join(asked)
            set_shown(self.pace, not is_live and count > 0)
        self._show_cost()
        self.looked_up()

    def _say_what_leaves(self, difference: Difference) -> list[str]:
        """Take what leaves with the answers given, and ask about people who are to be decided on first.

        Returns which of these questions have no answer yet.
        """
        changed = self._desk.composition.changed
        is_unnamed = bool(self._desk.senders(difference))  # which is asked beside the name
        open_ones = {
            "opted_out": self.left_out.ask(decided_messages(difference, changed=changed)),
            "name" if is_unnamed else "elsewhere": self.elsewhere.ask(difference, is_asked_above=is_unnamed),
        }
        undecided = undecided_numbers(self._desk, difference)
        outgoing = decided_messages(difference, changed=changed, undecided=undecided)
        self._leaving = Leaving(outgoing, undecided)
        return [question for question, count in open_ones.items() if count]

    def _difference_of_name(self) -> Difference:
        """What the campaign of that name has sent; where it is unclear which one is meant, that is asked."""
        self.name.offer()
        try:
            difference = self._desk.difference(self._desk.composition.environment)
        except OtherFileError as unclear:
            self.name.offer(unclear)
            raise
        self.name.offer(senders=self._desk.senders(difference), is_begun=not difference.is_first)
        return difference

    def _ask_about(self, difference: Difference) -> list[str]:
        """Ask what a person has to decide: about other texts, and about texts that wait.

        Returns the parameters that have no answer yet.
        """
        unanswered = []
        self.other_texts.show_asked(plan_behind(difference))
        for picker, name in ((self.changed, "changed"), (self.waiting, "waiting")):
            count = difference.questions.get(name, 0)
            answers = [(words, answer) for (parameter, answer), words in CHOICES.items() if parameter == name]
            if name == "changed" and is_another_message(difference):
                answers.append((BEGIN.format(shorten(clean(self._desk.name_beside), _NAME)), _BEGIN))
            picker.offer([_UNDECIDED, *answers], getattr(self._desk.composition, name))
            set_shown(picker, count > 0)
            if count and getattr(self._desk.composition, name) == "ask":
                unanswered.append(name)
        return unanswered

    def _settle(self, name: str, answer: str) -> None:
        if answer == _BEGIN:
            self._begin_beside()
        else:
            self._decide(**{name: answer})

    def _begin_beside(self) -> None:
        """Begin a campaign of its own with another message, under a name that can be changed."""
        before, name = mask_text(clean(self._desk.name)), self._desk.name_beside
        self.name.field.fill(name)
        self._take_name(name)
        said = _BEGUN_BESIDE.format(mask_text(clean(name)), FIELDS["name"], before)
        self._taken.value += f'<div role="status">{markup.paragraph(said)}</div>'

    def _account(self) -> Account | Sandbox | None:
        """The chosen account. A rehearsal on this machine costs what was typed, if anything was."""
        account, price = self._desk.account, self.costs.amount
        if account is not None or price is None:
            return account
        return Sandbox(tls=True, price=price, balance=_BALANCE * max(price, Decimal(1)))

    def _show_cost(self) -> None:
        """Say what the texts cost, and beside the button why it does not send, or not all of them."""
        self._decide_pace()
        self.costs.say(self._leaving.messages)
        obstacle = _WHY_NOT.get(self.costs.obstacle or self._obstacle, "").format(enough=self.costs.enough)
        self._start.disabled, self._start.tooltip = bool(obstacle), obstacle or None
        beside = obstacle or self.costs.shortage
        self._why_not.value = markup.paragraph(beside, note=True) if beside else ""
        self._open_more()
        self.way_changed()

    def _open_more(self) -> None:
        """Show what may stay as it is once something there is decided, and for real texts."""
        is_live = self._desk.composition.environment == "live"  # whoever sends them tries one before
        self.more.say(_MORE if self.pace.layout.display == "none" else f"{_MORE}, speed")
        written = (self.costs.price.value, self.costs.limit.value, self.trial.number.value)
        if self.costs.obstacle:
            self.more.unfold()
        elif is_live or self.pace.value or any(text.strip() for text in written):
            self.more.suggest()

    def _decide_pace(self) -> None:
        """Decide how fast the texts leave, and in requests that a budget has room for."""
        is_live = self._desk.composition.environment == "live"  # and a pace to watch is for rehearsals
        chosen = USUAL if is_live else self.pace.decisions(len(self._leaving.messages))
        size = self.costs.request_size(self._leaving.messages, chosen["batch_size"])
        self._desk.decide(**chosen | {"batch_size": size})


def _at_own_price(html: str) -> str:
    """A piece of HTML in the words of the desk, once the rehearsal costs what a person typed."""
    return desk_html(html.replace("(made up)", "(nothing is paid)"))
