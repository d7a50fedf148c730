"""What stands in a report: the figures, the order, the advice, and nothing that should not."""

import re
from decimal import Decimal
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from support.batch_rows import NO_ANSWER, frame_of
from support.findings import codes, finding, to_do
from support.refusals import refused
from support.widget_tree import html_of, widgets_in

import campaign
from campaign.results import workbook
from campaign.results.tables import Result
from campaign.values import replace
from campaign.words.finding import Finding
from campaign.words.page import PAGE

PEOPLE = """\
Name,Phone,Clinic
Grace,0772 000 001,North
Moses,+256 772 000 002,North
Zoé,772000003,South
Sarah,0772 000 O04,South
Ivan,,South
,,
Ruth,0772 000 005,North
"""


def plan_of(text=PEOPLE, message="Hi {name}"):
    contacts = campaign.read_contacts(text.encode())
    return campaign.prepare(contacts, message=message, sender="CLINIC", number="Phone", region="UG")


def batch(messages, status, cost=None, error=""):
    code = "ApiJsonSubmit65f0a1b2c3d4e.12345678" if status == "accepted" else ""
    return (messages, status, None if cost is None else Decimal(cost), code, error)


def result_of(*batches, plan=None, **options):
    submitted = pd.Timestamp("2026-03-02 08:00:01", tz="UTC")
    rows = [(place, *values, 1, submitted, 0.25, 1) for place, values in enumerate(batches, start=1)]
    return Result(plan or plan_of(), frame_of(rows), **{"environment": "local", **options})


MIXED = [
    batch(1, "accepted", "35"),
    batch(1, "accepted"),
    batch(1, "unknown", error=NO_ANSWER),
    batch(1, "not_sent"),
]


def page(result, folder):
    return campaign.write_report(result, folder / "report.html").read_text(encoding="utf-8")


def book(result, folder, **options):
    return openpyxl.load_workbook(campaign.write_report(result, folder / "report.xlsx", **options))


def rows_of(sheet):
    return [list(row) for row in sheet.iter_rows(values_only=True)]


def fact(page, name):
    return re.findall(f'<th scope="row">{name}</th><td class="figure">([^<]*)</td>', page)[0]


def figures(page):
    """The few figures at the top of a page, by what they are."""
    return {words: value for value, words in re.findall("<dd>([^<]*)</dd><dt>([^<]*)</dt>", page)}


def facts_of(book):
    return {row[0]: row[1] for row in rows_of(book["Summary"])}


# --- page ---------------------------------------------------------------------------------------------


def test_everybody_who_needs_attention_is_listed(tmp_path):
    text = page(result_of(*MIXED), tmp_path)
    listed = text[text.index("3 people, row by row") : text.index('id="batches"')]
    statuses = "to correct|refused|unknown|not sent|accepted"
    assert re.findall(f'<td class="figure">(\\d)</td><td class="short">({statuses})</td>', listed) == [
        ("4", "unknown"),
        ("5", "to correct"),
        ("6", "to correct"),
    ]


def test_the_page_says_what_is_left_to_do(tmp_path):
    result = result_of(*MIXED)
    assert to_do(result) == ["rows_unknown", "rows_not_sent", "rows_to_correct"]  # three at most
    text = page(result, tmp_path)
    assert [PAGE.remedy(finding(result, code)) in text for code in to_do(result)] == [True] * 3


def test_what_is_under_way_is_not_to_be_found_out_about():
    result = result_of(batch(3, "accepted", "105"), batch(1, "unknown"))  # no error: nothing came, or ended
    assert "rows_under_way" in codes(result)
    assert "rows_unknown" not in codes(result)


def test_live_is_unmistakable(tmp_path):
    assert '<p class="where live">LIVE</p>' in page(result_of(*MIXED, environment="live"), tmp_path)
    local = page(result_of(*MIXED), tmp_path)
    assert '<p class="where local">rehearsal in the embedded sandbox: nobody got anything</p>' in local
    assert codes(result_of(*MIXED, environment="live"))[0] == "live_result"
    assert codes(result_of(*MIXED))[0] == "rehearsal_result"


