"""Rounds of one campaign: what is frozen when, and valves that look over all of them."""

from pathlib import Path

import pytest
from support.findings import codes, finding
from support.refusals import facts_of, findings_of, refused
from support.small_campaigns import contacts_of, people, plan_for

import campaign
from campaign.sending import opening

QUIET = {"batch_size": 5, "progress": False}


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rounds_of(result):
    return sorted(path.name for path in (result.folder / "rounds").iterdir())


def test_what_a_killed_program_has_frozen_is_swept(desk):
    with campaign.Sandbox() as sandbox:
        options = {"account": sandbox.account, "name": "visits", **QUIET}
        first = campaign.send(plan_for(people(6)), **options)
        left = first.folder / "rounds" / "0002" / "plan"
        left.mkdir(parents=True)
        (left / "part-00000.parquet").write_bytes(b"half a part")
        second = campaign.send(plan_for(people(7)), **options)
        assert second.totals["accepted"] == 7
        assert rounds_of(second) == ["0001", "0002"]
        assert campaign.load_result(second.folder).totals["accepted"] == 7


def test_the_same_plan_again_freezes_nothing(desk):
    with campaign.Sandbox() as sandbox:
        options = {"account": sandbox.account, "name": "visits", **QUIET}
        for _ in range(3):
            result = campaign.send(plan_for(people(12)), pilot=4, **options)
        assert rounds_of(result) == ["0001"]
        assert len(sandbox.inbox) == 4


def test_a_pilot_stays_that_of_its_first_choice_when_a_row_is_added(desk):
    with campaign.Sandbox() as sandbox:
        options = {"account": sandbox.account, "name": "visits", **QUIET}
        campaign.send(plan_for(people(12)), pilot=4, **options)
        held = campaign.send(plan_for(people(13)), pilot=4, **options)
        assert (held.totals["accepted"], held.totals["not_sent"]) == (4, 9)
        assert (held.ending.code, held.ending.facts["waiting"]) == ("pilot_over", 9)
        assert campaign.resume(held.folder, account=sandbox.account, **QUIET).totals["accepted"] == 13
        assert sandbox.inbox["number"].is_unique


def test_another_text_has_a_pilot_of_its_own(desk):
    with campaign.Sandbox() as sandbox:
        options = {"account": sandbox.account, "name": "visits", **QUIET}
        campaign.send(plan_for(people(12)), pilot=4, **options)
        reached = set(sandbox.inbox["text"].str.removeprefix("Hi "))
        others = people(12)[lambda table: ~table["name"].isin(reached)]  # nobody of the first pilot
        campaign.send(plan_for(others, "Hello {name}"), pilot=4, waiting="withdraw", **options)
        assert sandbox.inbox["text"].str.startswith("Hello").sum() == 4


def test_a_budget_of_messages_counts_people_who_have_left_the_table(desk):
    with campaign.Sandbox() as sandbox:
        options = {"account": sandbox.account, "name": "visits", **QUIET}
        campaign.send(plan_for(people(6)), **options)
        rows = people(12).iloc[4:]  # four of those who were reached are gone
        result = campaign.send(plan_for(rows), budget=campaign.Budget(messages=8), **options)
        assert len(sandbox.inbox) == 7
        assert result.ending.facts["budget"] == 8
        assert result.not_in_table["number"].tolist() == [f"25677200000{n}" for n in range(4)]


def test_an_earlier_text_to_a_number_of_the_table_is_not_in_it(desk):
    with campaign.Sandbox() as sandbox:
        options = {"account": sandbox.account, "name": "visits", **QUIET}
        campaign.send(plan_for(people(3)), **options)
        result = campaign.send(plan_for(people(3), "Hello {name}"), changed="send", **options)
        for told in (result, campaign.load_result(result.folder)):
            assert told.totals["accepted"] == 3
            assert told.not_in_table["text"].tolist() == [f"Hi Person {n}" for n in range(3)]


def test_every_round_begins_with_one_message(desk):
    """What was accepted yesterday says nothing about a text that the service refuses today."""
    with campaign.Sandbox(faults={3: "Invalid sender ID"}) as sandbox:
        options = {"account": sandbox.account, "name": "visits", **QUIET}
        campaign.send(plan_for(people(6)), **options)
        assert sandbox.requests == 2
        result = campaign.send(plan_for(people(20)), **options)
        assert sandbox.requests == 3
        assert (result.totals["refused"], result.totals["not_sent"]) == (1, 13)


def test_a_file_of_the_same_name_elsewhere_asks_for_a_name(desk):
    text = "name,phone\nAisha,0772 000 001\n"
    for folder in ("north", "south"):
        Path(folder).mkdir()
        Path(folder, "visits.csv").write_text(text)
    north, south = (plan_for(campaign.read_contacts(f"{folder}/visits.csv")) for folder in ("north", "south"))
    with campaign.Sandbox() as sandbox:
        options = {"account": sandbox.account, **QUIET}
        campaign.send(north, **options)
        with refused("other_file", campaign.OtherFileError, campaign="visits"):
            campaign.send(south, **options)
        continued = campaign.send(south, name="visits", **options)
        assert finding(continued, "nothing_left").facts["kinds"][0].startswith("1 message accepted")
        assert campaign.send(south, name="south visits", **options).totals["accepted"] == 1
        assert len(sandbox.inbox) == 2


