"""The catalogue of pages: the form, reports and files, for people who do not program.

Remedies name what stands on the form, or what to do in the spreadsheet; where Python's names no code, it is
the same. Headlines are the same, too, but for those here.
"""

from campaign.words import python
from campaign.words.catalogue import Catalogue
from campaign.words.codes import CODES, KINDS_OF_NUMBERS

HEADLINES = {
    "campaign_open": "This campaign is open in another window, tab or program.",
    "bad_sender": "[[{value!r} cannot be the sender.]]"
    "[[ It has {characters}.]][[ It has {length:character}.]]",
}

_ASK = "Ask whoever sets up your campaigns."

GENERAL = {
    "wrong_value": "",
    "argument_unknown": "",
    "argument_missing": "",
    "arguments_unnamed": "",
    "cluster_lost": "",
    "memory_too_small": "",
    "library_missing": _ASK,
    "temporary_folder_full": "Make room on the disk, then start again.",
}

_SHOW = "Show everything in your spreadsheet program, then save the file."
CONTACTS = {
    "file_missing": "[[Did you mean {suggestion!r}?]]",
    "not_text": "Save the table as .xlsx or .csv.",
    "file_too_large": "Save the table alone as .xlsx or .csv.",
    "file_damaged_or_large": "Open it in the program that wrote it, and save the table alone as .csv.",
    "encoding_unclear": "Save it as UTF-8 (in Excel: CSV UTF-8).",
    "encoding_wrong": "Save it as UTF-8 (in Excel: CSV UTF-8).",
    "encoding_guessed": "If that looks wrong, save it as UTF-8 (in Excel: CSV UTF-8).",
    "stream_used": "",
    "table_unreadable": "",
    "dask_frame": "",
    "dask_corrections": "",
    "header_absent": "Write a name above each column.",
    "header_row_missing": "",
    "header_too_long": "Write a short name above each column.",
    "sheet_empty": "Choose the sheet.",
    "all_hidden": _SHOW,
    "rows_hidden": "To send to them, show them in your spreadsheet program.",
    "columns_hidden": "To use them, show them in your spreadsheet program.",
    "list_incomplete": "Show all of it on one sheet, then save the file.",
}

NUMBERS = {"other_country": "If that is wrong, choose their country."}

MESSAGES = {
    "row_not_repeated": "",
    "numbers_repeated": "Remove the repeats.",
    "number_column_missing": "Choose the column of the phone numbers[[: {likely!r} looks like them]].",
    "number_column_unclear": "Choose the column of the phone numbers.",
    "region_or_column_missing": "Choose the country of the numbers.",
    "rows_differ": "",
    "languages_incomplete": "Choose the column of the languages, and write a text for each.",
    "text_is_path": "Write the text itself.",
    "placeholder_foreign": "Write {write}.",
    "format_misplaced": "Write {write}.",
    "column_as_list": "Choose that column, or a file of numbers.",
    "marks_missing": "",
    "dask_table_changed": "",
}

ISSUES = {
    "numbers_without_country": "Choose the country of the numbers.",
    "phones_shared": "To reach them too, enter other numbers.",
    "missing_value": "Fill it in.",
    "unreadable_value": "Correct the cell[[: only the number, without {beside!r}]].",
    "ambiguous_date": "Write them like 5 Jan 2026"
    "[[, or choose {orders:|this|their} order in “How dates are written”]].",
    "date_order": "If that is wrong, choose another order in “How dates are written”.",
    "mixed_dates": "Write all of them in one way.",
    "overlong": "Shorten it.",
    "too_many_parts": "Shorten it.",
    "shared_phone": "[[To reach both, enter another number.]]",
    "unused_marks": "Tick the answers that mean yes.",
    "several": "Keep one.",
    "no_text": "Write a text in this language, or correct the cell.",
    "no_region": "Write it with + and its country code.",
    **dict.fromkeys(KINDS_OF_NUMBERS, "Enter a mobile number."),
}

