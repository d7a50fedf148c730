"""The own spreadsheet, still with its mistakes, gets another column after the corrections were sent."""

import pytest

import campaign

VISITS = """\
name,phone,village,day
Ann,0772 000 001,Lira,Monday
Tom,07720,Gulu,Friday
Jane,,Lira,Monday
Paul,0772 000 004,Gulu,Monday
"""
TEXT = "Dear {name}, come on {day}."


def plan_of(table):
    return campaign.prepare(table, message=TEXT, sender="CLINIC", region="UG")


def send(table, folder):
    return campaign.send(plan_of(table), folder=folder, progress=False)


def read(text):
    return campaign.read_contacts(text.encode())


def sent_as_corrected(tmp_path, rows, numbers):
    """The folder of a campaign whose rows to correct got these numbers in the follow-up file."""
    result = send(read(rows), tmp_path / "visits")
    path = campaign.write_follow_up(result, tmp_path / "correct.csv")
    file = campaign.read_contacts(path)
    file["phone"] = [*numbers]
    send(file, result.folder)
    return result.folder


def with_remarks(rows):
    first, *others = rows.splitlines()
    return "\n".join([f"{first},remark", *(f"{row},called" for row in reversed(others))])


@pytest.mark.parametrize(
    "change", [with_remarks, lambda rows: rows.replace("village", "parish"), lambda rows: rows]
)
def test_whoever_was_reached_as_corrected_is_known_by_the_columns_that_are_left(tmp_path, change):
    folder = sent_as_corrected(tmp_path, VISITS, ["0772 000 060", "0772 000 061"])
    today = read(change(VISITS))
    assert "2 rows were sent as corrected" in campaign.compare(plan_of(today), folder=folder).sentence
    result = send(today, folder)
    assert result.nothing_sent
    assert sorted(result.outcomes) == ["accepted"] * 2 + ["reached earlier"] * 2
    assert result.follow_up().empty
    assert "put these corrections into your own spreadsheet too" in result.sentence


def test_rows_that_only_a_renamed_column_tells_apart_stay_to_be_corrected(tmp_path):
    """Two Toms with the same mistake: nothing says any more which of them was reached."""
    toms = VISITS.replace("Jane,,Lira,Monday", "Tom,07720,Lira,Friday")
    folder = sent_as_corrected(tmp_path, toms, ["0772 000 060", "call him"])
    kept = send(read(toms), folder)
    assert kept.follow_up()["village"].tolist() == ["Lira"]
    renamed = send(read(toms.replace("village", "parish")), folder)
    assert renamed.follow_up()["parish"].tolist() == ["Gulu", "Lira"]


def test_a_number_alone_does_not_say_whose_row_it_is(tmp_path):
    folder = sent_as_corrected(tmp_path, VISITS, ["0772 000 060", "0772 000 061"])
    renamed = VISITS.replace("name,phone,village,day", "who,phone,parish,when")
    plan = campaign.prepare(
        read(renamed), message="Dear {who}, come on {when}.", sender="CLINIC", region="UG"
    )
    result = campaign.send(plan, folder=folder, changed="skip", progress=False)
    assert sorted(result.follow_up()["who"]) == ["Jane", "Tom"]


def test_a_placeholder_of_a_renamed_column_makes_no_other_text(tmp_path):
    """The column was renamed before the follow-up file was sent, which has the old name, and after it."""
    result = send(read(VISITS), tmp_path / "visits")
    path = campaign.write_follow_up(result, tmp_path / "correct.csv")
    renamed = campaign.prepare(
        read(VISITS.replace(",day", ",appointment")),
        message="Dear {name}, come on {appointment}.",
        sender="CLINIC",
        region="UG",
    )
    folder = campaign.send(renamed, folder=result.folder, progress=False).folder
    file = campaign.read_contacts(path)
    file["phone"] = ["0772 000 060", "0772 000 061"]
    send(file, folder)
    again = campaign.send(renamed, folder=folder, progress=False)
    assert again.nothing_sent
    assert again.outcomes.tolist() == ["accepted", "reached earlier", "reached earlier", "accepted"]
    assert again.follow_up().empty


def test_another_column_in_the_text_is_another_text(tmp_path):
    first, *others = VISITS.splitlines()
    rows = "\n".join([f"{first},new_day", *(f"{row},Sunday" for row in others)])
    folder = sent_as_corrected(tmp_path, rows, ["0772 000 060", "0772 000 061"])
    plan = campaign.prepare(
        read(rows), message="Dear {name}, come on {new_day}.", sender="CLINIC", region="UG"
    )
    result = campaign.send(plan, folder=folder, changed="send", progress=False)
    assert sorted(result.follow_up()["name"]) == ["Jane", "Tom"]
    assert "2 people have only an earlier text" in result.sentence
