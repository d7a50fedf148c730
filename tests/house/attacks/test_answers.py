"""Answers made to hurt, and an environment that points elsewhere."""

import argparse
import ast
import asyncio
import re
import time
from pathlib import Path

import pytest
from support.fixed_answers import post, with_service
from support.raw_server import OK, hostile, reply

import campaign
from campaign.cli.arguments import parser
from campaign.service.transport import ANSWER_LIMIT

# Made when they are needed: a million keys take a third of a second.
HURTING = {
    "a million keys": lambda: b"{" + b",".join(b'"%d":0' % n for n in range(1_000_000)) + b"}",
    "as many keys as are read": lambda: b"{" + b",".join(b'"%d":0' % n for n in range(6_000)) + b"}",
    "200,000 brackets": lambda: b"[" * 200_000,
    "as many brackets as are read": lambda: b"[" * (ANSWER_LIMIT - 1),
    "as many braces as are read": lambda: b'{"a":' * (ANSWER_LIMIT // 5),
    "a number as long as is read": lambda: b'{"Status":"OK","Cost":' + b"9" * 60_000 + b"}",
    "an exponent without end": lambda: b'{"Status":"Failed","Message":"x","Cost":1e999999999999999999}',
    "an ok deep inside": lambda: b"[" * 5_000 + OK + b"]" * 5_000,
    "a text that never closes": lambda: b'{"Status":"' + b"\\u0000" * 10_000,
}


@pytest.mark.parametrize("name", HURTING)
def test_an_answer_made_to_hurt_is_unknown_at_once(name):
    answer = HURTING[name]()
    began = time.process_time()
    outcome = with_service(answer, lambda account: asyncio.run(post(account)))
    assert time.process_time() - began < 3
    if name == "an exponent without end" and outcome.status == "refused":
        return  # well-formed JSON, and a refusal: its cost is not looked at
    assert (outcome.status, outcome.cost, outcome.code) == ("unknown", None, "")
    assert outcome.remark.code in ("answer_unreadable", "answer_unclear")  # read, or left; nothing broke


def test_no_proxy_and_no_netrc_of_the_environment_is_used(tmp_path, monkeypatch):
    async def answer(visit):
        await visit.request()
        await visit.say(reply(OK))

    async def play():
        async with hostile(answer) as proxy, hostile(answer) as service:
            for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
                monkeypatch.setenv(name, f"http://user:word@127.0.0.1:{proxy.port}")
            netrc = tmp_path / "netrc"
            netrc.write_text("machine 127.0.0.1 login somebody password else\n")
            netrc.chmod(0o600)
            monkeypatch.setenv("NETRC", str(netrc))
            monkeypatch.delenv("NO_PROXY", raising=False)
            monkeypatch.delenv("no_proxy", raising=False)
            outcome = await post(
                campaign.Account("local", f"http://127.0.0.1:{service.port}", "me", "made up")
            )
            return outcome, proxy.connections, service.heads

    outcome, through_proxy, heads = asyncio.run(play())
    assert (outcome.status, through_proxy, len(heads)) == ("accepted", 0, 1)
    assert b"authorization" not in heads[0].lower()


def test_the_environment_flips_nothing_that_was_made(monkeypatch):
    def set_variables(kind, url, word):
        for name, value in (("URL", url), ("USERNAME", "clinic"), ("PASSWORD", word)):
            monkeypatch.setenv(f"CAMPAIGN_{kind}_{name}", value)

    with campaign.Sandbox(username="clinic", password="of-sandbox") as sandbox:
        set_variables("SANDBOX", sandbox.account.url, "of-sandbox")
        account = campaign.Account.from_environment("sandbox")
        before = (account.environment, account.endpoint, account.label, repr(account), account.identity)
        set_variables("SANDBOX", "https://evil.example", "other")
        set_variables("LIVE", "https://live.example", "of-live")
        monkeypatch.setenv("CAMPAIGN_ENVIRONMENT", "live")
        now = (account.environment, account.endpoint, account.label, repr(account), account.identity)
        assert now == before
        assert asyncio.run(post(account)).status == "accepted"
        assert len(sandbox.inbox) == 1
    with pytest.raises(AttributeError):
        account.environment = "live"


def test_no_option_and_no_widget_takes_a_password():
    """Whatever is an argument stands in the list of processes, and a widget's value in the notebook."""

    def options(commands):
        for action in commands._actions:
            yield from action.option_strings
            if isinstance(action, argparse._SubParsersAction):
                for one in action.choices.values():
                    yield from options(one)

    found = set(options(parser()))
    assert {"--environment", "--confirm", "--port"} <= found
    assert not [name for name in found if re.search("pass|secret|token|key|credential", name)]
    sources = Path(campaign.__file__).parent.rglob("*.py")
    names = {
        name
        for source in sources
        for node in ast.walk(ast.parse(source.read_text("utf-8")))
        for name in (getattr(node, "attr", ""), getattr(node, "name", ""), getattr(node, "id", ""))
    }
    assert "HTML" in names  # the search sees what widgets there are
    assert "Password" not in names
