"""`Form`: what a person has filled in so far, as one frozen value, and as arguments of the public verbs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from campaign.contacts.reading_options import DateOrder
from campaign.environments import Environment
from campaign.values import replace

Step = Literal["start", "people", "message", "check", "send", "result"]
STEPS: tuple[Step, ...] = ("people", "message", "check", "send")

OVERLONG: Mapping[str, Mapping[str, Any]] = {
    "flag": {},
    "truncate": {"overlong": "truncate", "keep_words": True},
    "one_sms": {"overlong": "truncate", "max_parts": 1, "keep_words": True},
    "split": {"overlong": "split"},
}
# What a plan depends on, the rows of the table aside.
ADDRESSING = ("number", "second", "region", "several", "consent", "opt_outs", "opt_out_numbers", "not_again")
TABLE = ("source", "sheet", "dates")
PLANNED = (*TABLE, *ADDRESSING, "message", "language", "texts", "sender", "overlong", "duplicates")
# What is forgotten because another file was chosen.
_OF_FILE: Mapping[str, Any] = {
    "name": "", "sheet": None, "dates": None, "second": "", "consent": {}, "row": 0,
}  # fmt: skip
_OPEN = ("step", "row", "editing", "own_number", "price", "budget")  # nobody's answer depends on these


class Form(Struct, frozen=True, kw_only=True):
    """All fields of the form. Those of the same name are arguments of `read_contacts`, `prepare` and `send`.

    - `second`: the column of numbers for rows whose first one cannot be used; "" for none
    - `consent`: of columns that say who may be texted, the folded cells that are a yes; without an entry,
      only what is a clear yes
    - `texts` by language are used where `language` names a column; `editing` is the one that is written now
    - `row`: whose message is on the phone, 0 for the first
    - `answers`: by environment, the answers to the open questions of `send`; `not_again` are the numbers of
      people who are left out because another campaign has given them this text
    - `folder`: of the campaign whose result is looked at
    """

    step: Step = "start"
    folder: str = ""
    name: str = ""
    source: str = ""
    sheet: str | None = None
    dates: DateOrder | None = None
    number: str = ""
    second: str = ""
    region: str = ""
    several: Literal["refuse", "first"] = "refuse"
    consent: Mapping[str, tuple[str, ...]] = {}
    opt_outs: str = ""
    opt_out_numbers: str = ""
    not_again: tuple[str, ...] = ()
    message: str = ""
    language: str = ""
    texts: Mapping[str, str] = {}
    editing: str = ""
    row: int = 0
    sender: str = ""
    overlong: Literal["flag", "truncate", "one_sms", "split"] = "flag"
    duplicates: Literal["skip", "keep"] = "skip"
    answers: Mapping[str, Mapping[str, str]] = {}
    price: str = ""
    budget: str = ""
    own_number: str = ""

    def changed(self, **changes: Any) -> Form:
        """The form with other values. An answer about who gets something holds only for what was asked."""
        if changes.get("source", self.source) != self.source:
            changes = {**_OF_FILE, **changes}
        if any(getattr(self, name) != value for name, value in changes.items() if name not in _OPEN):
            changes = {"answers": {}, "not_again": (), **changes}
        return replace(self, **changes)

    def written(self, text: str) -> Form:
        """The form with another text, in the language that is written now."""
        if not self.language:
            return self.changed(message=text)
        return self.changed(texts={**self.texts, self.editing: text})

    def answered(self, environment: Environment, question: str, answer: str) -> Form:
        """The form with the answer to an open question."""
        answers = {**self.answers.get(environment, {}), question: answer}
        return replace(self, answers={**self.answers, environment: answers})

    @property
    def text(self) -> str:
        """The text that is written now."""
        return self.texts.get(self.editing, "") if self.language else self.message

    @property
    def numbers_left_out(self) -> list[str]:
        """The single numbers of people who want none, one a line."""
        return [line.strip() for line in self.opt_out_numbers.replace(",", "\n").splitlines() if line.strip()]

    @property
    def reading(self) -> dict[str, Any]:
        """The arguments of `read_contacts`, besides the source."""
        return {"sheet": self.sheet, "dates": self.dates}

    @property
    def preparing(self) -> dict[str, Any]:
        """The arguments of `prepare`, besides the table and the lists of people who want nothing.

        Languages without a text are left out: their rows wait for one, and do not stop the others.
        """
        texts = {language: text for language, text in self.texts.items() if text.strip()}
        told = (
            {"message": texts, "language": self.language}
            if self.language and texts
            else {"message": self.text}
        )
        number = [self.number, self.second] if self.second else self.number
        return {
            **told, "sender": self.sender, "number": number, "region": self.region or None,
            "several": self.several, "not_again": [*self.not_again] or None, "duplicates": self.duplicates,
            **OVERLONG[self.overlong],
        }  # fmt: skip
