"""Every parameter of every public function, given what does not belong there.

Each wrong value is answered by an error of ours that names the function or the parameter and what came, and
nothing is written or sent. A parameter without a row in the table fails the test.
"""

import asyncio
import inspect
import io
from collections import namedtuple
from datetime import time
from zoneinfo import ZoneInfo

import pandas as pd
import pytest

import campaign
from campaign.argument_checks import described

World = namedtuple("World", "plan result frame sandbox account run unsettled difference")

# Made by the function that is named; nobody calls these classes.
MADE_BY = {
    "Difference": "compare", "Plan": "prepare", "Reconciliation": "reconcile", "Result": "send",
    "Release": "release", "Run": "start", "TryOut": "try_out", "WorkerReport": "work",
}  # fmt: skip
# What the engine, the transport and dashboards call, and nobody else.
INSIDE = {
    "Budget.look",
    "Budget.from_record",
    "Run.continue_as",
    "Run.follow",
    "Hours.look",
    "Plan.map_parts",
    "Account.body",
    "Account.hide",
    "Sandbox.is_reached_by",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A campaign that is over, and one of each thing that a person may confuse with another."""
    folder = tmp_path_factory.mktemp("world")
    with pytest.MonkeyPatch.context() as patch, campaign.Sandbox() as sandbox:
        patch.chdir(folder)
        frame = campaign.read_contacts(b"name,phone\nAisha,0772000001\nBen,0772000002\n")
        plan = campaign.prepare(frame, message="Hi {name}", sender="CLINIC", region="UG")
        result = campaign.send(plan, account=sandbox.account, folder="visits", progress=False)
        run = campaign.start(plan, account=sandbox.account, folder="visits", progress=False)
        run.wait()
        with campaign.Sandbox(faults={1: "accept_reset"}) as losing:
            unsettled = campaign.send(plan, account=losing.account, folder="unsettled", progress=False).folder
        difference = campaign.compare(plan, folder="visits")
        yield World(plan, result, frame, sandbox, sandbox.account, run, unsettled, difference)


def things(world):
    """What a variable of a notebook may hold, under short names."""
    closed = io.BytesIO(b"name,phone\n")
    closed.close()
    return {
        "plan": world.plan,
        "result": world.result,
        "frame": world.frame,
        "sandbox": world.sandbox,
        "account": world.account,
        "class": campaign.Plan,
        "none": None,
        "true": True,
        "zero": 0,
        "one": 1,
        "minus": -1,
        "fraction": 2.5,
        "nan": float("nan"),
        "huge": 10**30,
        "digits": "3",
        "word": "sesame",
        "empty": "",
        "bytes": b"visits",
        "list": ["visits"],
        "no items": [],
        "dict": {"name": "phone"},
        "object": object(),
        "closed file": closed,
        "nul": "vis\0its",
    }  # fmt: skip


OBJECTS = "plan result frame sandbox account class object list no_items dict bytes"
NUMBERS = "true zero one minus fraction nan huge"


def names(*groups, but=""):
    left_out = but.split()
    return [name.replace("_", " ") for group in groups for name in group.split() if name not in left_out]


A_PLAN = names(OBJECTS, NUMBERS, "none word empty", but="plan")
A_RESULT = names(OBJECTS, NUMBERS, "none word empty", but="result")
AN_ACCOUNT = names(OBJECTS, NUMBERS, "word empty", but="account sandbox")
A_PATH = names(OBJECTS, NUMBERS, "empty")
A_COUNT = names(OBJECTS, "true zero minus fraction nan digits word empty")
A_SWITCH = names(OBJECTS, "zero one minus fraction nan huge word empty")
TEXT = names(OBJECTS, NUMBERS)
A_WORD = [*TEXT, *names("word empty")]
AN_AMOUNT = names(OBJECTS, "true minus nan word empty")

SENDING = {
    "plan": A_PLAN,
    "account": AN_ACCOUNT,
    "folder": A_PATH,
    "name": TEXT,
    "changed": [*A_WORD, "none"],
    "waiting": [*A_WORD, "none"],
    "pilot": A_COUNT,
    "takeover": TEXT,
    "batch_size": [*A_COUNT, "none", "huge"],
    "concurrency": [*A_COUNT, "none", "huge"],
    "rate": names(OBJECTS, "true zero minus nan digits word empty"),
    "budget": AN_AMOUNT,
    "hours": A_WORD,
    "canary": [*A_SWITCH, "none"],
    "max_unknown": [*A_COUNT, "none"],
    "confirm": TEXT,
    "progress": [*A_SWITCH, "none"],
    "ledger": A_PATH,
    "opted_out": [*A_WORD, "none"],
    "elsewhere": [*A_WORD, "none"],
}
RESUMING = (
    "account", "changed", "waiting", "takeover", "batch_size", "concurrency", "rate", "budget", "hours",
    "canary", "max_unknown", "confirm", "progress", "ledger", "opted_out",
    "elsewhere",
)  # fmt: skip
A_LIST_OF_NUMBERS = names(OBJECTS, NUMBERS, but="frame list no_items")
ACCOUNT = {
    "environment": [*A_WORD, "none"],
    "url": [*A_WORD, "none"],
    "username": [*TEXT, "none", "empty"],
    "password": [*TEXT, "none", "empty"],
    "encoding": [*A_WORD, "none"],
    "ca_file": A_PATH,
    "currency": A_WORD,
    "proxy": [*TEXT, "empty"],
}
KEPT = {name: ACCOUNT[name] for name in ("environment", "encoding", "ca_file", "currency", "proxy")}

# The values that do not belong in each parameter.
WRONG = {
    "read_contacts": {
        "source": names(OBJECTS, NUMBERS, "none closed_file", but="frame list bytes"),
        "sheet": [*TEXT, "empty"],
        "header": names(OBJECTS, "true zero minus fraction nan huge word empty"),
        "delimiter": [*A_WORD],
        "encoding": A_WORD,
        "hidden": [*A_WORD, "none"],
        "missing": names(OBJECTS, NUMBERS, "none", but="list no_items"),
        "dates": A_WORD,
        "max_bytes": [*A_COUNT, "none"],
        "max_cells": [*A_COUNT, "none"],
        "max_seconds": names(OBJECTS, "true zero minus nan digits word empty"),
        "max_memory": A_COUNT,
    },
    "clean_numbers": {
        "numbers": names(OBJECTS, NUMBERS, "none word empty"),
        "region": A_WORD,
        "several": [*A_WORD, "none"],
        "kinds": names(OBJECTS, NUMBERS, "none word empty"),
    },
    "prepare": {
        "contacts": names(OBJECTS, NUMBERS, "none word", but="frame list bytes"),
        "message": names(OBJECTS, NUMBERS, "none"),
        "sender": [*TEXT, "none", "empty"],
        "number": [*TEXT, "word", "empty"],
        "region": A_WORD,
        "priority": names(OBJECTS, "true minus fraction nan huge word"),
        "overlong": [*A_WORD, "none"],
        "ellipsis": [*TEXT, "none"],
        "downgrade": [*A_SWITCH, "none"],
        "duplicates": [*A_WORD, "none"],
        "opt_outs": A_LIST_OF_NUMBERS,
        "max_parts": A_COUNT,
        "language": A_WORD,
        "keep_words": [*A_SWITCH, "none"],
        "as_written": [*A_SWITCH, "none"],
        "not_again": names(OBJECTS, NUMBERS, but="result frame list no_items"),
        "several": [*A_WORD, "none"],
        "kinds": names(OBJECTS, NUMBERS, "none word empty"),
        "stream": A_SWITCH,
        "client": names(OBJECTS, NUMBERS, "word empty"),
    },
    "Plan.batches": {"size": [*A_COUNT, "none"]},
    "Plan.estimate": {"price": [*AN_AMOUNT, "none"], "per": [*A_WORD, "none"]},
    "Plan.keep_instead": {"rows": [*names(OBJECTS, NUMBERS, "none word empty digits", but="list no_items")]},
    "Plan.preview": {"row": A_COUNT},
    "Plan.sample": {"n": names(OBJECTS, "true minus fraction nan digits word empty none")},
    "send": {**SENDING, "senders": A_COUNT, "client": names(OBJECTS, NUMBERS, "word empty")},
    "start": SENDING,
    "asend": SENDING,
    "compare": {name: SENDING[name] for name in ("plan", "name", "account", "folder")},
    "Difference.outgoing": {"changed": [*A_SWITCH, "none"]},
    "resume": {
        "folder": [*A_PATH, "none"],
        "opt_outs": A_LIST_OF_NUMBERS,
        **{name: SENDING[name] for name in RESUMING},
        "senders": A_COUNT,
        "client": names(OBJECTS, NUMBERS, "word empty"),
    },
    "release": {
        "plan": names(OBJECTS, NUMBERS, "none empty", but="plan"),
        **{name: wrong for name, wrong in SENDING.items() if name not in ("plan", "progress")},
    },
    "work": {
        "folder": [*A_PATH, "none"],
        "account": AN_ACCOUNT,
        "ledger": A_PATH,
        "parts": names(OBJECTS, NUMBERS, "word empty", but="no_items"),
        "when_paused": [*A_WORD, "none"],
        "progress": [*A_SWITCH, "none"],
    },
    "send_part": {
        "folder": [*A_PATH, "none"],
        "part": names(OBJECTS, "true minus fraction nan digits word empty none"),
        "account": AN_ACCOUNT,
        "ledger": A_PATH,
    },
    "order": {"folder": [*A_PATH, "none"], "what": [*A_WORD, "none"], "note": [*TEXT, "none"]},
    "workers": {"folder": [*A_PATH, "none"]},
    "close": {"folder": [*A_PATH, "none"], "confirm": TEXT},
    "erase": {"folder": [*A_PATH, "none"], "confirm": TEXT},
    "load_result": {"folder": [*A_PATH, "none"]},
    "history": {"folder": [*A_PATH, "none"], "try_outs": [*A_SWITCH, "none"]},
    "reconcile": {
        "folder": [*A_PATH, "none"],
        "provider_list": names(OBJECTS, NUMBERS, "none word closed_file", but="frame list bytes"),
        **dict.fromkeys(("number", "text", "time"), A_WORD),
        "confirm": TEXT,
    },
    "resolve": {
        "folder": [*A_PATH, "none"],
        "batches": [*A_COUNT, "none"],
        "outcome": [*A_WORD, "none"],
        "confirm": TEXT,
        "note": [*TEXT, "none"],
        "cost": AN_AMOUNT,
    },
    "try_out": {
        "plan": A_PLAN,
        "account": AN_ACCOUNT,
        "number": [*A_WORD, "none"],
        "region": A_WORD,
        "row": A_COUNT,
        "confirm": TEXT,
        "folder": A_PATH,
    },
    "Result.follow_up": {"statuses": names(OBJECTS, NUMBERS, "none word empty", but="no_items")},
    "write_follow_up": {
        "result": A_RESULT,
        "path": [*A_PATH, "none"],
        "statuses": names(OBJECTS, NUMBERS, "none word empty", but="no_items"),
    },
    "Result.by": {"column": [*A_WORD, "none"]},
    "Result.to_dask": {"table": [*A_WORD, "none"]},
    "write_report": {
        "result": A_RESULT,
        "path": [*A_PATH, "none"],
        "reveal": [*A_SWITCH, "none"],
        "by": names(OBJECTS, NUMBERS, "word empty", but="no_items"),
    },
    "browse": {
        "source": names(OBJECTS, NUMBERS, "none word empty", but="plan result"),
        "reveal": [*A_SWITCH, "none"],
    },
    "summary": {"result": A_RESULT},
    "sample": {"name": [*A_WORD, "none"]},
    "Run.wait": {"timeout": names(OBJECTS, "true minus nan digits word empty")},
    "Budget": {
        "cost": names(OBJECTS, "true minus nan word empty"),
        "messages": names(OBJECTS, "true minus fraction digits"),
    },
    "Budget.of": {"budget": AN_AMOUNT},
    "Hours": {
        "opens": names(OBJECTS, NUMBERS, "none word empty"),
        "closes": names(OBJECTS, NUMBERS, "none word empty"),
        "zone": names(OBJECTS, NUMBERS, "none word empty"),
    },
    "Hours.of": {"hours": [*A_WORD, "none"]},
    "Account": ACCOUNT,
    "Account.from_environment": KEPT,
    "Account.from_keyring": {name: wrong for name, wrong in ACCOUNT.items() if name != "password"},
    "Sandbox": {
        "username": [*TEXT, "none", "empty"],
        "password": TEXT,
        "inactive": names(OBJECTS, NUMBERS, "word none", but="frame list no_items dict"),
        "balance": [*AN_AMOUNT, "none"],
        "price": [*AN_AMOUNT, "none"],
        "charge": [*A_WORD, "none"],
        "decode": [*A_WORD, "none"],
        "unknown_user": [*A_WORD, "none"],
        "undescribed": [*A_WORD, "none"],
        "latency": names(OBJECTS, "true minus nan digits word empty none"),
        "tls": [*A_SWITCH, "none"],
        "faults": names(OBJECTS, NUMBERS, "word", but="no_items"),
        "random_faults": names(OBJECTS, NUMBERS, "word", but="no_items"),
        "seed": names(OBJECTS, "true fraction nan digits word empty none"),
        "host": [*A_WORD, "none"],
        "port": names(OBJECTS, "true minus fraction nan huge digits word empty none"),
    },
    "Sandbox.top_up": {"amount": [*AN_AMOUNT, "none"]},
    "Sandbox.received": {"messages": names(OBJECTS, NUMBERS, "none word empty")},
}  # fmt: skip


def right(function, world):
    """Arguments with which the call would be carried out; one of them is then made wrong."""
    contacts, plan = world.frame, world.plan
    account = {"environment": "live", "url": "https://sms.example.com", "username": "shop"}
    return {
        "read_contacts": {"source": b"name,phone\nAisha,0772000001\n"},
        "clean_numbers": {"numbers": contacts["phone"], "region": "UG"},
        "prepare": {"contacts": contacts, "message": "Hi {name}", "sender": "CLINIC", "region": "UG"},
        "Plan.estimate": {"price": 35},
        "send": {"plan": plan, "progress": False},
        "asend": {"plan": plan, "progress": False},
        "start": {"plan": plan, "progress": False},
        "compare": {"plan": plan},
        "release": {"plan": plan},
        "work": {"folder": world.result.folder},
        "send_part": {"folder": world.result.folder, "part": 0},
        "order": {"folder": world.result.folder, "what": "pause"},
        "workers": {"folder": world.result.folder},
        "close": {"folder": world.result.folder},
        "erase": {"folder": world.result.folder},
        "reconcile": {"folder": world.result.folder, "provider_list": b"number,text\n0772000001,Hi\n"},
        "resume": {"folder": world.result.folder, "account": world.account, "progress": False},
        "load_result": {"folder": world.result.folder},
        "resolve": {"folder": world.unsettled, "batches": 1, "outcome": "refused"},
        "try_out": {"plan": plan, "number": "+256772000999"},
        "write_follow_up": {"result": world.result, "path": "to_correct.xlsx"},
        "write_report": {"result": world.result, "path": "report.html"},
        "browse": {"source": plan},
        "summary": {"result": world.result},
        "Hours": {"opens": time(8), "closes": time(20), "zone": ZoneInfo("Africa/Kampala")},
        "Hours.of": {"hours": "08:00-20:00 Africa/Kampala"},
        "Budget.of": {"budget": 5},
        "Account": {**account, "password": "sesame"},
        "Account.from_environment": {"environment": "live"},
        "Account.from_keyring": account,
        "Sandbox.top_up": {"amount": 5},
    }.get(function, {})


def public_functions():
    """Functions, classes and their public methods, under their names."""
    for name in campaign.__all__:
        public = getattr(campaign, name)
        if not inspect.isclass(public):
            yield name, public
        elif not issubclass(public, Exception):
            if name not in MADE_BY:
                yield name, public
            for method, function in inspect.getmembers(public, callable):
                if not method.startswith("_") and f"{name}.{method}" not in INSIDE:
                    yield f"{name}.{method}", function


FUNCTIONS = dict(public_functions())
PAIRS = [(function, parameter) for function, wrong in WRONG.items() for parameter in wrong]


def test_every_parameter_has_its_row():
    there = {
        (name, parameter)
        for name, function in FUNCTIONS.items()
        for parameter in inspect.signature(function).parameters
        if parameter != "self"
    }
    assert len(there) > 100
    assert set(PAIRS) == there
    assert all(hasattr(campaign, function) for function in MADE_BY.values())


def call(function, world, arguments):
    owner, _, method = function.partition(".")
    if method and owner in ("Difference", "Plan", "Result", "Run", "Sandbox"):
        return getattr(getattr(world, owner.lower()), method)(**arguments)
    outcome = FUNCTIONS[function](**arguments)
    return asyncio.run(outcome) if inspect.iscoroutine(outcome) else outcome


def complaint(function, parameter, value, world):
    """What is wrong with the answer to a wrong value; None if it is as it should be."""
    arguments = {**right(function, world), parameter: value}
    try:
        outcome = call(function, world, arguments)
        if inspect.isgenerator(outcome):
            next(outcome)
    except campaign.CampaignError as error:
        sentence = str(error)
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:80]}"
    else:
        if isinstance(outcome, campaign.Run):
            outcome.stop()
            outcome.wait()
        return "was taken"
    subjects = (parameter, function.rpartition(".")[2], *SUBJECTS.get((function, parameter), ()))
    if not any(subject.lower() in sentence.lower() for subject in subjects):
        return f"does not name it: {sentence}"
    if not UNSHOWN & {parameter, f"{function}.{parameter}"} and not any(
        form in sentence for form in forms_of(value)
    ):
        return f"does not say what came: {sentence}"
    if "\n" in sentence or len(sentence) > 600 or not sentence.endswith((".", "?", '"')):
        return f"is not a short sentence: {sentence}"
    return None


# A name that reads better than that of the parameter.
SUBJECTS = {
    ("Account", "username"): ["user name"],
    ("Account.from_keyring", "username"): ["user name"],
    ("Account", "url"): ["address of the service"],
    ("Account.from_keyring", "url"): ["address of the service"],
    ("Sandbox", "username"): ["user name"],
    ("read_contacts", "source"): ["file"],
    ("write_follow_up", "statuses"): ["follow_up"],
    ("write_report", "by"): ["column"],
    ("prepare", "contacts"): ["file", "column"],  # whatever can be read is taken
    ("prepare", "number"): ["column"],
    ("prepare", "region"): ["column"],
    ("try_out", "region"): ["column"],
    ("Plan.keep_instead", "rows"): ["row"],
    ("reconcile", "provider_list"): ["file"],
    **{("reconcile", name): ["column"] for name in ("number", "text", "time")},
}
# Nothing of these is repeated: they may hold a password, or the phrase and the problem say more.
UNSHOWN = {"password", "proxy", "url", "resolve.confirm", "try_out.number"}


def forms_of(value):
    """The ways in which a sentence may say what came."""
    forms = {described(value), type(value).__name__, repr(value), f'"{value}"'}
    if isinstance(value, type):
        forms.add("class")
    if isinstance(value, str):
        forms.add("one text")
    if isinstance(value, pd.DataFrame):
        forms.add("table")
    if isinstance(value, (list, dict, bytes, pd.DataFrame)):  # what is wrong may be the first of many
        forms |= {form for item in value for form in (repr(item), f'"{item}"')}
    if isinstance(value, (str, list)) and not value:
        forms.add("empty")
    if isinstance(value, io.IOBase):
        forms.add("open file")
    return forms


@pytest.mark.parametrize(("function", "parameter"), PAIRS, ids=map(".".join, PAIRS))
def test_a_wrong_value_is_answered_in_a_sentence(function, parameter, world, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("URL", "USERNAME", "PASSWORD"):
        monkeypatch.delenv(f"CAMPAIGN_LIVE_{name}", raising=False)
    sent = world.sandbox.requests
    values = things(world)
    complaints = [
        f"{name}: {problem}"
        for name in WRONG[function][parameter]
        if (problem := complaint(function, parameter, values[name], world))
    ]
    assert not complaints, "\n".join(complaints)
    assert list(tmp_path.iterdir()) == []
    assert world.sandbox.requests == sent
