"""What a notebook shows of rounds: the comparison before, the dashboard while, and the result after."""

import json
import re
import shutil
from decimal import Decimal
from html import unescape
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient
from support.findings import finding, rows_found
from support.small_campaigns import people, plan_for
from support.widget_tree import html_of

import campaign
from campaign.notebook.dashboard import Dashboard
from campaign.notebook.run_card import run_card
from campaign.results.result_part import result_parts
from campaign.results.totals import ResultTotals
from campaign.sending.opening import open_campaign
from campaign.sending.options import SendOptions
from campaign.sending.run import Run
from campaign.words.finding import Finding
from campaign.words.page import PAGE

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path):
    return {"folder": tmp_path / "visits"}


def dashboard_at_the_end(plan, sandbox, place, **options):
    run = campaign.start(plan, account=sandbox, **place, **options)
    dashboard = Dashboard(run)
    run.wait(20)
    dashboard.draw()
    return html_of(dashboard)


def test_a_pilot_that_is_run_again_is_no_failure(sandbox, place):
    first, again = (
        dashboard_at_the_end(plan_for(people(12)), sandbox, place, pilot=4, batch_size=2) for _ in range(2)
    )
    assert "The pilot is over: 8 messages wait." in first
    assert "The pilot is over: 8 messages wait." in again
    assert len(sandbox.inbox) == 4


def test_to_resume_a_closed_campaign_says_that_it_is_closed(sandbox, place):
    options = {"account": sandbox, "batch_size": 2, **place}
    campaign.send(plan_for(people(3)), budget=campaign.Budget(messages=1), progress=False, **options)
    campaign.close(place["folder"], confirm="close with 2 messages not sent")
    resumed = open_campaign(None, SendOptions(account=sandbox, **place))  # as resume does
    run = Run(resumed, attended=False)
    run.wait(20)
    card = run_card(run)
    assert "<b>2</b> withdrawn" in card
    assert "campaign.resume" not in card


def test_the_dashboard_of_refused_messages_says_how_they_go_out(place):
    with campaign.Sandbox(balance=0) as sandbox:
        run = campaign.start(plan_for(people(1)), account=sandbox, **place)
        dashboard = Dashboard(run)
        run.wait(20)
        run.stop()
        run.wait(20)
        dashboard.draw()
        assert "Resume sends what is left" in html_of(dashboard)
    call = f"campaign.resume({json.dumps(str(place['folder']))})</code>"
    assert call in unescape(campaign.load_result(place["folder"])._repr_html_())
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.close(place["folder"])
    campaign.close(place["folder"], confirm=asked.value.phrase)
    assert call not in unescape(campaign.load_result(place["folder"])._repr_html_())


def test_the_card_before_sending_shows_first_what_has_to_be_decided(sandbox, place):
    nobody_yet = campaign.compare(plan_for(people(2)), **place)._repr_html_()
    assert "Nothing was sent under this name before." in nobody_yet
    campaign.send(plan_for(people(2)), account=sandbox, progress=False, **place)
    html = campaign.compare(plan_for(people(4), "Hello {name}."), **place)._repr_html_()
    assert "This would send 2 messages." in html
    assert "changed=&quot;skip&quot;" in html
    assert html.count("with another text") == 1 + 2  # how many there are, and each of them
    assert html.index(">with another text</td>") < html.index(">new</td>")
    assert "256772000" not in html
    assert "priority" not in html


def test_the_card_of_a_result_has_a_column_of_rounds_once_there_are_two(sandbox, place):
    one = campaign.send(plan_for(people(3)), account=sandbox, progress=False, **place)
    assert ">round</th>" not in one._repr_html_()
    two = campaign.send(plan_for(people(4)), account=sandbox, progress=False, **place)._repr_html_()
    assert '<th scope="col" class="figure">round</th>' in two


def test_who_keeps_an_earlier_text_is_not_said_to_have_this_one(sandbox, place):
    campaign.send(plan_for(people(2)), account=sandbox, progress=False, **place)
    other = plan_for(people(2), "Hello {name}.")
    kept = campaign.send(other, account=sandbox, changed="skip", progress=False, **place)
    rows = kept.contacts[["status", "why", "batch"]].to_numpy().tolist()
    assert rows == [["duplicate", "earlier_text", 1], ["duplicate", "earlier_text", 2]]
    assert (kept.totals["accepted"], kept.totals.with_earlier_text) == (0, 2)
    assert rows_found(kept) == {"rows_with_earlier_text": 2}


