"""What a compared plan means for people, in sentences: who gets something, who does not, what is asked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from campaign.arrow_text import Bools, Ints
from campaign.contacts.cells.grid import name_rows
from campaign.environments import EnvironmentWords
from campaign.masking import mask_number, mask_text
from campaign.results.plain_words import SHARES_PHONE, STATUS_WORDS
from campaign.sending.rounds.compared_plan import ComparedPlan
from campaign.sending.rounds.comparison import MAY_GO_OUT, NEW, OTHER_NUMBER, OTHER_TEXT
from campaign.sending.rounds.continuation_plan import continuation_of
from campaign.sending.rounds.left_out_before import about_opted_out
from campaign.sending.rounds.other_texts import old_and_new, waiting_texts
from campaign.sending.rounds.people_in_words import PeopleInWords
from campaign.sending.store.identity import NOTHING_SENT_YET
from campaign.text import agreeing, capitalised, clean, counted, figure, shorten

_NAMED = 3  # numbers, rows or texts in a sentence
_LENGTH = 48  # characters of what each of them got
_LEFT_OUT = {**STATUS_WORDS, "shared phone": SHARES_PHONE}
_HOW = {OTHER_TEXT: "with another text", OTHER_NUMBER: "under another number, as the same cell was read then"}


class ComparedInWords(Struct, frozen=True, eq=False):
    """The sentences about a compared plan; "" where there is nothing to say."""

    _compared: ComparedPlan

    @property
    def _words(self) -> EnvironmentWords:
        return self._compared.words

    def people(self, chosen: Bools | None = None) -> PeopleInWords:
        """The people of the plan by what is recorded, or the `chosen` ones of all rows that get something."""
        compared, recorded = self._compared, self._compared.recorded
        chosen = np.ones(len(recorded), dtype=bool) if chosen is None else chosen
        counts = np.bincount(recorded[chosen]).tolist()
        is_new = chosen & (recorded == NEW)
        return PeopleInWords(
            dict(enumerate(counts)),
            self._words,
            left_out=int((is_new & compared.opted_out).sum()),
            under_way=compared.count_under_way(chosen),
        )

    @property
    def about_run(self) -> str:
        """That another run has the campaign open."""
        return (
            f"The campaign is open in another run, {self._compared.open_in}: these figures change until that "
            "run has ended."
            if self._compared.open_in
            else ""
        )

    @property
    def about_rows(self) -> str:
        """Rows that get nothing, or something else, for what is known of them; it begins with a space."""
        sentences = (
            self.about_beside_file, self.about_left_out, self.about_reached_before,
            self._about_own_spreadsheet, self.about_gone,
        )  # fmt: skip
        return "".join(f" {sentence}" for sentence in sentences if sentence)

    @property
    def about_gone(self) -> str:
        """Numbers that were reached and have left the table, with what the first of them got."""
        compared, gone = self._compared, len(self._compared.gone)
        if not gone or compared.record is None:
            return ""
        first = compared.gone.take(np.arange(min(gone, _NAMED)))
        got = compared.record.messages(first.batches, first.labels).groupby("entry")["message"].agg(" ".join)
        named = [
            f"{mask_number(str(number))}, “{shorten(mask_text(clean(got[entry])), _LENGTH)}”"
            for entry, number in enumerate(first.rows.numbers.tolist())
        ]
        more = [counted(gone - _NAMED, "other")] if gone > _NAMED else []
        perhaps = " or may have been" if compared.are_in_doubt(compared.gone.batches).any() else ""
        return (
            f"{counted(gone, 'number')} that {agreeing(gone, 'was', 'were')}{perhaps} {self._words.reached} "
            f"{agreeing(gone, 'is', 'are')} no longer in the table ({'; '.join([*named, *more])})."
            f"{self._about_hidden}"
        )

    @property
    def _about_hidden(self) -> str:
        """That rows are hidden, where people have left the table: these may be theirs."""
        reading = self._compared.plan.reading
        hidden = 0 if reading is None else reading.hidden_rows
        if not hidden:
            return ""
        are, were = agreeing(hidden, "is", "are"), agreeing(hidden, "was", "were")
        return f" {capitalised(counted(hidden, 'row'))} of the spreadsheet {are} hidden, and {were} not read."

    def named(self, rows: Ints) -> str:
        """Rows of the campaign's table, which is not the file of a plan that is a follow-up file."""
        return (
            f"{name_rows(rows.tolist()).lower()}{' of your own spreadsheet' if self._compared.file else ''}"
        )

    def _name_row(self, row: int) -> str:
        """One of these rows: as it is in a follow-up file, where the plan is one and has it."""
        return f"row {row}" if self._compared.file is None else self._compared.file.name_row(row)

    def about_opted_out(self, chosen: Bools) -> str:
        """Those of some rows who were left out before, and are not now."""
        rows = self._compared.labels_of_rows[self._compared.opted_out & chosen]
        return about_opted_out(len(rows), self.named(rows)) if len(rows) else ""

    @property
    def about_beside_file(self) -> str:
        """People who get something though a follow-up file does not have them."""
        rows = len(self._compared.beside_file)
        if not rows:
            return ""
        are, theirs = agreeing(rows, "is", "are"), agreeing(rows, "gets a message", "get their messages")
        return (
            f"{counted(rows, 'person', 'people')} who {are} not in this file {theirs} too, because it "
            f"continues its campaign ({self.named(self._compared.beside_file)})."
        )

    @property
    def _about_own_spreadsheet(self) -> str:
        """What to do with corrections that only a follow-up file has."""
        return "" if self._compared.file is None else "Correct the rows in your own spreadsheet, too."

    @property
    def about_left_out(self) -> str:
        """Rows of a follow-up file that get nothing after all."""
        left_out = self._compared.rows_left_out.value_counts()
        rows = int(left_out.sum())
        if not rows:
            return ""
        kinds = [
            f"{count:,} {agreeing(count, *_LEFT_OUT.get(str(why), _LEFT_OUT['duplicate']))}"
            for why, count in left_out.rename(lambda why: why.replace("_", " ")).items()
        ]
        return (
            f"Of the rows of this file that have a text, {rows:,} {agreeing(rows, 'gets', 'get')} nothing "
            f"in this {self._words.campaign}: {', '.join(kinds)}."
        )

    @property
    def about_reached_before(self) -> str:
        """Rows that another campaign or a list leaves out."""
        rows = self._compared.plan.totals.left_out
        if not rows:
            return ""
        are, were = agreeing(rows, "is", "are"), agreeing(rows, "its number was", "their numbers were")
        return f"{capitalised(counted(rows, 'row'))} {are} left out, because {were} reached before."

    @property
    def about_sharing(self) -> str:
        """Rows that get nothing because another row has their number.

        What becomes of the rows of a follow-up file is in `about_left_out`.
        """
        rows = self._compared.rows_that_share
        if self._compared.file is not None or not len(rows):
            return ""
        shares, gets = agreeing(len(rows), "shares", "share"), agreeing(len(rows), "gets", "get")
        return (
            f"{capitalised(counted(len(rows), 'row'))} {shares} a phone with another row and {gets} nothing "
            f"({name_rows(rows.tolist()).lower()})."
        )

    @property
    def about_closing(self) -> str:
        """That a campaign that was closed would go on."""
        compared = self._compared
        if compared.record is None or not compared.record.ledger.is_closed or not compared.count(*MAY_GO_OUT):
            return ""
        return f"The {self._words.campaign} was closed before: sending this opens it again."

    @property
    def about_asked(self) -> str:
        """On whom `changed=` decides."""
        compared = self._compared
        asked = compared.asked
        ways = [
            f"{counted(count, 'person', 'people')} {agreeing(count, 'was', 'were')} "
            f"{self._words.reached} {how}."
            for state, how in _HOW.items()
            if (count := compared.count(state))
        ]
        doubtful = int(compared.are_in_doubt(compared.batches[asked]).sum())
        if doubtful:
            all_of_them = agreeing(doubtful, "this person", "these people")
            who = all_of_them if doubtful == len(asked) else f"{figure(doubtful)} of these people"
            ways.append(f"It is not known whether {who} got anything: find out before you decide.")
        return " ".join(ways)

    @property
    def about_waiting(self) -> str:
        """What waits and would not go out."""
        waiting, replaced = len(self._compared.waiting), int((self._compared.replaced_by >= 0).sum())
        if not waiting:
            return ""
        gone = waiting - replaced
        kinds = [
            f"{counted(gone, 'person', 'people')} {agreeing(gone, 'is', 'are')} no longer in the table",
            f"{counted(replaced, 'person', 'people')} would get another text instead",
        ]
        told = " and ".join(kind for kind, count in zip(kinds, (gone, replaced), strict=True) if count)
        wait = agreeing(waiting, "waits", "wait")
        return f"{capitalised(counted(waiting, 'text'))} {wait} to be sent: {told}."

    def asked_lines(self, places: Ints, length: int) -> Iterator[str]:
        """What the numbers of some asked rows got and what they would get, a line for each."""
        for row, old, new in old_and_new(self._compared, places, length=length):
            yield f"{self._name_row(row)}: {old} is now {new}"

    def waiting_lines(self, length: int) -> Iterator[str]:
        """The first of the texts that wait, and what takes their place, a line for each."""
        for old, new in waiting_texts(self._compared, _NAMED, length=length):
            yield f"{old} is now “{new}”" if new else f"{old}, no longer in the table"

    def questions(self, *, changed: bool = True, waiting: bool = True) -> str:
        """What `send` asks about before anything leaves, and the choices; not what is answered already."""
        about_others = (
            f'First, send asks: {self.about_asked} Answer with changed="skip" or changed="send".'
            if changed and len(self._compared.asked)
            else ""
        )
        about_waiting = (
            f"First, send asks: {self.about_waiting} Finish them with resume, or answer with "
            'waiting="withdraw".'
            if waiting and len(self._compared.waiting)
            else ""
        )
        return " ".join(filter(None, (about_others, about_waiting)))

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
        people = ", ".join(self.people().all)
        by_kind = f": {people}" if people else ""
        about = f"{self.about_rows} {self.about_closing}".rstrip()
        if not by_kind and not about:
            return "This table has no messages to send."
        return f"Compared with what this {self._words.campaign} has sent{by_kind}.{about}"