def test_every_file_that_a_campaign_was_sent_from_goes_on_with_it(desk):
    """A person has said of each that it is the campaign's, so nobody is asked again."""
    plans = {}
    for place, number in enumerate(("north", "south", "west")):
        Path(number).mkdir()
        Path(number, "visits.csv").write_text(f"name,phone\nAisha,0772 000 00{place}\n")
        plans[number] = plan_for(campaign.read_contacts(f"{number}/visits.csv"))
    with campaign.Sandbox() as sandbox:
        options = {"account": sandbox.account, **QUIET}
        campaign.send(plans["north"], **options)
        campaign.send(plans["south"], name="visits", **options)
        for known in ("north", "south"):
            assert "nothing_left" in codes(campaign.send(plans[known], **options))
        with refused("other_file", sent_from=str(Path("south/visits.csv").absolute())):
            campaign.compare(plans["west"], account=sandbox.account)


@pytest.mark.parametrize("moment", ["before its folder", "before its round"])
def test_of_two_programs_that_begin_one_rehearsal_the_slower_one_is_refused(
    sandbox, tmp_path, monkeypatch, moment
):
    plan, folder = plan_for(people(3)), tmp_path / "visits"
    make = opening.create_folder

    def make_slowly(*place):
        made = make(*place) if moment == "before its round" else None
        with monkeypatch.context() as other:
            other.setattr(opening, "create_folder", make)
            campaign.send(plan, account=sandbox.account, folder=folder, progress=False)
        return made or make(*place)

    monkeypatch.setattr(opening, "create_folder", make_slowly)
    with refused("begun_elsewhere", campaign.LockedError):
        campaign.send(plan, account=sandbox.account, folder=folder, progress=False)
    assert len(sandbox.inbox) == 3


def test_of_two_texts_to_one_number_the_changed_one_keeps_its_own(sandbox, tmp_path):
    """Both went out in one batch, so number and batch do not say which of them is meant."""
    options = {"account": sandbox.account, "folder": tmp_path / "tickets", "canary": False, **QUIET}
    both = contacts_of("Ticket 1,0772 000 001", "Ticket 2,0772 000 001")
    campaign.send(plan_for(both, duplicates="keep"), **options)
    corrected = plan_for(contacts_of("Ticket 1,0772 000 001", "Ticket II,0772 000 001"), duplicates="keep")
    with refused("decision_needed") as asked:
        campaign.send(corrected, **options)
    assert facts_of(findings_of(asked.value))["text_replaced"] == {
        "place": "row 3", "before": "“Hi Ticket 2”", "now": "“Hi Ticket II”",
    }  # fmt: skip
    skipped = campaign.send(corrected, changed="skip", **options)
    resumed = campaign.resume(skipped.folder, account=sandbox.account, **QUIET)
    for result in (skipped, campaign.load_result(skipped.folder), resumed):
        assert result.contacts["why"].tolist() == ["", "earlier_text"]
        assert result.totals["accepted"] == 1
    assert len(sandbox.inbox) == 2


def test_the_question_about_changed_texts_shows_where_they_differ(sandbox, tmp_path):
    """Also where both begin with the same words, as a reminder with the date at its end does."""
    text = "{name}, please come to Kisenyi HC IV for the visit that you missed last month, on {day}."
    days = [contacts_of(f"Amina,{day},0772 000 001", header="name,day,phone") for day in ("9 Dec", "10 Dec")]
    options = {"account": sandbox.account, "folder": tmp_path / "visits", **QUIET}
    campaign.send(plan_for(days[0], text), **options)
    corrected = plan_for(days[1], text)
    with refused("decision_needed") as asked:
        campaign.send(corrected, **options)
    shown = facts_of(findings_of(asked.value))["text_replaced"]
    assert (shown["before"], shown["now"]) == ("“… month, on 9 Dec.”", "“… month, on 10 Dec.”")
    difference = campaign.compare(corrected, folder=tmp_path / "visits")
    assert difference.messages["before"].tolist() == [text.format(name="Amina", day="9 Dec")]
    assert "on 9 Dec." in difference._repr_html_()
    assert 'class="bar doubt"' in difference._repr_html_()  # as in a live campaign
    assert "on 10 Dec." in difference._repr_html_()


def test_a_difference_shows_what_is_promised_and_nothing_of_its_inside(desk):
    difference = campaign.compare(plan_for(people(3)))
    assert {name for name in dir(difference) if not name.startswith("_")} == {
        "counts", "questions", "cost", "new", "reached", "unknown", "gone", "messages", "not_in_table",
        "findings", "outgoing", "is_first",
    }  # fmt: skip
