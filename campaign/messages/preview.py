"""The message of one row as its recipient will see it: as text, and on a phone's screen in a notebook."""

import re

from msgspec import Struct

from campaign import markup
from campaign.masking import mask_number
from campaign.messages.text.segments import count_parts, count_units
from campaign.text import clean
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

PHONE = """
.campaign .phone{display:inline-block;width:19em;border:1px solid var(--line);border-radius:1.2em;
padding:.7em .9em 1em;margin:.4em 0}
.campaign .phone .from{text-align:center;font-weight:600;border-bottom:1px solid var(--line);
padding-bottom:.4em;margin-bottom:.6em}
.campaign .phone .bubble{background:rgba(128,128,128,.16);border-radius:1em;padding:.5em .8em;margin:.4em 0;
white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}
"""

_NUMBER = re.compile(r"\+?[0-9][0-9 ().-]{6,}[0-9]")


def mask_own_number(text: str, number: str) -> str:
    """A text with its recipient's own number masked; other numbers, such as one to call back, stay."""

    def mask(match: re.Match[str]) -> str:
        digits = re.sub("[^0-9]", "", match[0])
        return mask_number(number) if number.endswith(digits[-8:]) else match[0]

    return _NUMBER.sub(mask, text)


class Preview(Struct, frozen=True):
    """What one row gets: its messages, or the reason why there are none."""

    row: int
    status: str
    reason: str
    number: str
    sender: str
    messages: tuple[str, ...]

    @property
    def parts(self) -> int:
        """The SMS parts that the row's messages take."""
        return sum(map(count_parts, self.messages))

    @property
    def facts(self) -> str:
        """One line: to whom, how long, how many parts; or why the row gets no message."""
        if not self.messages:
            status = self.status.replace("_", " ")
            return f"{PYTHON.text(Finding('no_preview', {'row': self.row, 'status': status}))} {self.reason}"
        longest = max(map(count_units, self.messages))
        facts = {"row": self.row, "number": mask_number(self.number), "characters": longest}
        return PYTHON.text(Finding("preview", facts | {"parts": self.parts}))

    @property
    def _shown(self) -> list[str]:
        """The messages, with the recipient's own number masked."""
        return [mask_own_number(text, self.number) for text in self.messages]

    def __str__(self) -> str:
        bubbles = (f"{self.sender}: {_printable(text)}" for text in self._shown)
        return "\n".join((_printable(self.facts), *bubbles))

    __repr__ = __str__

    def phone(self) -> str:
        """The screen as a piece of HTML; "" if the row gets no message."""
        if not self.messages:
            return ""
        bubbles = "".join(f'<div class="bubble">{markup.escape(text)}</div>' for text in self._shown)
        sender = f'<div class="from">{markup.escape(self.sender)}</div>'
        return f'<style>{PHONE}</style><div class="phone">{sender}{bubbles}</div>'

    def _repr_html_(self) -> str:
        return markup.card("Preview", [self.phone(), markup.paragraph(self.facts, note=True)])


def _printable(text: str) -> str:
    """The text for a terminal: all controls except line breaks are removed."""
    return "\n".join(clean(line) for line in text.split("\n"))
