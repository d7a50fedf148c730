"""A campaign as a worker finds it: what was released, where it stands, and the ledger that it shares."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Collection, Sequence
from contextlib import ExitStack

from msgspec import Struct

from campaign.errors import FolderError, UsageError
from campaign.sending.engine.delivery import Post
from campaign.sending.engine.engine import Engine, Listener
from campaign.sending.engine.tally import Tally
from campaign.sending.ledger.group_commit import GroupCommit
from campaign.sending.ledger.postgres.standing_orders import (
    StandingOrder,
    began_at,
    last_order,
    released_options,
)
from campaign.sending.ledger.postgres.worker_ledger import BatchSize, OthersMove, WorkerLedger, moves_since
from campaign.sending.ledger.views import LedgerSnapshot, erased_at, identity_of, snapshot_in
from campaign.sending.options import SendOptions
from campaign.sending.rounds.standing import tally_of
from campaign.sending.store.claim import Claim
from campaign.sending.store.folder import Folder
from campaign.sending.store.identity import campaign_key
from campaign.sending.store.rounds import Round
from campaign.sending.store.user_list import listed_campaign
from campaign.sending.workers.share import Share, SharedPace, hold_of, is_answer, outcome_of
from campaign.sending.workers.shared_place import shared_place
from campaign.service.account import Account


class JoinedCampaign(Struct, frozen=True, eq=False):
    """A campaign that was released, with its ledger open for one worker.

    `standing` is the order that holds for all now, and `heard` the last entry of the journal in `tally`.
    """

    folder: Folder
    last_round: Round
    ledger: WorkerLedger
    account: Account
    options: SendOptions
    standing: StandingOrder
    tally: Tally
    heard: int

    def make_engine(
        self, parts: Collection[int] | None, wait_when_paused: bool, post: Post, listen: Listener
    ) -> Engine:
        """The engine that sends what this worker claims; from here on the worker hears the news."""
        manifest, options = self.last_round.manifest, self.options
        pilot_end = options.pilot_end(manifest.pilot)
        share = Share(
            self.ledger, self.last_round.plan_path, self.account.encoding, self.tally,
            window=options.concurrency, parts=parts,
            has_canary=manifest.canary, has_pilot=pilot_end is not None,
        )  # fmt: skip
        engine = Engine(
            share, GroupCommit(self.ledger), post,
            tally=self.tally,
            valves=options.valves(manifest.canary, pilot_end),
            pace=SharedPace(self.ledger, options.rate),
            concurrency=options.concurrency,
            listen=listen,
            end_when_paused=not wait_when_paused,
            clock=share.now,
        )  # fmt: skip
        if not self.standing.lets_send:
            engine.hold_with(hold_of(self.standing))
        share.follow(engine)
        self.ledger.listen(share.hear, self.heard, self.standing)
        return engine


def join_campaign(
    folder: Folder, account: Account, parts: Collection[int] | None, held: ExitStack
) -> JoinedCampaign | StandingOrder | None:
    """Join the workers of a campaign; the ledger is closed by `held`.

    Where nothing waits, or all workers were stopped, the campaign is not joined: returns None or that order.
    Raises `FolderError` where nothing was released, and where something is missing on this machine.
    """
    place = shared_place(folder)
    Claim(folder.path, folder.manifest.name, account, None).check_account(folder)
    _check_not_elsewhere(folder, account)
    with place.reading() as connection:
        folder.check_not_erased(erased_at(connection))
    waits, order = place.look(parts)
    if not waits:
        return None
    _check_released(folder, order)
    ledger = place.join(folder.manifest.identity, f"{platform.node() or 'unknown host'}:{os.getpid()}")
    held.callback(ledger.close)
    with place.reading() as connection:
        order = _check_released(folder, last_order(connection))  # it may have been recalled just now
        contents, record = snapshot_in(connection), released_options(connection)
        moves = moves_since(connection, began_at(connection))
    if order.kind == "stopped":
        return order
    last_round = folder.rounds(contents)[-1]
    _check_parts(last_round, parts)
    return JoinedCampaign(
        folder,
        last_round,
        ledger,
        account,
        SendOptions.from_record(json.loads(record)["options"]),
        order,
        _tally(folder, contents, moves, account.currency),
        contents.moves,
    )


def _tally(folder: Folder, contents: LedgerSnapshot, moves: Sequence[OthersMove], currency: str) -> Tally:
    """Where the campaign stands, and what its workers have met since it was released or resumed."""
    tally = tally_of(folder.rounds(contents), contents.before_answers(), currency)
    for move in moves:
        if is_answer(move):
            tally.notice(BatchSize(move.batch, move.messages, 0), outcome_of(move))
    return tally


def _check_released(folder: Folder, order: StandingOrder | None) -> StandingOrder:
    if order is not None and order.kind != "recalled":
        return order
    raise FolderError("not_released", folder=str(folder.path))


def _check_parts(last_round: Round, parts: Collection[int] | None) -> None:
    """Raise `UsageError` unless the round has these parts."""
    count = last_round.manifest.parts
    wrong = sorted(part for part in parts or () if not 0 <= part < count)
    if wrong:
        raise UsageError(
            "wrong_value", argument="parts", needs=f"numbers from 0 to {count - 1}", given=wrong[0]
        )


def _check_not_elsewhere(folder: Folder, account: Account) -> None:
    """Raise if this user has sent a live campaign of this name and account with another ledger."""
    if account.environment != "live":
        return
    listed = listed_campaign(campaign_key(folder.manifest.name, account))
    if listed is not None and listed.ledger != identity_of(folder.ledger_place)["ledger"]:
        raise FolderError("campaign_elsewhere", there=listed.folder, here=folder.path)
