"""What lies on the desk: the spreadsheet, what was decided so far, the plan and the run that came of it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from msgspec import Struct, field

from campaign.arrow_text import Ints
from campaign.contacts.reading_record import reading_of
from campaign.environments import Environment
from campaign.errors import CampaignError, OtherFileError
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.text_lengths import numbers_of
from campaign.notebook.composer.composition import ANSWERS, Composition
from campaign.notebook.composer.kept_plans import KeptPlans
from campaign.notebook.composer.memory import kept_for
from campaign.sending.rounds.difference import Difference, sent_this_text
from campaign.sending.run import Run
from campaign.sending.store.identity import CAMPAIGNS, folded_name, folder_name
from campaign.sending.store.sent_files import names_of_file
from campaign.service.account import Account
from campaign.service.kept_account import kept_account
from campaign.text import shorten
from campaign.values import replace

_DATE = "%Y-%m-%d"
_TIME = f"{_DATE} %H.%M"  # without a colon, which Windows does not allow
_NAME_LENGTH = 60  # characters of the campaign's name in the names of its files
_KEPT: tuple[Literal["sandbox", "live"], ...] = ("sandbox", "live")


class Desk(Struct):
    """Shared by the sections; each writes what it decides and reads what the sections above it decided."""

    composition: Composition = field(default_factory=Composition)
    contacts: pd.DataFrame = field(default_factory=pd.DataFrame)
    chosen_rows: tuple[int, ...] = ()  # for the phones that they share, now or once their texts are put right
    plan: Plan | None = None
    run: Run | None = None
    sent: Path | None = None  # the campaign folder of what was sent last, also before a page was loaded again
    confirmed: str | None = None  # the phrase that was typed for the run
    price: str = ""  # of one SMS, as it was typed
    own_number: str = ""  # of the phone that one text is tried on, as it was typed
    names_sent: tuple[str, ...] = ()  # of the campaigns that the spreadsheet was sent as, the last one first
    name_before: str = ""  # that a person had written for the spreadsheet before
    agreed: Ints = field(default_factory=lambda: np.empty(0, np.int64))  # get a text, though they wanted none
    again: Ints = field(default_factory=lambda: np.empty(0, np.int64))  # get it, though they have it already
    remember: Callable[[], None] = lambda: None  # called after each decision
    _own: tuple[pd.DataFrame, tuple[int, ...]] = field(default_factory=lambda: (pd.DataFrame(), ()))
    _compared: dict[Environment, tuple[tuple[Any, ...], Difference]] = field(default_factory=dict)
    _numbers: tuple[tuple[Any, ...], pd.Series[int]] = ((), pd.Series(dtype="int64"))
    _kept_plans: KeptPlans = field(default_factory=KeptPlans)
    accounts: Mapping[Environment, Account | None] = field(default_factory=lambda: offered_accounts())
    account_faults: Mapping[Environment, str] = field(default_factory=lambda: faults_of_accounts())

    @property
    def name(self) -> str:
        """The name of the campaign: as given, that of the campaign which is continued, or of the file."""
        reading = reading_of(self.contacts)
        if self.composition.name or reading is None:
            return self.composition.name
        return reading.continues.campaign if reading.continues else Path(reading.path).stem

    @property
    def name_beside(self) -> str:
        """A name that no campaign or rehearsal has here, for another message to the same people.

        A number at the end may be the person's own: another term or year is no name for this one.
        """
        counted = re.fullmatch(r"(.+?) (?:[0-9]+|\([0-9]+\))", self.name)
        stem = counted[1] if counted and any(self._folders_of(counted[1])) else self.name
        form = "{} ({})" if stem[-1:].isdigit() else "{} {}"
        names = (form.format(stem, number) for number in itertools.count(2))
        return next(name for name in names if not any(self._folders_of(name)))

    def _folders_of(self, name: str) -> Iterator[Path]:
        folders = (CAMPAIGNS / folder_name(name, where) for where in self.accounts)
        return (folder for folder in folders if folder.exists())

    def file_name(self, kind: str, *, of: str = "", with_time: bool = False) -> str:
        """What a file of the campaign is called: "visits 2026-11-22 report.html" for the kind "report.html",
        or "visits 2026-11-22 14.05 report.html" with the time.

        Without the characters that some system does not allow in the names of files; `of` is another name.
        """
        name = re.sub(r'[<>:"/\\|?*]', "-", of or self.name).strip(" .") or "campaign"
        return f"{shorten(name, _NAME_LENGTH)} {datetime.now():{_TIME if with_time else _DATE}} {kind}"

    def decide(self, **decisions: Any) -> None:
        """Replace some decisions, and forget the answers that were about what they replace."""
        self.composition = self.composition.decided(**decisions)
        self.chosen_rows = decisions.get("instead", self.chosen_rows)
        self.remember()

    @property
    def version(self) -> str:
        """The version of the spreadsheet, in which a row number means one row; "" if nothing was read."""
        reading = reading_of(self.contacts)
        return "" if reading is None else reading.version

    @property
    def numbers(self) -> pd.Series[int]:
        """The number of each row, 0 for none and for people who want no texts.

        They are read anew only when the spreadsheet, its reading or the list of these people changes.
        """
        chosen = self.composition
        unwanted = _state_of_file(chosen.opt_outs), chosen.opt_out_marks, chosen.opt_out_numbers
        read_from = self.version, chosen.number, chosen.region, chosen.several, unwanted
        if self._numbers[0] != read_from:
            numbers = numbers_of(
                self.contacts[chosen.number],
                region=chosen.region, several=chosen.several, opt_outs=self.opt_out_lists,
            )  # fmt: skip
            self._numbers = read_from, numbers
        return self._numbers[1]

    @property
    def opt_out_lists(self) -> list[Any] | None:
        """The lists of people who want no texts; None without one, and while a column that marks them
        cannot be read: the third section says so."""
        with suppress(CampaignError):
            return self.composition.opt_out_lists(self.contacts) or None
        return None

    def take_other_rows(self) -> None:
        """Forget the answers that were about the rows as they were."""
        self.composition = self.composition.about_other_rows
        self.remember()

    def read(self) -> None:
        """Read the spreadsheet; of the rows that were chosen by hand, those that are as they were stay so."""
        last, version = (self.contacts, self.chosen_rows), self.version
        if not has_rows_to_correct(self.contacts):
            self._own = last  # for the time after rows to correct
        self.contacts = self.composition.contacts()
        if version not in ("", self.version):
            self.take_other_rows()
        before, chosen = last if has_rows_to_correct(self.contacts) else self._own
        rows = [row for row in chosen if row in self.contacts.index and row in before.index]
        unchanged = (row for row in rows if self.contacts.loc[[row]].equals(before.loc[[row]]))
        self.decide(instead=tuple(unchanged))

    def take_name_of_file(self, before: Composition) -> None:
        """Name the campaign as the spreadsheet was sent last, if it is another one.

        `before` was decided for the spreadsheet before. The name stands in its field, for everybody to see.
        """
        self.find_names_sent()
        if before.source == self.composition.source:
            return
        last = next(iter(self.names_sent), "")
        if last and folded_name(last) != folded_name(self.name):
            self.decide(name=last)
        self.name_before = "" if folded_name(before.name) == folded_name(self.name) else before.name

    def find_names_sent(self) -> None:
        """Look under which names the spreadsheet was sent; more may have come since it was chosen."""
        reading = reading_of(self.contacts)
        is_own = reading is not None and reading.path and reading.continues is None
        self.names_sent = tuple(names_of_file(reading.path, self.accounts)) if reading and is_own else ()

    def take_answers(self) -> bool:
        """Answer as it was answered for the campaign that goes on, unless another answer was given for this
        file; whether that changes anything.

        What is sent keeps its answers with the campaign, so they would be lost to its other files too.
        """
        kept = kept_for(self.name, self.accounts)
        answered = self.composition if kept is None else self.composition.answered_as(kept.composition)
        if answered == self.composition:
            return False
        self.decide(**{name: getattr(answered, name) for name in ANSWERS})
        return True

    @property
    def account(self) -> Account | None:
        """The chosen account; None is the embedded sandbox."""
        return self.accounts[self.composition.environment]

    def prepared(self) -> Plan:
        """The plan of the decisions so far, to be compared with what was sent by now."""
        instead, self.plan = self.planned(replace(self.composition, instead=self.chosen_rows))
        self.composition = replace(self.composition, instead=instead)
        self._compared.clear()
        return self.plan

    def planned(self, composition: Composition) -> tuple[tuple[int, ...], Plan]:
        """The rows that get the text of a phone they share, and the plan: one that was made of the same."""
        return self._kept_plans.planned(composition, self.contacts)

    def senders(self, difference: Difference) -> list[str]:
        """Other campaigns that have sent these texts, as long as nobody has said which one is meant."""
        is_named = self.composition.name or not difference.is_first
        return [] if is_named else [*sent_this_text(difference, changed=self.composition.changed)]

    @property
    def refusal(self) -> str:
        """Why nothing can be sent where the texts go, whatever is answered; "" where nothing speaks against
        it, or where that is asked."""
        try:
            self.difference(self.composition.environment)
        except OtherFileError:
            return ""
        except CampaignError as error:
            return str(error)
        return ""

    def difference(self, where: Environment, *, anew: bool = False) -> Difference:
        """What the plan would send there, as it was when this plan was first compared, or `anew`."""
        plan, run = self.plan or self.prepared(), self.run
        now = plan, self.composition.name, run, run is not None and run.ended
        before = self._compared.get(where)
        if anew or before is None or before[0] != now:
            before = now, self.composition.compare(plan, self.accounts[where])
            self._compared[where] = before
        return before[1]


def _state_of_file(path: str | None) -> tuple[Any, ...]:
    """What changes whenever a file does; () for one that cannot be read, or for none."""
    with suppress(OSError, ValueError):  # ValueError: no file can have that name
        state = Path(path or "").stat()
        return path, state.st_mtime_ns, state.st_size
    return ()


def has_rows_to_correct(contacts: pd.DataFrame) -> bool:
    """Whether a file has only rows to correct, whose numbers mean other rows than its campaign's own."""
    reading = reading_of(contacts)
    return reading is not None and reading.continues is not None


def offered_accounts() -> dict[Environment, Account | None]:
    """The embedded sandbox, and the accounts kept on this machine. Nobody is asked for a password."""
    accounts: dict[Environment, Account | None] = {"local": None}
    for environment in _KEPT:
        with suppress(CampaignError):  # `faults_of_accounts` says it
            account = kept_account(environment)
            if account is not None:
                accounts[environment] = account
    return accounts


def faults_of_accounts() -> dict[Environment, str]:
    """What is wrong with accounts kept on this machine that cannot be used."""
    faults: dict[Environment, str] = {}
    for environment in _KEPT:
        try:
            kept_account(environment)
        except CampaignError as error:
            faults[environment] = str(error)
    return faults
