"""What one SMS costs, and when sending has cost enough: typed at the composer, kept, and told in files."""

from copy import copy
from decimal import Decimal
from pathlib import Path

import openpyxl
import pytest
from support.composer_person import Person, until
from support.widget_tree import find

import campaign
from campaign.notebook.composer.cost_choice import given_price
from campaign.notebook.composer.desk_words import desk_words
from campaign.notebook.composer.outcome import with_given_price
from campaign.notebook.run_card import figures


def rehearsed_within(person, budget, price="35"):
    person.compose()
    person.fill("price", price)
    person.fill("budget", budget)
    person.send()


def cells(content):
    Path("report.xlsx").write_bytes(content)
    sheet = openpyxl.load_workbook("report.xlsx")["Summary"]
    return {row[0].value: row[1].value for row in sheet.iter_rows(max_col=2)}


# the budget


def test_a_budget_ends_the_sending_and_a_higher_one_goes_on(person):
    person.compose()
    person.fill("price", "35")
    person.fill("budget", "80 UGX")
    assert "Write the amount as a number" in person.sees("budget-fault")
    assert "waits for the amount at which to stop" in person.sees("why-not")
    person.fill("budget", "80")
    shown = person.sees("section-4")
    covered = "The budget covers at most 2 of 3 SMS."
    beside = "The budget covers at most 2 of 3 SMS; 105 is enough for all."
    assert person.sees("why-not") == beside  # a button for all of them
    assert f"{covered} Sending stops before it costs more than 80." in shown
    assert "budget=80)" in person.lines_of_python()
    person.send()
    run = person.composer.desk.run
    assert run.counts.accepted == 2
    assert "<dt>cost at most, then the budget stops it</dt><dd>80 " in figures(
        run, run.counts, on_the_way=True
    )
    said = "To send the rest, change “Stop when it has cost” in section 4: 105 is enough."
    until(lambda: said in person.sees("section-4"))  # a dashboard is drawn now and then
    assert said in person.sees("section-5")

    person.press("change-budget")
    assert not person.section(5).is_open  # it is about what was sent before
    assert find(person.composer, "budget").value == "105"
    filled_in = "“Stop when it has cost” was 80: 105, enough for everybody, is filled in."
    assert filled_in in person.sees("section-4")
    assert "The rehearsal has used 70 so far; nothing is paid." in person.sees("section-4")
    person.fill("price", "40")
    assert "was 80: 105 is filled in." in person.sees("section-4")
    assert "The budget covers at most 0 of 1 SMS. Sending stops before" in person.sees("section-4")
    assert find(person.composer, "send").disabled
    assert "the budget covers none of the texts. 110 is enough for all." in person.sees("why-not")
    person.fill("price", "")
    assert "was 80: 105 is filled in." in person.sees("section-4")
    person.fill("price", "35")
    person.fill("budget", "200")  # by hand
    assert "filled in" not in person.sees("section-4")
    person.fill("budget", "105")
    assert find(person.composer, "send").description == "Rehearse 1 text"
    person.send()
    assert person.composer.desk.run.result.totals["accepted"] == 3
    assert not person.is_shown("change-budget")

    rows = campaign.write_follow_up(campaign.load_result(person.composer.desk.run.folder), "to_correct.csv")
    rows.write_text(rows.read_text("utf-8-sig").replace('"0772 00"', '"+256772000003"'))
    person.reopen(1)
    person.fill("path", "to_correct.csv")
    person.press("use")
    person.press("check")
    person.press("go-on")
    used_up = (
        "The rehearsal has used 105 so far; nothing is paid. The budget covers at most 0 of 1 SMS. "
        "Sending stops before"
    )
    assert used_up in person.sees("section-4")
    for price in ("35", ""):
        person.fill("price", price)
        assert "filled in" not in person.sees("section-4")


def test_an_amount_that_was_filled_in_is_said_to_be_that_of_its_campaign(person):
    rehearsed_within(person, "80")
    person.press("change-budget")
    for _ in ("filled in", "used"):
        person.fill("name", "second try")
        person.press("send-again")
        assert "The budget covers" not in person.sees("section-4")
        assert (
            person.sees("section-4").count("“Stop when it has cost” is still what it was for “visits”.") == 1
        )
        assert "filled in" not in person.sees("section-4")
        person.fill("name", "")
        person.send()
        person.reopen(3)
        person.press("go-on")
    person.fill("name", "second try")
    person.press("send-again")
    person.fill("budget", "90")
    assert "is still" not in person.sees("section-4")
    person.send()
    assert "is still" not in person.sees("section-4")


def test_a_budget_below_the_price_of_one_text_sends_nothing(person):
    person.compose()
    person.fill("price", "35")
    person.fill("budget", "20")
    assert "covers none of the texts. 105 is enough for all." in person.sees("why-not")
    assert find(person.composer, "send").disabled


