"""What is said, by whom and how urgently: the texts of a call, checked before any row is looked at."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from campaign.contacts.columns import find_column
from campaign.contract import PRIORITIES
from campaign.errors import TemplateError, UsageError
from campaign.messages.templates.template import Template, parse
from campaign.messages.text import gsm7 as alphabet
from campaign.messages.text import limits


@dataclass(frozen=True)
class Wording:
    """What is said: one text, or one for each language, and who says it how urgently."""

    texts: Mapping[str, Template]  # under "" if there is only one
    language: str | None  # the column that chooses
    sender: Template
    priority: Template
    downgrade: bool


def choose_wording(
    columns: Collection[str],
    message: str | Mapping[str, str],
    language: str | None,
    sender: str,
    priority: str | int | None,
    *,
    downgrade: bool,
) -> Wording:
    """The texts taken apart and checked against the columns; errors here are those of the call."""
    if isinstance(message, Mapping) != (language is not None):
        raise UsageError(
            "Several texts need language=, the column that says which one a row takes, and one text needs "
            'none: message={"en": "...", "fr": "..."}, language="language".'
        )
    chosen = _by_language(message) if isinstance(message, Mapping) else {"": message}
    parsed = {key: _message(text, columns, key, downgrade=downgrade) for key, text in chosen.items()}
    return Wording(
        parsed,
        None if language is None else find_column(columns, language),
        _sender(sender, columns),
        _priority(priority, columns),
        downgrade,
    )


def _by_language(message: Mapping[str, str]) -> dict[str, str]:
    keys = [str(key).strip().lower() for key in message]
    if not keys or "" in keys or len(set(keys)) < len(keys):
        raise UsageError("Each text in message= needs a language of its own, such as en or fr.")
    return dict(zip(keys, message.values(), strict=True))


def _message(text: str, columns: Collection[str], key: str, *, downgrade: bool) -> Template:
    what = f'message for "{key}"' if key else "message"
    if isinstance(text, str):
        text = alphabet.tidy(text) if downgrade else text
        text = text.strip()
        if not text:
            raise TemplateError(f"The {what} is empty. Write what is to be said.")
    return parse(text, columns, what=what)


def _sender(sender: str, columns: Collection[str]) -> Template:
    template = parse(sender, columns, what="sender")
    return template if template.placeholders else Template((limits.check_sender(template.literal),))


_PRIORITIES = 'The priority is "0" (highest) to "4" (lowest), or a {{column}} of them; not {}.'


def _priority(priority: str | int | None, columns: Collection[str]) -> Template:
    if priority is None:
        return Template(("",))
    if isinstance(priority, bool):
        raise UsageError(_PRIORITIES.format(priority))
    text = str(int(priority)) if isinstance(priority, int) else priority
    template = parse(text, columns, what="priority")
    if not template.placeholders and template.literal.strip() not in PRIORITIES:
        raise UsageError(_PRIORITIES.format(repr(priority)))
    return template if template.placeholders else Template((template.literal.strip(),))
