"""The engine with a service that is a dozen lines: what it issues, what it holds, what it records."""

import asyncio
import tracemalloc
from collections import defaultdict, deque
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from support.refusals import refused

from campaign.errors import GateError, LedgerError
from campaign.sending.engine import engine as engines
from campaign.sending.engine.budget import Budget
from campaign.sending.engine.delivery import Delivery
from campaign.sending.engine.engine import Engine
from campaign.sending.engine.pace import Pace
from campaign.sending.engine.tally import Tally
from campaign.sending.engine.unsent import UnsentBatches
from campaign.sending.engine.valves import Credentials, Funds, Reach, Unknown
from campaign.sending.store.frozen_messages import Batch
from campaign.service.gated_body import GateClosed
from campaign.service.transport import Outcome
from campaign.words.finding import Finding
from campaign.words.python import PYTHON

OK = Outcome("accepted", cost=Decimal(350), code="c")
NO_ANSWER = Finding("no_answer", {"failure": "TimeoutError"})
NOT_REACHED = Finding("not_reached", {"target": "The service"})
NOBODY = Outcome("not_sent", remark=NOT_REACHED, cause="connect")


class Memory:
    """A ledger that only remembers."""

    def __init__(self):
        self.moves = defaultdict(list)
        self.facts = defaultdict(dict)

    def move(self, batch, state, told, **facts):
        self.moves[batch].append(state)
        self.facts[batch] |= facts
        told(None)

    def flush(self):
        pass

    @property
    def states(self):
        return {batch: states[-1] for batch, states in sorted(self.moves.items())}


class Service:
    """Answers batch n with `outcomes[n]` (OK when not given) and notes what passed the gate."""

    def __init__(self, outcomes=None, latency=0.0):
        self.outcomes = outcomes or {}
        self.latency = latency
        self.received = []
        self.under_way = self.most_under_way = 0

    async def post(self, entries, gate):
        number = int(bytes(entries))
        outcome = self.outcomes.get(number, OK)
        if callable(outcome):
            outcome = outcome()
        if outcome.cause in ("connect", "setup", "impossible"):
            return outcome
        try:
            await gate()
        except GateClosed as closed:
            return Outcome("not_sent", remark=closed.reason, cause="gate")
        self.received.append(number)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await asyncio.sleep(self.latency)
        finally:
            self.under_way -= 1
        return outcome


def make_engine(service, batches=20, **options):
    record = Memory()
    snapshots = []
    numbers = range(1, batches + 1)
    policy = {
        "tally": Tally(10 * batches),
        "valves": [Funds(), Credentials(), Reach(), Unknown(1)],
        "pace": Pace(None),
        "concurrency": 4,
        "listen": snapshots.append,
        "end_when_paused": True,
    } | options
    made = (Batch(number, 10, 10, memoryview(str(number).encode())) for number in numbers)
    engine = Engine(UnsentBatches(made), record, service.post, **policy)
    return engine, record, snapshots


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """Waiting between tries to connect is not what these tests are about."""
    monkeypatch.setattr(engines, "BACKOFF", 0.001)


def test_every_batch_goes_out_once_and_the_end_is_finished():
    service = Service()
    engine, record, snapshots = make_engine(service)
    asyncio.run(engine.run())
    assert sorted(service.received) == list(range(1, 21))
    assert record.moves == {number: ["sending", "accepted"] for number in range(1, 21)}
    last = snapshots[-1]
    assert (last.status, last.accepted, last.waiting, last.in_flight) == ("finished", 200, 0, 0)
    assert last.cost == 20 * 350


def test_one_at_a_time_until_the_first_ok_then_as_many_as_allowed():
    service = Service(latency=0.005)
    engine, _, _ = make_engine(service, concurrency=4)
    asyncio.run(engine.run())
    assert service.received[0] == 1
    assert service.most_under_way == 4