def test_costs_that_nobody_named_make_the_sum_a_lower_bound(tmp_path):
    result = result_of(*MIXED)
    assert (result.totals.cost, result.totals.unpriced) == (Decimal(35), 2)
    assert "cost 35 or more (made up)" in result._repr_html_()
    shown = figures(page(result, tmp_path))
    assert shown["made-up cost"] == "35 or more"
    assert shown["for each accepted message"] == "35"  # of the one whose cost is known
    facts = facts_of(book(result, tmp_path))
    assert facts["Cost, at least"] == 35
    assert facts["About the cost"] == "made-up cost"


def test_one_unpriced_batch_is_one_batch(tmp_path):
    shown = figures(page(result_of(batch(4, "unknown")), tmp_path))
    assert shown["made-up cost"] == "not known"


def test_a_cost_that_is_not_known_is_no_zero_in_the_workbook(tmp_path):
    assert facts_of(book(result_of(batch(4, "unknown")), tmp_path))["Cost"] == "not known"
    assert facts_of(book(result_of(batch(4, "not_sent")), tmp_path))["Cost"] == 0


def test_issues_are_counted_with_the_gravest_and_most_frequent_first(tmp_path):
    text = page(result_of(*MIXED), tmp_path)
    table = text[re.search("<summary>[^<]* on the file: ", text).end() : text.index("Row by row")]
    kinds = re.findall(r'<td class="short">(error|warning|info)</td><td class="short">([^<]*)</td>', table)
    counts = [int(count) for count in re.findall(r'<td class="figure">(\d+)</td><td class="figure">', table)]
    order = ["error", "warning", "info"]
    ranks = [(order.index(severity), -count) for (severity, _), count in zip(kinds, counts, strict=True)]
    assert ranks == sorted(ranks)
    assert len(ranks) > 2


def test_hidden_and_blank_rows_are_not_mixed_up(tmp_path):
    plan = plan_of()
    read = replace(
        plan.reading,
        hidden_rows=7,
        blank_rows=1,
        notices=(Finding("rows_continue", {"campaign": "0772 000 009", "added": 0}, "info"),),
    )
    text = page(result_of(*MIXED, plan=replace(plan, reading=read)), tmp_path)
    assert (fact(text, "Hidden rows"), fact(text, "Blank rows")) == ("7", "1")
    assert "077*****09" in text
    assert "0772 000 009" not in text


def test_numbers_in_what_the_run_says_are_masked_everywhere(tmp_path):
    said = "It stopped at 0772 000 009 of 12345678"
    result = result_of(*MIXED, ending=Finding("batches_refused", {"refused": 1, "reason": said}))
    facts = str(rows_of(book(result, tmp_path)["Summary"]))
    places = [repr(result), result._repr_html_(), page(result, tmp_path), facts]
    places.append(html_of(campaign.summary(result)))
    for place in places:
        assert "It stopped at 077*****09 of ******78" in place


def test_an_escape_sequence_does_not_hide_a_number():
    result = result_of(
        *MIXED, ending=Finding("batches_refused", {"refused": 1, "reason": "0772\x1b[0m000\x1b[0m009"})
    )
    assert "000" not in repr(result)


def test_numbers_in_what_the_service_said_are_masked_everywhere(tmp_path):
    result = result_of(batch(4, "refused", error="No route to 0772 000 009"))
    places = [page(result, tmp_path), str(rows_of(book(result, tmp_path)["Batches"]))]
    places += [result._repr_html_(), html_of(campaign.summary(result))]
    for place in places:
        assert "No route to 077*****09" in place
        assert "000 009" not in place


def test_a_number_in_the_example_of_an_issue_is_masked(tmp_path):
    plan = plan_of()
    issues = plan.issues.assign(code="unknown_region", value="0772 000 009", facts="{}")
    text = page(result_of(*MIXED, plan=replace(plan, issues=issues)), tmp_path)
    assert "077*****09" in text
    assert "000 009" not in text


