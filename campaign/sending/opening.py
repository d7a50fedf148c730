"""Opening a campaign for one run: find it, compare it, let a person decide, register the round.

    plan ──> difference to the record ──> content of a new round ──> confirmation ──> frozen and registered

All of it happens under the campaign's lock, which the run then keeps.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np
from msgspec import Struct

from campaign.environments import Environment
from campaign.errors import AccountError, FolderError, UsageError
from campaign.messages.plan import Plan, plan_in, with_fields
from campaign.messages.plan_tables.plan_columns import same_contacts
from campaign.messages.plan_tables.plan_part import AmendedParts
from campaign.results.totals import average_price
from campaign.sending.engine.budget import Budget, budget_in_words
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.ledger.views import moves_of, snapshot
from campaign.sending.opened_campaign import OpenCampaign
from campaign.sending.options import SendOptions
from campaign.sending.rounds.amended_plan import without_new_list
from campaign.sending.rounds.compared_in_words import ComparedInWords
from campaign.sending.rounds.compared_plan import ComparedPlan, compare_plan
from campaign.sending.rounds.comparison import ACCEPTED, GOES_OUT, MAY_GO_OUT
from campaign.sending.rounds.confirmation import Departure, Extent, check_confirmed
from campaign.sending.rounds.continuation_plan import check_is_no_continuation
from campaign.sending.rounds.decision import choose_content
from campaign.sending.rounds.difference import Difference, plan_behind, with_comparison
from campaign.sending.rounds.kept_budget import keep_budget, with_kept_budget
from campaign.sending.rounds.kept_pace import keep_pace
from campaign.sending.rounds.left_out_before import about_opted_out
from campaign.sending.rounds.not_again import check_names_others, check_not_again
from campaign.sending.rounds.pilot import PilotStretch, choose_pilot
from campaign.sending.rounds.reached_elsewhere import (
    ReachedElsewhere,
    about_reached_elsewhere,
    reached_elsewhere,
)
from campaign.sending.rounds.recently_reached import recently_reached
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.rounds.tried_texts import tried_texts
from campaign.sending.store.claim import Claim
from campaign.sending.store.creation import create_folder
from campaign.sending.store.erasure import finish_erasure
from campaign.sending.store.folder import Folder, folder_exists, open_folder
from campaign.sending.store.freezing import freeze_round, tables_on_cluster
from campaign.sending.store.frozen_messages import Cutting
from campaign.sending.store.given_accounts import (
    given_account,
    remember_account,
    was_given_account,
    was_sent_here,
)
from campaign.sending.store.identity import ChosenName, is_try_out, locate_campaign
from campaign.sending.store.lock_holder import open_in
from campaign.sending.store.never_twice import check_never_twice
from campaign.sending.store.round_content import RoundContent
from campaign.sending.store.rounds import (
    ROUNDS,
    FrozenPlan,
    Round,
    round_path,
    sweep_rounds,
    sweep_unfinished_files,
)
from campaign.sending.store.runs_here import locked
from campaign.service.account import Account
from campaign.service.account_in_code import account_argument
from campaign.service.sandbox.server import Sandbox
from campaign.text import clean
from campaign.values import replace

_NEW_SANDBOX = "This run uses a new embedded sandbox"


class _LockedCampaign(Struct, frozen=True):
    """A campaign that is locked, with its ledger open. Its options have the budget that applies."""

    folder: Folder
    claim: Claim
    options: SendOptions
    ledger: Ledger


def open_campaign(plan: Plan | None, options: SendOptions, opt_outs: Any = None) -> OpenCampaign:
    """Open the campaign of a plan, or without a plan the one in the given folder, for one run.

    When this returns, the round is registered and the campaign locked. When it raises, nothing was sent and
    no round was registered. `opt_outs` leaves more people out of the last plan.
    """
    with ExitStack() as held:
        if plan is None:
            folder, is_new = open_folder(options.folder or ""), False
            account = account_to_continue(folder, options, held)
            claim = Claim(folder.path, folder.manifest.name, account, options.takeover)
        else:
            account = choose_account(options, held)
            plan = plan_in(account.environment, plan)
            path, name = locate_campaign(plan, options.name, options.folder, account.environment)
            claim = Claim(path, name.name, account, options.takeover)
            folder, claim, is_new = _existing_or_new(plan, name, claim, options)
        campaign = _lock(folder, claim, options, held, is_new=is_new)
        if plan is None:
            last_round, frozen, comparison = _continue(campaign, opt_outs)
        else:
            last_round, frozen, comparison = _converge(plan, campaign)
        salt = folder.manifest.salt
        about_account = "" if is_new or options.account is not None else _about_new_sandbox(plan, salt)
        held.callback(remember_account(salt, options.account))
        return OpenCampaign(
            folder,
            last_round,
            campaign.ledger,
            account,
            campaign.options,
            frozen,
            held.pop_all(),
            comparison,
            about_account=about_account,
        )


def check_where(plan: Plan | None, options: SendOptions) -> str | os.PathLike[str] | None:
    """Where the ledger of a campaign is or is to be, before anything is opened or made."""
    if plan is None:
        return open_folder(options.folder or "").manifest.ledger
    environment = options.account.environment if isinstance(options.account, Account) else "local"
    path, _ = locate_campaign(plan_in(environment, plan), options.name, options.folder, environment)
    return open_folder(path).manifest.ledger if folder_exists(path) else options.ledger


def phrase_to_confirm(difference: Difference, options: SendOptions) -> str:
    """The phrase that `send` asks for before it sends a compared plan live; "" where it asks for none.

    Raises what `send` would raise before that, and writes nothing.
    """
    compared, account = plan_behind(difference), options.account
    record = compared.record
    content = _choose(compared, options)
    check_not_again(content.plan, content.outgoing)
    if not isinstance(account, Account) or account.environment != "live" or not len(content.outgoing):
        return ""
    path, name = locate_campaign(compared.plan, options.name, options.folder, account.environment)
    claim = Claim(path, name.name if record is None else record.name, account, options.takeover)
    if record is None:
        claim.check_new()
    else:
        claim.check(open_folder(path), is_new=False)
    last_round = record.rounds[-1] if record is not None and record.rounds else None
    pilot = choose_pilot(content, options.pilot, last_round, record)
    return _departure(compared, content, pilot, claim, options).phrase


def choose_account(options: SendOptions, held: ExitStack) -> Account:
    """The account to send with; an embedded sandbox that is not running is kept running in `held`."""
    given = Sandbox(tls=True) if options.account is None else options.account
    if isinstance(given, Account):
        return given
    return (given if given.running else held.enter_context(given)).account


def compare_in(plan: Plan, options: SendOptions, environment: Environment) -> Difference:
    """Compare a plan with what its campaign in an environment has recorded.

    Of the options, account, name, folder and takeover matter.
    """
    plan = plan_in(environment, plan)
    path, name = locate_campaign(plan, options.name, options.folder, environment)
    if not folder_exists(path):
        return Difference(compare_plan(plan, None, environment), path)
    check_names_others(plan, path)
    folder = open_folder(path)
    folder.check_name(name)
    if isinstance(options.account, Account):
        Claim(path, folder.manifest.name, options.account, options.takeover).check_account(folder)
    place = open_in(path)  # asked first: what it sends while the rest is read is not counted
    compared = compare_plan(plan, CampaignRecord.of(folder), environment, options.opted_out)
    return Difference(replace(compared, open_in=place), path)


def compare_instead(difference: Difference, plan: Plan) -> Difference:
    """Compare another plan of the same table with the same campaign, as it was when that was compared.

    Nothing that they share is read again, and the two differ only by what the plans do.
    """
    compared = plan_behind(difference)
    plan = plan_in(compared.environment, plan)
    again = compare_plan(plan, compared.record, compared.environment)
    return with_comparison(difference, replace(again, open_in=compared.open_in))


def account_to_continue(folder: Folder, options: SendOptions, held: ExitStack) -> Account:
    """The account to continue a campaign with; only a local one need not be given again."""
    environment = folder.manifest.environment
    if options.account is None and environment != "local":
        raise AccountError(
            f"This campaign is {environment}: give the account that it was started with, for example "
            f'account=campaign.Account.from_environment("{environment}").'
        )
    return choose_account(options, held)


def _about_new_sandbox(plan: Plan | None, salt: str) -> str:
    """That a campaign goes on in another sandbox than before; "" where nothing hints at one.

    What a program before this one gave is not known: whoever resumes the campaign may have topped one up.
    Where this program has sent it without any, there is nothing to tell.
    """
    if not was_given_account(salt):
        return "" if plan is not None or was_sent_here(salt) else f"{_NEW_SANDBOX}: its inbox begins empty."
    argument, _ = account_argument(given_account(salt))
    to_use = f" To use that one, give {argument}." if argument else ""
    return f"{_NEW_SANDBOX}, and not the one that this campaign used before.{to_use}"


def _existing_or_new(
    plan: Plan, name: ChosenName, claim: Claim, options: SendOptions
) -> tuple[Folder, Claim, bool]:
    """The folder of the campaign, and whether it is new: it is made once everything is confirmed."""
    if folder_exists(claim.path):
        check_names_others(plan, claim.path)
        folder = open_folder(claim.path)
        folder.check_name(name)
        return folder, replace(claim, name=folder.manifest.name), False
    check_is_no_continuation(plan, name, claim.path)
    claim.check_new()
    compared = compare_plan(plan, None, claim.account.environment)
    content = _choose(compared, options)
    check_not_again(content.plan, content.outgoing)
    _confirm(compared, content, choose_pilot(content, options.pilot, None, None), claim, options)
    folder = create_folder(claim.path, name, claim.account, claim.home, options.ledger)
    return folder, claim, True


def _lock(
    folder: Folder, claim: Claim, options: SendOptions, held: ExitStack, *, is_new: bool
) -> _LockedCampaign:
    """Lock the campaign, check that it is the only one of its kind, and open its ledger."""
    folder.check_ledger(options.ledger)
    held.enter_context(locked(folder))
    takeover = claim.check(folder, is_new=is_new)
    entry = claim.list_entry(folder)
    ledger = folder.ledger_place.open(folder.manifest.identity, [entry] if entry else [])
    held.callback(ledger.close)
    finish_erasure(folder.path, ledger)
    folder.check_not_erased(ledger.erased_at())
    sweep_unfinished_files(folder.path / ROUNDS)
    if takeover:
        ledger.take_over(claim.new_home(folder), takeover)
    if entry is not None:  # live is refused where the list cannot be written
        entry.write(partial(moves_of, folder.ledger_place), at_once=True)
    return _LockedCampaign(folder, claim, with_kept_budget(options, ledger), ledger)


def _continue(campaign: _LockedCampaign, opt_outs: Any) -> tuple[Round, FrozenPlan | None, str]:
    """The last round, or a new one with its plan where people were refused or leave it; as `_converge`."""
    contents = snapshot(campaign.folder.ledger_place)
    rounds = campaign.folder.rounds(contents)
    if not rounds:
        raise FolderError(
            f"Nothing was prepared in {campaign.folder.path}: the program ended before the first round was "
            "ready. Send the plan again."
        )
    last_round = rounds[-1]
    if contents.is_closed:
        if opt_outs is not None:
            raise UsageError(
                f"The campaign in {clean(campaign.folder.path)} was closed, so nothing is sent from it, and "
                "opt_outs= would be lost. Give them as opt_outs= to prepare if you send the plan again."
            )
        return last_round, None, ""  # a person has closed it: only `send` starts it again
    states = {batch.state for batch in contents.batches}
    if (
        opt_outs is None
        and not states & {"refused", "again"}
        and campaign.claim.account.environment != "live"
    ):
        _keep_options(campaign, is_sending="pending" in states)
        return last_round, None, ""  # exactly what waits goes out, and nobody has to look at it first
    plan = with_fields(last_round.load(contents.batches).plan, template=last_round.manifest.template)
    return _converge(plan if opt_outs is None else without_new_list(plan, opt_outs), campaign)


def _converge(plan: Plan, campaign: _LockedCampaign) -> tuple[Round, FrozenPlan, str]:
    """The round with this plan: the last one if it says the same, or else a new one.

    Returned are the round, its plan, and a sentence that compares the plan with what was sent before.
    """
    folder, options = campaign.folder, campaign.options
    contents = snapshot(folder.ledger_place)
    rounds = folder.rounds(contents)
    record = CampaignRecord(folder.manifest.name, rounds, contents)
    compared = compare_plan(plan, record, folder.manifest.environment, options.opted_out)
    content = _choose(compared, options)
    last_round = rounds[-1] if rounds else None
    pilot = choose_pilot(content, options.pilot, last_round, record)
    if last_round is not None:
        frozen = last_round.load(contents.batches)
        same_plan = content.given in (last_round.manifest.given, last_round.manifest.fingerprint)
        if same_plan and pilot.fits_last_round() and _says_the_same(content, frozen, record):
            _confirm(compared, content, pilot, campaign.claim, options)
            _keep_options(campaign, is_sending=len(content.outgoing) > 0)
            return last_round, frozen, ComparedInWords(compared).overview
    check_not_again(content.plan, content.outgoing)
    _confirm(compared, content, pilot, campaign.claim, options)
    # Before the round: a program that dies between leaves no round.
    _keep_options(campaign, is_sending=len(content.outgoing) > 0)
    return *_register(content, pilot, campaign), ComparedInWords(compared).overview


def _keep_options(campaign: _LockedCampaign, *, is_sending: bool) -> None:
    """Keep in the ledger what holds for this run whichever round it sends; the pace only if it does."""
    keep_budget(campaign.options, campaign.ledger)
    if is_sending:
        keep_pace(campaign.options, campaign.ledger)


def _choose(compared: ComparedPlan, options: SendOptions) -> RoundContent:
    return choose_content(
        compared, changed=options.changed, waiting=options.waiting, opted_out=options.opted_out
    )


def _says_the_same(content: RoundContent, frozen: FrozenPlan, record: CampaignRecord) -> bool:
    """Whether a frozen plan has the same table, lists and messages, and exactly those wait that would go
    out."""
    return (
        content.plan.fingerprint == frozen.plan.fingerprint
        and np.array_equal(content.outgoing, np.flatnonzero(record.waiting[frozen.batch_of_message]))
        and np.array_equal(content.batch_of_excluded, frozen.batch_of_excluded)
        and np.array_equal(content.plan.addressing.opt_outs, frozen.plan.addressing.opt_outs)
        and same_contacts(content.plan, frozen.plan)
    )


def _confirm(
    compared: ComparedPlan, content: RoundContent, pilot: PilotStretch, claim: Claim, options: SendOptions
) -> None:
    """Raise `ConfirmationError` unless what leaves now was confirmed, if it is live."""
    if claim.account.environment == "live":
        departure = _departure(compared, content, pilot, claim, options)
        check_confirmed(claim.account, options.confirm, departure)


def _departure(
    compared: ComparedPlan, content: RoundContent, pilot: PilotStretch, claim: Claim, options: SendOptions
) -> Departure:
    """What would leave live now."""
    positions = content.outgoing if pilot.positions is None else pilot.positions
    account = claim.account
    extent = Extent.of(content.plan, positions, tried_texts(account))
    recent = recently_reached(account, claim.key, extent.numbers)
    elsewhere: list[ReachedElsewhere] = []
    if account.environment == "live":  # a rehearsal asks nothing
        elsewhere = reached_elsewhere(content.plan, positions, claim.path, account.environment)
    leaving = MAY_GO_OUT if options.changed == "send" else GOES_OUT
    return Departure(
        plan=content.plan,
        positions=positions,
        extent=extent,
        later=len(content.outgoing) - len(positions),
        comparison=ComparedInWords(compared).overview,
        budget=budget_in_words(Budget.of(options.budget), account.currency),
        price=None if compared.record is None else average_price(compared.record.ledger.outcomes),
        reached_today=len(recent.numbers),
        may_be_new=not compared.count(ACCEPTED) and not is_try_out(claim.name),
        remarks=(
            about_reached_elsewhere(elsewhere, extent.people),
            about_opted_out(compared.count_opted_out(*leaving)),
            *content.plan.unused_marks,
            *recent.unreadable,
        ),
    )


def _register(
    content: RoundContent, pilot: PilotStretch, campaign: _LockedCampaign
) -> tuple[Round, FrozenPlan]:
    """Freeze a round, and register it together with the withdrawal of what still waits."""
    folder, ledger, options = campaign.folder, campaign.ledger, campaign.options
    number = ledger.last_round() + 1
    sweep_rounds(folder.path, number - 1)
    cutting = Cutting(
        batch_size=options.batch_size,
        first_batch=ledger.next_batch(),
        canary=options.canary,
        pilot=pilot.messages,
    )
    content = replace(content, outgoing=pilot.order(content.outgoing))
    path = round_path(folder.path, number)
    manifest, entries = freeze_round(
        path, content, cutting, options.as_record(), campaign.claim.account.currency
    )
    this_round = Round(number, path, manifest)
    contents = snapshot(folder.ledger_place)
    check_never_twice(this_round, folder.rounds(contents), contents)
    ledger.register_round(manifest.digest, entries)
    if tables_on_cluster(content.plan) is not None or isinstance(content.plan.store, AmendedParts):
        # Nobody needs the cluster any more, and nothing is to be amended each time it is looked at.
        return this_round, this_round.load_as_written(snapshot(folder.ledger_place).batches)
    batches = content.batch_of_message.copy()
    start = 0
    for entry in entries:  # one by one, because whole columns take 80 MB each for ten million messages
        batches[content.outgoing[start : start + entry.messages]] = entry.batch
        start += entry.messages
    return this_round, FrozenPlan(content.plan, batches, content.batch_of_excluded)
