"""The fifth section: what came of it, what is left to do, and the files to take away."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from copy import copy
from decimal import Decimal
from pathlib import Path

from ipywidgets import HTML, HBox, Layout

from campaign import markup
from campaign.contacts.cells.grid import name_rows
from campaign.contract import SETTLED_BY
from campaign.environments import words_for
from campaign.errors import UsageError
from campaign.masking import mask_text
from campaign.notebook.composer.batch_costs import BatchCosts
from campaign.notebook.composer.cost_choice import given_price
from campaign.notebook.composer.desk import Desk
from campaign.notebook.composer.desk_words import GO_ON_TO_SENDING, desk_words
from campaign.notebook.composer.download import Download
from campaign.notebook.composer.fields import button, set_shown
from campaign.notebook.composer.memory import kept_with_campaign
from campaign.notebook.composer.opt_out_list import rows_with_numbers
from campaign.notebook.composer.places import NO_ACCOUNT, PLACES
from campaign.notebook.composer.python_lines import python_lines
from campaign.notebook.composer.section import Section
from campaign.notebook.composer.to_do_list import with_one_press
from campaign.notebook.composer.unknown_texts import UnknownTexts
from campaign.results.follow_up_file import write_follow_up
from campaign.results.report import write_report
from campaign.results.tables import SAFE_TO_PREPARE_AGAIN, Result
from campaign.sending.campaigns import load_result
from campaign.sending.store.identity import folded_name
from campaign.text import clean

_PYTHON = "The same in Python, for whoever runs this again"
_RESUME = re.compile(r"\bresume the campaign(?: or send the plan again)?", re.IGNORECASE)
_AGAIN = re.compile(r" (To (?:send|rehearse) it again, .*)$", re.DOTALL)
_TO_DO = "What to do:"
_CORRECT = (
    "To reach the rows to correct, correct them in your own spreadsheet, save it under the same name, and "
    "choose it again in section 1. Or download “Rows to correct”, a file of these rows only, for instance "
    "for somebody else to correct, and choose that one. Either continues this campaign, and {}."
)
_INVALID_ROWS = re.compile(r"^Correct the invalid rows?")
_EARLIER_FILE = ", with the spreadsheet as it was then: the one that was read since was not sent yet"
_NOT_TWICE = "nobody gets a text twice"
_TWICE_AT_MOST = "nobody gets a text twice but for those that go out once more, as you have answered"


class OutcomeSection(Section):
    """Shows the result of the desk's run, and offers its report.

    `way_on` says which button sends what was not sent yet, and `has_form` whether section 4 asks where to
    now; `begun_anew` is called when a person wants to begin with another spreadsheet.
    """

    def __init__(
        self,
        desk: Desk,
        way_on: Callable[[], str],
        begun_anew: Callable[[], None],
        has_form: Callable[[], bool],
    ) -> None:
        self._desk, self._way_on, self._has_form = desk, way_on, has_form
        self.settled: Callable[[], None] = lambda: None  # called when a person has settled what was unknown
        # Called when the provider's list has people who would get their text once more.
        self.found_in_list: Callable[[], None] = lambda: None
        self.unknown_texts = UnknownTexts(lambda: self.settled(), lambda: self.found_in_list())
        self.costs = BatchCosts(lambda: self.settled())
        self._happened: list[str] = []  # a paragraph each
        self._to_do: list[str] = []
        self._kinds_to_correct: tuple[str, ...] = SAFE_TO_PREPARE_AGAIN  # statuses of rows
        self._was_rehearsed = False
        self._again: list[str] = []  # how the same is sent again
        self._is_sent_again = False
        self._version = ""  # of the spreadsheet that this came of, "" where it is not known
        self.name = ""  # of the campaign whose result is shown
        self.folder: Path | None = None  # of that campaign
        self._sentences, self._correcting, self._python = HTML(), HTML(), HTML()
        self._python.add_class("campaign-python")
        self.downloads = {
            "report.html": self._download("Report", "report.html", self._write_report),
            "report.xlsx": self._download("Report as a workbook", "report.xlsx", self._write_report),
            "to_correct.xlsx": self._download("Rows to correct", "to correct.xlsx", self._write_to_correct),
        }
        buttons = HBox([*self.downloads.values()], layout=Layout(flex_flow="row wrap"))
        anew = button("Begin with another spreadsheet", "begin-anew", begun_anew)
        body = [
            self._sentences, self.unknown_texts, self.costs, buttons, self._correcting, self._python, anew,
        ]  # fmt: skip
        super().__init__(5, "Result", body)

    @property
    def line(self) -> str:
        """What came of it."""
        return desk_words(self._result.headline)

    def enter(self) -> None:
        """Show the result as it is now."""
        result = self._result
        self.name, self.folder = result.name, result.folder
        self.unknown_texts.show(result.folder)
        self._happened, self._again = _what_happened(result)
        self.costs.show(result)
        self._to_do = [_with_rows(said, result) for said in with_one_press(result.left_to_do)]
        kept = None if result.folder is None else kept_with_campaign(result.folder)
        self._version = "" if kept is None else kept.version
        self._is_sent_again = len(result.rounds) > 1
        self._was_rehearsed = result.environment != "live"
        self.say()
        totals = result.totals
        self._kinds_to_correct = _kinds_to_correct(result)
        refused = totals["refused"] if "refused" in self._kinds_to_correct else 0
        to_correct = totals.to_correct + refused
        set_shown(self.downloads["to_correct.xlsx"], to_correct > 0)
        promise = _TWICE_AT_MOST if self.unknown_texts.are_settled else _NOT_TWICE
        self._correcting.value = markup.paragraph(_CORRECT.format(promise), note=True) if to_correct else ""
        lines = markup.escape(self.python)
        folded = f'<details><summary>{_PYTHON}</summary><pre tabindex="0">{lines}</pre></details>'
        self._python.value = folded if lines else ""

    @property
    def python(self) -> str:
        """The lines that do what was done here; "" where no spreadsheet was chosen."""
        desk = self._desk
        if not desk.composition.source:
            return ""
        by_hand = desk.composition.opt_out_numbers
        rows = rows_with_numbers(desk.plan or desk.prepared(), by_hand) if by_hand else ()
        try:
            return python_lines(desk.composition, desk.contacts, desk.confirmed, unwanted_rows=rows)
        except UsageError:  # the spreadsheet that is chosen now has cells that nobody has decided about
            return ""

    def say(self) -> None:
        """Say whose result it is, what happened and what is left to do, with the button that is there now."""
        if not self.name:
            return
        earlier = "" if self._is_of_this_file else _EARLIER_FILE
        whose = markup.paragraph(f"This is what came of {self._quoted_name}{earlier}.")
        if self._is_of_another_name or earlier:  # marked: what stands above is about another one
            whose = f'<div class="changed">{whose}</div>'
        happened = "".join(map(markup.paragraph, self._in_desk_words(self._happened)))
        sentences = [*self._in_desk_words(self._to_do), *self._way_to_live]
        to_do = [f"<li>{markup.escape(said)}</li>" for said in sentences]
        left = f"{markup.paragraph(_TO_DO)}<ul>{''.join(to_do)}</ul>" if to_do else ""
        notes = [*self._in_desk_words(self._again), self._about_account]
        again = "".join(markup.paragraph(said, note=True) for said in notes if said)
        self._sentences.value = f'<div role="status">{whose}{happened}{left}{again}</div>'

    @property
    def _about_account(self) -> str:
        """What is needed to send for real what was rehearsed; "" where that is there."""
        known = {*self._desk.accounts, *self._desk.account_faults}
        return NO_ACCOUNT if self._was_rehearsed and "live" not in known else ""

    @property
    def _way_to_live(self) -> list[str]:
        """How what was rehearsed is sent for real, where that can be done here."""
        desk = self._desk
        can_be_live = self._was_rehearsed and "live" in desk.accounts and not self._is_of_another_name
        if not can_be_live or desk.contacts.empty or desk.composition.environment == "live":
            return []
        choose = f"choose “{PLACES['live']}” in section 4"
        if self._has_form():
            return [f"To send it for real, {choose}."]
        return [f"To send it for real, open section 3, press “{GO_ON_TO_SENDING}”, and {choose}."]

    def _in_desk_words(self, sentences: Iterable[str]) -> list[str]:
        return [words for said in sentences if (words := desk_words(_RESUME.sub(self._pressed, said)))]

    def _pressed(self, resumed: re.Match[str]) -> str:
        way_on = self._way_on()
        if self._is_of_another_name:  # the button is there, and sends something else
            way_on = f"the button in section 4 after you have written the name {self._quoted_name} there"
        return f"{'P' if resumed[0][0] == 'R' else 'p'}ress {way_on}"

    @property
    def _is_of_another_name(self) -> bool:
        """Whether section 4 is about another campaign by now; without a spreadsheet it is about none."""
        names = {folded_name(name) for name in (self._desk.name, self.name) if name}
        return len(names) > 1

    @property
    def _is_of_this_file(self) -> bool:
        """Whether it came of the spreadsheet as it is now, as far as that is known."""
        desk = self._desk
        return self._is_of_another_name or desk.contacts.empty or self._version in ("", desk.version)

    @property
    def _quoted_name(self) -> str:
        return f"“{mask_text(clean(self.name))}”"

    @property
    def _result(self) -> Result:
        if self._desk.run is not None:
            return self._desk.run.result
        if self._desk.sent is None:
            raise UsageError("Nothing was sent yet.")
        return load_result(self._desk.sent)

    def _download(self, label: str, kind: str, write: Callable[[Path], object]) -> Download:
        return Download(label, lambda: self._file_name(kind), write, self.show_problem)

    def _file_name(self, kind: str) -> str:
        """With the time once the campaign was sent more than once: there may be a file of before."""
        return self._desk.file_name(kind, of=self.name, with_time=self._is_sent_again)

    def _write_report(self, path: Path) -> None:
        result = self._result
        kept = None if result.folder is None else kept_with_campaign(result.folder)
        write_report(with_given_price(result, None if kept is None else given_price(kept.price)), path)

    def _write_to_correct(self, path: Path) -> None:
        write_follow_up(self._result, path, statuses=self._kinds_to_correct)


def _with_rows(said: str, result: Result) -> str:
    """A sentence about what is left to do, with the rows that have to be corrected."""
    if not _INVALID_ROWS.search(said):
        return said
    status = result.contacts["status"]
    rows = status.index[status == "invalid"].tolist()
    return _INVALID_ROWS.sub(lambda found: f"{found[0]} ({name_rows(rows).lower()})", said)


def _kinds_to_correct(result: Result) -> tuple[str, ...]:
    """The statuses of rows to correct: nothing is to be corrected in rows that only a person, and no service,
    has called refused."""
    batches = result.batches[(result.messages_by_batch > 0) & (result.batches["status"] == "refused")]
    by_service = not batches["error"].str.startswith(SETTLED_BY).all()
    return SAFE_TO_PREPARE_AGAIN if by_service else ("invalid",)


def _what_happened(result: Result) -> tuple[list[str], list[str]]:
    """The headline of a result in paragraphs: what it was, why it ended so, how the rows stand, what else was
    sent; and apart from them how to send the same again, where it says so."""
    note, earlier = result.remarks
    rest, paragraphs = result.headline, []
    for remark in (words_for(result.environment).caution, note, earlier):
        before, told, rest = rest.partition(remark) if remark else ("", "", rest)
        paragraphs += [before, told]
    happened = [said.strip() for said in (*paragraphs, rest) if said.strip()]
    again = [_AGAIN.search(said) for said in happened]
    return [_AGAIN.sub("", said) for said in happened], [found[1] for found in again if found]


def with_given_price(result: Result, price: Decimal | None) -> Result:
    """The same result, whose reports name the price that its cost is at; as it was, where that is another."""
    has_made_up_costs = words_for(result.environment).has_made_up_costs
    if price is None or not has_made_up_costs or not _is_at_price(result, price):
        return result
    priced = copy(result)
    vars(priced)["given_price"] = price
    return priced


def _is_at_price(result: Result, price: Decimal) -> bool:
    """Whether every batch cost as much as its SMS parts do at this price.

    Batches some of whose messages are in no row of today's table are not looked at.
    """
    sizes = result.messages.groupby("batch")["parts"].agg(["size", "sum"])
    batches = result.batches.set_index("batch").join(sizes, how="inner")
    batches = batches[(batches["messages"] == batches["size"]) & batches["cost"].notna()]
    paid = batches[batches["status"] == "accepted"]
    return len(paid) > 0 and all(
        cost == price * parts for cost, parts in zip(paid["cost"], paid["sum"].tolist(), strict=True)
    )
