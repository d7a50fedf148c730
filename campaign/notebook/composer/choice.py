"""A question about some rows, with what each answer means in people and rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
from msgspec import Struct

from campaign import markup
from campaign.masking import mask_texts
from campaign.messages.plan import Plan
from campaign.messages.text.segments import SINGLE, SINGLE_UCS2
from campaign.notebook.composer.alphabet import named_letters
from campaign.notebook.composer.composition import Composition
from campaign.notebook.composer.desk_words import CHOICES, FIELDS, desk_words
from campaign.notebook.composer.fields import Picker
from campaign.notebook.composer.row_list import RowList, add_column, numbered_rows, with_kept_rows
from campaign.notebook.composer.who_leaves import IN_DOUBT, SENT, WhoLeaves
from campaign.text import agreeing, counted, figure, listed_words

_NAMED = 4  # rows named of those that still get no text for one reason
_STILL = {
    "same_text": "repeats another row", "shared_phone": "shared phone", "overlong": "too long",
    "opted_out": "wants no texts", "other_campaign": "reached by another campaign",
}  # fmt: skip
_NOBODY = "nobody else gets a text"
_OTHERS = "because of other rows of the campaign"


class Question(Struct, frozen=True):
    """A parameter of `prepare`, asked where the plan has one of these issues.

    `answers` are the decisions of each answer by its key; the first leaves these rows out.
    """

    parameter: str
    answers: Mapping[str, Mapping[str, Any]]
    codes: Collection[str]

    def answer_in(self, composition: Composition) -> str:
        """The key of the answer that was given; the first one's until somebody has answered."""
        for key, decisions in self.answers.items():
            if all(getattr(composition, name) == value for name, value in decisions.items()):
                return key
        return next(iter(self.answers))

    def words_of(self, answer: str) -> str:
        return CHOICES[self.parameter, answer]


def _one_decision(parameter: str, *answers: str, codes: Collection[str]) -> Question:
    return Question(parameter, {answer: {parameter: answer} for answer in answers}, codes)


QUESTIONS = (
    Question(
        "overlong",
        {
            "flag": {"overlong": "flag", "max_parts": None},
            "truncate": {"overlong": "truncate", "max_parts": None},
            "one_sms": {"overlong": "truncate", "max_parts": 1},
            "split": {"overlong": "split", "max_parts": None},
        },
        codes=("overlong", "truncated", "split"),
    ),
    _one_decision("duplicates", "skip", "keep", codes=("same_text", "shared_phone")),
    _one_decision("several", "refuse", "first", codes=("several",)),
)


class Choice(Picker):
    """One question; `answered` is called with it and the key of the answer when a person chooses."""

    def __init__(self, question: Question, answered: Callable[[Question, str], None]) -> None:
        self.question = question
        parameter = question.parameter
        super().__init__(FIELDS[parameter], parameter, lambda answer: answered(question, answer))
        self.layout.max_width = "none"  # its answers are long, and a list cuts what does not fit
        self.rows = RowList()  # those that it is about

    def ask(self, composition: Composition, look: Callable[[Mapping[str, Any]], WhoLeaves]) -> bool:
        """Offer the answers with their effects; `look` tells what some decisions would give.

        Whether there is anybody to ask about: rows whose people were reached already need no answer.
        """
        (careful, without), *others = (
            (answer, look(decisions)) for answer, decisions in self.question.answers.items()
        )
        rows = _left_out(without.plan, self.question.codes)
        for _, leaves in others:
            rows = rows.difference(leaves.rows_of(SENT, IN_DOUBT))
        if rows.empty:
            return False
        effects = {careful: f"{counted(len(rows), 'row')} {agreeing(len(rows), 'gets', 'get')} no text"}
        effects |= {answer: _gained(leaves, without, rows) for answer, leaves in others}
        chosen = self.question.answer_in(composition)
        if chosen == careful and self._is_idle(effects, without.plan, rows):
            return False
        if effects.get("one_sms") == effects.get("truncate"):  # what is cut takes one SMS anyway
            effects.pop("truncate" if chosen == "one_sms" else "one_sms", None)
        options = [
            (f"{self.question.words_of(answer)}: {effect}", answer) for answer, effect in effects.items()
        ]
        self.offer(options, chosen)
        shown = with_kept_rows(without.plan, rows) if self.question.parameter == "duplicates" else rows
        self.rows.offer(shown, partial(_what_they_get, look(self.question.answers[chosen])))
        return True

    def _is_idle(self, effects: Mapping[str, str], plan: Plan, rows: pd.Index[Any]) -> bool:
        """Whether no answer sends more to people who share a phone: it has got somebody else's text."""
        issues = plan.issues
        share = issues.loc[issues["code"] == "shared_phone", "row"]
        others = [*effects.values()][1:]
        return bool(rows.isin(share).all()) and all(effect == _NOBODY for effect in others)


