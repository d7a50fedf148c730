"""README and docs: what they tell people to type works, what they link to exists, and they stay short."""

import ast
import asyncio
import inspect
import json
import re
import shlex
import shutil
import tomllib
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import unquote
from zoneinfo import ZoneInfo

import pandas as pd
import pyarrow as pa
import pytest
from support.api_page import PATH as API
from support.api_page import api_page
from support.codes_page import PATH as CODES
from support.live_service import LiveService, start_live
from support.markdown import Page
from support.postgres_server import PASSWORD

import campaign
from campaign.cli.main import main
from campaign.errors import CampaignError
from campaign.service.account import Account
from campaign.service.wire import PATH, EncodedMessages

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").glob("*.md"))
GENERATED = [API, CODES]
PAGES = [ROOT / "README.md", *(path for path in DOCS if path not in GENERATED)]
LINKED = [*PAGES, *GENERATED, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
PROVIDER = "postgresql+psycopg://amina@db.example.org/campaigns"
KINDS = {"python", "sh", "shell", "text", "json"}


def name_of(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", LINKED, ids=name_of)
def test_links_lead_somewhere(path):
    page = Page(path)
    assert [link for link in page.links if not page.leads_somewhere(link)] == []


def test_every_page_is_in_the_book_and_in_the_readme():
    contents = (ROOT / "docs" / "_toc.yml").read_text("utf-8")
    notebooks = (ROOT / "notebooks").glob("*.ipynb")
    of_the_book = {name_of(path.with_suffix("")) for path in [*DOCS, *notebooks]}
    assert of_the_book == set(re.findall(r"^ *(?:- file|root): (\S+)$", contents, re.M))
    linked = {link.partition("#")[0] for link in Page(ROOT / "README.md").links}
    assert {name_of(path) for path in DOCS if path.stem != "README"} <= linked


def test_pages_are_short():
    assert 700 <= Page(ROOT / "README.md").words <= 900
    assert Page(ROOT / "CONTRIBUTING.md").words <= 600
    long = {name_of(path): Page(path).words for path in PAGES[1:] if Page(path).words > 700}
    assert long == {}


def test_the_page_of_the_interface_is_made_from_the_docstrings():
    shown = set(re.findall(r"^### (\w+)$|(\w+Error)\b", api_page(), re.M))
    assert {name for names in shown for name in names if name} == set(campaign.__all__)
    assert API.read_text("utf-8") == api_page()


def test_the_request_that_people_compare_is_the_one_that_is_sent():
    (shown,) = [block.text for block in Page(ROOT / "README.md").blocks if block.language == "json"]
    request = json.loads(shown)
    (message,) = request["msgdata"]
    columns = {"message": [unquote(message["message"])], "sender": [message["senderid"]]}
    texts = pa.table(columns | {name: [message[name]] for name in ("number", "priority")})
    account = Account("live", "https://sms.example.com", **request["userdata"])
    assert json.loads(bytes(account.body(EncodedMessages(texts, "url").slice(0, 1)))) == request
    assert f"`/{PATH}`" in Page(ROOT / "README.md").text


def test_the_tests_that_are_named_exist():
    named = {name for path in LINKED for name in re.findall(r"\btests/[\w/.]*\w", Page(path).text)}
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_names_that_are_mentioned_exist():
    """Functions, options and extras, also those in sentences."""
    text = "\n".join(Page(path).text for path in PAGES)
    functions = set(re.findall(r"\bcampaign\.(\w+)\(", text))
    assert functions <= set(campaign.__all__)
    options = {
        option
        for name in campaign.__all__
        if not name.endswith("Error")
        for option in inspect.signature(getattr(campaign, name)).parameters
    }
    assert set(re.findall(r"`(?:[a-z_.]+\()?([a-z_]+)=(?!=)", text)) <= options
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = {name for names in re.findall(r'"\.\[([\w,]+)\]"', text) for name in names.split(",")}
    assert named == set(extras)


def test_placeholders_become_what_the_page_says():
    text = Page(ROOT / "docs" / "messages.md").text
    rows = re.findall(r"^\| `([^`]*\{.+?)` \| (.+?) \| (.+?)(?:; .+| \(.+)? \|$", text, re.M)
    assert len(rows) == 9
    for placeholder, cells, becomes in rows:
        (column,) = re.findall(r"\{(\w+)", placeholder)
        for cell in cells.split(" or "):
            contacts = pd.DataFrame({column: [cell.replace("blank", "")], "phone": ["0772 000 001"]})
            message = f"You: {placeholder}".replace("\\|", "|")
            plan = campaign.prepare(contacts, message=message, sender="CLINIC", region="UG")
            assert plan.messages["message"].tolist() == [f"You: {becomes}"]


class Reader:
    """Somebody who types all that a page shows, in its order: Python in one session, commands in a shell."""

    def __init__(self, request, capsys):
        self._request = request
        self._capsys = capsys
        self._names = {"__name__": "__main__"}
        self._phrase = ""
        self._said = ""

    def read(self, page):
        for block in page.blocks:
            assert block.language in KINDS, block
            if block.language in ("python", "sh"):
                typed = self._in_this_place(block.text)
                {"python": self._run, "sh": self._order}[block.language](typed)
                self._said = self._capsys.readouterr().out
            elif block.language == "text":
                assert re.search(self._pattern(block.text), self._said), self._said

    def _in_this_place(self, text):
        """The text with the servers, folders and phrases of this test."""
        zone = datetime.now(ZoneInfo("Africa/Kampala"))
        hours = "-".join(f"{zone + timedelta(hours=hour):%H:%M}" for hour in (-2, 2))
        text = text.replace("08:00-20:00 Africa", f"{hours} Africa")
        if PROVIDER in text:
            text = text.replace(PROVIDER, self._request.getfixturevalue("database"))
        if "tcp://scheduler:8786" in text:
            text = text.replace("tcp://scheduler:8786", self._request.getfixturevalue("dask_address"))
            text = text.replace("/shared/", f"{Path.cwd().as_posix()}/")
        return text

    def _run(self, text):
        for statement in ast.parse(text).body:
            lines = "\n".join(text.splitlines()[statement.lineno - 1 : statement.end_lineno])
            phrase = ast.unparse(statement)
            statement = ast.parse(re.sub(r"confirm='[^']*'", f"confirm={self._phrase!r}", phrase)).body[0]
            if number := re.search(r"  # (\d+)$", lines):  # what the line is said to come to
                (statement,) = ast.parse(f"assert {phrase} == {number[1]}").body
            if "# asks" in lines:
                with pytest.raises(CampaignError) as asked:
                    self._evaluate(statement)
                self._phrase = asked.value.phrase
            else:
                self._evaluate(statement)

    def _evaluate(self, statement):
        if isinstance(statement, ast.Expr):  # as the last line of a cell does
            call = ast.Name("show", ast.Load())
            statement = ast.Expr(ast.Call(call, [statement.value], []))
        module = ast.fix_missing_locations(ast.Module([statement], []))
        code = compile(module, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        outcome = eval(code, self._names | {"show": lambda value: print(repr(value))}, self._names)
        if inspect.iscoroutine(outcome):
            asyncio.run(outcome)

    def _order(self, text):
        for line in text.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if not words:
                continue
            if words[0] == "python3":  # what installs comes first in a line
                words = shlex.split(line.rsplit(" && ", 1)[1])
            if words[-1] == "pytest":
                continue  # which runs this test
            assert Path(words[0]).name == "campaign", line
            if "--confirm" in words:
                words[words.index("--confirm") + 1] = self._phrase
            asks = "# asks" in line
            assert main(words[1:]) == (2 if asks else 0), (line, self._capsys.readouterr())
            if asks:
                said = self._capsys.readouterr().err
                found = re.search("--confirm [\"'](.+?)[\"']", said)
                assert found, said
                self._phrase = found[1]

    @staticmethod
    def _pattern(text):
        """What a page shows of an output: `…` stands for anything, and spaces do not matter."""
        return r"\s+".join(re.escape(word).replace("…", r".*?") for word in text.split())


@pytest.fixture
def database(postgres_server, monkeypatch):
    """The address of a database whose password is in the environment: a shell takes none in an address."""
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    return postgres_server.database().replace(f":{PASSWORD}@", "@")


@pytest.fixture
def dask_address():
    from distributed import LocalCluster

    place = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=1, threads_per_worker=1, **place) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def live(resolves_here, monkeypatch):
    """A live service, and its account in the environment variables."""
    with start_live(resolves_here, monkeypatch) as sandbox:
        service = LiveService(sandbox)
        settings = {
            "URL": service.account.url, "USERNAME": "clinic", "PASSWORD": "only-for-tests",
            "CA_FILE": str(sandbox.ca_file),
        }  # fmt: skip
        for name, value in settings.items():
            monkeypatch.setenv(f"CAMPAIGN_LIVE_{name}", value)
        yield service


@pytest.mark.parametrize("path", [path for path in PAGES if Page(path).blocks], ids=name_of)
def test_what_a_page_shows_can_be_typed(path, tmp_path, monkeypatch, request, capsys, live):
    shutil.copytree(ROOT / "sample_data", tmp_path / "sample_data")
    monkeypatch.chdir(tmp_path)
    Reader(request, capsys).read(Page(path))
