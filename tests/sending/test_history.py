"""All campaigns of a folder in one table."""

import re
import time
from decimal import Decimal

import pandas as pd
import pytest
from support.refusals import refused
from support.small_campaigns import people, plan_for

import campaign
from campaign.private_files import make_private_folder

COLUMNS = [
    "name", "environment", "state", "first_sent", "last_sent", "people", "accepted", "refused", "unknown",
    "waiting", "cost", "unpriced", "currency", "sender", "template", "folder", "problem",
]  # fmt: skip
COUNTS = ["people", "accepted", "refused", "unknown", "waiting"]


@pytest.fixture
def campaigns(tmp_path):
    return tmp_path / "campaigns"


def send(count, place, sandbox=None, **options):
    options = {"batch_size": 2, "concurrency": 1, "canary": False, "progress": False, **options}
    return campaign.send(plan_for(people(count)), account=sandbox, folder=place, **options)


def only_row(table):
    (row,) = table.to_dict("records")
    return row


def test_one_campaign_and_what_came_of_it(campaigns):
    """Of ten people two were accepted, then an answer was lost."""
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        result = send(10, campaigns / "visits", sandbox)
    table = campaign.history(campaigns)
    assert list(table.columns) == COLUMNS
    row = only_row(table)
    left = result.batches["submitted_at"]
    assert {name: row[name] for name in COLUMNS} == {
        "name": "visits",
        "environment": "local",
        "first_sent": left.min(),
        "last_sent": left.max(),
        "people": 10,
        "accepted": 2,
        "refused": 0,
        "unknown": 2,
        "waiting": 6,
        "cost": Decimal(70),
        "unpriced": 1,
        "currency": "",
        "sender": "CLINIC",
        "template": "Hi {name}",
        "folder": str(campaigns / "visits"),
        "state": "open",
        "problem": "",
    }


def test_the_state_of_each_campaign(campaigns):
    for name in ("done", "old", "given up"):
        send(2, campaigns / name)
    with campaign.Sandbox(balance=35) as sandbox:
        send(3, campaigns / "given up", sandbox)
    for call, name in ((campaign.erase, "old"), (campaign.close, "given up")):
        try:
            call(campaigns / name)
        except campaign.ConfirmationError as question:
            call(campaigns / name, confirm=question.phrase)
    with campaign.Sandbox(balance=35) as sandbox:  # they wait for a top-up, so it is not over
        assert send(2, campaigns / "out of funds", sandbox).totals["refused"] == 2
    states = campaign.history(campaigns).set_index("name")["state"]
    assert dict(states) == {
        "done": "finished", "old": "erased", "given up": "closed", "out of funds": "open",
    }  # fmt: skip


def test_a_campaign_that_had_nobody_to_send_to_is_not_called_finished(campaigns):
    send(0, campaigns / "all invalid")  # its only row has no number
    with campaign.Sandbox(balance=0) as sandbox:
        send(2, campaigns / "withdrawn", sandbox)
        send(0, campaigns / "withdrawn", sandbox)
    assert campaign.history(campaigns)["state"].tolist() == ["nothing sent"] * 2


def test_a_notebook_shows_them_in_words_and_in_local_time(campaigns, in_kampala):
    with campaign.Sandbox(faults={2: "accept_no_cost"}) as sandbox:
        send(4, campaigns / "visits", sandbox)
    frame = campaign.history(campaigns)
    frame[["first_sent", "last_sent"]] = pd.Timestamp("2026-11-21 22:02", tz="UTC")
    card = frame[frame["people"] > 1]._repr_html_()
    headers = re.findall(r'<th scope="col"[^>]*>(\w+)<', card)
    assert headers == ["Campaign", "State", "Sent", "Cost", "Sender", "People", "Accepted"]
    elsewhere = pd.concat([frame, frame.assign(environment="live", unknown=1)])._repr_html_()
    assert ">Unknown</th>" in elsewhere
    assert ">embedded sandbox</td>" in elsewhere
    assert ">70 or more (made up)</td>" in card
    assert ">22 Nov 2026</td>" in card  # a day later than in UTC
    assert "<style scoped>" in frame[["name", "people"]]._repr_html_()  # as any other frame
    assert str(frame["first_sent"].dt.tz) == "UTC"


def test_figures_are_those_of_the_result_over_all_rounds(campaigns):
    """Refused, topped up, sent again with more people: each person counts once."""
    with campaign.Sandbox(balance=35 * 4) as sandbox:
        assert send(6, campaigns / "visits", sandbox).totals["refused"] == 2
        sandbox.top_up(10**6)
        result = send(9, campaigns / "visits", sandbox)
    row = only_row(campaign.history(campaigns))
    assert [row[name] for name in COUNTS] == [9, 9, 0, 0, 0]
    assert (row["accepted"], row["cost"]) == (result.totals["accepted"], result.totals.cost)


def test_what_people_got_who_have_left_the_table_stays_in_the_cost(campaigns):
    send(4, campaigns / "visits")
    send(2, campaigns / "visits")
    row = only_row(campaign.history(campaigns))
    assert (row["people"], row["accepted"], row["cost"]) == (2, 4, Decimal(140))