@pytest.mark.parametrize(("nearby", "in_step"), [(0.001, False), (60.0, True)])
def test_batches_for_a_service_far_away_do_not_begin_in_step(monkeypatch, nearby, in_step):
    """In step, they would all connect before the first of them asks the gate; alone, they take longer."""
    monkeypatch.setattr(engines, "NEARBY", nearby)
    service, begun = Service(latency=0.01), []

    async def send():
        loop, turn = asyncio.get_running_loop(), 0

        def tick():
            nonlocal turn
            turn += 1
            loop.call_soon(tick)

        async def post(entries, gate):
            begun.append(turn)
            return await service.post(entries, gate)

        engine, _, _ = make_engine(Service(), batches=65, concurrency=64)
        engine._post = post
        tick()
        await engine.run()

    asyncio.run(send())
    turns = len(set(begun[1:]))  # on a busy machine more of them than where it is idle
    assert len(begun) == 65
    assert (turns == 1) if in_step else (1 < turns <= 32)  # apart, but in groups


def test_where_an_answer_takes_long_the_first_batches_are_spread_over_its_time():
    service, begun = Service(latency=0.08), []

    async def post(entries, gate):
        begun.append(asyncio.get_running_loop().time())
        return await service.post(entries, gate)

    engine, _, _ = make_engine(service, batches=9, concurrency=8)
    engine._post = post
    asyncio.run(engine.run())
    assert begun[8] - begun[1] > 6 * engines.APART  # a sleep is never shorter than asked for
    assert service.most_under_way == 8


def test_a_wrong_password_costs_one_refusal():
    wrong = Outcome("refused", error="Wrong Username or Password", cause="credentials")
    service = Service(dict.fromkeys(range(1, 21), wrong))
    engine, record, snapshots = make_engine(service, concurrency=8)
    asyncio.run(engine.run())
    assert service.received == [1]
    assert record.states == {1: "refused"}
    assert snapshots[-1].status == "stopped"
    assert snapshots[-1].waiting == 190


def test_an_empty_account_stops_issuing_and_lets_the_rest_come_back():
    service = Service({7: Outcome("refused", error="Money Not Enough", cause="funds")}, latency=0.005)
    engine, record, snapshots = make_engine(service)
    asyncio.run(engine.run())
    assert record.states[7] == "refused"
    assert set(record.states.values()) == {"accepted", "refused"}
    assert snapshots[-1].status == "stopped"
    assert snapshots[-1].waiting == 200 - 10 * len(service.received)
    assert snapshots[-1].waiting > 0


def test_unknown_pauses_and_is_never_tried_again():
    service = Service({3: Outcome("unknown", remark=NO_ANSWER)})
    engine, record, snapshots = make_engine(service, concurrency=1)
    asyncio.run(engine.run())
    assert service.received == [1, 2, 3]
    assert record.moves[3] == ["sending", "unknown"]
    assert snapshots[-1].status == "paused"
    assert snapshots[-1].finding.code == "answer_lost"
    assert snapshots[-1].finding.facts["reason"] == NO_ANSWER


def test_a_paused_run_goes_on_when_a_person_resumes_it():
    service = Service({3: Outcome("unknown", remark=NO_ANSWER)})
    engine, record, snapshots = make_engine(service, concurrency=1, end_when_paused=False)

    async def person():
        running = asyncio.create_task(engine.run())
        while not snapshots or snapshots[-1].status != "paused":
            await asyncio.sleep(0.005)
        engine.resume()
        await running

    asyncio.run(person())
    assert sorted(service.received) == list(range(1, 21))
    assert record.states[3] == "unknown"
    assert snapshots[-1].status == "finished"
    assert snapshots[-1].unknown == 10


@pytest.mark.parametrize("end_when_paused", [True, False])
def test_a_run_that_would_pause_with_nothing_left_is_finished(end_when_paused):
    outcomes = dict.fromkeys(range(2, 6), Outcome("unknown", remark=NO_ANSWER))
    engine, _, snapshots = make_engine(
        Service(outcomes, latency=0.002), batches=5, concurrency=4, end_when_paused=end_when_paused
    )
    asyncio.run(engine.run())
    assert snapshots[-1].status == "finished"
    assert (snapshots[-1].accepted, snapshots[-1].unknown, snapshots[-1].waiting) == (10, 40, 0)


