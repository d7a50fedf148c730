"""Whether the country that is given for numbers without a country code may be a mistake."""

from __future__ import annotations

from campaign.arrow_text import array_to_series, matches
from campaign.contacts.contact_parts import ContactParts, first_cells
from campaign.contacts.phone_numbers.cleaning import WORLD
from campaign.contacts.phone_numbers.libphonenumber import code_by_region, regions_by_code
from campaign.contacts.phone_numbers.likely_region import about_other_country
from campaign.messages.issues import IssueCollector
from campaign.messages.number_rules import NumberRules

_LOOKED_AT = 10_000  # cells, in 8 ms
_MAY_HAVE_CODE = r"\+|^\D*00"
_WITH_CODE = r"(?:\+|^\D*00)\D*{}"


def report_other_country(contacts: ContactParts, rules: NumberRules, issues: IssueCollector) -> None:
    """Add an issue of the table where most numbers with a country code are of another country than the one
    that is given for those without. That is one for all rows; the first column of numbers is looked at."""
    if not isinstance(rules.region, str) or rules.region == WORLD:
        return
    column = rules.columns[0]
    cells = first_cells(contacts, column, _LOOKED_AT)
    may_have_code = matches(cells, _MAY_HAVE_CODE)
    if not may_have_code.any() or may_have_code.all():
        return
    code = code_by_region()[rules.region]
    if regions_by_code()[code] == (rules.region,):  # a code of several regions does not tell which of them
        of_region = matches(cells, _WITH_CODE.format(code)) & may_have_code
        if 2 * of_region.sum() > may_have_code.sum():
            return  # as nearly always: cleaning all cells again takes a fifth of preparing a small table
    said = about_other_country(array_to_series(cells), rules.region)
    if said:
        which = "" if len(cells) == contacts.rows else f"In the first {_LOOKED_AT:,} rows, "
        detail = f"{which}{said}. If that is wrong, give their country with region=."
        issues.add_for_table(column, rules.region, "other_country", "warning", detail)
