"""The catalogue of the shell: remedies name commands and options; Python's hold where they name no code."""

from campaign.words import python
from campaign.words.catalogue import Catalogue
from campaign.words.codes import CODES, KINDS_OF_NUMBERS

GENERAL = {
    "wrong_value": "",
    "cluster_lost": "",
    "memory_too_small": "",
}

_SHOW = "Show everything in your spreadsheet program, then save the file."
CONTACTS = {
    "not_text": "Save the table as .xlsx or .csv; text in UTF-16 needs --encoding utf-16-le.",
    "file_too_large": "Save the table alone as .xlsx or .csv[[, or give a larger --max-{option}]].",
    "file_damaged_or_large": "Save the table alone as .csv, or give a larger --max-memory.",
    "encoding_unclear": "Save it as UTF-8 (in Excel: CSV UTF-8), or give --encoding.",
    "encoding_wrong": "Save it as UTF-8, or give another --encoding.",
    "encoding_guessed": "If that looks wrong, give --encoding.",
    "stream_used": "",
    "table_unreadable": "",
    "dask_frame": "",
    "dask_corrections": "",
    "header_absent": "Write a name above each column, or give --no-header.",
    "header_too_long": "Give the row number of the header with --header.",
    "sheet_empty": "Name the sheet to read with --sheet.",
    "all_hidden": _SHOW,
    "rows_hidden": "--include-hidden reads them.",
    "columns_hidden": "--include-hidden reads them.",
    "list_incomplete": "Show all of it on one sheet, then save the file.",
}

NUMBERS = {"other_country": "If that is wrong, give their country with --region."}

MESSAGES = {
    "numbers_repeated": "Remove the repeats, or use --duplicates skip or --duplicates keep.",
    "number_column_missing": "Name the column with --number[[, such as {likely!r}]].",
    "number_column_unclear": "Choose one with --number, or list several there, the best first.",
    "languages_incomplete": "Give --language COLUMN, and --message-file LANGUAGE=FILE for each text.",
    "text_is_path": "Give the file with --message-file, or send it as it is with --as-written.",
    "placeholder_foreign": "Write {write}, or send it as it is with --as-written.",
    "format_misplaced": "Write {write}, or send it as it is with --as-written.",
    "column_as_list": "Give a file of the numbers.",
    "marks_missing": "",
}

ISSUES = {
    "issues_left_out": "campaign check --all shows everything, and --report FILE writes it to a file.",
    "numbers_without_country": "Give the country, such as --region UG.",
    "phones_shared": "To reach them too, use --duplicates keep.",
    "ambiguous_date": "Write them like 5 Jan 2026[[, or use --dates {orders:or}]].",
    "date_order": "If that is wrong, use --dates {order}.",
    "overlong": "Shorten it[[, or use --overlong {ways:or}]].",
    "too_many_parts": "Shorten it, or change --max-parts.",
    "shared_phone": "[[To reach both, enter another number or use --duplicates {choice}.]]",
    "unused_marks": "To leave these people out, give a file of their numbers with --opt-outs.",
    "several": "Keep one, or use the first with --several first.",
    "no_region": "Write it with both, or give the country, such as --region UG.",
    **{kind: f"Enter another number, or add {kind} to --kinds." for kind in KINDS_OF_NUMBERS},
}

SERVICE = {
    "live_on_this_machine": "Use --account local.",
    "local_elsewhere": "Give 127.0.0.1 or [::1]; for another machine, use --account sandbox or live.",
    "certificates_unused": "Use https, or unset the variable that ends with CA_FILE.",
    "sandbox_stopped": "Start it with: campaign sandbox.",
    "sandbox_never_had": "",
}

_TAKE_OVER = '[[To go on with this one, add --takeover "{phrase}".]]'
_GO_THERE = f"Continue it there, or messages could be sent twice. {_TAKE_OVER}"
STORE = {
    "folder_format_unknown": "Use that version, or begin a new campaign with --not-again.",
    "erased_before": "campaign history has its totals and costs. Give another --name.",
    "campaign_name_missing": "Give it one, such as --name visits.",
    "workers_at_work": "Wait, or stop {workers:|it|them} with campaign order {folder!r} stop.",
    "campaign_elsewhere": _GO_THERE,
    "campaign_gone": _GO_THERE,
    "other_account": f"Give the account that it was sent with. {_TAKE_OVER}",
    "ledger_of_another": f"Restore the campaign folder from a copy. {_TAKE_OVER}",
    "ledger_older": f"Restore the newest copy, or messages could be sent twice. {_TAKE_OVER}",
    "ledger_exists": "Give another file as --ledger.",
    "ledger_elsewhere": "Leave out --ledger, or give a new campaign another --name.",
    "ledger_unsafe": "Move the campaign to a local disk, or give another --ledger when you begin it.",
    "ledger_unreachable": "Check server, user, database and password (PGPASSWORD), then try again.",
    "ledger_not_shared": "Begin one with --ledger postgresql+psycopg://…, or send with one program.",
    "not_released": "Release it with campaign release {folder!r}.",
    "folder_not_shared": "Give a --folder that all machines of the cluster have at the same path.",
    "cluster_missing": "",
    "account_not_on_workers": "[[Set {variables} in the environment of each, or in its keyring.]]",
    "senders_lost": "campaign workers {folder!r} tells who still sends. Once nobody does, resume.",
    "senders_stopped": "campaign resume {folder!r} sends the rest.",
    "no_costs": "Resume with a budget of messages, such as --budget-messages 1000.",
    "program_error": "The ledger knows what was sent: look at campaign status, then resume.",
}