def test_what_did_not_leave_is_tried_again_five_times_then_given_back():
    tries = []

    def nobody_there():
        tries.append(1)
        return NOBODY

    service = Service({1: nobody_there})
    engine, record, snapshots = make_engine(service)
    asyncio.run(engine.run())
    assert len(tries) == 5
    assert record.moves == {}
    assert snapshots[-1].status == "paused"
    assert snapshots[-1].waiting == 200


def test_between_two_tries_it_waits_twice_as_long_each_time_at_most(monkeypatch):
    longest = []
    monkeypatch.setattr(engines.random, "uniform", lambda shortest, most: longest.append(most) or shortest)
    engine, _, _ = make_engine(Service({1: NOBODY}))
    asyncio.run(engine.run())
    assert longest == [0.002, 0.004, 0.008, 0.016]


def test_after_five_tries_a_batch_makes_room_and_is_issued_anew():
    answers = [NOBODY] * 6 + [OK]
    engine, record, snapshots = make_engine(Service({1: lambda: answers.pop(0)}), valves=[Reach(7)])
    asyncio.run(engine.run())
    assert record.facts[1]["attempts"] == 2
    assert snapshots[-1].accepted == 200


def test_a_connection_that_comes_back_loses_nothing():
    answers = [NOBODY] * 3 + [OK]
    service = Service({5: lambda: answers.pop(0)})
    engine, record, snapshots = make_engine(service)
    asyncio.run(engine.run())
    assert record.moves[5] == ["sending", "accepted"]
    assert snapshots[-1].status == "finished"


def test_the_record_says_how_many_tries_a_batch_took():
    answers = [NOBODY] * 3 + [OK]
    engine, record, _ = make_engine(Service({5: lambda: answers.pop(0)}))
    asyncio.run(engine.run())
    assert [record.facts[batch]["attempts"] for batch in (4, 5, 6)] == [1, 4, 1]


def test_the_record_holds_what_the_service_said_and_when():
    refused = Outcome("refused", error="Invalid sender ID")
    engine, record, _ = make_engine(Service({2: refused}, latency=0.01), batches=2, concurrency=1)
    before = datetime.now(UTC)
    asyncio.run(engine.run())
    accepted, other = record.facts[1], record.facts[2]
    assert (accepted["cost"], accepted["code"], accepted["error"]) == (350, "c", "")
    assert (other["cost"], other["code"], other["error"]) == (None, "", "Invalid sender ID")
    assert 0.01 <= accepted["seconds"] < 5
    left = datetime.fromisoformat(accepted["submitted_at"])
    assert timedelta(seconds=-0.001) <= left - before < timedelta(seconds=5)  # kept in milliseconds


class Breaking(Service):
    """Batch 5 loses its connection while its intent is being recorded, `times` times."""

    def __init__(self, times):
        super().__init__()
        self.times = times

    async def post(self, entries, gate):
        if int(bytes(entries)) == 5 and self.times:
            self.times -= 1
            await gate()
            return NOBODY
        return await super().post(entries, gate)


def test_a_connection_that_breaks_while_the_intent_is_recorded_is_tried_again():
    engine, record, snapshots = make_engine(Breaking(2))
    asyncio.run(engine.run())
    assert record.moves[5] == ["sending", "accepted"]
    assert snapshots[-1].accepted == 200


def test_every_try_that_waits_for_the_record_hears_of_it():
    """A connection may go before its gate does; that gate must not wait for ever."""

    class Slow(Memory):
        def move(self, batch, state, told, **facts):
            self.moves[batch].append(state)
            asyncio.get_running_loop().call_later(0.05, self.keep, batch, told)

        def keep(self, batch, told):
            self.moves[batch].append("kept")
            told(None)

    gates, record = [], Slow()

    async def post(entries, gate):
        gates.append(asyncio.create_task(gate()))
        if len(gates) == 1:
            await asyncio.sleep(0)  # the gate asks the record; then the connection is gone
            return NOBODY
        await gates[1]
        assert record.moves[1] == ["sending", "kept"]  # the body leaves after that, and not before
        return OK

    async def again(tries, outcome):
        return True

    async def deliver():
        batch = Batch(1, 10, 10, memoryview(b"1"))
        outcome = await Delivery(batch, record, post, lambda: None, again).outcome()
        await asyncio.wait_for(gates[0], 1)
        return outcome

    assert asyncio.run(deliver()) == OK
    assert len(gates) == 2


