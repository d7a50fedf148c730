"""`Facts`: what the package says of a form: its table, plan, comparison and result. Each is made once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from functools import wraps
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from campaign.arrow_text import Bools
from campaign.contacts.consent_columns import ConsentColumn, consent_columns
from campaign.contacts.naming_column import LOOKED_AT, naming_column
from campaign.contacts.reading import read_contacts
from campaign.contacts.reading_record import Reading, reading_of
from campaign.contacts.totals_lines import without_lines_of_nobody
from campaign.environments import Environment
from campaign.errors import CampaignError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.text_lengths import numbers_of, text_lengths
from campaign.messages.suppression.suppression_lists import SuppressionRules
from campaign.messages.templates.languages import Languages, find_languages, language_of
from campaign.messages.templates.template import parse
from campaign.notebook.composer.form import ADDRESSING, PLANNED, TABLE, Form
from campaign.results.tables import Result
from campaign.results.totals import average_price
from campaign.sending.afterwards.history import history
from campaign.sending.afterwards.reconciliation import Reconciliation
from campaign.sending.afterwards.unknown_batches import UnknownBatches
from campaign.sending.campaigns import compare, load_result
from campaign.sending.rounds.difference import Difference, plan_behind
from campaign.sending.rounds.public_prepare import prepare
from campaign.sending.run import Run
from campaign.sending.store.kept_accounts import offered_accounts
from campaign.sending.store.sent_files import names_of_file
from campaign.words.finding import Finding

Made = TypeVar("Made")
Settled = Literal["accepted", "refused"]
_SHOWN = 20  # batches


def made_of(*fields: str) -> Callable[[Callable[[Facts, Form], Made]], Callable[[Facts, Form], Made]]:
    """Make something once for all forms that agree in these fields; what cannot be made is tried again."""

    def decorate(make: Callable[[Facts, Form], Made]) -> Callable[[Facts, Form], Made]:
        @wraps(make)
        def look(self: Facts, form: Form) -> Made:
            key = tuple(getattr(form, name) for name in fields)
            return self.made(make.__name__, key, lambda: make(self, form))

        return look

    return decorate


class Trial(NamedTuple):
    """The phrase that a message to one's own phone asks for, what came of it, and what it should show."""

    phrase: str = ""
    said: tuple[Finding | CampaignError, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()


class Facts:
    """What is known about a form, and what is going on.

    - `run` was begun here last; `accounts` are those that can send, `faults` what is wrong with others
    - `typed` is what is typed and never kept: a phrase, an account; `is_refused`: the phrase was wrong
    - `trial` is what is known of sending one message to one's own phone
    - `settling` is the batch that a person is settling, and how; `reconciliation` the provider's list
    """

    def __init__(self, *, may_add_account: bool = False) -> None:
        self._known: dict[str, tuple[Any, Any]] = {}
        self.run: Run | None = None
        self.accounts, self.faults = offered_accounts()
        self.may_add_account = may_add_account
        self.forget_asked()

    def forget_asked(self) -> None:
        """Forget what was asked, typed and answered on the page that is left."""
        self.typed: dict[str, str] = {}
        self.is_refused = False
        self.trial = Trial()
        self.account_problem: tuple[CampaignError, ...] = ()
        self.settling: tuple[int, Settled] | None = None
        self.reconciliation: tuple[Path, Reconciliation] | None = None

    def forget(self, *names: str) -> None:
        """Make these anew when they are asked for; without names, everything."""
        for name in names or tuple(self._known):
            self._known.pop(name, None)

    # the table

    @made_of(*TABLE)
    def contacts(self, form: Form) -> pd.DataFrame:
        return read_contacts(form.source, **form.reading)

    def reading(self, form: Form) -> Reading:
        reading = reading_of(self.contacts(form))
        assert reading is not None  # noqa: S101 - it was read from a file
        return reading

    def continues(self, form: Form) -> bool:
        """Whether the file has only rows to correct, of a campaign."""
        return self.reading(form).continues is not None

    @made_of(*TABLE, "number", "second", "region", "several")
    def numbers(self, form: Form) -> pd.Series[int]:
        """The number of each row, 0 for none."""
        numbers = self._numbers_in(form, form.number)
        return numbers.where(numbers > 0, self._numbers_in(form, form.second)) if form.second else numbers

    def _numbers_in(self, form: Form, column: str) -> pd.Series[int]:
        cells = self.contacts(form)[column]
        return numbers_of(cells, region=form.region or None, several=form.several)

    @made_of(*TABLE, "number", "consent")
    def consent(self, form: Form) -> tuple[ConsentColumn, ...]:
        """The columns that seem to say who may be texted."""
        if self.continues(form):  # whose rows wanted messages when it was written
            return ()
        contacts = self.contacts(form)
        return consent_columns(without_lines_of_nobody(contacts, [form.number]), form.number, form.consent)

    def unwanted(self, form: Form) -> Bools:
        """Which rows are left out because a column does not say yes."""
        contacts = self.contacts(form)
        without = np.zeros(len(contacts), dtype=bool)
        for column in self.consent(form):
            refused = column.cells.index[~column.keys.isin(column.accepted(form.consent))]
            without |= contacts.index.isin(refused)
        return without

    def opt_outs(self, form: Form) -> list[Any] | None:
        """The lists of people who want nothing, as `prepare` takes them."""
        lists: list[Any] = [Path(form.opt_outs)] if form.opt_outs else []
        if form.numbers_left_out and self.fault_in_numbers(form) is None:
            lists.append(form.numbers_left_out)
        if self.consent(form):
            lists.append(pd.Series(self.unwanted(form), index=self.contacts(form).index))
        return lists or None

    @made_of("opt_out_numbers", "region")
    def fault_in_numbers(self, form: Form) -> CampaignError | None:
        """What is wrong with the single numbers: nobody goes on with them, and they are not used."""
        try:
            SuppressionRules.of([form.numbers_left_out], None).read([form.region or None])
        except CampaignError as error:
            return error
        return None

    def name_column(self, form: Form) -> str:
        """The column that says whose row it is, if possible one of the text; "" if there is none."""
        first = self.contacts(form).head(LOOKED_AT)
        used: list[str] = []
        with suppress(CampaignError):  # what is wrong with the text is said elsewhere
            used = [one.column for one in parse(form.text, first.columns, what="message").placeholders]
        return naming_column(first[[*dict.fromkeys([*used, *first.columns])]], [form.number])

    # the text

    @made_of(*TABLE)
    def languages(self, form: Form) -> Languages | None:
        return find_languages(self.contacts(form))

    def readers(self, form: Form) -> pd.DataFrame:
        """The rows that get the text which is written now."""
        contacts = self.contacts(form)
        if not form.language:
            return contacts
        return contacts[language_of(contacts, form.language) == form.editing]

    @made_of(*TABLE, "language", "editing", "message", "texts")
    def lengths(self, form: Form) -> pd.DataFrame:
        """How long the text that is written now is in each of its rows."""
        return text_lengths(self.readers(form), form.text, whole=self.contacts(form))

    @made_of(*TABLE, *ADDRESSING, "language", "editing")
    def reached(self, form: Form) -> pd.Index[Any]:
        """The rows with a number that the text which is written now is for."""
        numbers = self.numbers(form)
        wanted = numbers.index[(numbers > 0).to_numpy() & ~self.unwanted(form)]
        return self.readers(form).index.intersection(wanted)

    # the plan, and what was sent

    @made_of(*PLANNED)
    def plan(self, form: Form) -> Plan:
        return prepare(self.contacts(form), opt_outs=self.opt_outs(form), **form.preparing)

    def people(self, form: Form) -> int:
        """How many people get a message: a person is a number."""
        return int(self.plan(form).messages["number"].nunique())

    def campaign_name(self, form: Form) -> str:
        """The name of the campaign: as it was given, that which the file continues, or that of the file."""
        if form.name or not form.source:
            return form.name
        continues = self.reading(form).continues
        return continues.campaign if continues is not None else Path(form.source).stem

    def names_sent(self, form: Form) -> list[str]:
        """The campaigns that this file was sent as, the last one first."""
        return names_of_file(str(Path(form.source).absolute()), [*self.accounts])

    def difference(self, form: Form, where: Environment) -> Difference:
        """What the plan would send there now."""
        plan, run = self.plan(form), self.run
        key = plan, form.name, run, run is not None and run.ended, self.accounts[where]

        def compared() -> Difference:
            return compare(plan, account=self.accounts[where], name=form.name or None)

        return self.made(f"difference in {where}", key, compared)

    def price(self, form: Form, where: Environment) -> Decimal | None:
        """What a message cost so far, as the service has charged the campaign; None if that is not known."""
        record = plan_behind(self.difference(form, where)).record
        return None if record is None else average_price(record.ledger.outcomes)

    def result(self, form: Form) -> Result:
        """What is known of the campaign in the form's folder."""
        run = self.run
        if run is not None and str(run.folder) == form.folder and not run.made_way:
            return self.made("result", (run, run.ended), lambda: run.result)
        return self.made("result", form.folder, lambda: load_result(form.folder))

    def unknown(self, form: Form) -> UnknownBatches:
        return self.made("unknown", form.folder, lambda: UnknownBatches.of(Path(form.folder), shown=_SHOWN))

    def campaigns(self) -> pd.DataFrame:
        """The campaigns in this folder, the last one first; without any, an empty table."""
        with suppress(CampaignError):
            return history()
        return pd.DataFrame()

    def made(self, name: str, key: object, make: Callable[[], Made]) -> Made:
        """What was made under this name for this key, or else is made now."""
        if self._known.get(name, (None,))[0] != key:
            self._known[name] = key, make()
        return self._known[name][1]  # type: ignore[no-any-return] # what `make` returned