def about_reset(asked: Sequence[Question], before: Composition, now: Composition) -> str:
    """Which answers no longer hold because something above was changed, as HTML; "" if all do."""
    sentences = []
    for question in asked:
        then, current = question.answer_in(before), question.answer_in(now)
        if then != current:
            sentences.append(
                f"The change above took back your answer about “{FIELDS[question.parameter]}”: it was "
                f"“{question.words_of(then)}”, and is “{question.words_of(current)}” now. Choose again below."
            )
    said = "".join(map(markup.paragraph, sentences))
    return f'<div role="status">{said}</div>' if said else ""


def about_taken(name: str, before: Composition, now: Composition) -> str:
    """Which answers are those of the campaign of this name now, as HTML; "" for none."""
    taken = [
        f"“{FIELDS[question.parameter]}” is “{question.words_of(question.answer_in(now))}”"
        for question in QUESTIONS
        if question.answer_in(before) != question.answer_in(now)
    ]
    said = f"The answers in section 3 are those of “{name}” again: {listed_words(taken)}."
    return f'<div role="status">{markup.paragraph(said)}</div>' if taken else ""


def _what_they_get(leaves: WhoLeaves, rows: pd.Index[Any]) -> pd.DataFrame:
    """What some rows get with the answer that was given, or why they get nothing."""
    plan, messages = leaves.plan, leaves.plan.messages
    texts = messages[messages["row"].isin(rows)].groupby("row")["message"].agg("\n".join).reindex(rows)
    reasons = plan.contacts["reason"].reindex(rows)
    words = {one: f"No text. {desk_words(one, here=3)}" for one in reasons[texts.isna()].unique()}
    gets = mask_texts(texts.fillna("")).where(texts.notna(), reasons.map(words))
    asked = gets.where(texts.isna(), "Section 4 asks about them first: " + gets)
    gets = asked.where(rows.isin(leaves.asked_rows), gets)
    gets = gets.mask(rows.isin(leaves.rows_of(SENT, IN_DOUBT)), "Nothing more: was reached before.")
    table = numbered_rows(plan, rows)
    add_column(table, "what they get", gets.to_numpy())
    return table


def _left_out(plan: Plan, codes: Collection[str]) -> pd.Index[Any]:
    """Which rows get no text for one of these reasons, without those of people who want none."""
    excluded = plan.contacts.index[~plan.contacts["status"].isin(["not_sent", "opted_out"])]
    issues = plan.issues
    return excluded.intersection(pd.Index(issues.loc[issues["code"].isin(codes), "row"].dropna().unique()))