ROUNDS = {
    "text_elsewhere": "To go on with it: --name {campaign!r} --folder {folder!r}",
    "not_tried": "Send one message there with campaign try-out.",
    "texts_waiting": "campaign resume FOLDER   sends them first\n--waiting withdraw   they never go out",
    "texts_changed": "--changed skip   they keep it\n--changed send   they get the new text, too",
    "opted_out_before": "--opted-out skip   left out again\n--opted-out send   they get a message",
    "sent_elsewhere": "--elsewhere send   they get it again",
    "confirmation_needed": '[[{complaint} ]][[Add --confirm "{phrase}" to go on.]]',
    "nothing_left": "[[To {again} it again, give another --name.]]",
    "account_missing": "Add --account {environment}.",
    "run_interrupted": "What is known: campaign status {folder!r}. To send the rest: campaign resume.",
    "list_column_missing": "Name the column with --{what}.",
    "look_at_phone": "[[With %20 in it, add --account-encoding {plain}.]]",
}

RESULTS = {
    "rows_unknown": "[[campaign reconcile {folder} LIST]]",
    "rows_under_way": "[[campaign status {folder}]]",
    "rows_ordered_again": "[[campaign resume {folder}]]",
    "rows_refused": "[[campaign resume {folder}]]",
    "rows_settled_as_refused": "[[campaign resume {folder}]]",
    "rows_not_sent": "[[campaign resume {folder}]]",
    "rows_in_other_run": "[[campaign status {folder}]]",
    "rows_for_workers": "[[campaign status {folder}]]",
    "workers_paused": "[[campaign order {folder} resume]]",
    "rows_to_correct": "[[campaign follow-up {folder} to_correct.xlsx]]",
    "rows_sharing_phone": "--duplicates keep sends to them, too.",
    "costs_missing": "[[campaign resolve {folder} BATCH accepted --cost COST]]",
    "campaign_closed": "",
    "campaigns_unknown": "Ask the service, then: campaign reconcile FOLDER LIST",
    "cells_to_correct": "Then send it as before.",
    "tables_not_shared": "",
}

_ON_RECORD = (
    "[[What was sent is on record: see campaign status {folder}. To send the rest: campaign resume {folder}]]"
)
COMMANDS = {
    "wrong_usage": "[[Did you mean {suggestion}? ]]See {command} --help.",
    "options_conflict": "Leave out --stream, or the options that say how to read the file.",
    "input_empty": "Name the file, or pipe its content: … | campaign …",
    "text_file_unreadable": "[[Did you mean {suggestion}?]]",
    "text_without_language": "Give --language COLUMN, and each text once: --message-file LANGUAGE=FILE.",
    "password_shown": "Leave it out, and set PGPASSWORD or use a password file.",
    "dry_run": "[[To send it, add --confirm {phrase}]]",
    "output_lost": _ON_RECORD,
    "system_error": _ON_RECORD,
    "stopped": _ON_RECORD,
    "app_started": "Only this machine can reach it. Ctrl-C stops it and what is being sent.",
    "app_stopped": "[[What was sent is kept in {folder}.]]",
    "sandbox_started": "Stop it with Ctrl-C.",
    "not_settled_yet": "To settle what is certain: --confirm {phrase}",
    "follow_up_written": "Phone numbers are written in full: keep the file to yourself.",
    "order_given": "Messages under way still finish.",
}

REMEDIES = {
    **python.REMEDIES,
    **GENERAL, **CONTACTS, **NUMBERS, **MESSAGES, **ISSUES, **SERVICE, **STORE, **ROUNDS, **RESULTS,
    **COMMANDS,
}  # fmt: skip
SHELL = Catalogue(CODES, REMEDIES)