def test_what_is_on_record_as_leaving_is_never_given_back():
    engine, record, snapshots = make_engine(Breaking(99))
    asyncio.run(engine.run())
    assert record.moves[5] == ["sending", "unknown"]
    assert snapshots[-1].unknown == 10
    assert snapshots[-1].in_flight == 0


def test_a_record_that_cannot_be_kept_ends_the_run_and_keeps_everything_here():
    service = Service()
    engine, _, snapshots = make_engine(service)
    engine._record = Full(5, "sending")
    with refused("ledger_unwritable", LedgerError):
        asyncio.run(engine.run())
    assert service.received == [1, 2, 3, 4]
    assert snapshots[-1].status == "failed"
    assert snapshots[-1].finding.facts["reason"] == "disk is full"
    assert (snapshots[-1].accepted, snapshots[-1].waiting) == (40, 160)


def test_an_answer_that_cannot_be_ends_the_run_loudly():
    too_soon = Finding("answered_too_soon", {"says": "OK", "before": "anything"})
    lie = Outcome("not_sent", remark=too_soon, cause="impossible")
    engine, record, snapshots = make_engine(Service({4: lie}))
    with refused("answered_too_soon", GateError, batch=4, **too_soon.facts):
        asyncio.run(engine.run())
    assert snapshots[-1].status == "failed"
    assert 4 not in record.states


def test_stop_lets_what_is_under_way_finish():
    service = Service(latency=0.02)
    engine, record, snapshots = make_engine(service)

    async def person():
        running = asyncio.create_task(engine.run())
        while service.most_under_way < 4:
            await asyncio.sleep(0.001)
        engine.stop()
        engine.resume()  # ends are final
        await running

    asyncio.run(person())
    assert set(record.states.values()) == {"accepted"}
    assert snapshots[-1].status == "stopped"
    assert snapshots[-1].in_flight == 0
    assert snapshots[-1].waiting == 200 - 10 * len(service.received) > 0


@pytest.mark.parametrize("how", ["cancel()", "task cancelled"])
def test_ending_at_once_leaves_what_had_left_as_unknown(how):
    service = Service(latency=60)
    engine, record, snapshots = make_engine(service)
    engine._tally.accepted_here = 1  # the first OK has come already

    async def person():
        running = asyncio.create_task(engine.run())
        while service.under_way < 4:
            await asyncio.sleep(0.001)
        if how == "cancel()":
            engine.cancel()
            await running
        else:
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running

    asyncio.run(person())
    assert record.moves == {number: ["sending", "unknown"] for number in (1, 2, 3, 4)}
    assert snapshots[-1].unknown == 40
    assert snapshots[-1].waiting == 160


def test_a_stop_is_not_undone_by_what_is_ordered_or_happens_after_it():
    """Stopped while a batch is under way; then somebody pauses, and that batch comes back unknown."""
    service = Service({2: Outcome("unknown", remark=NO_ANSWER)}, latency=0.02)
    engine, _, snapshots = make_engine(service, concurrency=1, end_when_paused=False)

    def stop_then_pause():
        for order in (engine.stop, engine.pause, engine.resume, engine.pause):
            order()

    asyncio.run(while_running(engine, stop_then_pause, until=lambda: service.received == [1, 2]))
    assert service.received == [1, 2]
    assert (snapshots[-1].status, snapshots[-1].unknown) == ("stopped", 10)
    assert snapshots[-1].finding.code == "stopped_by_hand"


@pytest.mark.parametrize("stopped_during", [1, 2])
def test_a_stop_speaks_of_the_rest_only_where_something_is_left(stopped_during):
    service = Service(latency=0.02)
    engine, _, snapshots = make_engine(service, batches=2, concurrency=1, end_when_paused=False)
    asyncio.run(while_running(engine, engine.stop, until=lambda: len(service.received) == stopped_during))
    waiting = 20 - 10 * stopped_during
    assert (snapshots[-1].finding.facts["waiting"], snapshots[-1].waiting) == (waiting, waiting)
    assert bool(PYTHON.remedy(snapshots[-1].finding)) == bool(waiting)


