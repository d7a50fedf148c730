"""Files that this package wrote to be looked at: whoever reads one as a spreadsheet is told what it is."""

from collections.abc import Collection

from campaign.contacts.reserved_columns import FILE_ROW, OUTCOME_COLUMNS, OWN_ROW

# Columns that no other table has together: of a result, of issues, of a list of campaigns.
REPORT_COLUMNS = (
    frozenset(OUTCOME_COLUMNS),
    frozenset({"row", "column", "value", "code", "severity", "detail"}),
    frozenset({"name", "environment", "first_sent", "last_sent", "folder"}),
)
WHY_NO_TEXT = "why it gets no text"
# Of a list of these rows; others may have a column of that name, too.
_LIST_COLUMNS = frozenset({WHY_NO_TEXT, OWN_ROW}), frozenset({WHY_NO_TEXT, FILE_ROW})
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
ABOUT_OWN_FILES = (_REPORT, _LIST)


def about_own_file(columns: Collection[str], sheets: Collection[str] = ()) -> list[str]:
    """What is said of a table with these columns, of a file with these sheets; nothing of anybody else's."""
    if any(kind <= {*columns} for kind in _LIST_COLUMNS):
        return [_LIST]
    has_columns = any(kind <= {*columns} for kind in REPORT_COLUMNS)
    has_sheets = any(kind <= {*sheets} for kind in _REPORT_SHEETS)
    return [_REPORT] if has_columns or has_sheets else []
