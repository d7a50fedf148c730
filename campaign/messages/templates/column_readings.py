"""What the cells of a column say together: the order of its dates, the use of point and comma in its numbers.

One cell such as 05/01/2026 or 12.500 does not say how it is to be read, but others of its column may.
"""

from collections.abc import Iterable

from campaign.contacts.contact_parts import ContactParts, whole_table
from campaign.messages.issues import IssueCollector
from campaign.messages.templates.date_orders import with_order
from campaign.messages.templates.decimal_signs import with_signs
from campaign.messages.templates.formats import DateFormat, Format
from campaign.messages.templates.template import Placeholder, Template
from campaign.values import replace


def with_column_readings(template: Template, contacts: ContactParts) -> Template:
    """The template whose formats know how to read the cells of their columns, where anything shows it."""

    def informed(piece: str | Placeholder) -> str | Placeholder:
        if isinstance(piece, str) or piece.format is None:
            return piece
        return replace(piece, format=_informed(piece.format, piece.column, whole_table(contacts)))

    return Template(tuple(map(informed, template.pieces)))


def _informed(form: Format, column: str, contacts: ContactParts) -> Format:
    if isinstance(form, DateFormat):
        return with_order(form, column, contacts)
    return with_signs(form, column, contacts)


def describe_readings(templates: Iterable[Template], issues: IssueCollector) -> None:
    """Add an issue for each column that is read as a cell shows or the campaign has it, or in another way."""
    for column, form in _formats(templates).items():
        for notice in form.notices:
            issues.add_for_table(column, notice.cell, notice.code, notice.severity, notice.detail)


def readings_of_columns(templates: Iterable[Template]) -> dict[str, str]:
    """The order of the dates, or the use of point and comma, in each column where it is known."""
    return {column: form.column_order for column, form in _formats(templates).items() if form.column_order}


def _formats(templates: Iterable[Template]) -> dict[str, Format]:
    """A format of each column that has one."""
    return {
        placeholder.column: placeholder.format
        for template in templates
        for placeholder in template.placeholders
        if placeholder.format is not None
    }