def test_an_order_by_hand_does_not_hide_why_a_valve_paused():
    service = Service({2: Outcome("unknown", remark=NO_ANSWER)})
    engine, _, snapshots = make_engine(service, concurrency=1, end_when_paused=False)

    def pause_then_stop():
        engine.pause()
        asyncio.get_running_loop().call_soon(lambda: asyncio.get_running_loop().call_soon(engine.stop))

    asyncio.run(while_running(engine, pause_then_stop, until=lambda: engine.at_rest))
    codes = {snapshot.finding.code for snapshot in snapshots if snapshot.status == "paused"}
    assert codes == {"answer_lost"}
    assert snapshots[-1].status == "stopped"  # and a stop by hand does not hide it, either
    last = snapshots[-1].finding
    assert (last.code, last.facts["cause"].code) == ("stopped_by_hand", "answer_lost")


def test_after_a_resume_it_waits_again_between_two_tries(monkeypatch):
    """A run that pauses because nobody answers, and is resumed, does not hammer the address."""
    monkeypatch.setattr(engines, "BACKOFF", 1e6)
    tries = []
    engine, _, snapshots = make_engine(
        Service({1: lambda: tries.append(1) or NOBODY}), batches=3, end_when_paused=False
    )

    async def person():
        running = asyncio.create_task(engine.run())
        for order, count in ((engine.pause, 1), (engine.resume, 1), (engine.stop, 2)):
            while len(tries) < count or engine._orders.open:
                await asyncio.sleep(0)
            for _ in range(50):  # as long as it takes to come to rest
                await asyncio.sleep(0)
            assert len(tries) == count
            order()
        async with asyncio.timeout(5):
            await running

    asyncio.run(person())
    assert snapshots[-1].status == "stopped"


def test_a_run_at_rest_has_everything_on_record():
    """The ledger commits in groups: a paused run hands over what is queued before it says so."""

    class Queueing(Memory):
        def __init__(self):
            super().__init__()
            self.queue = []

        def move(self, batch, state, told, **facts):
            self.queue.append((batch, state, told))
            if state == "sending":
                self.flush()

        def flush(self):
            queue, self.queue = self.queue, []
            for batch, state, told in queue:
                super().move(batch, state, told)

    async def person():
        running = asyncio.create_task(engine.run())
        while not engine.at_rest:
            assert engine.status in ("running", "paused")
            await asyncio.sleep(0)
        seen = dict(record.states), snapshots[-1]
        engine.resume()
        assert not engine.at_rest  # from the moment of the order
        async with asyncio.timeout(5):
            await running
        return seen

    service = Service({2: Outcome("unknown", remark=NO_ANSWER)}, latency=0.002)
    engine, _, snapshots = make_engine(service, end_when_paused=False)
    engine._record = record = Queueing()
    states, counts = asyncio.run(person())
    assert states == {number: "unknown" if number == 2 else "accepted" for number in service.received[:5]}
    assert (counts.accepted, counts.unknown, counts.in_flight) == (40, 10, 0)
    assert snapshots[-1].status == "finished"


def test_a_pause_whose_last_outcome_cannot_be_recorded_ends_the_run():
    class Full(Memory):
        """Refuses what is queued when it is flushed."""

        def __init__(self):
            super().__init__()
            self.queue = []

        def move(self, batch, state, told, **facts):
            if state == "unknown":
                self.queue.append(told)
            else:
                super().move(batch, state, told, **facts)

        def flush(self):
            while self.queue:
                self.queue.pop()(LedgerError("ledger_unwritable", reason="disk is full"))

    service = Service({2: Outcome("unknown", remark=NO_ANSWER)})
    engine, _, snapshots = make_engine(service, concurrency=1, end_when_paused=False)
    engine._record = Full()
    with pytest.raises(LedgerError, match="disk is full"):
        asyncio.run(asyncio.wait_for(engine.run(), 5))
    assert not engine.at_rest
    assert snapshots[-1].status == "failed"


