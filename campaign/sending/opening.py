"""Opening a campaign for one run: find it, compare it, let a person decide, register the round.

    plan ──> difference to the record ──> content of a new round ──> confirmation ──> frozen and registered

All of it happens under the campaign's lock, which the run then keeps, and live under that of the
account, too. A new campaign has no lock of its own until it is confirmed.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct

from campaign.environments import Environment
from campaign.errors import AccountError, ConfirmationError, FolderError, LockedError, UsageError
from campaign.messages.plan import Plan, plan_in, with_fields
from campaign.messages.plan_tables.plan_columns import same_contacts
from campaign.messages.plan_tables.plan_part import AmendedParts
from campaign.sending.ledger.ledger import Ledger
from campaign.sending.ledger.views import LedgerSnapshot, moves_of, snapshot
from campaign.sending.options import SendOptions
from campaign.sending.rounds.amended_plan import without_new_list
from campaign.sending.rounds.compared_findings import overview
from campaign.sending.rounds.compared_plan import ComparedPlan, compare_plan
from campaign.sending.rounds.comparison import MAY_GO_OUT
from campaign.sending.rounds.confirmation import Departure, check_confirmed
from campaign.sending.rounds.continuation_plan import check_is_no_continuation
from campaign.sending.rounds.decision import choose_content
from campaign.sending.rounds.difference import Difference, others_behind, plan_behind
from campaign.sending.rounds.kept_options import keep_options, with_kept_budget
from campaign.sending.rounds.other_campaigns import OtherCampaigns, check_not_again, other_campaigns
from campaign.sending.rounds.pilot import PilotStretch, choose_pilot
from campaign.sending.rounds.record import CampaignRecord
from campaign.sending.store.claim import Claim
from campaign.sending.store.creation import create_folder
from campaign.sending.store.erasure import finish_erasure
from campaign.sending.store.folder import Folder, folder_exists, open_folder
from campaign.sending.store.freezing import freeze_round, tables_on_cluster
from campaign.sending.store.frozen_messages import Cutting
from campaign.sending.store.identity import ChosenName, locate_campaign
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
from campaign.sending.store.user_list import ListEntry
from campaign.sending.store.user_state import account_lock
from campaign.service.account import Account
from campaign.service.sandbox.server import Sandbox
from campaign.values import replace
from campaign.words.finding import Finding

# A round, its plan, and how that compares with what was sent before.
_Sent: TypeAlias = tuple[Round, FrozenPlan | None, tuple[Finding, ...]]


class OpenCampaign(Struct, frozen=True):
    """A campaign that is checked, confirmed and locked for one run, with a round that is registered.

    `held` is what has to be let go at the end, in reverse order: the embedded sandbox, the lock, the ledger.
    `frozen` is None where the frozen plan has not been loaded. `comparison` says what the
    campaign has sent before; it is empty where nothing was compared.
    """

    folder: Folder
    last_round: Round
    ledger: Ledger
    account: Account
    options: SendOptions
    frozen: FrozenPlan | None
    held: ExitStack
    comparison: tuple[Finding, ...] = ()

    def close(self) -> None:
        """Let go of it without a run."""
        self.held.close()


class _LockedCampaign(Struct, frozen=True):
    """A campaign that is locked, with its ledger open. Its options have the budget that applies."""

    folder: Folder
    claim: Claim
    options: SendOptions
    ledger: Ledger
    entry: ListEntry | None


class _Confirmed(NamedTuple):
    """What a person has confirmed: the content of a round, and which of it goes out first."""

    compared: ComparedPlan
    others: OtherCampaigns
    content: RoundContent
    pilot: PilotStretch


def open_campaign(plan: Plan | None, options: SendOptions, opt_outs: Any = None) -> OpenCampaign:
    """Open the campaign of a plan, or without a plan the one in the given folder, for one run.

    When this returns, the round is registered and the campaign locked. When it raises, nothing was sent and
    no round was registered. `opt_outs` leaves more people out of the last plan.
    """
    with ExitStack() as held:
        if plan is None:
            folder = open_folder(options.folder or "")
            account = account_to_continue(folder, options, held)
            with account_lock(account):
                claim = Claim(folder.path, folder.manifest.name, account, options.takeover)
                campaign = _lock(folder, claim, options, held)
                last_round, frozen, comparison = _continue(campaign, opt_outs)
        else:
            account = choose_account(options, held)
            with account_lock(account):
                campaign, (last_round, frozen, comparison) = _send(plan, account, options, held)
        return OpenCampaign(
            campaign.folder,
            last_round,
            campaign.ledger,
            account,
            campaign.options,
            frozen,
            held.pop_all(),
            comparison,
        )


def check_where(plan: Plan | None, options: SendOptions) -> str | os.PathLike[str] | None:
    """Where the ledger of a campaign is or is to be, before anything is opened or made."""
    if plan is None:
        return open_folder(options.folder or "").manifest.ledger
    environment = options.account.environment if isinstance(options.account, Account) else "local"
    path, _ = locate_campaign(plan_in(environment, plan), options.name, options.folder, environment)
    return open_folder(path).manifest.ledger if folder_exists(path) else options.ledger


def question_to_send(difference: Difference, options: SendOptions) -> ConfirmationError | None:
    """What `send` asks before it sends a compared plan live; None where it asks for no phrase.

    Raises what `send` would raise before that, and writes nothing.
    """
    compared, account, claim = plan_behind(difference), options.account, None
    if isinstance(account, Account) and account.environment == "live":
        path, name = locate_campaign(compared.plan, options.name, options.folder, account.environment)
        record = compared.record
        claim = Claim(path, name.name if record is None else record.name, account, options.takeover)
        claim.check(None if record is None else open_folder(path))
    return _asked(compared, others_behind(difference), claim, options)


def question_to_resume(account: Account, options: SendOptions) -> ConfirmationError | None:
    """What `resume` asks before it sends the rest of the campaign in a folder live; as `question_to_send`."""
    folder = open_folder(options.folder or "")
    record = CampaignRecord.of(folder)
    if record.ledger.is_closed or not record.rounds:
        return None
    claim = Claim(folder.path, folder.manifest.name, account, options.takeover)
    claim.check(folder)
    plan = _plan_of(record.rounds[-1], record.ledger)
    compared = compare_plan(plan, record, account.environment, options.opted_out)
    return _asked(compared, _others(compared, claim), claim, options)


def _asked(
    compared: ComparedPlan, others: OtherCampaigns, claim: Claim | None, options: SendOptions
) -> ConfirmationError | None:
    if compared.record is not None:
        options = with_kept_budget(options, compared.record.ledger.budget)
    try:
        _decide(compared, others, claim, options)
    except ConfirmationError as question:
        if not question.phrase:
            raise
        return question
    return None


def choose_account(options: SendOptions, held: ExitStack) -> Account:
    """The account to send with; an embedded sandbox that is not running is kept running in `held`."""
    given = Sandbox(tls=True) if options.account is None else options.account
    if isinstance(given, Account):
        return given
    return (given if given.running else held.enter_context(given)).account


def compare_in(plan: Plan, options: SendOptions, environment: Environment) -> Difference:
    """Compare a plan with what its campaign in an environment has recorded.

    Of the options, account, name and folder matter.
    """
    plan = plan_in(environment, plan)
    path, name, folder = _campaign_of(plan, options, environment)
    account = options.account if isinstance(options.account, Account) else None
    find_others = partial(other_campaigns, path=path, account=account)
    if folder is None:
        return Difference(compare_plan(plan, None, environment), partial(find_others, name=name.name))
    if account is not None:
        Claim(path, folder.manifest.name, account, None).check_account(folder)
    place = folder.open_in  # asked first: what it sends while the rest is read is not counted
    compared = compare_plan(plan, CampaignRecord.of(folder), environment, options.opted_out)
    return Difference(replace(compared, open_in=place), partial(find_others, name=folder.manifest.name))


def account_to_continue(folder: Folder, options: SendOptions, held: ExitStack) -> Account:
    """The account to continue a campaign with; only a local one need not be given again."""
    environment = folder.manifest.environment
    if options.account is None and environment != "local":
        raise AccountError("account_missing", environment=environment)
    return choose_account(options, held)


def _send(
    plan: Plan, account: Account, options: SendOptions, held: ExitStack
) -> tuple[_LockedCampaign, _Sent]:
    """The campaign of a plan, locked, and its round. A new campaign is made once it is confirmed."""
    plan = plan_in(account.environment, plan)
    path, name, folder = _campaign_of(plan, options, account.environment)
    if folder is not None:
        claim = Claim(path, folder.manifest.name, account, options.takeover)
        campaign = _lock(folder, claim, options, held)
        return campaign, _converge(plan, campaign)
    check_is_no_continuation(plan, name, path)
    claim = Claim(path, name.name, account, options.takeover)
    claim.check(None)
    compared = compare_plan(plan, None, account.environment)
    decision = _decide(compared, _others(compared, claim), claim, options)
    folder = create_folder(path, name, account, claim.home, options.ledger)
    campaign = _lock(folder, claim, options, held, is_new=True)
    if campaign.ledger.last_round():  # a rehearsal: it has no lock of its account
        raise LockedError("begun_elsewhere", folder=folder.path)
    return campaign, _register(decision, campaign)


def _campaign_of(
    plan: Plan, options: SendOptions, environment: Environment
) -> tuple[Path, ChosenName, Folder | None]:
    """Where the campaign of a plan belongs, its name, and its folder; None for a new one."""
    path, name = locate_campaign(plan, options.name, options.folder, environment)
    if not folder_exists(path):
        return path, name, None
    folder = open_folder(path)
    folder.check_name(name)
    return path, name, folder


def _lock(
    folder: Folder, claim: Claim, options: SendOptions, held: ExitStack, *, is_new: bool = False
) -> _LockedCampaign:
    """Lock the campaign, check that it is the only one of its kind, open its ledger and claim its name."""
    folder.check_ledger(options.ledger)
    held.enter_context(locked(folder))
    takeover = "" if is_new else claim.check(folder)
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
    return _LockedCampaign(folder, claim, with_kept_budget(options, ledger.recorded_budget()), ledger, entry)


def _continue(campaign: _LockedCampaign, opt_outs: Any) -> _Sent:
    """The round with the last plan, which more people may leave; as `_converge`."""
    contents = snapshot(campaign.folder.ledger_place)
    rounds = campaign.folder.rounds(contents)
    if not rounds:
        raise FolderError("never_begun", folder=str(campaign.folder.path))
    last_round = rounds[-1]
    if contents.is_closed:
        if opt_outs is not None:
            raise UsageError("opt_outs_lost", folder=str(campaign.folder.path))
        return last_round, None, ()  # a person has closed it: only `send` starts it again
    plan = _plan_of(last_round, contents)
    return _converge(plan if opt_outs is None else without_new_list(plan, opt_outs), campaign)


def _plan_of(last_round: Round, contents: LedgerSnapshot) -> Plan:
    """The plan of a round, to be sent again."""
    return with_fields(last_round.load(contents.batches).plan, template=last_round.manifest.template)


def _converge(plan: Plan, campaign: _LockedCampaign) -> _Sent:
    """The round with this plan: the last one if it says the same, or else a new one."""
    folder, options = campaign.folder, campaign.options
    contents = snapshot(folder.ledger_place)
    rounds = folder.rounds(contents)
    record = CampaignRecord(folder.manifest.name, rounds, contents)
    compared = compare_plan(plan, record, folder.manifest.environment, options.opted_out)
    decision = _decide(compared, _others(compared, campaign.claim), campaign.claim, options)
    if rounds:
        frozen = rounds[-1].load(contents.batches)
        if _says_the_same(decision, rounds[-1], frozen, record):
            keep_options(options, campaign.ledger, is_sending=len(decision.content.outgoing) > 0)
            return rounds[-1], frozen, _told(decision)
    return _register(decision, campaign)


def _others(compared: ComparedPlan, claim: Claim) -> OtherCampaigns:
    return other_campaigns(compared, claim.path, claim.name, claim.account)


def _told(decision: _Confirmed) -> tuple[Finding, ...]:
    """What the campaign, and others, have to do with the people of a plan."""
    compared = decision.compared
    about_others = decision.others.findings(np.isin(compared.recorded, MAY_GO_OUT))
    return (*overview(compared), *about_others)


def _decide(
    compared: ComparedPlan, others: OtherCampaigns, claim: Claim | None, options: SendOptions
) -> _Confirmed:
    """What goes out of a compared plan. `claim` is None where nothing is confirmed.

    Raises `ConfirmationError` unless all questions are answered and, live, what leaves now was confirmed.
    """
    content = choose_content(compared, others, options)
    check_not_again(content.plan, content.outgoing)
    record = compared.record
    last_round = record.rounds[-1] if record is not None and record.rounds else None
    pilot = choose_pilot(content, options.pilot, last_round, record)
    leaving = content.outgoing if pilot.positions is None else pilot.positions
    if claim is not None and claim.is_live and len(leaving):
        check_confirmed(Departure(compared, others, content, leaving, claim, options))
    return _Confirmed(compared, others, content, pilot)


def _says_the_same(
    decision: _Confirmed, last_round: Round, frozen: FrozenPlan, record: CampaignRecord
) -> bool:
    """Whether a round has the same table, lists and messages, and exactly those wait that would go out."""
    content, manifest = decision.content, last_round.manifest
    return (
        content.given in (manifest.given, manifest.fingerprint)
        and decision.pilot.fits_last_round()
        and content.plan.fingerprint == frozen.plan.fingerprint
        and np.array_equal(content.outgoing, np.flatnonzero(record.waiting[frozen.batch_of_message]))
        and np.array_equal(content.batch_of_excluded, frozen.batch_of_excluded)
        and np.array_equal(content.plan.addressing.opt_outs, frozen.plan.addressing.opt_outs)
        and same_contacts(content.plan, frozen.plan)
    )


def _register(decision: _Confirmed, campaign: _LockedCampaign) -> _Sent:
    """Freeze a round, and register it together with the withdrawal of what still waits."""
    folder, ledger, options = campaign.folder, campaign.ledger, campaign.options
    # Before the round: a program that dies between leaves no round.
    keep_options(options, ledger, is_sending=len(decision.content.outgoing) > 0)
    number = ledger.last_round() + 1
    sweep_rounds(folder.path, number - 1)
    cutting = Cutting(
        batch_size=options.batch_size,
        first_batch=ledger.next_batch(),
        canary=options.canary,
        pilot=decision.pilot.messages,
    )
    content = replace(decision.content, outgoing=decision.pilot.order(decision.content.outgoing))
    path = round_path(folder.path, number)
    currency = campaign.claim.account.currency
    manifest, entries = freeze_round(path, content, cutting, options.as_record(), currency)
    this_round = Round(number, path, manifest)
    contents = snapshot(folder.ledger_place)
    check_never_twice(this_round, folder.rounds(contents), contents)
    ledger.register_round(manifest.digest, entries)
    if campaign.entry is not None:  # from now on the name is not merely claimed
        campaign.entry.write(partial(moves_of, folder.ledger_place), at_once=True)
    comparison = _told(decision)
    if tables_on_cluster(content.plan) is not None or isinstance(content.plan.store, AmendedParts):
        # Nobody needs the cluster any more, and nothing is to be amended each time it is looked at.
        frozen = this_round.load_as_written(snapshot(folder.ledger_place).batches)
        return this_round, frozen, comparison
    batches = content.batch_of_message.copy()
    start = 0
    for entry in entries:  # one by one, because whole columns take 80 MB each for ten million messages
        batches[content.outgoing[start : start + entry.messages]] = entry.batch
        start += entry.messages
    return this_round, FrozenPlan(content.plan, batches, content.batch_of_excluded), comparison