def test_the_card_in_a_notebook_says_where_it_is_kept_and_when_it_was_sent(in_kampala):
    card = result_of(*MIXED, folder=Path("campaigns/visits"))._repr_html_()
    assert "Kept in campaigns/visits" in card
    assert "submitted (EAT, UTC+3)" in card
    assert "2026-03-02 11:00:01" in card
    assert ">not_sent</td>" in card  # as the frame has it


def test_the_page_has_one_zone(in_kampala, tmp_path):
    """The headline says it once, and the times of the batches are in it, too."""
    shown = page(result_of(*MIXED), tmp_path)
    assert shown.count("(EAT, UTC+3)") == 2  # in the headline, and when it was written
    assert "11:00" in shown[shown.index('aria-label="Batches, ') :]
    assert "08:00" not in shown[: shown.index("<footer")]  # below, it says when it was written: perhaps then


# --- tables -------------------------------------------------------------------------------------------


def test_rows_without_a_message_have_no_code_and_no_batch():
    contacts = result_of(*MIXED).contacts
    assert contacts["code"].isna().sum() == 0
    assert contacts.loc[5, "code"] == ""
    assert contacts["batch"].isna().tolist() == [False, False, False, True, True, True, False]


def test_what_the_service_said_of_an_accepted_batch_is_no_reason():
    result = result_of(batch(4, "accepted", "140", error="a warning of the service"))
    assert set(result.contacts["reason"][result.contacts["status"] == "accepted"]) == {""}


def test_rows_to_follow_up_say_where_they_were_read():
    result = result_of(batch(4, "refused"))
    assert result.follow_up().attrs == {"reading": result.reading}
    assert result.reading.rows == 7


def test_fewer_messages_than_the_plan_are_refused_too():
    with refused("ledger_of_another_plan", campaign.LedgerError, sent=1, planned=4):
        result_of(batch(1, "accepted", "35"))


# --- workbook -----------------------------------------------------------------------------------------


def test_more_rows_than_are_turned_at_a_time_keep_their_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "_CHUNK", 2)
    contacts = rows_of(book(result_of(*MIXED), tmp_path, reveal=True)["Contacts"])
    assert [row[0] for row in contacts] == ["row", 2, 3, 4, 5, 6, 7, 8]
    assert [row[1] for row in contacts[1:]] == ["Grace", "Moses", "Zoé", "Sarah", "Ivan", None, "Ruth"]


def test_a_sheet_may_be_full(tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "MOST_ROWS", 7)
    assert book(result_of(*MIXED), tmp_path)["Contacts"].max_row == 8


def test_a_text_longer_than_a_cell_is_cut(tmp_path):
    people = campaign.read_contacts(PEOPLE.encode()).replace("Grace", "G" * 40_000)
    plan = campaign.prepare(people, message="Hi", sender="CLINIC", number="Phone", region="UG")
    assert rows_of(book(result_of(*MIXED, plan=plan), tmp_path)["Contacts"])[1][1] == "G" * 32_767


def test_links_and_digits_in_the_workbook_are_text(tmp_path):
    plan = plan_of(PEOPLE.replace("Grace", "https://example.org").replace("Moses", "0042"))
    sheet = book(result_of(*MIXED, plan=plan), tmp_path, reveal=True)["Contacts"]
    assert [sheet["B2"].value, sheet["B3"].value] == ["https://example.org", "0042"]
    assert sheet["B2"].hyperlink is None
    assert sheet["B3"].data_type == "s"


def test_times_are_written_with_date_and_time(tmp_path):
    batches = book(result_of(*MIXED), tmp_path)["Batches"]
    times = [cell for cell in batches[2] if cell.is_date]
    assert [cell.number_format for cell in times] == ["yyyy-mm-dd hh:mm:ss"]


