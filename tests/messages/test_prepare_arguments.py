"""Wrong objects for every parameter: a sentence that says what was expected, what came, what to write."""

import inspect
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from support.refusals import refused

import campaign
from campaign.errors import CampaignError, ContactsError, UsageError
from campaign.messages.preparation import prepare

CONTACTS = pd.DataFrame({"Name": ["Ann", "Ben"], "Phone": ["0772000001", "0772000002"]})
CALL = {"message": "Hi {name}", "sender": "CLINIC", "region": "UG"}
PLAN = prepare(CONTACTS, **CALL)
RESULT = SimpleNamespace(contacts=CONTACTS, messages=PLAN.messages, plan=PLAN)
WRONG = [
    5, 2.5, float("nan"), -1, 10**30, np.float64(2.5), b"x", object(), str, len, {"a": 1}, {}, set(), (1,),
    ["nobody"], PLAN, RESULT, CONTACTS, CONTACTS["Name"], Path("x"), pd.NA, pd.Timestamp("2026-01-05"),
    "\ud83d", "a\0b", "x" * 5_000, np.array([1, 2]), iter([]),
]  # fmt: skip


@pytest.mark.parametrize("name", inspect.signature(prepare).parameters)
@pytest.mark.parametrize("wrong", WRONG, ids=lambda value: type(value).__name__)
def test_no_parameter_answers_with_a_foreign_exception(name, wrong):
    arguments = {"contacts": CONTACTS, **CALL, name: wrong}
    sentence = ""
    try:
        campaign.prepare(**arguments)
    except CampaignError as error:
        sentence = str(error)
    assert " at 0x" not in sentence  # an object is named by its kind
    assert "0772000001" not in sentence  # and what it contains is not shown


@pytest.mark.parametrize(
    ("wrong", "argument"),
    [
        ({"message": ["Hi"]}, "message"),
        ({"message": Path("hello.txt")}, "message"),
        ({"message": {"en": 5}, "language": "Name"}, 'text for "en"'),
        ({"message": {5: "Hi"}, "language": "Name"}, "A language in message="),
        ({"sender": 8010}, "sender"),
        ({"sender": None}, "sender"),
        ({"priority": 1.5}, "priority"),
        ({"priority": 5}, "priority"),
        ({"max_parts": 1.5}, "max_parts"),
        ({"max_parts": 0}, "max_parts"),
        ({"ellipsis": None}, "ellipsis"),
        ({"downgrade": "no"}, "downgrade"),
        ({"keep_words": 1}, "keep_words"),
        ({"as_written": None}, "as_written"),
        ({"number": 2}, "number"),
        ({"region": 256}, "region"),
        ({"opt_outs": PLAN}, "opt_outs"),
        ({"contacts": PLAN}, "prepare"),
    ],
)
def test_a_wrong_value_is_refused_with_the_name_of_its_argument(wrong, argument):
    with refused("wrong_value", UsageError, argument=argument):
        prepare(**{"contacts": CONTACTS, **CALL, **wrong})


@pytest.mark.parametrize(
    ("wrong", "suggestion"),
    [({"overlong": "spilt"}, "split"), ({"duplicates": None}, ""), ({"several": PLAN}, "")],
)
def test_a_wrong_choice_is_refused_with_a_suggestion(wrong, suggestion):
    with refused("wrong_choice", UsageError, argument=next(iter(wrong)), suggestion=suggestion):
        prepare(**{"contacts": CONTACTS, **CALL, **wrong})


def test_the_name_of_a_country_is_answered_with_its_code():
    with refused("region_or_column_missing", UsageError, region="Uganda", suggestion="UG"):
        prepare(CONTACTS, **{**CALL, "region": "Uganda"})


@pytest.mark.parametrize(
    ("method", "wrong", "argument"),
    [
        ("preview", "Ann", "row"),
        ("preview", 2.5, "row"),
        ("sample", -1, "n"),
        ("estimate", "a lot", "price"),
        ("estimate", [35], "price"),
        ("batches", 0, "size"),
        ("batches", 2.5, "size"),
        ("batches", True, "size"),
    ],
)
def test_the_methods_of_a_plan_say_it_as_clearly(method, wrong, argument):
    with refused("wrong_value", UsageError, argument=argument):
        getattr(PLAN, method)(wrong)


def test_a_row_that_is_not_there_is_answered_with_those_that_are():
    with refused("row_missing", UsageError, row=9, first=2, last=3):
        PLAN.preview(9)


def test_a_region_that_is_neither_a_country_nor_a_column():
    with refused("region_or_column_missing", ContactsError):
        prepare(CONTACTS, **{**CALL, "region": "land"})
    assert prepare(CONTACTS, **{**CALL, "region": "ug"}).totals["not_sent"] == 2
