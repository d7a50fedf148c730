"""Placeholders of other tools, such as {{name}}, [Name] or %s, which would be sent as they are."""

import re
from collections.abc import Iterable

from campaign.arrow_text import TextArray, matches
from campaign.contacts.columns import column_meant
from campaign.contacts.contact_parts import ContactParts, distinct_cells
from campaign.errors import TemplateError
from campaign.paths import is_file
from campaign.text import shorten

# With braces, like our own placeholders.
_BRACES = (
    re.compile(r"(?<!\{)\{\{(?P<name>[^{}]+)\}\}(?!\})"),  # Mustache, Jinja, WhatsApp templates
    re.compile(r"\$\{(?P<name>[^{}]+)\}"),  # JavaScript, shells
)
_OTHERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\(\((?P<name>[^(){}]+)\)\)",  # GOV.UK Notify
        r"\[\[?(?P<name>[^\[\]{}]+)\]\]?",  # form letters, many SMS gateways
        r"«(?P<name>[^«»{}]+)»",  # Word, as shown
        r"<<?(?P<name>[^<>{}]+)>>?",  # Word, as typed
        r"\$(?P<name>[A-Za-z_]\w*)",  # shells
        r"%\((?P<name>[^(){}]+)\)(?:[\d.,]*[sdifr](?!\w))?",  # Python
        r"%(?P<name>\w+)%",  # Windows
        r"\*\|(?P<name>[^|*{}]+)\|\*",  # Mailchimp
        r"#(?P<name>[^\s#{}](?:[^#{}]*[^\s#{}])?)#",  # SMS gateways; "#clinic #health" are hashtags
        r"(?<!\w)@(?P<name>\w+(?:\.\w+)+)",  # RapidPro, TextIt
    )
)
# Nobody writes these for a reader, so they are refused whatever the columns are called.
_PATH_IN_BRACES = re.compile(r"(?<!\{)\{\{(?:\s*\w+(?:\.\w+)+\s*|\s+\w+\s+)\}\}(?!\})")
_RAPIDPRO = re.compile(r"(?<!\w)@(?:contact|fields|urns|results)\.\w+")
_POSITIONAL = re.compile(r"(?<![\w%])%[sd](?!\w)")  # C and Python: the next value
_OWN = re.compile(r"\{[^{}]*\}")
# A single word that ends as the name of a file of texts does, mistyped perhaps: "visit_reminder.txt".
_PATH = re.compile(r"[^\s{}]+\.(?:txt|md|rtf|docx?|odt|csv|xlsx?)", re.IGNORECASE)
_AMOUNT = r"^\s*[-+]?[0-9]"


def refuse_foreign_placeholders(text: str, contacts: ContactParts, *, what: str) -> None:
    """Raise TemplateError for a placeholder of another tool.

    Most styles count only where they name a column of the table; %s, @contact.name and {{ contact.name }}
    always do.
    """
    columns = [str(column) for column in contacts.columns]
    literal = _OWN.sub("{}", text)  # our own placeholders may contain %d, or be in brackets
    matches = [match for style in _BRACES for match in style.finditer(text)]
    matches += [match for style in _OTHERS for match in style.finditer(literal)]
    for match in matches:
        name, column = _named_column(match["name"], columns)
        if column and not (match[0].startswith("${") and _holds_amounts(distinct_cells(contacts, column))):
            raise _foreign(what, match[0], name)
    found = _PATH_IN_BRACES.search(text) or _RAPIDPRO.search(literal) or _POSITIONAL.search(literal)
    if found:
        raise _foreign(what, found[0], next(iter(columns), "name"))


def _foreign(what: str, placeholder: str, column: str) -> TemplateError:
    facts = {"placeholder": shorten(placeholder, 60), "write": f"{{{column}}}"}
    return TemplateError("placeholder_foreign", text=what, **facts)


def _named_column(content: str, columns: list[str]) -> tuple[str, str]:
    """The name in a placeholder and the column that it means; "" if there is none.

    Other tools add defaults (`name|friend`, `name??friend`) and prefixes (`contact.name`).
    """
    without_default = re.split(r"\||\?\?", content)[0]
    names = (content, without_default, without_default.rpartition(".")[2])
    for name in filter(None, map(str.strip, names)):
        if column := column_meant(columns, name):
            return name, column
    return content, ""


def _holds_amounts(cells: Iterable[TextArray]) -> bool:
    """Whether `${column}` is a dollar sign before an amount, which is our own syntax."""
    return any(matches(texts, _AMOUNT).any() for texts in cells)


def refuse_file_path(text: str, *, what: str) -> None:
    """Raise TemplateError for a text that is the path of a file, or looks like nothing else."""
    if is_file(text) or _PATH.fullmatch(text.strip()):
        raise TemplateError("text_is_path", text=what, path=shorten(text, 80))