def test_the_chart_of_the_workbook_shows_every_status(tmp_path):
    summary = book(result_of(*MIXED), tmp_path)["Summary"]
    rows = rows_of(summary)
    first = next(place for place, row in enumerate(rows, 1) if row[0] == "accepted")
    (chart,) = summary._charts
    assert chart.series[0].val.numRef.f == f"Summary!$B${first}:$B${first + 4}"
    assert chart.series[0].cat.numRef.f == f"Summary!$A${first}:$A${first + 4}"
    assert rows[first + 4][:2] == ["all rows of the file", 7]


# --- nothing to follow up -----------------------------------------------------------------------------


def test_nothing_to_follow_up_claims_no_more_than_is_known(tmp_path):
    plan = plan_of("Name,Phone\nGrace,0772 000 001\n")
    sent = result_of(batch(1, "accepted", "35"), plan=plan)
    assert to_do(sent) == []
    unknown = result_of(batch(1, "unknown"), plan=plan)
    assert to_do(unknown) == ["rows_under_way"]
    panel = campaign.summary(unknown)
    next(widget for widget in widgets_in(panel) if hasattr(widget, "titles")).selected_index = 3
    shown = html_of(panel)
    assert "Grace" in shown


def test_the_page_counts_no_pause_between_two_rounds(tmp_path):
    """Sent on Saturday, corrected and sent again on Monday."""
    saturday = pd.Timestamp("2026-11-21 11:02", tz="UTC")
    times = [saturday, saturday + pd.Timedelta(seconds=8), saturday + pd.Timedelta(days=2)]
    people = "name,Phone\nAnn,0772000001\nBo,0772000002\nCy,0772000003\n"
    result = result_of(*[batch(1, "accepted", 35)] * 3, plan=plan_of(people))
    frame = result.batches.assign(
        submitted_at=pd.Series(times).astype("datetime64[us, UTC]"), seconds=[4.0, 4.0, 1.0], round=[1, 1, 2]
    )
    two_rounds = Result(result.plan, frame, environment="local")
    shown = figures(page(two_rounds, tmp_path))
    assert "of sending" in shown
    assert not any("pause" in words for words in shown)


def test_a_value_that_nobody_has_is_no_line(tmp_path):
    """The blank row has an empty cell, and is no person without a clinic."""
    plan = plan_of("name,Phone,Clinic\nAnn,0772000001,Gulu\n,,\nBo,0772000002,Lira\n")
    result = result_of(batch(2, "accepted", 70), plan=plan)
    path = campaign.write_report(result, tmp_path / "report.html", by="Clinic")
    assert "(empty)" not in path.read_text("utf-8")


@pytest.mark.parametrize("kind", [str, int])
def test_repaired_counts_the_numbers_that_were_changed(kind, tmp_path):
    """One without its 0, one without its +, one without either sign: the number of a film is as it was."""
    sheet = openpyxl.Workbook()
    sheet.active.append(["Name", "Phone"])
    for name, number in (("Grace", 772000001), ("Moses", 256772000002), ("Zoé", 2560772000003)):
        sheet.active.append([name, kind(number)])
    sheet.active.append(["Jane", "+44 7700 900001"])
    sheet.save(tmp_path / "people.xlsx")
    plan = campaign.prepare(tmp_path / "people.xlsx", message="Hi {Name}", sender="CLINIC", region="UG")
    assert plan.issues["code"].value_counts().to_dict() == {
        "country_code": 2, "lost_zero": 1, "trunk_zero": 1, "fictitious": 1,
        "other_country": 1,  # the only number with + is of another one than the region
    }  # fmt: skip
    result = result_of(batch(4, "accepted", "140"), plan=plan)
    assert "<dt>Repaired</dt><dd>3 numbers</dd>" in re.sub(r">\s+<", "><", page(result, tmp_path))
    summary = book(result, tmp_path)["Summary"]
    assert [row[1] for row in summary.iter_rows(values_only=True) if row[0] == "Repaired"] == ["3 numbers"]
