"""What is said to a wrong argument: what was expected, what came, what to write."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from campaign.argument_checks import (
    check,
    check_amount,
    check_choice,
    check_count,
    check_path,
    check_switch,
    check_text,
    described,
    kind_of,
)
from campaign.errors import UsageError


def refusal(checking, value, **options):
    with pytest.raises(UsageError) as error:
        checking(value, **options)
    return str(error.value)


def test_the_sentence_says_what_was_expected_what_came_and_what_to_write():
    said = refusal(check, 5, kinds=dict, subject="send", needs="a Plan", write="campaign.send(plan)")
    assert said == "send needs a Plan, but got 5. Write campaign.send(plan)."
    assert refusal(check, 5, kinds=dict, subject="send", needs="a Plan") == "send needs a Plan, but got 5."


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "None"),
        (True, "True"),
        (3, "3"),
        (2.5, "2.5"),
        (np.int64(7), "7"),
        (Decimal("0.10"), "0.10"),
        (Fraction(1, 3), "1/3"),
        ("", "an empty text"),
        ("visits.csv", "the text 'visits.csv'"),
        ("x" * 90, f"the text '{'x' * 39}…'"),
        ("call 0772 000 012 now", "the text 'call 077*****12 now'"),
        (256772000012, "25677*****12"),
        ("two\nlines\x1b[2J", "the text 'two lines'"),
        (b"visits", "bytes"),
        ([1, 2], "a list"),
        ({}, "a dictionary"),
        (np.zeros(2), "an array"),
        (pd.DataFrame({"phone": ["0772000012"]}), "a DataFrame"),
        (pd.Series(["0772000012"]), "a Series"),
        (Path, "the class Path"),
        (OSError("private"), "an OSError"),
    ],
    ids=str,
)
def test_a_value_is_described_without_what_people_wrote_in_it(value, words):
    assert described(value) == words


def test_the_kind_says_nothing_of_the_value():
    values = ["sesame", 123456, b"sesame", None, ["sesame"]]
    assert [kind_of(value) for value in values] == ["a str", "an int", "bytes", "None", "a list"]


COUNT = {"subject": "batch_size", "write": "batch_size=100", "most": 1000}


@pytest.mark.parametrize("value", [1, 1000, np.int64(5)])
def test_counts(value):
    check_count(value, **COUNT)


@pytest.mark.parametrize("value", [0, 1001, -1, 2.5, 5.0, "5", True, None, [5], float("nan")], ids=repr)
def test_no_counts(value):
    said = refusal(check_count, value, **COUNT)
    assert said.startswith("batch_size needs a whole number from 1 to 1000, but got ")
    assert said.endswith(". Write batch_size=100.")


def test_a_count_may_be_open_or_missing():
    check_count(10**30, subject="row", write="row=2")
    check_count(0, subject="n", write="n=5", least=0)
    check_count(None, subject="row", write="row=2", or_none=True)
    assert "a whole number of 0 or more" in refusal(check_count, -1, subject="n", write="n=5", least=0)


@pytest.mark.parametrize("value", [0, 5, 2.5, Decimal("0.1"), "0.04", np.float64(3.5), Fraction(1, 2)])
def test_amounts(value):
    if isinstance(value, Fraction):
        assert "a number of 0 or more" in refusal(check_amount, value, subject="price", write="35")
    else:
        check_amount(value, subject="price", write="35")


@pytest.mark.parametrize(
    "value", [-1, "-0.01", True, None, "much", "", float("inf"), "nan", [5], b"5"], ids=repr
)
def test_no_amounts(value):
    assert "price needs a number of 0 or more" in refusal(check_amount, value, subject="price", write="35")


def test_switches():
    for value in (True, False, np.bool_(True)):
        check_switch(value, subject="reveal", write="reveal=True")
    for value in (1, 0, "yes", None, []):
        assert "reveal needs True or False" in refusal(
            check_switch, value, subject="reveal", write="reveal=True"
        )


def test_texts_and_paths():
    check_text("", subject="note", write='note="asked"')
    check_text(None, subject="note", write='note="asked"', or_none=True)
    assert "note needs text, but got 5" in refusal(check_text, 5, subject="note", write='note="asked"')
    for value in ("visits", Path("visits")):
        check_path(value, subject="folder", write='folder="visits"')
    check_path(None, subject="folder", write='folder="visits"', or_none=True)
    for value in (b"visits", 5, "", None):
        assert "folder needs a path" in refusal(check_path, value, subject="folder", write='folder="visits"')


def test_choices_suggest_the_near_one():
    choices = ("local", "sandbox", "live")
    check_choice("live", choices, subject="environment")
    assert refusal(check_choice, "lvie", choices=choices, subject="environment") == (
        "environment is 'lvie'; it can be 'local', 'sandbox' or 'live'. Did you mean 'live'?"
    )
    assert refusal(check_choice, ["live"], choices=choices, subject="environment") == (
        "environment is a list; it can be 'local', 'sandbox' or 'live'."
    )
