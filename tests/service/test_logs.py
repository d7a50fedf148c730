"""What asyncio, aiohttp and this package log while a transport is open: the password is in none of it."""

import asyncio
import gc
import io
import json
import logging
import sys
import traceback
from urllib.parse import quote

import aiohttp.log
import pytest

from campaign.service.account import Account
from campaign.service.password_filter import LOGGERS, PasswordFilter
from campaign.service.transport import Transport

SENTINEL = """Zx9-S3NTINEL é/+%"q'b\\n"""  # repr, JSON and percent-encoding all write it in another way
OTHER = "an0ther-S3CRET"


def account_with(password):
    return Account("local", "http://127.0.0.1:9", "clinic", password)


def filters():
    return {name: list(logging.getLogger(name).filters) for name in LOGGERS}


class Collector(logging.Handler):
    """Keeps each record, what it says, and the local variables of its frames, as some handlers show them."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.records, self.said = [], []

    def emit(self, record):
        self.records.append(record)
        self.said.append(repr(vars(record)))
        self.said.append(self.format(record))
        if record.exc_info:
            told = traceback.TracebackException(*record.exc_info, capture_locals=True)
            self.said.append("".join(told.format()))

    @property
    def text(self):
        return "\n".join(self.said)


@pytest.fixture
def logged():
    collector = Collector()
    root = logging.getLogger()
    before, _ = root.level, root.addHandler(collector)
    root.setLevel(logging.DEBUG)
    yield collector
    root.removeHandler(collector)
    root.setLevel(before)


def say_everything(logger, password):
    """The password in each place of a record."""
    log = logging.getLogger(logger)
    log.warning(f"sent {password}")
    log.error("sent %s with %d", {"password": password}, 5)
    log.error("sent %(password)s", {"password": password, "more": 1})
    log.debug("percent-encoded %s", quote(password, safe=""))
    log.debug("as bytes %r", json.dumps({"password": password}, ensure_ascii=False).encode())
    log.info("a name alone", extra={"body": f"userdata {password}"})
    try:
        body = f"the body holds {password}"
        raise ValueError(f"cannot send {password}", len(body))
    except ValueError:
        log.exception("a failure with %s", password, stack_info=True)
    try:
        raise RuntimeError from ConnectionError(password)
    except RuntimeError as error:
        log.critical(error, exc_info=error)


def while_open(*accounts, act):
    async def play():
        async with Transport(accounts[0]):
            if len(accounts) == 1:
                return act()
            async with Transport(accounts[1]):
                return act()

    return asyncio.run(play())


@pytest.mark.parametrize("logger", LOGGERS)
def test_no_record_holds_the_password_while_a_transport_is_open(logger, logged):
    while_open(account_with(SENTINEL), act=lambda: say_everything(logger, SENTINEL))
    ours = [record for record in logged.records if record.name == logger]
    assert len(ours) >= 8
    assert "<hidden>" in logged.text
    assert "ValueError: ('cannot send <hidden>'" in logged.text  # the traceback is still there to be read
    assert "ConnectionError: <hidden>" in logged.text
    assert "S3NTINEL" not in logged.text  # no spelling changes these letters


def test_the_search_finds_it_where_no_transport_is_open(logged):
    """What is taken out above would have been there."""
    say_everything("asyncio", OTHER)
    assert logged.text.count(OTHER) > 20


def test_other_records_are_left_as_they_are():
    logger, amount = logging.getLogger("aiohttp.client"), [1, 2]
    record = logger.makeRecord(
        "aiohttp.client", logging.INFO, "a.py", 7, "%s of %d%%", (amount, 5), None, extra={"batch": 3}
    )
    before = dict(vars(record))
    assert PasswordFilter(account_with(SENTINEL).hide).filter(record)
    assert vars(record) == before
    assert record.args[0] is amount


def test_a_record_that_cannot_be_shown_does_not_stop_the_program():
    class Shy:
        def __repr__(self):
            raise RuntimeError("not now")

    for msg, args in (("%s and %s", (SENTINEL,)), ("%d", (SENTINEL,)), ("%s", (Shy(),))):
        record = logging.getLogger("asyncio").makeRecord("asyncio", 20, "a.py", 7, msg, args, None)
        assert PasswordFilter(account_with(SENTINEL).hide).filter(record)
        assert (record.getMessage(), record.args) == (msg, ())


def test_two_transports_at_once_hide_both_passwords(logged):
    def act():
        say_everything("asyncio", SENTINEL)
        say_everything("campaign", OTHER)

    while_open(account_with(SENTINEL), account_with(OTHER), act=act)
    assert "S3NTINEL" not in logged.text
    assert OTHER not in logged.text


def test_the_first_of_two_to_close_takes_only_its_own_away(logged):
    async def play():
        first, second = Transport(account_with(SENTINEL)), Transport(account_with(SENTINEL))
        await first.__aenter__()
        await second.__aenter__()
        await first.__aexit__(None, None, None)
        say_everything("asyncio", SENTINEL)
        await second.__aexit__(None, None, None)

    asyncio.run(play())
    assert logged.records
    assert "S3NTINEL" not in logged.text


@pytest.mark.parametrize("ending", [None, ValueError, asyncio.CancelledError, KeyboardInterrupt])
def test_nothing_stays_attached(ending):
    before = filters()

    async def play():
        async with Transport(account_with(SENTINEL)):
            assert all(len(now) == len(before[name]) + 1 for name, now in filters().items())
            if ending:
                raise ending

    if ending:
        with pytest.raises(ending):
            asyncio.run(play())
    else:
        asyncio.run(play())
    assert filters() == before


def test_every_logger_of_aiohttp_is_looked_at():
    """A logger that a later aiohttp brings fails here."""
    theirs = {one.name for one in vars(aiohttp.log).values() if isinstance(one, logging.Logger)}
    assert theirs | {"asyncio", "campaign"} == set(LOGGERS)


def test_what_asyncio_says_of_a_forgotten_task_is_flat(logged):
    """The real thing: a task fails with the body in its frame, and nobody asks what became of it."""

    async def fail():
        body = f"userdata {SENTINEL}"
        raise OSError(f"lost {body}")

    async def play():
        async with Transport(account_with(SENTINEL)):
            asyncio.create_task(fail())  # noqa: RUF006 - forgotten on purpose
            await asyncio.sleep(0.01)
            gc.collect()

    asyncio.run(play(), debug=True)
    assert "Task exception was never retrieved" in logged.text
    assert "OSError: lost userdata <hidden>" in logged.text
    assert "S3NTINEL" not in logged.text


def test_a_stream_handler_of_a_program_shows_nothing(capfd):
    handler = logging.StreamHandler(io.TextIOWrapper(sys.stderr.buffer, write_through=True))
    logging.getLogger("asyncio").addHandler(handler)
    try:
        while_open(account_with(SENTINEL), act=lambda: say_everything("asyncio", SENTINEL))
    finally:
        logging.getLogger("asyncio").removeHandler(handler)
        handler.stream.detach()
    said = capfd.readouterr().err
    assert "a failure with <hidden>" in said
    assert "S3NTINEL" not in said
