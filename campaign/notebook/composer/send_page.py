"""The page of sending: what would leave, one text to one's own phone, a rehearsal, and live sending."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Literal, cast

import pandas as pd

from campaign.contacts.phone_numbers.regions import names_of_regions
from campaign.contract import OptedOut
from campaign.environments import Environment
from campaign.errors import CampaignError, ConfirmationError, UsageError
from campaign.local_times import clock
from campaign.masking import mask_sentences
from campaign.notebook.composer.beginning import amount_of, question_before
from campaign.notebook.composer.facts import Facts
from campaign.notebook.composer.form import Form
from campaign.notebook.composer.items import (
    Bar,
    Button,
    Choice,
    Group,
    Item,
    Note,
    Pairs,
    Phone,
    Sheet,
    Text,
    cell,
    line,
    say,
    told,
    two,
    words,
)
from campaign.results.totals import cost_in_words
from campaign.sending.rounds.decision import question
from campaign.sending.rounds.difference import Difference, decided_messages
from campaign.sending.run import Run
from campaign.words.finding import Finding
from campaign.words.page import PAGE

# The answers to the open questions of `send`.
ANSWERS = {
    "waiting": (("withdraw", "Do not send them"),),
    "changed": (("skip", "They get nothing more"), ("send", "They get the new message, too")),
    "opted_out": (("skip", "Leave them out again"), ("send", "They get the message")),
    "elsewhere": (("leave_out", "Leave them out"), ("send", "They get it again")),
}
_OF_LIVE = ("sends_live", "after_pilot", "cost_expected", "budget_set")
_BADGES = {"local": "REHEARSAL", "sandbox": "REHEARSAL, provider's sandbox", "live": "LIVE"}


def send_page(form: Form, facts: Facts) -> Sheet:
    """Ask where the messages go; while they are sent, show how far it is."""
    run = facts.run
    if run is not None and (not run.ended or form.folder == str(run.folder)):  # until its result is shown
        return run_sheet(run)
    best: Environment = "live" if "live" in facts.accounts else "local"
    return Sheet(
        step="send",
        title=_title(form, facts, best),
        items=(
            _tile(form, facts, best),
            _details(form, facts),
            *(_panel(form, facts, where) for where in facts.accounts),
            *(() if "live" in facts.accounts else (account_form(facts, is_open=_is_rehearsed(form, facts)),)),
            *(told(fault) for fault in facts.faults.values()),
        ),
        foot=(Button(id="back", label="Back"), *_rehearse(form, facts)),
    )


def _rehearse(form: Form, facts: Facts) -> Iterator[Button]:
    """The main button, once nothing is to be answered."""
    difference = _difference(form, facts, "local")
    if difference is None:
        return
    count = len(_outgoing(form, difference, "local"))
    if count and not _unanswered(form, difference, "local"):
        label = words("form_rehearse", messages=count)
        yield Button(id="send:local", label=label, look="main", busy="Rehearsing …")


def _is_rehearsed(form: Form, facts: Facts) -> bool:
    difference = _difference(form, facts, "local")
    return (
        difference is not None and not difference.questions and not len(_outgoing(form, difference, "local"))
    )


def _unanswered(form: Form, difference: Difference, where: Environment) -> list[str]:
    return [name for name in difference.questions if name not in form.answers.get(where, {})]


def _difference(form: Form, facts: Facts, where: Environment) -> Difference | None:
    """What would be sent there; None if that cannot be known, which is said there."""
    with suppress(CampaignError):
        return facts.difference(form, where)
    return None


def _title(form: Form, facts: Facts, where: Environment) -> str:
    """For how many everything is ready; live for those who do not have it yet."""
    difference = _leaving(form, facts, where)
    if difference is None:
        return words("form_ready", people=facts.people(form))
    if unanswered := _unanswered(form, difference, where):
        return words("form_answer", questions=len(unanswered))
    people = _outgoing(form, difference, where)["number"].nunique()
    return words("form_ready", people=people) if people else words("form_nothing_new")


def _leaving(form: Form, facts: Facts, where: Environment) -> Difference | None:
    """What would reach people; None in a rehearsal, which reaches nobody, or if it cannot be known."""
    return None if where == "local" else _difference(form, facts, where)


def _tile(form: Form, facts: Facts, where: Environment) -> Item:
    """From whom, to whom, what it costs, and how many have it already."""
    plan, difference = facts.plan(form), _leaving(form, facts, where)
    people, messages, parts, reached = facts.people(form), len(plan.messages), plan.totals.parts, 0
    if difference is not None:
        outgoing = _outgoing(form, difference, where)
        people, messages, parts = outgoing["number"].nunique(), len(outgoing), int(outgoing["parts"].sum())
        reached = difference.reached
    countries = [names_of_regions().get(region, "unknown") for region in plan.totals.countries][:3]
    pairs = [
        ("From", cell(form.sender)),
        ("To", words("form_to", people=people, parts=parts, countries=[] if reached else countries)),
        *_cost(form, facts, where, messages, parts),
        *([("Have it already", words("form_people", people=reached))] if reached else []),
    ]
    return Group(look="tile", items=(Pairs(pairs=tuple(pairs)),))


def _cost(
    form: Form, facts: Facts, where: Environment, messages: int, parts: int
) -> Iterator[tuple[str, str]]:
    """At the price of one SMS that was typed, or of a message as live campaigns were charged."""
    try:
        price, count = amount_of(form.price, "Price of one SMS"), parts
    except UsageError:
        return
    if price is None and where != "local":
        price, count = facts.price(form, where), messages
    if price is not None:
        account = facts.accounts[where]
        currency = "" if account is None else account.currency
        cost, each = (cost_in_words(amount, currency=currency) for amount in (price * count, price))
        yield "Cost", words("form_cost", cost=cost, each=each)


def _details(form: Form, facts: Facts) -> Item:
    """What may stay as it is: the name, the price, the budget."""
    fields = (
        Text(id="name", label="Name of this campaign", value=form.name or facts.campaign_name(form)),
        _amount("price", "Price of one SMS", form.price),
        _amount("budget", "Stop when it has cost", form.budget),
    )
    is_open = bool(form.price or form.budget)
    return Group(id="details", look="fold", title="Name, price and limit", items=fields, is_open=is_open)


def _amount(name: str, label: str, typed: str) -> Text:
    """A field for an amount, with what is wrong with it."""
    wrong = ""
    try:
        amount_of(typed, label)
    except UsageError as error:
        wrong = PAGE.text(error.finding)
    return Text(id=name, label=label, value=typed, count=wrong, is_wrong=bool(wrong))


def _outgoing(form: Form, difference: Difference, where: Environment) -> pd.DataFrame:
    answers = form.answers.get(where, {})
    changed, opted_out = (cast(OptedOut, answers.get(name, "skip")) for name in ("changed", "opted_out"))
    return decided_messages(difference, changed=changed, opted_out=opted_out)


def _panel(form: Form, facts: Facts, where: Environment) -> Item:
    """What sending there asks first, and the button."""
    try:
        return _asked_panel(form, facts, where)
    except CampaignError as error:
        return _framed(where, (told(error),))


def _asked_panel(form: Form, facts: Facts, where: Environment) -> Item:
    difference = facts.difference(form, where)
    questions = [*_questions(form, difference, where)]
    count = len(_outgoing(form, difference, where))
    if unanswered := _unanswered(form, difference, where):
        return _framed(where, (*questions, say("form_answer", "soft", questions=len(unanswered))))
    if not count:
        return _framed(where, (*questions, *_nothing(difference, where)))
    if where == "local":
        explained = [say("form_rehearsal", "soft")] if difference.is_first else []
        return _framed(where, (*questions, *explained))
    return _framed(where, (*questions, *_confirmation(form, facts, where, count)))


def _nothing(difference: Difference, where: Environment) -> Iterator[Item]:
    """That everybody has it, or that this was rehearsed."""
    if where == "live":
        yield say("form_nothing_new", "soft")
    if not difference.is_first:
        label = "Show the result" if where == "live" else "Show the rehearsal"
        yield line(Button(id=f"look:{where}", label=label))


def _questions(form: Form, difference: Difference, where: Environment) -> Iterator[Item]:
    """The open questions, each with its answers."""
    for name, count in difference.questions.items():
        examples = _examples(difference) if name == "changed" else []
        finding = question(name, count, examples)
        label = PAGE.headline(finding)
        value = form.answers.get(where, {}).get(name, "")
        choice = Choice(
            id=f"answer:{where}:{name}", label=label, value=value, options=ANSWERS[name], look="buttons"
        )
        other = [line(Button(id=f"look:{where}", label="Send these first"))] if name == "waiting" else []
        yield Group(look="ask", items=(choice, *other))


def _examples(difference: Difference) -> list[Finding]:
    """What the first of these people got, and would get."""
    messages = difference.messages
    asked = messages[messages["recorded"].isin(["other_text", "other_number"])].head(2)
    return [
        Finding("text_replaced", {"place": f"row {row}", "before": cell(before), "now": cell(now)})
        for row, before, now in zip(asked["row"], asked["before"], asked["message"], strict=True)
    ]


def _confirmation(form: Form, facts: Facts, where: Environment, count: int) -> Iterator[Item]:
    """What would leave, and the phrase; at the provider's sandbox there is none."""
    asked = asked_phrase(form, facts, where)
    send = Button(
        id=f"send:{where}", look="live" if where == "live" else "plain", busy="Sending …",
        label=words("form_send" if where == "live" else "form_rehearse", messages=count),
    )  # fmt: skip
    if asked is None:
        yield line(send)
        return
    yield what_leaves(asked)
    yield from _trial(form, facts)
    yield phrase_field(asked, facts)
    yield line(send)


