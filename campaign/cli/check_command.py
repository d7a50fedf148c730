"""`check`; and `make_plan`, which `send` and `try-out` use, too."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pandas as pd

from campaign.cli.exit_codes import ACCEPTED, NOTHING_TO_SEND
from campaign.cli.output import print_counts
from campaign.contacts.reading import read_contacts
from campaign.errors import FileError
from campaign.masking import mask_texts
from campaign.messages.plan import Plan, plan_in
from campaign.sending.rounds.public_prepare import prepare
from campaign.sending.store.identity import NOTHING_SENT_YET, locate_campaign
from campaign.suggestions import similar_file
from campaign.text import clean, counted, figure

_ISSUES_SHOWN = 10


def run_check(options: argparse.Namespace) -> int:
    plan = make_plan(options)
    print_plan(plan)
    if not len(plan.messages):
        return NOTHING_TO_SEND
    print(_comparison(plan, options))
    return ACCEPTED


def _comparison(plan: Plan, options: argparse.Namespace) -> str:
    """What sending the plan would do, given what its campaign has sent."""
    path, _ = locate_campaign(plan, options.name, options.folder, options.environment)
    if not os.path.lexists(path):
        return NOTHING_SENT_YET
    # Only a campaign that exists has to be read: the check of a new file loads no ledger and no network.
    from campaign.sending.opening import compare_in
    from campaign.sending.options import SendOptions

    difference = compare_in(plan, SendOptions(name=options.name, folder=options.folder), options.environment)
    return NOTHING_SENT_YET if difference.is_first else difference.sentence


def make_plan(options: argparse.Namespace) -> Plan:
    contacts = read_contacts(
        options.file, sheet=options.sheet, header=options.header, delimiter=options.delimiter,
        encoding=options.encoding, hidden="include" if options.include_hidden else "skip",
    )  # fmt: skip
    plan = prepare(
        contacts,
        message=options.message if options.message is not None else _message_text(options.message_file),
        sender=options.sender,
        number=options.number,
        region=options.region,
        priority=options.priority,
        overlong=options.overlong,
        duplicates=options.duplicates,
        opt_outs=options.opt_outs,
        not_again=options.not_again,
        max_parts=options.max_parts,
        several=options.several,
        keep_words=options.keep_words,
        as_written=options.as_written,
    )
    return plan_in(options.environment, plan)


def _message_text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig").rstrip("\n")
    except FileNotFoundError:
        reason = "there is no such file"
        suggestion = similar_file(path)
    except UnicodeDecodeError:
        reason, suggestion = "it is not UTF-8 text; save it as UTF-8", ""
    except (OSError, ValueError) as error:  # the latter is a name with NUL
        reason, suggestion = getattr(error, "strerror", None) or "no file can have this name", ""
    hint = f" Did you mean {suggestion}?" if suggestion else ""
    raise FileError(f"The message file {path} cannot be read: {reason}.{hint}")


def print_plan(plan: Plan) -> None:
    if plan.reading is not None:
        print(clean(plan.reading.sentence))
    totals = plan.totals
    print_counts(totals.rows, dict(totals.items()))
    if totals.messages:
        print(
            f"{counted(totals.messages, 'message')} in {counted(totals.parts, 'part')}, "
            f"the longest {counted(totals.longest, 'character')}."
        )
    else:
        print("No messages to send.")
    _print_issues(plan.issues[plan.issues["severity"] == "error"])


def _print_issues(issues: pd.DataFrame) -> None:
    rows = issues["row"].nunique()
    if not rows:
        return
    print(f"{counted(rows, 'row')} that cannot be sent:")
    first_issues = issues.head(_ISSUES_SHOWN)
    details = mask_texts(first_issues["detail"])
    for row, column, detail in zip(first_issues["row"], first_issues["column"], details, strict=True):
        print(clean(f"  row {row}, {column}: {detail}"))
    if len(issues) > _ISSUES_SHOWN:
        print(f"  … and {figure(len(issues) - _ISSUES_SHOWN)} more; the report lists them all.")
