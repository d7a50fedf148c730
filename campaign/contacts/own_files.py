"""Reports and lists that this package wrote: they are not spreadsheets to send."""

from collections.abc import Collection

from campaign.contacts.reserved_columns import FILE_ROW, OUTCOME_COLUMNS, OWN_ROW

OWN_REPORT = "own_report"  # the code of such a file
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


def is_own_file(columns: Collection[str], sheets: Collection[str] = ()) -> bool:
    """Whether this package wrote a table with these columns, or a file with these sheets."""
    has_columns = any(kind <= {*columns} for kind in (*REPORT_COLUMNS, *_LIST_COLUMNS))
    return has_columns or any(kind <= {*sheets} for kind in _REPORT_SHEETS)