def what_leaves(asked: ConfirmationError) -> Note:
    """What live sending sends, and what a person has to know that stands nowhere else on these pages."""
    findings = asked.finding.facts["findings"]
    told_here = [
        one
        for one in findings
        if (one.code in _OF_LIVE and one.facts.get("budget") != "none") or one.severity != "info"
    ]
    return Note(text=mask_sentences(" ".join(map(PAGE.headline, told_here))))


def phrase_field(asked: ConfirmationError, facts: Facts) -> Text:
    """The field for the phrase, with what is wrong with what was typed."""
    typed = facts.typed.get("phrase", "")
    label = words("form_phrase", phrase=asked.phrase)
    wrong = words("wrong_phrase") if facts.is_refused else ""
    return Text(id="typed:phrase", label=label, value=typed, count=wrong, is_wrong=bool(wrong))


def asked_phrase(form: Form, facts: Facts, where: Environment) -> ConfirmationError | None:
    """What live sending asks before anything leaves; None where nothing is asked."""
    if where != "live":
        return None
    key = facts.plan(form), form.name, form.answers, form.budget, facts.run
    return facts.made("phrase", key, lambda: question_before(form, facts))


def _trial(form: Form, facts: Facts) -> Iterator[Item]:
    """One text to one's own phone."""
    asked, said, texts = facts.trial
    yield Group(
        id="trial", look="fold", title="Send one to my own phone first",
        is_open=bool(form.own_number or asked),
        items=(
            Text(id="own_number", label="Your own number", value=form.own_number),
            *([Text(id="typed:trial", label=words("form_phrase", phrase=asked),
                    value=facts.typed.get("trial", ""))] if asked else []),
            *(told(one) for one in said),
            *([Phone(sender=cell(form.sender), texts=texts, caption="")] if texts else []),
            line(Button(id="trial", label="Send me one", busy="Sending one …")),
        ),
    )  # fmt: skip