def test_an_error_in_the_engine_itself_ends_the_run_and_settles_what_is_under_way():
    class Odd:
        def look(self, tally, batch, now):
            return 1 / 0 if tally.in_flight == 20 else None

    service = Service(latency=60)
    service.outcomes[1] = OK
    engine, record, snapshots = make_engine(service, valves=[Odd()])
    engine._tally.accepted_here = 1  # the first OK has come already
    with pytest.raises(ZeroDivisionError):
        asyncio.run(asyncio.wait_for(engine.run(), 5))
    last = snapshots[-1]
    assert (last.status, last.in_flight) == ("failed", 0)
    assert last.finding.facts["error"] == "ZeroDivisionError"
    assert set(record.states.values()) <= {"unknown"}
    assert last.unknown == 10 * len(record.states)


@pytest.mark.parametrize("pace", [Pace(None), Pace(10_000)])
def test_what_the_service_asks_to_wait_is_waited_before_the_next_batch(pace):
    asked = Outcome("unknown", remark=NO_ANSWER, retry_after=0.2)
    engine, _, snapshots = make_engine(
        Service({2: asked}), batches=3, valves=[Unknown(99)], pace=pace, concurrency=1
    )
    asyncio.run(engine.run())
    assert (snapshots[-1].accepted, snapshots[-1].unknown) == (20, 10)
    assert snapshots[-1].seconds >= 0.2


def test_what_the_service_asks_to_wait_is_waited_also_before_another_try():
    """Batch 3 is refused by the network while the service has asked for some time."""
    answers = [NOBODY, OK]
    service = Service({2: Outcome("unknown", remark=NO_ANSWER, retry_after=0.2)}, latency=0.01)
    engine, record, snapshots = make_engine(service, batches=3, valves=[Unknown(99)], concurrency=2)

    async def post(entries, gate):
        if bytes(entries) == b"3":
            while 2 not in record.moves or record.states[2] != "unknown":
                await asyncio.sleep(0)
            outcome = answers.pop(0)
            if outcome is NOBODY:
                return outcome
        return await service.post(entries, gate)

    engine._post = post
    asyncio.run(engine.run())
    assert record.facts[3]["attempts"] == 2
    assert snapshots[-1].seconds >= 0.2


async def while_running(engine, act, *, until):
    """Run the engine, and call `act` once `until` is true."""
    running = asyncio.create_task(engine.run())
    while not until():
        await asyncio.sleep(0.001)
    act()
    async with asyncio.timeout(5):
        await running


@pytest.mark.parametrize("order", ["stop", "cancel", "pause"])
def test_an_order_ends_the_wait_before_another_try(monkeypatch, order):
    monkeypatch.setattr(engines, "BACKOFF", 1e6)
    service = Service({1: NOBODY})
    engine, record, snapshots = make_engine(service)
    asyncio.run(while_running(engine, getattr(engine, order), until=lambda: engine._tally.last_miss))
    assert record.moves == {}
    assert (snapshots[-1].in_flight, snapshots[-1].waiting) == (0, 200)
    assert snapshots[-1].status == ("paused" if order == "pause" else "stopped")


def test_a_batch_that_is_cancelled_before_it_begins_is_still_waiting():
    engine, record, snapshots = make_engine(Service(), batches=3)

    def first_then_cancel():
        engine.cancel()  # from now on in the queue of the loop, before the first step of batch 1
        yield Batch(1, 10, 10, memoryview(b"1"))

    engine._supply = UnsentBatches(first_then_cancel())
    asyncio.run(engine.run())
    assert record.moves == {}
    assert (snapshots[-1].in_flight, snapshots[-1].waiting) == (0, 30)


def test_a_pause_that_is_over_before_its_batches_came_back_is_over():
    """The gate of batch 3 is closed by a pause, and a person resumes before the transport has said so."""

    class Slow(Service):
        async def post(self, entries, gate):
            if int(bytes(entries)) == 3 and 3 not in seen:
                seen.append(3)
                engine.pause()
                await asyncio.sleep(0.01)
                outcome = await super().post(entries, gate)
                engine.resume()
                await asyncio.sleep(0.01)
                return outcome
            return await super().post(entries, gate)

    seen, service = [], Slow()
    engine, record, snapshots = make_engine(service, end_when_paused=False)
    asyncio.run(engine.run())
    assert seen == [3]
    assert snapshots[-1].status == "finished"
    assert set(record.states.values()) == {"accepted"}


