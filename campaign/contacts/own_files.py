"""Files that this package wrote to be looked at: whoever reads one as a spreadsheet is told what it is."""

from collections.abc import Collection

from campaign.contacts.reserved_columns import OUTCOME_COLUMNS

# Columns that no other table has together: of a result, of issues, of a list of campaigns.
REPORT_COLUMNS = (
    frozenset(OUTCOME_COLUMNS),
    frozenset({"row", "column", "value", "code", "severity", "detail"}),
    frozenset({"name", "environment", "first_sent", "last_sent", "folder"}),
)
WHY_NO_TEXT = "why it gets no text"  # a column of the list of these rows
# Sheets that no other workbook has together: of a result, of a list of campaigns.
_REPORT_SHEETS = (
    frozenset({"Summary", "Batches", "Messages", "Contacts", "Issues"}),
    frozenset({"Summary", "Months", "Senders", "Campaigns"}),
)
_REPORT = (
    "This looks like a report that campaign wrote, in which numbers may be masked. Use your own spreadsheet, "
    "or the file of rows to correct."
)
_LIST = (
    "This looks like a list that campaign wrote of the rows that get no text. It is not a file to send: "
    "correct the rows in your own spreadsheet, and use that one."
)


def about_own_file(columns: Collection[str], sheets: Collection[str] = ()) -> list[str]:
    """What is said of a table with these columns, of a file with these sheets; nothing of anybody else's."""
    if WHY_NO_TEXT in columns:
        return [_LIST]
    has_columns = any(kind <= {*columns} for kind in REPORT_COLUMNS)
    has_sheets = any(kind <= {*sheets} for kind in _REPORT_SHEETS)
    return [_REPORT] if has_columns or has_sheets else []
