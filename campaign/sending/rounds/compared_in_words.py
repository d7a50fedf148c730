"""What a compared plan means for people, in sentences: who gets something, who does not, what is asked."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Bools, Ints
from campaign.contacts.cells.grid import name_rows
from campaign.environments import EnvironmentWords
from campaign.masking import mask_number, mask_text
from campaign.messages.plan_tables.plan_columns import labels_of_contacts, rows_of_messages
from campaign.messages.plan_tables.plan_part import PlanPart
from campaign.results.plain_words import SHARING, STATUS_WORDS
from campaign.results.shared_phones import rows_that_share
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import (
    AS_CORRECTED,
    ASKED,
    CHANGED,
    MAY_GO_OUT,
    MOVED,
    NEW,
    SHARED,
)
from campaign.sending.rounds.continuation_plan import continuation_of, corrected_rows
from campaign.sending.rounds.left_out_before import about_opted_out
from campaign.sending.store.identity import NOTHING_SENT_YET
from campaign.text import agreeing, capitalised, clean, counted, figure, listed_words, shorten

_NAMED = 3  # numbers that are in no row any more
_LENGTH = 48  # characters of what each of them got
_LEFT_OUT = {**STATUS_WORDS, "sharing": SHARING}
# What is said of those on whom `changed=` decides: of one and of several, in short, and how that came about.
_ASKED_WORDS = {
    CHANGED: (("was reached", "were reached"), "reached", "with another text"),
    SHARED: (
        ("shares a phone that was reached", "share a phone that was reached"),
        "sharing a phone reached",
        "with somebody else's text",
    ),
    AS_CORRECTED: (
        ("was reached", "were reached"),
        "reached",
        "as corrected in a follow-up file, with another number",
    ),
    MOVED: (
        ("was reached", "were reached"),
        "reached",
        "under another number, as the same cell was read then",
    ),
}


class ComparedInWords(Struct, frozen=True, eq=False):
    """The sentences about a compared plan. Those about some of its rows begin with a space, and are "" for
    none."""

    _compared: ComparedPlan

    @property
    def _words(self) -> EnvironmentWords:
        return self._compared.words

    @property
    def about_run(self) -> str:
        """A sentence about the run that has the campaign open; "" where there is none."""
        return (
            f"The campaign is open in another run, {self._compared.open_in}: these figures change until that "
            "run has ended."
            if self._compared.open_in
            else ""
        )

    @property
    def about_rows(self) -> str:
        """Sentences about rows that get nothing, or something else, for what is known of them."""
        return (
            f"{self.about_beside_file}{self.about_left_out}{self.about_reached_before}{self.about_overtaken}"
            f"{self.about_corrected}{self.about_left_behind}{self.about_gone}"
        )

    @property
    def about_gone(self) -> str:
        """A sentence about people who were reached and have left the table, and one about those who have
        another number now, each after a space; "" for nobody."""
        gone = len(self._compared.comparison.gone)
        if not gone:
            return self._about_renumbered
        in_doubt = int(self._compared.are_in_doubt(self._compared.comparison.gone_batches).sum())
        perhaps = " or may have been" if in_doubt else ""
        return (
            f" {counted(gone, 'number')} that {agreeing(gone, 'was', 'were')}{perhaps} {self._words.reached} "
            f"{agreeing(gone, 'is', 'are')} no longer in the table{self._gone_numbers}"
            f"{self._about_corrected_numbers}."
            f"{self._about_hidden}{self._about_renumbered}"
        )

    @property
    def _about_hidden(self) -> str:
        """That rows are hidden, where people have left the table: these may be theirs; "" for none."""
        reading = self._compared.plan.reading
        hidden = 0 if reading is None else reading.hidden_rows
        if not hidden:
            return ""
        are, were = agreeing(hidden, "is", "are"), agreeing(hidden, "was", "were")
        return f" {capitalised(counted(hidden, 'row'))} of the spreadsheet {are} hidden, and {were} not read."

    @property
    def _gone_numbers(self) -> str:
        """The first of these numbers, masked, with what they got, in brackets after a space."""
        compared = self._compared
        if compared.record is None:
            return ""
        gone = compared.comparison
        more = len(gone.gone) - _NAMED
        batches, rows = gone.gone_batches[:_NAMED], gone.gone_rows[:_NAMED]
        got = compared.record.messages(batches, rows)
        texts = got.groupby("entry")["message"].agg(" ".join)
        numbers = zip(gone.gone[:_NAMED].tolist(), compared.are_in_doubt(batches), strict=True)
        named = [
            f"{mask_number(str(number))}, who {'may have ' if in_doubt else ''}got "
            f"“{shorten(mask_text(clean(texts[entry])), _LENGTH)}”"
            for entry, (number, in_doubt) in enumerate(numbers)
        ]
        return f" ({'; '.join([*named, *([counted(more, 'other')] if more > 0 else [])])})"

    @property
    def _about_corrected_numbers(self) -> str:
        """What numbers that are gone have to do with new ones, as a continued sentence; "" without any."""
        return ", and whoever has another number now counts as new" if self._compared.count(NEW) else ""

    @property
    def _about_renumbered(self) -> str:
        """The sentence about rows whose old number other rows still have."""
        rows = len(self._compared.renumbered)
        if not rows:
            return ""
        which, count = self.named(self._compared.renumbered), agreeing(rows, "counts", "count")
        how = agreeing(
            rows,
            "this text under another number, which another row still has,",
            "their texts under other numbers, which other rows still have,",
        )
        return (
            f" {capitalised(counted(rows, 'row'))} {agreeing(rows, 'was', 'were')} {self._words.reached} "
            f"with {how} and {count} as new ({which})."
        )

    def named(self, rows: Ints) -> str:
        """Rows of the campaign's table, which is not the file of a plan that is a follow-up file."""
        return (
            f"{name_rows(rows.tolist()).lower()}{' of your own spreadsheet' if self._compared.file else ''}"
        )

    def name_row(self, row: int) -> str:
        """One of these rows: as it is in a follow-up file, where the plan is one and has it."""
        return f"row {row}" if self._compared.file is None else self._compared.file.name_row(row)

    def about_opted_out(self, chosen: Bools) -> str:
        """A sentence about those of some entries who were left out before, and are not now; "" for none."""
        places = np.flatnonzero(self._compared.opted_out & chosen)
        rows = rows_of_messages(self._compared.plan)[self._compared.starts[places]]
        return about_opted_out(len(rows), self.named(rows)) if len(rows) else ""

    @property
    def about_beside_file(self) -> str:
        """A sentence about these rows, after a space; "" for none."""
        rows = len(self._compared.beside_file)
        if not rows:
            return ""
        are, theirs = agreeing(rows, "is", "are"), agreeing(rows, "gets a message", "get their messages")
        return (
            f" {counted(rows, 'person', 'people')} who {are} not in this file {theirs} too, because it "
            f"continues its campaign ({self.named(self._compared.beside_file)})."
        )

    @property
    def about_left_out(self) -> str:
        """A sentence about these rows, after a space; "" for none."""
        rows = sum(self._compared.left_out.values())
        if not rows:
            return ""
        kinds = [
            f"{count:,} {agreeing(count, *_LEFT_OUT[status.replace('_', ' ')])}"
            for status, count in self._compared.left_out.items()
        ]
        return (
            f" Of the rows of this file that have a text, {rows:,} {agreeing(rows, 'gets', 'get')} nothing "
            f"in this {self._words.campaign}: {', '.join(kinds)}."
        )

    @property
    def about_reached_before(self) -> str:
        """A sentence about rows that another campaign or a list leaves out, after a space; "" for none."""
        rows = self._compared.plan.totals.left_out
        if not rows:
            return ""
        are, were = agreeing(rows, "is", "are"), agreeing(rows, "its number was", "their numbers were")
        return f" {capitalised(counted(rows, 'row'))} {are} left out, because {were} reached before."

    @property
    def about_corrected(self) -> str:
        """A sentence about rows that lack their correction, which was sent, after a space; "" for none."""
        rows = np.union1d(self._compared.corrected_rows, self._compared.rows_reached_as_corrected)
        if not len(rows):
            return ""
        were, them = agreeing(len(rows), "was", "were"), agreeing(len(rows), "correction", "corrections")
        return (
            f" {capitalised(counted(len(rows), 'row'))} to correct {were} sent as corrected in a follow-up "
            f"file: put the {them} into your own spreadsheet too ({self.named(rows)})."
        )

    @property
    def about_left_behind(self) -> str:
        """Sentences about rows that get no text and that another one has reached, each after a space; "" for
        none."""
        if not len(rows := self._compared.rows_left_behind):
            return ""
        is_too_long = np.isin(rows, np.concatenate([*self._compared.plan.map_parts(_only_too_long)]))
        kinds = (
            (rows[~is_too_long], "to correct", "corrected in your own spreadsheet too"),
            (rows[is_too_long], "with a text that is too long", "it fits"),
        )
        return "".join(
            f" {capitalised(counted(len(some), 'row'))} {which} {agreeing(len(some), 'was', 'were')} "
            f"{self._words.reached} with another text, and can get this one only once {done} "
            f"({self.named(some)})."
            for some, which, done in kinds
            if len(some)
        )

    @property
    def about_sharing(self) -> str:
        """A sentence about rows that get nothing because another row has their number; "" for none.

        What becomes of the rows of a follow-up file is in `about_left_out`.
        """
        if self._compared.file is not None:
            return ""
        corrected = labels_of_contacts(self._compared.plan)[self._compared.corrected]
        rows = np.setdiff1d(rows_that_share(self._compared.plan), corrected)
        if not len(rows):
            return ""
        shares, gets = agreeing(len(rows), "shares", "share"), agreeing(len(rows), "gets", "get")
        return (
            f"{capitalised(counted(len(rows), 'row'))} {shares} a phone with another row and {gets} nothing "
            f"({name_rows(rows.tolist()).lower()})."
        )

    @property
    def about_overtaken(self) -> str:
        """Sentences about rows of a follow-up file that give way to the own spreadsheet, each after a space;
        "" for none."""
        if self._compared.file is None or self._compared.file.overtaken.empty:
            return ""
        done = self._compared.reached_meanwhile
        rows = self._compared.file.overtaken.difference(done)
        places = self._compared.file.places.reindex(rows)
        corrected = places.index[places.isin(corrected_rows(self._compared.plan))]
        no_more = f"nothing is to correct in {agreeing(len(done), 'it', 'them')}"
        put_right = f"put right in your own spreadsheet since, and {self._words.reached}: {no_more}"
        changed = "changed in your own spreadsheet since, or removed from it, and that counts"
        by_file = (
            "corrected in a file of rows to correct that was sent since, and that counts: to change "
            f"{agreeing(len(corrected), 'it', 'them')} again, write a new file"
        )
        kinds = ((done, put_right), (rows.difference(corrected), changed), (corrected, by_file))
        return "".join(
            f" {capitalised(counted(len(some), 'row'))} of this file "
            f"{agreeing(len(some), 'was', 'were')} {what} ({self._compared.file.named(some)})."
            for some, what in kinds
            if len(some)
        )

    @property
    def about_closing(self) -> str:
        """A sentence, after a space, about a campaign that was closed and would go on; "" for any other."""
        if (
            self._compared.record is None
            or not self._compared.record.ledger.is_closed
            or not self._compared.count(*MAY_GO_OUT)
        ):
            return ""
        return f" The {self._words.campaign} was closed before: sending this opens it again."

    @property
    def reached_otherwise(self) -> str:
        """On whom `changed=` decides, a sentence for each way in which they were reached."""
        by = f"by this {self._words.campaign}"
        ways = [
            f"{counted(count, 'person', 'people')} {agreeing(count, *verbs)} {by} {how}."
            for state, (verbs, _, how) in _ASKED_WORDS.items()
            if (count := self._compared.count(state))
        ]
        return f"{' '.join(ways)}{self._about_doubtful}"

    @property
    def _about_doubtful(self) -> str:
        """That some of these people may have got nothing, after a space; "" where all were reached."""
        is_asked = np.isin(self._compared.comparison.knowledge, ASKED)
        doubtful = int(self._compared.are_in_doubt(self._compared.comparison.batches[is_asked]).sum())
        if not doubtful:
            return ""
        is_all = doubtful == is_asked.sum()
        all_of_them = agreeing(doubtful, "this person", "these people")
        who = all_of_them if is_all else f"{figure(doubtful)} of these people"
        return f" It is not known whether {who} got anything: find out before you decide."

    def questions(self, *, changed: bool = True, gone: bool = True) -> str:
        """What `send` asks about before anything leaves, and the choices, after a space; "" for nothing.

        Not about other texts, or about people who are gone, where the answer is given.
        """
        waiting = len(self._compared.waiting_gone)
        others = [
            f"the {counted(count, 'person', 'people')} {reached} {how}"
            for state, (_, reached, how) in _ASKED_WORDS.items()
            if (count := self._compared.count(state))
        ]
        about_others = (
            f' First, send asks about {listed_words(others)}; answer with changed="skip" or changed="send".'
        )
        about_waiting = (
            f" First, send asks about {counted(waiting, 'person', 'people')} no longer in the table, for "
            'whom an earlier message waits; finish it with resume, or answer with gone="withdraw".'
        )
        about_others = f"{about_others}{self._about_doubtful}" if others and changed else ""
        return f"{about_others}{about_waiting if waiting and gone else ''}"

    @property
    def _about_new_name(self) -> str:
        """What it means that rows to correct are sent under another name than that of their campaign."""
        continuation = continuation_of(self._compared.plan)
        if continuation is None:
            return ""
        name = mask_text(clean(continuation.campaign))
        return (
            f"These rows to correct are of the campaign {name!r}. Under another name they are a "
            f"{self._words.campaign} of their own, which does not know whom that one reached."
        )

    @property
    def overview(self) -> str:
        """What the campaign has to do with the rows of the plan, before anything is decided."""
        if self._compared.is_first:
            return self._about_new_name or NOTHING_SENT_YET
        people = ", ".join(self._compared.people.all)
        by_kind = f": {people}" if people else ""
        about = f"{self.about_rows}{self.about_closing}"
        if not by_kind and not about:
            return "This table has no messages to send."
        return f"Compared with what this {self._words.campaign} has sent{by_kind}.{about}"


def _only_too_long(part: PlanPart) -> Ints:
    """The rows of a part that have no mistake but a text that is too long."""
    errors = part.issues[part.issues["severity"] == "error"]
    is_length = errors["code"] == "overlong"
    too_long, mistaken = (errors.loc[kind, "row"].dropna() for kind in (is_length, ~is_length))
    rows: Ints = np.setdiff1d(too_long, mistaken).astype(np.int64)
    return rows