def test_correct_and_run_again_runs_offline_and_tells_its_story(tmp_path):
    shutil.copy(PROJECT / "notebooks" / "03_correct_and_run_again.ipynb", tmp_path)
    notebook = nbformat.read(tmp_path / "03_correct_and_run_again.ipynb", as_version=4)
    (parameters,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    assert "people = 50" in parameters.source
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=60, kernel_name="python3", resources=resources).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert [output for output in outputs if output.output_type == "error"] == []
    told = "\n".join(
        str(output.get("data", {}).get("text/plain") or output.get("text", "")) for output in outputs
    )
    for sentence in (
        "This would send 47 messages.",
        "accepted for 47 of 50 people",
        "This would send 3 messages.",
        "accepted for 50 of 50 people",
        "Nothing was left to send: 50 messages accepted on ",
        "accepted for 52 of 52 people",
        "52 people have another text or number on record.",
        "duplicate  earlier_text    52",
        "['visits.local']",
    ):
        assert sentence in told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["03_correct_and_run_again.ipynb"]


def test_the_elapsed_time_is_that_of_all_rounds(place):
    with campaign.Sandbox(latency=0.6) as sandbox:
        first = campaign.start(plan_for(people(2)), account=sandbox, **place)
        first.wait(20)
        second = campaign.start(plan_for(people(3)), account=sandbox, **place)
        assert second.counts.seconds > 1.2  # the two requests of the first round
        second.wait(20)
    assert second.counts.seconds > 1.8


def test_the_elapsed_time_is_that_of_the_texts_in_the_table_and_not_of_an_earlier_text(place):
    with campaign.Sandbox(latency=0.6) as sandbox:
        campaign.send(plan_for(people(2)), account=sandbox, progress=False, **place)
        other = campaign.start(
            plan_for(people(2), message="Another text for {name}."), account=sandbox, changed="send", **place
        )
        assert other.counts.seconds < 0.6  # a request takes longer
        other.wait(20)
    assert other.counts.accepted == 2


def test_no_class_of_an_error_is_named_to_people(place):
    """It stays in the frame, for whoever looks into it."""
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        run = campaign.start(plan_for(people(9)), account=sandbox, batch_size=3, **place)
        dashboard = Dashboard(run)
        run.wait(20)
        run.stop()
        result = run.wait(20)
        dashboard.draw()
    shown = [html_of(dashboard), dashboard.card(), result._repr_html_(), html_of(campaign.summary(result))]
    assert all(PAGE.headline(Finding("connection_broke")) in html for html in shown)
    assert not any("Error" in html for html in shown)
    assert result.batches["facts"].str.contains(r"\w+Error").any()


def test_the_card_with_an_unknown_batch_has_the_lines_that_settle_it(place):
    """One of two that are unknown was taken for the only one."""
    faults = dict.fromkeys(range(2, 7), "accept_reset")
    with campaign.Sandbox(faults=faults) as sandbox:
        run = campaign.start(
            plan_for(people(20)), account=sandbox, batch_size=3, concurrency=1, max_unknown=2, **place
        )
        run.wait(20)
        folder = json.dumps(str(place["folder"]))
        assert finding(run.result, "rows_unknown").facts["batches"] == [2, 3]
        line = finding(run.result, "rows_unknown").facts["call"]
        assert line == f'result = campaign.resolve({folder}, 2, "accepted")'
        run.resume()
        run.wait(20)
        run.stop()
        result = run.wait(20)
    assert unescape(run_card(run)).count(line) == 1
    assert finding(result, "rows_unknown").facts["batches"] == [2, 3, 4, 5]
    statuses = re.findall(r">(unknown|accepted)</td>", result._repr_html_())
    assert statuses == [*["unknown"] * 4, "accepted"]


def test_a_rehearsal_says_everywhere_that_it_was_one(sandbox, place, tmp_path):
    """The dashboard, cards, summary, reports and the comparison after it; its costs are made up."""
    run = campaign.start(plan_for(people(5)), account=sandbox, **place)
    dashboard = Dashboard(run)
    result = run.wait(20)
    dashboard.draw()
    report = campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")
    for shown in (result.sentence, result._repr_html_(), html_of(campaign.summary(result)), report):
        assert "Rehearsal, nobody got anything" in shown
    for shown in (html_of(dashboard), dashboard.card()):
        assert ">REHEARSAL, embedded sandbox</span>" in shown
    for shown in (html_of(dashboard), dashboard.card(), result._repr_html_()):
        assert "175 (made up)" in shown
    assert "<dd>175</dd><dt>made-up cost" in report
    again = campaign.compare(plan_for(people(5)), **place)
    assert (again.findings[0].facts["messages"], again.reached) == (0, 5)
    listed = campaign.write_report(campaign.history(tmp_path), tmp_path / "all.html").read_text("utf-8")
    assert "Nobody got anything" in listed
    assert "175 (made up)" in listed


def test_what_is_live_does_not_speak_of_rehearsals():
    plan = plan_for(people(2))
    batches = pd.DataFrame({"batch": [1], "status": ["accepted"], "messages": [2], "cost": [Decimal(70)]})
    parts = result_parts(plan, batches, np.array([1, 1]), np.array([0, 0]))
    live = ResultTotals.of(plan.totals, parts, batches, "UGX", "live")
    assert live.cost_in_words == "UGX 70"