def test_a_pause_is_no_time_spent_sending():
    async def paused_for_a_while():
        running = asyncio.create_task(engine.run())
        engine.pause()
        while not engine.at_rest:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.5)
        engine.resume()
        await running

    engine, _, snapshots = make_engine(Service(), batches=3, end_when_paused=False)
    asyncio.run(asyncio.wait_for(paused_for_a_while(), 10))
    assert snapshots[-1].status == "finished"
    assert snapshots[-1].seconds < 0.4


def test_an_order_that_comes_after_the_end_changes_nothing():
    async def late():
        await engine.run()
        for order in (engine.pause, engine.resume, engine.stop, engine.cancel):
            order()
            await asyncio.sleep(0)
        return engine.status

    engine, _, _ = make_engine(Service())
    assert asyncio.run(late()) == "finished"


def test_a_run_that_ended_because_it_paused_cannot_be_resumed():
    async def late():
        await engine.run()
        engine.resume()
        await asyncio.sleep(0)
        return engine.status

    engine, _, _ = make_engine(Service({3: Outcome("unknown", remark=NO_ANSWER)}))
    assert asyncio.run(late()) == "paused"


def test_what_the_service_asks_to_wait_is_waited_also_by_a_batch_that_was_due_before():
    asked = Outcome("unknown", remark=NO_ANSWER, retry_after=0.3)
    service = Service({2: asked}, latency=0.02)
    valves, pace = [Unknown(99)], Pace(100)  # 10 messages each 0.1 s
    engine, _, snapshots = make_engine(service, batches=3, valves=valves, pace=pace, concurrency=2)
    asyncio.run(engine.run())
    assert service.received == [1, 2, 3]
    assert snapshots[-1].seconds >= 0.1 + 0.02 + 0.3


def test_the_last_batch_is_refused_and_the_end_says_so():
    wrong = Outcome("refused", error="Wrong Username or Password", cause="credentials")
    engine, _, snapshots = make_engine(Service({1: wrong}), batches=1)
    asyncio.run(engine.run())
    assert snapshots[-1].status == "finished"
    finding = snapshots[-1].finding
    assert (finding.code, finding.facts["refused"]) == ("all_tried", 10)
    assert finding.facts["reason"] == "Wrong Username or Password"


def test_a_run_without_faults_ends_without_words():
    engine, _, snapshots = make_engine(Service())
    asyncio.run(engine.run())
    assert (snapshots[-1].status, snapshots[-1].finding) == ("finished", None)


class Full(Memory):
    """A ledger whose disk fills up before the move of batch `number` to one of `states`."""

    def __init__(self, number, *states):
        super().__init__()
        self.number, self.states_lost = number, states

    def move(self, batch, state, told, **facts):
        if batch < self.number or state not in self.states_lost:
            super().move(batch, state, told, **facts)
        else:
            told(LedgerError("ledger_unwritable", reason="disk is full"))


def test_an_outcome_that_cannot_be_kept_is_unknown_and_fails_the_run():
    engine, record, snapshots = make_engine(Service(), concurrency=1)
    engine._record = record = Full(5, "accepted")
    with pytest.raises(LedgerError, match="disk is full"):
        asyncio.run(engine.run())
    assert record.states == {1: "accepted", 2: "accepted", 3: "accepted", 4: "accepted", 5: "sending"}
    last = snapshots[-1]
    assert (last.status, last.accepted, last.unknown, last.waiting) == ("failed", 40, 10, 150)
    assert last.cost == 4 * 350


def test_an_intent_that_could_not_be_kept_is_not_sent_even_when_the_run_is_ended_meanwhile():
    class Interrupted(Service):
        async def post(self, entries, gate):
            with pytest.raises(GateClosed):
                await gate()
            raise asyncio.CancelledError

    engine, _, snapshots = make_engine(Interrupted())
    engine._record = Full(1, "sending", "unknown")
    asyncio.run(while_running(engine, engine.cancel, until=lambda: not engine._under_way))
    assert (snapshots[-1].unknown, snapshots[-1].waiting) == (0, 200)