def test_a_text_of_several_sms_stops_before_the_budget_is_used_up(person, table):
    table.write_text("name,phone\n" + "".join(f"{n},0772 000 01{i}\n" for i, n in enumerate("AABĂA")))
    person.fill("path", "visits.csv")
    person.fill("country", "UG")
    person.compose(text="Come {name}, " + "come again " * 7)
    person.fill("pace", True)  # one at a time
    person.fill("price", "50")
    person.fill("budget", "200")
    assert "The budget covers at most 4 of 6 SMS." in person.sees("section-4")
    assert "About 300 for 6 SMS: 1 text takes more than one." in person.sees("section-4")
    person.composer.desk.decide(rate=None)  # as fast as it goes
    person.send()
    assert person.composer.desk.run.counts.accepted == 3


def test_a_budget_is_kept_with_its_campaign_and_lifted_by_an_empty_field(person, table):
    rehearsed_within(person, "80")
    later = Person(campaign.compose())
    later.press("take-up")
    assert find(later.composer, "budget").value == "80"
    assert "covers none of the texts. 105 is enough for all." in later.sees("why-not")
    to_press = "Press “Rehearse 1 text” in section 4{} to send the texts that were not sent."
    assert to_press.format(" with at least 105 in “Stop when it has cost”") in later.sees("section-5")
    later.fill("budget", "105")
    assert later.sees("why-not") == ""
    assert to_press.format("") in later.sees("section-5")
    later.fill("price", "")
    later.fill("budget", "80")  # what the first texts cost is known
    assert "covers none of the texts. 105 is enough for all." in later.sees("why-not")
    other = Person(campaign.compose())
    other.compose()  # by hand, as if nothing had been kept
    assert find(other.composer, "budget").value == "80"  # it is in force
    other.fill("budget", "")
    assert "budget=campaign.Budget())" in other.lines_of_python()
    other.send()
    assert other.composer.desk.run.result.totals["accepted"] == 3


def test_a_budget_is_that_of_its_spreadsheet(person, table):
    person.compose()
    person.fill("budget", "80")
    (table.parent / "other.csv").write_text(table.read_text())
    person.reopen(1)
    person.fill("path", "other.csv")
    assert person.composer.desk.composition.budget is None
    for button in ("use", "check", "go-on"):
        person.press(button)
    assert "costs more than" not in person.sees("section-4")
    assert "is still" not in person.sees("section-4")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "Resume with a larger budget to send the rest; a budget stays in force until you give another "
            "one, also for rows that you correct later.",
            "To send the rest, change “Stop when it has cost” in section 4.",
        ),
        (
            "Resume with a budget of UGX 1,750.5 to send the rest; a budget stays in force until you give "
            "another one, also for rows that you correct later.",
            "To send the rest, change “Stop when it has cost” in section 4: UGX 1,750.5 is enough.",
        ),
        (
            "Resume with a budget of messages, for example Budget(messages=1000).",
            "To send the rest, empty “Stop when it has cost” in section 4.",
        ),
    ],
)
def test_a_budget_is_changed_by_a_button(said, shown):
    assert desk_words(said) == shown


# the price in the files


def test_files_say_that_the_cost_is_at_the_price_that_was_given(person):
    rehearsed_within(person, "", price="0,5")
    person.composer.desk.price = "77"  # typed after it was sent
    downloads = person.section(5).downloads
    about = cells(downloads["report.xlsx"].content())["About the cost"]
    assert about.startswith("The cost is at the price that was given, 0.5 for an SMS: nothing was paid for.")
    assert about.endswith("It is one amount for each batch.")  # and no service that reported it
    page = downloads["report.html"].content().decode()
    assert "cost at the price that was given, 0.5 for an SMS; nothing was paid" in page
    assert "made-up" not in page


def test_without_a_price_the_files_call_the_cost_made_up(person):
    rehearsed_within(person, "", price="")
    assert (
        "The cost is made up" in cells(person.section(5).downloads["report.xlsx"].content())["About the cost"]
    )


@pytest.mark.parametrize(
    ("typed", "amount"),
    [("1,750", "1750"), ("1,750,000.50", "1750000.50"), ("1 750", "1750"), ("0,04", "0.04"), ("35.5", "35.5"),
     ("0.035", "0.035"), ("2,5", "2.5")],
)  # fmt: skip
def test_an_amount_is_read_as_the_page_writes_amounts(typed, amount):
    assert given_price(typed) == Decimal(amount)


def test_an_amount_that_may_be_either_is_asked_about(person):
    person.compose()
    person.fill("price", "35")
    person.fill("budget", "1.750")
    assert "Write 1750 or 1.75: 1.750 may be either." in person.sees("budget-fault")


@pytest.mark.parametrize("status", ["live", "sandbox"])
def test_the_cost_that_a_service_named_is_at_no_price_that_was_typed(status, tmp_path, monkeypatch):
    """A price that is typed for an estimate is that of no bill, though it may be the same."""
    monkeypatch.chdir(tmp_path)
    with campaign.Sandbox(price=35) as service:
        plan = campaign.prepare(
            b"name,phone\nA,+256772000001\n", message="Hi {name}", sender="CLINIC", region="UG"
        )
        result = campaign.send(plan, account=service, name="one", progress=False)
    assert with_given_price(result, Decimal(35)).given_price == 35
    elsewhere = copy(result)
    vars(elsewhere)["environment"] = status
    assert with_given_price(elsewhere, Decimal(35)).given_price is None
