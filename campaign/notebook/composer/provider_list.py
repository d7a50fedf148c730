"""The provider's own list of what it took: what it says of unknown texts is shown, then settled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from ipywidgets import HTML, VBox

from campaign import markup
from campaign.contacts.reading import read_contacts
from campaign.errors import CampaignError, ColumnError, ConfirmationError
from campaign.masking import mask_numbers, mask_text
from campaign.notebook.composer.desk_words import CHOOSE_LIST, desk_words
from campaign.notebook.composer.fields import Picker, button, set_shown
from campaign.notebook.composer.in_provider_list import keep_reached
from campaign.notebook.composer.uploads import UPLOADS, Upload
from campaign.sending.afterwards.reconciliation import Reconciliation
from campaign.sending.afterwards.settling import ProviderColumns, reconcile
from campaign.text import agreeing, capitalised, clean

LIST_UPLOADS = UPLOADS / "provider-lists"  # apart, so that no list replaces a spreadsheet of the same name

_ABOUT = (
    "ask the provider for its list of what it took from your account, with the numbers, the texts and the "
    "times, as a spreadsheet. What it says is shown first; nothing is settled before you press a button."
)
_ASKED_ABOUT = (
    "Nobody has to get a text twice: section 4 asks about {them} before anything more is sent. Press “Leave "
    "{who} out” there."
)
_SETTLED_ANEW = (
    "Your answer about {them} is changed once you press “{settle}”: then {texts} as accepted. To leave "
    "{them} out in section 4 changes no answer."
)
_COLUMNS = {
    "number": "Column with the numbers",
    "text": "Column with the texts",
    "time": "Column with the times",
}
_PEOPLE = 200  # that are listed
_BY_ITS_HEADER = "found by its header"
_SETTLE = "Settle what is certain"
_NAME_COLUMNS = "The columns can be chosen here. One that is left as it is gets found by its header."
_CHANGED = "What the list settles has changed since it was shown, so nothing was settled. Look at it again."


class ProviderList(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A button to choose the list, what it says, and a button that settles what is certain.

    `settled` is called with what was settled, in a sentence, and `found` once it is kept that people have a
    text which a person has settled otherwise.
    """

    def __init__(self, settled: Callable[[str], None], found: Callable[[], None]) -> None:
        self._folder, self._settled, self._found = Path(), settled, found
        self._path: Path | None = None
        self._shown: Reconciliation | None = None
        self.upload = Upload(CHOOSE_LIST, "provider-list-upload", self._take)
        self._said, self._problem = HTML(), HTML()
        self._said.add_class("campaign-provider-list-says")
        self._problem.add_class("problem")
        self._pickers = {
            name: Picker(label, f"provider-list-{name}", lambda _: self._look())
            for name, label in _COLUMNS.items()
        }
        self._columns = VBox([HTML(markup.paragraph(_NAME_COLUMNS, note=True)), *self._pickers.values()])
        self._turn = button("Choose its columns", "provider-list-columns", partial(self._show_columns, True))
        self._settle = button(_SETTLE, "provider-list-settle", self._settle_certain, main=True)
        self._about = HTML()
        super().__init__(
            [self._about, self.upload, self._said, self._problem, self._settle, self._turn, self._columns]
        )
        self.add_class("campaign-provider-list")

    def offer(self, folder: Path, *, alone: bool = False) -> None:
        """Ask for the list of a campaign's provider; a list that was chosen before is put away.

        `alone` says that there is no other way above.
        """
        self._about.value = markup.paragraph(capitalised(_ABOUT) if alone else f"Or {_ABOUT}", note=True)
        self._clear(folder)

    def _clear(self, folder: Path) -> None:
        self._folder, self._path, self._shown = folder, None, None
        self._said.value = self._problem.value = ""
        for hidden in (self._settle, self._turn, self._columns):
            set_shown(hidden, False)

    def _take(self) -> None:
        """Keep the list that was chosen, and show what it says."""
        self._clear(self._folder)
        try:
            with self.upload.kept(LIST_UPLOADS) as path:
                columns = list(read_contacts(path).columns)
        except CampaignError as error:
            self._complain(error)
            return
        self._path = path
        for picker in self._pickers.values():
            picker.offer([(_BY_ITS_HEADER, ""), *((clean(name), name) for name in columns)], "")
        self._look()

    def _look(self) -> None:
        """Show what the list says; nothing is settled."""
        if self._path is None:
            return
        self._shown, self._said.value, self._problem.value = None, "", ""
        set_shown(self._settle, False)
        set_shown(self._turn, self._columns.layout.display == "none")
        try:
            self._show(reconcile(self._folder, self._path, **self._chosen))
        except ColumnError as error:
            self._complain(error)
            self._show_columns(True)
        except CampaignError as error:
            self._complain(error)

    @property
    def _chosen(self) -> ProviderColumns:
        number, text, time = (self._pickers[name].value or None for name in _COLUMNS)
        return ProviderColumns(number=number, text=text, time=time)

    def _show(self, told: Reconciliation) -> None:
        self._shown = told
        name = mask_text(clean(self._path.name if self._path else ""))
        sentences = [f"“{name}”: {told.sentence}"]
        if told.phrase:
            sentences.append(f"Nothing is settled yet. “{_SETTLE}” does what is said here.")
        shown = "".join(markup.paragraph(desk_words(sentence)) for sentence in sentences)
        if count := told.reached_after_all["number"].nunique():
            keep_reached(self._folder, told.reached_after_all)
            shown += _about_reached(told, count)
            self._found()
        self._said.value = f'<div role="status">{shown}</div>'
        set_shown(self._settle, bool(told.phrase))

    def _settle_certain(self) -> None:
        """Settle what was shown; where that is not what the list settles now, show that instead."""
        told, path = self._shown, self._path
        if told is None or path is None:
            return  # a second click, on its way while the first one settled it
        try:
            reconcile(self._folder, path, **self._chosen, confirm=told.phrase)
        except ConfirmationError:
            self._look()
            self._problem.value = f'<div role="alert">{markup.paragraph(_CHANGED)}</div>'
        except CampaignError as error:
            self._complain(error)
        else:
            outcomes = [*told.certain.values()]
            counts = [f"{outcomes.count(outcome)} {outcome}" for outcome in dict.fromkeys(outcomes)]
            self._settled(desk_words(f"Settled by the provider's list: batches {', '.join(counts)}."))

    def _show_columns(self, shown: bool) -> None:
        set_shown(self._columns, shown)
        set_shown(self._turn, not shown)

    def _complain(self, error: CampaignError) -> None:
        self._problem.value = f'<div role="alert">{markup.paragraph(desk_words(error))}</div>'


def _about_reached(told: Reconciliation, count: int) -> str:
    """Who has a text after all, and how nobody gets it again, as a piece of HTML."""
    people, them = told.reached_after_all, agreeing(count, "this person", "these people")
    if people["batch"].isin([*told.certain]).all():
        texts = agreeing(count, "the text counts", "the texts count")
        said = _SETTLED_ANEW.format(them=them, settle=_SETTLE, texts=texts)
    else:
        who = "this person" if count == 1 else f"these {count:,} people"
        said = _ASKED_ABOUT.format(them=them, who=who)
    shown = people.head(_PEOPLE)[["batch", "row", "number"]].assign(number=mask_numbers(people["number"]))
    table = markup.table(shown, limit=_PEOPLE, rows=len(people))
    return (
        f'<div class="changed"><p><strong>{markup.escape(said)}</strong></p></div><details>'
        f"<summary>Who has it already</summary>{markup.scroller(table, 'Who has it already')}</details>"
    )
