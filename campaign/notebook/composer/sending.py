"""The fourth section: where the texts go, one to try, and the start. Then it is the dashboard."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial

import pandas as pd
from ipywidgets import HTML, HBox, Layout, RadioButtons, VBox

from campaign import markup
from campaign.environments import Environment
from campaign.errors import ConfirmationError, OtherFileError, UsageError
from campaign.masking import mask_text
from campaign.notebook.composer.campaign_name import CampaignName
from campaign.notebook.composer.choice import about_taken
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.cost_choice import CostChoice
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import CHANGE_BUDGET, CHOICES, FIELDS, desk_html, desk_words
from campaign.notebook.composer.fields import Field, Picker, asked_phrase, button, set_shown, wrong_phrase
from campaign.notebook.composer.left_out import LeftOutBefore
from campaign.notebook.composer.memory import Kept, keep_with_campaign
from campaign.notebook.composer.other_texts import OtherTexts
from campaign.notebook.composer.pace_choice import USUAL, PaceChoice
from campaign.notebook.composer.people_beside import PeopleBeside
from campaign.notebook.composer.section import Section
from campaign.notebook.composer.trial import Trial
from campaign.notebook.dashboard import Dashboard
from campaign.sending.rounds.difference import Difference, about_others, about_split, plan_behind
from campaign.sending.run import Run
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox
from campaign.text import clean, counted

_PLACES: dict[Environment, str] = {
    "local": "Rehearse on this machine: nothing leaves it, nobody gets anything",
    "sandbox": "The provider's sandbox: it answers as the real service, nobody gets anything",
    "live": "Live: real texts to real phones",
}
_ONLY_REHEARSAL = (
    "To send for real, give this sentence to whoever looks after this machine: set CAMPAIGN_LIVE_URL, "
    "CAMPAIGN_LIVE_USERNAME and CAMPAIGN_LIVE_PASSWORD to what the SMS provider gave us, then start this "
    "program again."
)
_NOT_WHAT_WAS_SHOWN = (
    "What would leave has changed since this was shown, so nothing was sent. Look at the line and the button "
    "as they are now."
)
_WHY_NOT = {  # why the button does not send
    "price": "This waits for the price of one SMS above: correct it, or leave it empty.",
    "budget": "This waits for the amount at which to stop above: correct it, or leave it empty.",
    "used up": "This waits for a higher amount at which to stop above: the budget covers none of the texts. "
    "{enough} is enough for all.",
    "left out": "This waits for your answer above about the people who wanted no texts before.",
    "name": "This waits for your answer above about the name: another campaign has sent these texts.",
    "changed": f"This waits for your answer above about “{FIELDS['changed']}”.",
    "gone": f"This waits for your answer above about “{FIELDS['gone']}”.",
    "questions": "This waits for your answers to the questions above.",
    "problem": "This waits until what is said below is put right.",
}
_BALANCE = 1_000_000_000  # SMS that a rehearsal can pay for
_BUDGET = "budget="  # what `Run.option_for_the_rest` begins with once a budget is used up
_UNDECIDED = ("Please choose", "ask")


class SendingSection(Section):
    """Asks where to, what is left to decide and, for live, for the phrase; then sends."""

    def __init__(self, desk: Desk, started: Callable[[Run], None]) -> None:
        self._desk, self._started = desk, started
        self.place = RadioButtons(
            options=[(_PLACES[where], where) for where in desk.accounts], layout=Layout(width="max-content"),
            description="Where to",
        )  # fmt: skip
        self.place.add_class("campaign-place")
        self.name, self._taken = CampaignName(desk, self._take_name), HTML()
        self._taken.add_class("changed")
        self.answers_taken: Callable[[], None] = lambda: None  # called when answers of a campaign are back
        self.costs = CostChoice(desk, self._show_cost)
        self.changed, self.gone = (
            Picker(FIELDS[name], name, partial(self._settle, name)) for name in ("changed", "gone")
        )
        self.other_texts, self._beside = OtherTexts(), PeopleBeside()
        self.pace = PaceChoice(self._look_up)
        self.phrase, self._refusal = Field("Type the phrase", "phrase", entered=self.begin), HTML()
        self._refusal.add_class("problem")
        self._refusal.add_class("campaign-refusal")
        self.looked_up: Callable[[], None] = lambda: None  # called when it is known anew what would leave
        self.way_changed: Callable[[], None] = lambda: None  # called when `way_on` may say something else
        self._obstacle = ""  # why nothing can be sent, whatever the price
        self._outgoing = pd.DataFrame()  # the messages that the line and the button speak of
        self._difference, self._question = HTML(), HTML()
        self._question.add_class("campaign-question")
        self.left_out = LeftOutBefore(desk, self._look_up)
        self._start = button("Send", "send", self.begin, main=True)
        self._why_not = HTML()
        self._why_not.add_class("campaign-why-not")
        self._change_budget = button(CHANGE_BUDGET, "change-budget", self._open_budget, main=True)
        self.trial = Trial(desk)
        self.trial.asking = self._ask_nothing  # one phrase at a time
        hint = [HTML(_about_accounts(desk))]
        self._form = [
            self.place, *hint, self.name, self._taken, self._difference, self._beside, self.changed,
            self.other_texts, self.gone, self.left_out, self.costs, self.trial, self.pace, self._question,
            self._refusal, self.phrase,
            HBox([self._start, self._why_not]),
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
    def way_on(self) -> str:
        """Which button sends what was not sent yet, and with which budget."""
        is_form = self._area.children == tuple(self._form)
        if self._desk.contacts.empty:  # a result of before is looked at
            return "the button in section 4 after you have chosen its spreadsheet in section 1"
        if is_form and not len(self._outgoing):
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
        self._area.children = self._form
        self.left_out.forget()
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
            self.left_out.check(self._outgoing)
            difference = self._desk.difference(self._desk.composition.environment, anew=True)
            if not self._outgoing_of(difference).equals(self._outgoing):
                self._look_up()
                raise UsageError(_NOT_WHAT_WAS_SHOWN)
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
        who, *others = desk_words(confirmation.question).splitlines()
        question = f"<p><strong>{markup.escape(who)}</strong></p>" + markup.paragraph("\n".join(others))
        phrase = asked_phrase("To send", confirmation)
        self.trial.stop_asking()
        self._question.value = f'<div role="status">{question}{phrase}</div>'
        self._refusal.value = wrong_phrase(self.phrase.value)
        set_shown(self.phrase, True)

    def _ask_nothing(self) -> None:
        self._question.value = self._refusal.value = self.phrase.value = ""
        set_shown(self.phrase, False)

    def _decide(self, **decisions: str) -> None:
        self._desk.decide(**decisions)
        self._look_up()

    def _take_name(self, name: str) -> None:
        """Go on with the campaign of this name, with the answers that were given for it."""
        desk, self._taken.value = self._desk, ""
        desk.decide(name=name)
        with self.problems_shown():
            before = desk.composition
            if desk.take_answers():
                desk.prepared()
                named = mask_text(clean(desk.name))
                self._taken.value = about_taken(named, before, desk.composition)
                self.answers_taken()
        self._look_up()

    def _move(self, environment: Environment) -> None:
        if environment != self._desk.composition.environment:  # else it was shown, not chosen
            self._decide(environment=environment)

    def _look_up(self) -> None:
        """Say what the campaign has sent there before, and ask about people it has reached otherwise."""
        self._ask_nothing()
        self._difference.value = ""
        self.trial.follow()
        self._outgoing, self._obstacle, self._start.description = pd.DataFrame(), "problem", "Send"
        for hidden in (self._beside, self.changed, self.other_texts, self.gone, self.left_out, self.pace):
            set_shown(hidden, False)
        with self.problems_shown():
            difference = self._difference_of_name()
            self._outgoing = self._outgoing_of(difference)
            self.costs.compare(difference)
            self._difference.value = self._about(difference)
            self._beside.show(plan_behind(difference))
            asked = self._ask_about(difference)
            is_live = self._desk.composition.environment == "live"
            start, count = "Send" if is_live else "Rehearse", len(self._outgoing)
            without_texts = start if asked else "Show the result"
            self._start.description = f"{start} {counted(count, 'text')}" if count else without_texts
            if self.left_out.ask(self._outgoing):
                asked.append("left out")
            if self._ask_for_name(difference):
                asked.append("name")
            self._obstacle = "questions" if len(asked) > 1 else "".join(asked)
            set_shown(self.pace, not is_live and len(self._outgoing) > 0)
        self._show_cost()
        self.looked_up()

    def _difference_of_name(self) -> Difference:
        """What the campaign of that name has sent; where it is unclear which one is meant, that is asked."""
        self.name.offer(None)
        try:
            return self._desk.difference(self._desk.composition.environment)
        except OtherFileError as unclear:
            self.name.offer(unclear)
            raise

    def _ask_for_name(self, difference: Difference) -> bool:
        """Whether no name was written for a spreadsheet whose texts other campaigns have sent; then ask."""
        senders = self._desk.senders(difference)
        if senders:
            self.name.offer(None, senders)
        return bool(senders)

    def _outgoing_of(self, difference: Difference) -> pd.DataFrame:
        """What leaves with the answers given; not of the desk's plan, for rows to correct have others too."""
        changed = self._desk.composition.changed == "send"
        return difference.messages.iloc[difference.outgoing(changed=changed)]

    def _about(self, difference: Difference) -> str:
        """What would leave with the answers given, and what is still to be answered; then who stays."""
        composition, compared = self._desk.composition, plan_behind(difference)
        count, people = len(self._outgoing), compared.people
        changed = composition.changed
        asked = people.asked if changed == "ask" else ""
        waiting = composition.gone == "ask" and len(compared.waiting_gone)
        now = [
            people.leaving(count, changed=changed, noun="text"),
            about_split(difference, changed=changed),
            f"Not decided yet: {asked}." if asked and count else "",
            "Choose below first." if asked or waiting else "",
        ]
        staying, gone = people.staying(count, changed=changed), compared.about_gone.strip()
        beside = desk_words(compared.about_beside_file.strip())
        paragraphs = [markup.paragraph(desk_words(" ".join(filter(None, now))))]
        paragraphs += [
            markup.paragraph(desk_words(said), note=True)
            for said in (about_others(difference), staying, gone)
            if said
        ]
        if beside:  # marked: nobody expects them
            paragraphs.append(f'<div class="changed">{markup.paragraph(beside)}</div>')
        return f'<div role="status">{"".join(paragraphs)}</div>'

    def _ask_about(self, difference: Difference) -> list[str]:
        """Ask what a person has to decide: about other texts, and about people who are gone.

        Returns the parameters that have no answer yet.
        """
        unanswered = []
        self.other_texts.show_asked(plan_behind(difference))
        for picker, name, count in (
            (self.changed, "changed", difference.changed + difference.sharing + difference.moved),
            (self.gone, "gone", len(plan_behind(difference).waiting_gone)),
        ):
            answers = [(words, answer) for (parameter, answer), words in CHOICES.items() if parameter == name]
            picker.offer([_UNDECIDED, *answers], getattr(self._desk.composition, name))
            set_shown(picker, count > 0)
            if count and getattr(self._desk.composition, name) == "ask":
                unanswered.append(name)
        return unanswered

    def _settle(self, name: str, answer: str) -> None:
        self._decide(**{name: answer})

    def _account(self) -> Account | Sandbox | None:
        """The chosen account. A rehearsal on this machine costs what was typed, if anything was."""
        account, price = self._desk.account, self.costs.amount
        if account is not None or price is None:
            return account
        return Sandbox(tls=True, price=price, balance=_BALANCE * max(price, Decimal(1)))

    def _show_cost(self) -> None:
        """Say what the texts cost, and beside the button why it does not send, or not all of them."""
        self._decide_pace()
        self.costs.say(self._outgoing)
        obstacle = _WHY_NOT.get(self.costs.obstacle or self._obstacle, "").format(enough=self.costs.enough)
        self._start.disabled, self._start.tooltip = bool(obstacle), obstacle or None
        beside = obstacle or self.costs.shortage
        self._why_not.value = markup.paragraph(beside, note=True) if beside else ""
        self.way_changed()

    def _decide_pace(self) -> None:
        """Decide how fast the texts leave, and in requests that a budget has room for."""
        is_live, chosen = self._desk.composition.environment == "live", {"batch_size": USUAL}
        if not is_live:
            chosen = self.pace.decisions(len(self._outgoing))
        size = self.costs.request_size(self._outgoing, chosen["batch_size"])
        self._desk.decide(**chosen | {"batch_size": size})


def _at_own_price(html: str) -> str:
    """A piece of HTML in the words of the desk, once the rehearsal costs what a person typed."""
    return desk_html(html.replace("(made up)", "(nothing is paid)"))


def _about_accounts(desk: Desk) -> str:
    """Why the texts cannot be sent elsewhere, where an account is missing or cannot be used."""
    faults = [
        f"{_PLACES[where].partition(':')[0]}: this account cannot be used. {desk_words(fault)}"
        for where, fault in desk.account_faults.items()
    ]
    if faults:
        return f'<div class="problem" role="alert">{"".join(map(markup.paragraph, faults))}</div>'
    return markup.paragraph(_ONLY_REHEARSAL, note=True) if len(desk.accounts) == 1 else ""
