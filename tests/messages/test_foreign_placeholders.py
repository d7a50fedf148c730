"""Placeholders of other tools and paths of files, which would be sent as they are."""

from pathlib import Path

import pandas as pd
import pytest
from support.refusals import refused
from support.small_campaigns import people, plan_for

from campaign.errors import TemplateError
from campaign.messages.preparation import prepare

CONTACTS = pd.DataFrame(
    {
        "First name": ["Ann", "Ben"],
        "Phone": ["0772000001", "0772000002"],
        "Clinic": ["Mulago", "Nsambya"],
        "Amount": ["1500", ""],
    }
)


def plan(message="Hi", **options):
    defaults = {"sender": "CLINIC", "region": "UG"}
    return prepare(CONTACTS, message=message, **defaults | options)


def first_message(message, **options):
    return str(plan(message, **options).messages["message"].iloc[0])


OTHER_TOOLS = [
    "{{first_name}}",
    "{{ First Name }}",
    "{{contact.first_name}}",
    "{{first_name|default}}",
    "((first_name))",
    "((First name??patient))",
    "[First name]",
    "[[FirstName]]",
    "«first_name»",
    "<first_name>",
    "<<First name>>",
    "${first_name}",
    "$first_name",
    "%(first_name)s",
    "%first_name%",
    "*|FIRST_NAME|*",
    "#First Name#",
    "@contact.first_name",
    "@fields.first_name",
]


@pytest.mark.parametrize("placeholder", OTHER_TOOLS)
def test_a_placeholder_of_another_tool_is_refused_when_it_names_a_column(placeholder):
    with refused("placeholder_foreign", TemplateError, placeholder=placeholder):
        plan(f"Hi {placeholder}, see you")


def test_the_error_says_what_to_write_instead():
    with refused("placeholder_foreign", TemplateError, write="{first_name}"):
        plan("Hi {{first_name}}")
    assert first_message("Hi {first_name}") == "Hi Ann"


@pytest.mark.parametrize("text", ["Hi %s", "%d", "Hi %s, see you", "(%s)"])
def test_a_placeholder_by_position_is_refused(text):
    with refused("placeholder_foreign", TemplateError):
        plan(text)


@pytest.mark.parametrize(
    ("text", "placeholder"),
    [
        ("Hi {{ contact.name }}", "{{ contact.name }}"),
        ("Hi {{contact.name}}!", "{{contact.name}}"),
        ("Hi {{ surname }}", "{{ surname }}"),
        ("Hi @contact.name.", "@contact.name"),
        ("On @fields.next_visit", "@fields.next_visit"),
    ],
)
def test_some_styles_are_refused_whatever_the_columns_are_called(text, placeholder):
    with refused("placeholder_foreign", TemplateError, placeholder=placeholder, write="{First name}"):
        plan(text)


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("Dear [Name], from <us>", "Dear [Name], from <us>"),
        ("{{x}} ((y)) $w %z%", "{x} ((y)) $w %z%"),
        ("20% sale, 5%s 100%d", "20% sale, 5%s 100%d"),
        ("{{{first_name}}}", "{Ann}"),
        ("[{first_name}] ({clinic})", "[Ann] (Mulago)"),
        ("<{first_name}> «{clinic}»", '<Ann> "Mulago"'),
        ("((at {clinic}))", "((at Mulago))"),
        ("Pay ${amount}", "Pay $1500"),  # a price, because the column holds amounts
        ("Pay ${amount:,.2f}", "Pay $1,500.00"),
        ("Pay $50", "Pay $50"),
        ("#clinic #health", "#clinic #health"),
        ("Come #1 or #2# $name @clinic", "Come #1 or #2# $name @clinic"),
        ("ask info@contact.org or @mulago.org", "ask info@contact.org or @mulago.org"),
    ],
)
def test_what_names_no_column_stays_as_it_is(text, sent):
    assert first_message(text) == sent


def test_a_dollar_sign_before_a_name_is_a_placeholder_of_another_tool():
    with refused("placeholder_foreign", TemplateError):
        plan("Come to ${clinic}")


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("Hi {{first_name}}", "Hi {first_name}"),
        ("Hi [First name], %s", "Hi [First name], %s"),
        ("Hi ${first_name}", "Hi $Ann"),
    ],
)
def test_as_written_sends_the_text_as_it_is(text, sent):
    assert first_message(text, as_written=True) == sent


def test_every_text_of_a_call_is_checked():
    with refused("placeholder_foreign", TemplateError):
        plan({"en": "Hi", "fr": "[Clinic]"}, language="Clinic")
    with refused("placeholder_foreign", TemplateError):
        plan(sender="{{clinic}}")
    with refused("placeholder_foreign", TemplateError):
        plan(priority="<Amount>")


@pytest.mark.parametrize("path", ["visit_reminder.txt", "texts/Visit.TXT", "letter.docx"])
def test_the_name_of_a_file_that_is_not_there_is_no_message(path):
    with refused("text_is_path", TemplateError):
        plan_for(people(1), path)
    plan = plan_for(people(1), path, as_written=True)
    assert plan.messages["message"].tolist() == [path]


def test_a_text_that_only_ends_like_one_is_a_message():
    assert plan_for(people(1), "See {name}.txt").totals.messages == 1
    assert plan_for(people(1), "Read example.com/a.html").totals.messages == 1


def test_the_path_of_a_file_is_not_a_message(tmp_path, monkeypatch):
    path = tmp_path / "text.txt"
    path.write_text("Hi {first_name}")
    with refused("text_is_path", TemplateError):
        plan(str(path))
    with refused("text_is_path", TemplateError):
        plan({"en": f" {path} "}, language="Clinic")
    assert first_message(str(path), as_written=True) == str(path)
    monkeypatch.chdir(tmp_path)
    with refused("text_is_path", TemplateError):
        plan("text.txt")
    (tmp_path / "hello").write_text("Hi")
    with refused("text_is_path", TemplateError):
        plan("hello")
    (tmp_path / "hello").unlink()
    assert first_message("hello") == "hello"
    assert first_message(str(tmp_path), overlong="truncate").startswith(str(Path(tmp_path.anchor)))


def test_a_text_that_no_path_can_be_is_a_message():
    assert plan("a" * 5_000, overlong="split").totals.messages > 2


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("{amount|0:,.0f}", "{Amount:,.0f|0}"),
        ("{amount:,|0:,.0f}", "{Amount:,.0f|0}"),
        ("{amount|soon:%d %b}", "{Amount:%d %b|soon}"),
        ("{amount|at 12: soon:%-d %B@fr}", "{Amount:%-d %B@fr|at 12: soon}"),
    ],
)
def test_a_format_after_the_words_for_empty_cells_is_refused_with_the_right_order(written, right):
    with refused("format_misplaced", TemplateError, write=right):
        plan(f"You get {written}")


def test_words_with_a_colon_and_no_format_are_words():
    assert first_message("UGX {amount:,.0f|nothing: 0}") == "UGX 1,500"
    table = plan("UGX {amount|0:,.0f}", as_written=True).messages
    assert list(table["message"]) == ["UGX 1500", "UGX 0:,.0f"]