def _framed(where: Environment, items: tuple[Item, ...]) -> Group:
    titles = {"local": "", "sandbox": "Rehearse with the provider", "live": "Send for real"}
    look: Literal["danger", "column"] = "danger" if where == "live" else "column"
    return Group(id=f"panel:{where}", look=look, title=titles[where], items=items)


def account_form(facts: Facts, *, is_open: bool) -> Item:
    """Where an account can be added; in a notebook, how it is set up."""
    if not facts.may_add_account:
        return say("form_no_account", "soft")
    fields: tuple[Item, ...] = (
        Text(id="typed:url", label="Address", value=facts.typed.get("url", ""), hint="https://…"),
        two(
            (Text(id="typed:user", label="User name", value=facts.typed.get("user", "")),),
            (Text(id="typed:password", label="Password", is_secret=True),),
        ),
        *(told(one) for one in facts.account_problem),
        line(Button(id="account", label="Use this account")),
    )
    is_open = is_open or bool(facts.account_problem)
    return Group(id="account-form", look="fold", title="Add your account", items=fields, is_open=is_open)


def run_sheet(run: Run) -> Sheet:
    """A run under way: how far it is, and the buttons."""
    counts = run.counts
    paused = counts.status == "paused"
    left = counts.seconds_left if counts.is_steady else None
    pairs = [
        ("Accepted", words("form_of", count=counts.accepted, messages=counts.messages)),
        ("Cost", counts.cost_in_words(run.environment, run.currency)),
        *([("Time left", clock(left))] if left is not None and not paused else []),
    ]
    buttons = (
        Button(id="resume", label="Resume", look="main") if paused else Button(id="pause", label="Pause"),
        Button(id="stop", label="Stop"),
    )
    doing = "form_sending" if run.environment == "live" else "form_rehearsing"
    return Sheet(
        step="sending",
        title=words("form_paused" if paused else doing, messages=counts.messages),
        badge=_BADGES[run.environment],
        items=(
            Bar(
                parts=(
                    ("accepted", counts.accepted, "good"), ("refused", counts.refused, "bad"),
                    ("unknown", counts.unknown, "ask"), ("to go", counts.waiting + counts.in_flight, "soft"),
                )
            ),
            Pairs(pairs=tuple(pairs)),
            *([told(run.finding, "ask")] if run.finding is not None else []),
            line(*buttons),
        ),
    )  # fmt: skip


def badge(environment: str) -> str:
    """Where messages went, so that live is unlike a rehearsal at first sight."""
    return _BADGES.get(environment, environment)