def _gained(leaves: WhoLeaves, without: WhoLeaves, rows: pd.Index[Any]) -> str:
    """What an answer adds, in people and SMS, which of the rows that it is about still get nothing, and which
    others get nothing any more.
    """
    new = leaves.rows.difference(without.rows)
    lost = without.rows.difference(leaves.rows).difference(leaves.asked_rows)
    asked = leaves.asked_rows.difference(without.asked_rows)
    pieces = []
    if len(new):
        pieces.append(f"{figure(len(new))} more {agreeing(len(new), 'person gets', 'people get')} a text")
    elif asked.empty:
        pieces.append(_NOBODY)
    if len(asked):
        more = "more " if len(without.asked_rows) else ""
        pieces.append(
            f"section 4 asks about {figure(len(asked))} {more}{agreeing(len(asked), 'person', 'people')}"
        )
    if parts := leaves.parts - without.parts:
        pieces.append(f"{counted(abs(parts), 'SMS', 'SMS')} {'more' if parts > 0 else 'fewer'}")
    left = rows.intersection(leaves.left_out)
    still = _still_left_out(left, leaves.plan) if len(new) and len(left) else ""
    losing = _losing(lost, leaves.plan) if len(lost) else ""
    return f"{', '.join(pieces)}{_each(new, leaves.plan)}{losing}{_cut_too(leaves, without)}{still}"


def _each(rows: pd.Index[Any], plan: Plan) -> str:
    """How many SMS each of these texts takes, where that is more than one, and which letters make it more."""
    messages = plan.messages
    messages = messages[messages["row"].isin(rows)]
    sizes = messages.groupby("row")["parts"].sum()
    if len(sizes) < 2 or sizes.max() == 1:
        return ""
    least, most = sizes.min(), sizes.max()
    if least == most:
        return f" ({most} for each)"
    letters = named_letters("".join(messages.loc[messages["parts"] > 1, "message"]))
    why = f": with {letters} an SMS holds {SINGLE_UCS2} letters, not {SINGLE}" if letters else ""
    return f" ({least} to {most} for each{why})"


def _cut_too(leaves: WhoLeaves, without: WhoLeaves) -> str:
    """How many texts are cut that would go out whole without this answer."""
    cut = _cut(leaves.plan).difference(_cut(without.plan))
    others = len(cut.intersection(leaves.rows).intersection(without.rows))
    return f"; {counted(others, 'other text')} {agreeing(others, 'is', 'are')} cut too" if others else ""


def _cut(plan: Plan) -> pd.Index[Any]:
    issues = plan.issues
    rows: pd.Index[Any] = pd.Index(issues.loc[issues["code"] == "truncated", "row"].dropna().unique())
    return rows


def _still_left_out(rows: pd.Index[Any], plan: Plan) -> str:
    """How many rows still get no text, which, and why."""
    still = f"{counted(len(rows), 'row')} still {agreeing(len(rows), 'gets', 'get')} none"
    return f"; {still} ({_why_without(rows, plan)})"


def _losing(rows: pd.Index[Any], plan: Plan) -> str:
    """How many people get no text any more, because one of these rows gets it; which, and why."""
    people = f"{figure(len(rows))} other {agreeing(len(rows), 'person loses', 'people lose')} theirs"
    return f"; {people} ({_why_without(rows, plan)})"


def _why_without(rows: pd.Index[Any], plan: Plan) -> str:
    """Why rows get no text, with their numbers: "row 5: repeats another row; rows 6 and 9: shared phone"."""
    statuses, issues = plan.contacts["status"].reindex(rows), plan.issues
    reasons = issues[issues["code"].isin(_STILL) & issues["row"].isin(rows)].drop_duplicates(
        "row", keep="last"
    )
    words = pd.Series("has to be corrected", index=rows)
    words.update(reasons.set_index(reasons["row"].astype("int64"))["code"].map(_STILL))
    words[(statuses == "not_sent").to_numpy()] = _OTHERS
    groups = words.groupby(words, sort=False).groups
    return "; ".join(f"{_rows(list(own))}: {why}" for why, own in groups.items())


def _rows(rows: list[int]) -> str:
    more = len(rows) - _NAMED
    named = [*map(str, rows[:_NAMED]), *([counted(more, "other")] if more > 0 else [])]
    return f"{agreeing(len(rows), 'row', 'rows')} {listed_words(named)}"
