"""`send`, `resume` and `try-out`: the commands that send."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from campaign.cli.exit_codes import ACCEPTED, NOT_ALL, NOTHING_TO_SEND
from campaign.cli.facts import difference_facts, result_facts
from campaign.cli.output import Page, quoted
from campaign.cli.plan_source import make_plan
from campaign.cli.reports import check_columns, check_report_paths, write_reports
from campaign.cli.shown_difference import show_difference
from campaign.cli.shown_plan import show_plan
from campaign.cli.shown_result import exit_code, show_result
from campaign.errors import CampaignError
from campaign.messages.plan import Plan
from campaign.paths import seen_from_here
from campaign.results.report import write_report
from campaign.results.tables import Result
from campaign.sending.campaigns import compare, load_result, resume, send
from campaign.sending.engine.budget import Budget
from campaign.sending.opening import question_to_send
from campaign.sending.options import SendOptions
from campaign.sending.store.identity import locate_campaign
from campaign.sending.try_out import try_out
from campaign.sending.workers.release import Release, release
from campaign.service.account import Account
from campaign.words.shell import SHELL

ROUND = (
    "changed", "waiting", "opted_out", "elsewhere", "takeover", "confirm", "hours", "rate", "batch_size",
    "concurrency", "canary", "max_unknown",
)  # fmt: skip
_FIRST_ROUND = ("name", "folder", "pilot", "ledger")


def run_send(options: argparse.Namespace, page: Page) -> int:
    check_report_paths(options.report)
    choices = {name: getattr(options, name) for name in (*ROUND, *_FIRST_ROUND)} | _given(options)
    checked_choices = SendOptions(**choices)
    plan = make_plan(options)
    check_columns(plan, options.by)
    show_plan(plan, page, in_short=not options.dry_run)
    if not plan.totals.messages:
        return NOTHING_TO_SEND
    folder, _ = locate_campaign(plan, options.name, options.folder, options.account)
    page.folder = quoted(seen_from_here(folder))
    if options.dry_run:
        return _compare(plan, checked_choices, page)
    if options.release:
        return _release(plan, choices, options.account, page)
    return _send(partial(send, plan, **choices), folder, options, page)


def _compare(plan: Plan, choices: SendOptions, page: Page) -> int:
    """Show what would be sent, and the phrase that live asks for."""
    difference = compare(plan, name=choices.name, account=choices.account, folder=choices.folder)
    page.facts["comparison"] = difference_facts(difference)
    show_difference(difference, page)
    question = question_to_send(difference, choices)
    phrase = "" if question is None else question.phrase
    page.facts["confirm"] = phrase or None
    page.say("dry_run", phrase=quoted(phrase) if phrase else "")
    return ACCEPTED


def _release(plan: Plan, choices: dict[str, Any], account: str, page: Page) -> int:
    """Register the messages for workers, and send nothing."""
    del choices["progress"]
    show_release(release(plan, **choices), account, page)
    return ACCEPTED


def show_release(released: Release, account: str, page: Page) -> None:
    """What was released, and the command that sends it."""
    place = quoted(seen_from_here(released.folder))
    page.facts["release"] = {
        "messages": released.messages, "parts": released.parts, "folder": str(released.folder),
    }  # fmt: skip
    page.line(released.sentence)
    if released.messages:
        named = "" if account == "local" else f" --account {account}"
        page.line(f"On each machine: campaign worker {place}{named}")


def run_resume(options: argparse.Namespace, page: Page) -> int:
    check_report_paths(options.report)
    if options.by:
        check_columns(load_result(options.folder).plan, options.by)
    choices = {name: getattr(options, name) for name in ROUND} | _given(options)
    sending = partial(resume, options.folder, opt_outs=options.opt_outs, **choices)
    return _send(sending, Path(options.folder), options, page)


def _send(sending: Callable[[], Result], folder: Path, options: argparse.Namespace, page: Page) -> int:
    """Send, and show what came of it, also if the campaign had begun when it failed or was interrupted."""
    try:
        result = sending()
    except CampaignError as error:
        if not error.begun:
            raise
        page.refuse(error)
        _show_if_known(folder, page)
        return NOT_ALL
    except (KeyboardInterrupt, SystemExit):
        _show_if_known(folder, page)
        raise
    return _finish(result, options, page)


def _show_if_known(folder: Path, page: Page) -> None:
    with suppress(CampaignError):
        show_result(load_result(folder), page)


def run_try_out(options: argparse.Namespace, page: Page) -> int:
    account = account_of(options)
    plan = make_plan(options)
    if page.as_json:
        show_plan(plan, page)
    trial = try_out(
        plan, account, number=options.to, region=options.region, row=options.row, confirm=options.confirm
    )
    page.facts |= {"message": trial.text, "result": result_facts(trial.result)}
    *lines, _ = str(trial).splitlines()
    for line in lines:
        page.line(line)
    page.line(SHELL.text(trial.question))
    if not (trial.result.messages["status"] == "accepted").all():
        return NOT_ALL
    if page.as_json or not sys.stdin.isatty() or account is None or account.environment != "live":
        return ACCEPTED
    try:
        answer = input("Does it? [y/n] ")
    except EOFError:  # Ctrl-D
        return NOT_ALL
    return ACCEPTED if answer.strip().lower().startswith("y") else NOT_ALL


def account_of(options: argparse.Namespace) -> Account | None:
    """The account that was named; None for the embedded sandbox."""
    if options.account == "local":
        return None
    return Account.from_environment(options.account, encoding=options.account_encoding)


def budget_of(options: argparse.Namespace) -> Budget | None:
    """The budget that was given, if one was."""
    cost = None if options.budget == "none" else options.budget
    is_given = options.budget is not None or options.budget_messages is not None
    return Budget(cost, options.budget_messages) if is_given else None


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """What the library takes in another form than the shell: the account, the budget, the progress bar."""
    # In a file, each update of a bar would be a line.
    return {
        "account": account_of(options),
        "budget": budget_of(options),
        "progress": sys.stderr.isatty(),
    }


def _finish(result: Result, options: argparse.Namespace, page: Page) -> int:
    """Show the result, then write the reports: one that fails hides nothing."""
    show_result(result, page)
    paths = options.report or [(result.folder or Path()) / "report.html"]
    failed = write_reports(
        paths, lambda path: write_report(result, path, reveal=options.reveal, by=options.by), page
    )
    return failed or exit_code(result)