@pytest.mark.parametrize("at", ["before the gate", "after it"])
def test_a_fault_of_our_own_ends_the_run_and_keeps_the_count(at):
    class Faulty(Service):
        async def post(self, entries, gate):
            if at == "after it":
                await gate()
            raise ValueError("a body with a password in it")

    engine, record, snapshots = make_engine(Faulty())
    with pytest.raises(ValueError, match="password"):
        asyncio.run(engine.run())
    last = snapshots[-1]
    assert record.states == ({1: "unknown"} if at == "after it" else {})
    assert (last.status, last.in_flight, last.unknown) == ("failed", 0, 10 if at == "after it" else 0)
    assert "password" not in "".join(snapshot.sentence for snapshot in snapshots)


def test_a_part_that_cannot_be_read_lets_what_is_under_way_finish():
    def damaged():
        for number in (1, 2, 3):
            yield Batch(number, 10, 10, memoryview(str(number).encode()))
        raise MemoryError

    engine, record, snapshots = make_engine(Service(latency=0.01), concurrency=2)
    engine._supply = UnsentBatches(damaged())
    with pytest.raises(MemoryError):
        asyncio.run(engine.run())
    assert set(record.states.values()) == {"accepted"}
    assert (snapshots[-1].status, snapshots[-1].in_flight, snapshots[-1].accepted) == ("failed", 0, 30)


def test_a_budget_is_never_passed():
    service = Service(latency=0.002)
    engine, _, snapshots = make_engine(service, valves=[Budget(cost=Decimal(1800))])
    asyncio.run(engine.run())
    assert snapshots[-1].cost == 1750  # five batches of 350; a sixth would make 2,100
    assert snapshots[-1].status == "stopped"


def test_a_batch_that_waits_for_room_in_the_budget_goes_out_when_there_is_some():
    """The pace has a place for batch 4 already when the answer to batch 2 raises the price."""
    dear = Outcome("accepted", cost=Decimal(400), code="c")
    cheap = Outcome("accepted", cost=Decimal(0), code="c")
    service = Service({2: dear, 3: cheap}, latency=0.05)
    engine, _, snapshots = make_engine(
        service, batches=4, concurrency=4, valves=[Budget(cost=Decimal(1500))], pace=Pace(500)
    )
    asyncio.run(engine.run())
    assert (snapshots[-1].status, snapshots[-1].cost) == ("finished", 350 + 400 + 350)


def test_pace_is_kept():
    service = Service()
    engine, _, snapshots = make_engine(service, batches=6, pace=Pace(200))  # 10 messages each 0.05 s
    asyncio.run(engine.run())
    assert snapshots[-1].status == "finished"
    assert snapshots[-1].seconds >= 0.25


def test_an_order_before_the_start_is_kept():
    service = Service()
    engine, record, snapshots = make_engine(service)
    engine.stop()
    asyncio.run(engine.run())
    assert record.moves == {}
    assert snapshots[-1].status == "stopped"


def test_snapshots_are_few():
    _, _, snapshots = made = make_engine(Service(), batches=2000)
    asyncio.run(made[0].run())
    assert len(snapshots) <= 3 + 10 * snapshots[-1].seconds


class Forgetful(Memory):
    """A ledger that does not even remember."""

    def move(self, batch, state, told, **facts):
        told(None)


def peak_memory(batches):
    """Bytes that Python takes at most for a run of so many batches."""
    service = Service()
    service.received = deque(maxlen=1)
    engine, _, _ = make_engine(service, batches, listen=lambda counts: None)
    engine._supply = UnsentBatches(
        Batch(number, 10, 10, memoryview(b"%d" % number)) for number in range(1, batches + 1)
    )
    engine._record = Forgetful()
    tracemalloc.start()
    try:
        asyncio.run(engine.run())
        assert engine.snapshot().accepted == 10 * batches
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_depend_on_the_number_of_batches():
    peak_memory(100)
    assert peak_memory(5000) < peak_memory(500) + 100_000