SERVICE = {
    "live_on_this_machine": "Give the address of the provider.",
    "local_elsewhere": "",
    "certificates_unused": "Give an address that begins with https://.",
    "sandbox_stopped": "",
    "sandbox_never_had": "",
}

EXCHANGES = {"not_reached": ""}

_FOR_PROGRAMMERS = (
    "folder_format_unknown", "ledger_exists", "ledger_elsewhere", "ledger_unreachable",
    "ledger_not_shared", "not_released", "folder_not_shared",
    "cluster_missing", "account_not_on_workers", "senders_lost", "senders_stopped",
)  # fmt: skip
STORE = dict.fromkeys(_FOR_PROGRAMMERS, _ASK) | {
    "campaign_file_unusable": "Make room on the disk, or allow yourself to use the folder, then try again.",
    "erased_before": "Give the campaign another name.",
    "campaign_name_missing": "Give it one.",
    "workers_at_work": "Wait until it is done.",
    "campaign_elsewhere": "Continue it there, or messages could be sent twice.",
    "campaign_gone": "Put the folder back, or messages could be sent twice.",
    "other_account": "Choose the account that it was sent with.",
    "ledger_of_another": "Restore the campaign folder from a copy.",
    "ledger_older": "Restore the newest copy, or messages could be sent twice.",
    "ledger_unsafe": "Move the campaign to a disk of this computer.",
    "no_costs": "To send the rest, empty “Stop when it has cost”.",
    "campaign_open": "When that has ended, try again: nothing is sent twice.",
    **dict.fromkeys(
        ("budget_reached", "message_budget_reached", "price_raised"),
        "To send the rest, change “Stop when it has cost”[[: {enough} is enough]].",
    ),
    "program_error": "The campaign knows what was sent: open it again to send the rest.",
}

ROUNDS = {
    "not_tried": "Try it out there.",
    "text_elsewhere": "",
    **dict.fromkeys(("texts_waiting", "texts_changed", "opted_out_before", "sent_elsewhere"), ""),
    "confirmation_needed": "[[{complaint} ]][[To go on, type: {phrase}]]",
    "other_file": "To continue it, open it under “Your messages”; for a new one, write another name.",
    "account_missing": "Choose the place to send again.",
    "nothing_left": "[[To {again} it again, give it another name.]]",
    "run_interrupted": "",
    "list_column_missing": "Name its columns “number” and “text”, then choose it again.",
    "look_at_phone": "[[With %20 in it, the service does not decode: tell whoever set this up.]]",
}

RESULTS = {
    "rows_unknown": "Ask the provider what it received. Nothing is sent again by itself.",
    "rows_under_way": "If their program has ended, ask the provider. Nothing is sent again by itself.",
    "rows_ordered_again": "Resume the campaign.",
    "rows_refused": "Remove the cause, then resume the campaign.",
    "rows_settled_as_refused": "Resume the campaign.",
    "rows_not_sent": "Resume the campaign.",
    "rows_in_other_run": "",
    "rows_for_workers": "",
    "workers_paused": "Ask whoever paused the workers.",
    "rows_to_correct": "Correct your spreadsheet, or the file “Rows to correct”, and send it.",
    "rows_sharing_phone": "Give them other numbers.",
    "costs_missing": "Add it once the provider names it.",
    "campaign_closed": "Send the spreadsheet again to reach the others.",
    "campaigns_unknown": "Ask the provider what it received, then settle them by its list.",
    "cells_to_correct": "Then choose it in the form, and send it.",
    "tables_not_shared": "",
}

NOTEBOOK = {"program_ended": ""}

REMEDIES = {
    **python.REMEDIES,
    **GENERAL, **CONTACTS, **NUMBERS, **MESSAGES, **ISSUES, **SERVICE, **EXCHANGES, **STORE, **ROUNDS,
    **RESULTS, **NOTEBOOK,
}  # fmt: skip
PAGE = Catalogue({**CODES, **HEADLINES}, REMEDIES)
