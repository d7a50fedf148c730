"""The question before something is sent live, with a field for the phrase and a button."""

from collections.abc import Callable
from typing import Any

from ipywidgets import HTML, Button, Layout, Text, VBox

from campaign import markup
from campaign.errors import ConfirmationError
from campaign.masking import mask_sentences
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

_HINT = PYTHON.text(Finding("phrase_needed"))


class ConfirmationForm(VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Shows a question; at a click, `submit` gets what was typed. Whether that fits is decided there."""

    def __init__(self, submit: Callable[[str], None]) -> None:
        self._submit = submit
        self._text, self._problem = HTML(), HTML()
        self.typed = Text(
            description="Phrase", continuous_update=True, layout=Layout(width="min(34em, 100%)")
        )
        self.typed.add_class("campaign-phrase")
        self.typed.style.description_width = "initial"
        self._problem.add_class("problem")
        self.send = Button(description="Send", icon="paper-plane", button_style="danger",
                           layout=Layout(width="max-content"))  # fmt: skip
        self.send.add_class("campaign-send")
        self.send.on_click(self._clicked)
        super().__init__([self._text, self.typed, self._problem, self.send])

    def ask(self, question: ConfirmationError) -> None:
        """Show a question, and what was wrong with the phrase if one was typed."""
        asked = markup.escape(mask_sentences(question.question))
        text = (
            f'<p class="question">{asked}</p>{markup.paragraph(_HINT)}'
            f'<pre class="phrase">{markup.escape(question.phrase)}</pre>'
        )
        self.complain(question.complaint)
        if not question.complaint:
            self.typed.value = ""  # what was typed belongs to an earlier question
        self._text.value = text

    def complain(self, sentence: str) -> None:
        """Say why nothing was sent; "" for nothing to say."""
        problem = markup.paragraph(mask_sentences(sentence)) if sentence else ""
        self._problem.value = f'<div role="alert">{problem}</div>'

    def _clicked(self, _: Any) -> None:
        self.send.disabled = True  # opening a large campaign takes seconds: no second click meanwhile
        try:
            self._submit(self.typed.value)
        finally:
            self.send.disabled = False