def test_a_closed_campaign_waits_no_more(campaigns):
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        send(10, campaigns / "visits", sandbox)
    campaign.close(campaigns / "visits", confirm="close with 6 messages not sent")
    row = only_row(campaign.history(campaigns))
    assert [row[name] for name in COUNTS] == [10, 2, 0, 2, 0]


def test_the_campaign_that_sent_last_comes_first(campaigns):
    for name in ("visits", "reminders", "thanks"):
        send(1, campaigns / name)
    assert campaign.history(campaigns)["name"].tolist() == ["thanks", "reminders", "visits"]


def test_types_are_the_same_whether_campaigns_are_there_or_not(campaigns):
    make_private_folder(campaigns)
    empty = campaign.history(campaigns)
    assert empty.empty
    send(2, campaigns / "visits")
    table = campaign.history(campaigns)
    pd.testing.assert_series_equal(table.dtypes, empty.dtypes)
    assert set(table[COUNTS].dtypes) == {pd.Int64Dtype()}
    assert str(table["last_sent"].dtype) == "datetime64[us, UTC]"


def damage_manifest(place):
    (place / "manifest.json").write_text("{")


def lose_manifest(place):
    (place / "manifest.json").unlink()


def lose_ledger(place):
    (place / "ledger.sqlite").unlink()


def damage_ledger(place):
    (place / "ledger.sqlite").write_bytes(b"not a database, but long enough to be read " * 10)


def change_round(place):
    path = place / "rounds" / "0001" / "manifest.json"
    path.write_text(path.read_text().replace("CLINIC", "BANK"))


def lose_round(place):
    (place / "rounds" / "0001" / "manifest.json").unlink()


@pytest.mark.parametrize(
    ("damage", "known", "why"),
    [
        (damage_manifest, ["", ""], "manifest.json is missing, damaged or was changed."),
        (lose_manifest, ["", ""], "it has no manifest.json"),
        (lose_ledger, ["visits", "local"], "There is no ledger"),
        (damage_ledger, ["visits", "local"], "no ledger of this program"),
        (change_round, ["visits", "local"], "is missing, damaged or was changed"),
        (
            lose_round,
            ["visits", "local"],
            "is missing, damaged or was changed",
        ),
    ],
)
def test_what_cannot_be_read_is_a_row_too_and_says_why(campaigns, damage, known, why):
    send(2, campaigns / "visits")
    send(3, campaigns / "thanks")
    damage(campaigns / "visits")
    table = campaign.history(campaigns).set_index("folder")
    broken, sound = table.loc[str(campaigns / "visits")], table.loc[str(campaigns / "thanks")]
    assert [broken["name"], broken["environment"]] == known
    assert why in broken["problem"]
    assert pd.isna(broken["people"])
    assert (sound["accepted"], sound["problem"]) == (3, "")


def test_a_campaign_that_never_began_has_sent_nothing(campaigns, monkeypatch):
    """The program was killed after the folder was made, before a round was ready."""
    send(2, campaigns / "thanks")
    monkeypatch.setattr("campaign.sending.opening.freeze_round", killed)
    with pytest.raises(RuntimeError, match="killed"):
        send(2, campaigns / "visits")
    row = campaign.history(campaigns).iloc[1]
    assert row["name"] == "visits"
    assert [row[name] for name in COUNTS] == [0] * 5
    assert pd.isna(row["last_sent"])
    assert row["cost"] == 0


def killed(*arguments):
    raise RuntimeError("killed")


def test_other_folders_and_files_are_no_campaigns(campaigns):
    send(2, campaigns / "visits")
    (campaigns / "notes").mkdir()
    (campaigns / ".hidden").mkdir()
    (campaigns / "report.html").write_text("")
    assert campaign.history(campaigns)["name"].tolist() == ["visits"]


def test_the_folder_of_one_campaign_is_a_list_of_one(campaigns):
    send(2, campaigns / "visits")
    assert campaign.history(campaigns / "visits")["name"].tolist() == ["visits"]


def test_a_place_without_campaigns_is_said_in_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with refused("no_campaigns", campaign.FolderError):
        campaign.history()


def test_a_campaign_that_is_being_sent_is_listed(campaigns):
    with campaign.Sandbox(latency=0.2) as sandbox:
        run = campaign.start(
            plan_for(people(6)), account=sandbox, folder=campaigns / "visits", batch_size=2, concurrency=1,
            progress=False,
        )  # fmt: skip
        row = only_row(campaign.history(campaigns))
        assert row["waiting"] > 0
        assert row["problem"] == ""
        assert run.wait().totals["accepted"] == 6


def test_a_hundred_campaigns_are_listed_without_reading_a_message(campaigns, monkeypatch):
    send(2, campaigns / "0")
    for n in range(1, 100):
        copy(campaigns / "0", campaigns / str(n))
    monkeypatch.setattr("campaign.sending.store.part_files.check_ordinary", killed)
    begun = time.process_time()
    assert len(campaign.history(campaigns)) == 100
    assert time.process_time() - begun < 3  # a thousand take some seconds


def copy(folder, to):
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            target = to / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
