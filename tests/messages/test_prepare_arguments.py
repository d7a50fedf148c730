"""Wrong objects for every parameter: a sentence that says what was expected, what came, what to write."""

import inspect
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

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
    ("wrong", "sentence"),
    [
        (
            {"message": ["Hi"]},
            "message needs text, or a dictionary of texts by language, but got a list. Write "
            'message="Hi {first_name}, …".',
        ),
        (
            {"message": Path("hello.txt")},
            "message needs text, or a dictionary of texts by language, but got a PosixPath. Write"
            ' message="Hi {first_name}, …".',
        ),
        (
            {"message": {"en": 5}, "language": "Name"},
            'text for "en" needs text, but got 5. Write "Hi {first_name}, …".',
        ),
        (
            {"message": {5: "Hi"}, "language": "Name"},
            'A language in message= needs text, but got 5. Write message={"en": "..."}.',
        ),
        ({"sender": 8010}, 'sender needs text, but got 8010. Write sender="CLINIC".'),
        ({"sender": None}, 'sender needs text, but got None. Write sender="CLINIC".'),
        (
            {"priority": 1.5},
            "priority needs 0 (highest) to 4 (lowest), or a {column} of these, but got 1.5. Write"
            " priority=2.",
        ),
        (
            {"priority": 5},
            "priority needs 0 (highest) to 4 (lowest), or a {column} of these, but got 5. Write priority=2.",
        ),
        ({"max_parts": 1.5}, "max_parts needs a whole number of 1 or more, but got 1.5. Write max_parts=2."),
        ({"max_parts": 0}, "max_parts needs a whole number of 1 or more, but got 0. Write max_parts=2."),
        ({"ellipsis": None}, 'ellipsis needs text, but got None. Write ellipsis="...".'),
        ({"downgrade": "no"}, "downgrade needs True or False, but got the text 'no'. Write downgrade=False."),
        ({"keep_words": 1}, "keep_words needs True or False, but got 1. Write keep_words=True."),
        ({"as_written": None}, "as_written needs True or False, but got None. Write as_written=True."),
        (
            {"overlong": "spilt"},
            "overlong is 'spilt'; it can be 'flag', 'truncate' or 'split'. Did you mean 'split'?",
        ),
        ({"duplicates": None}, "duplicates is None; it can be 'skip', 'keep' or 'error'."),
        ({"several": PLAN}, "several is a Plan; it can be 'refuse' or 'first'."),
        (
            {"number": 2},
            "number needs the name of a column, or a list of names, but got 2. Write "
            'number="Phone", or leave it out.',
        ),
        (
            {"region": 256},
            "region needs a country code, the name of a column or a Series of codes, but got 256."
            ' Write region="UG".',
        ),
        (
            {"region": "Uganda"},
            'region="Uganda" is neither the code of a country nor a column. Did you mean "UG"?',
        ),
        (
            {"opt_outs": PLAN},
            "opt_outs needs a file, a DataFrame, a Series or a list of numbers, but got a Plan. "
            'Write opt_outs="numbers.csv".',
        ),
        (
            {"contacts": PLAN},
            "prepare needs a contact table or a file, but got a Plan. Write "
            "campaign.prepare(campaign.read_contacts(path), …).",
        ),
    ],
)
def test_the_sentence_says_what_was_expected_what_came_and_what_to_write(wrong, sentence):
    with pytest.raises(UsageError) as error:
        prepare(**{"contacts": CONTACTS, **CALL, **wrong})
    assert str(error.value).replace("WindowsPath", "PosixPath") == sentence


@pytest.mark.parametrize(
    ("method", "wrong", "sentence"),
    [
        (
            "preview",
            "Ann",
            "row needs a whole number of 0 or more, but got the text 'Ann'. Write plan.preview(2).",
        ),
        ("preview", 2.5, "row needs a whole number of 0 or more, but got 2.5. Write plan.preview(2)."),
        ("preview", 9, "There is no row 9. The rows are numbered 2 to 3."),
        ("sample", -1, "n needs a whole number of 0 or more, but got -1. Write plan.sample(5)."),
        (
            "estimate",
            "a lot",
            "price needs a number of 0 or more, but got the text 'a lot'. Write plan.estimate(35).",
        ),
        ("estimate", [35], "price needs a number of 0 or more, but got a list. Write plan.estimate(35)."),
        ("batches", 0, "size needs a whole number of 1 or more, but got 0. Write plan.batches(100)."),
        ("batches", 2.5, "size needs a whole number of 1 or more, but got 2.5. Write plan.batches(100)."),
        ("batches", True, "size needs a whole number of 1 or more, but got True. Write plan.batches(100)."),
    ],
)
def test_the_methods_of_a_plan_say_it_as_clearly(method, wrong, sentence):
    with pytest.raises(UsageError) as error:
        getattr(PLAN, method)(wrong)
    assert str(error.value) == sentence


def test_a_region_that_is_neither_a_country_nor_a_column():
    with pytest.raises(ContactsError, match=r'no column "land".* two-letter code, such as UG'):
        prepare(CONTACTS, **{**CALL, "region": "land"})
    assert prepare(CONTACTS, **{**CALL, "region": "ug"}).totals["not_sent"] == 2
