"""The page of the people: which file, which sheet, which column, of which country."""

import io
import stat
import sys
from pathlib import Path

import pytest
from openpyxl import Workbook
from support.form_person import CORRECTED, TEXT, VISITS, Person
from support.spreadsheets import saved, workbook

import campaign
from campaign.notebook.composer.items import words

PAIR = "name,phone\nAisha,0772 000 001\nBen,0772 000 002\n"
BRITISH = "name,phone\nAnn,07700 900001\nBob,07700 900002\n"


def shares(person, item="number"):
    """What is said of each column: (column, cells that can be used)."""
    return dict(person.item(item)["options"])


# the file


def test_the_column_and_the_country_are_guessed_and_shown(person):
    person.choose()
    assert (person.item("number")["value"], person.item("region")["value"]) == ("phone", "UG")
    assert shares(person)["phone"] == words("form_usable", column="phone", usable=3, count=4)
    assert person.says("form_example", written="0772 000 001", number="+256772000001")
    (table,) = (item for item in person.items() if item["kind"] == "table")
    assert table["columns"] == ["Row", "name", "phone", "day"]
    assert table["rows"][2] == ["4", "Carol", "0772 00", "Wed"]
    person.press("next")
    assert person.page["steps"][0][1] == "4 rows, phone, Uganda"


def test_a_chosen_file_is_kept_for_its_owner_only(person):
    person.choose(VISITS, "../visits of may.csv")
    kept = Path("uploads/visits of may.csv")
    assert kept.read_text() == VISITS
    if sys.platform != "win32":
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert person.page["top"] == "visits of may"


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("list.pdf", b"%PDF-1.4 \xe2\xe3\xcf", "no_spreadsheet"),
        ("list.jpg", b"\xff\xd8\xff\xe0", "no_spreadsheet"),
        ("visits.csv", b"%PDF-1.4 \xe2\xe3\xcf", "no_spreadsheet"),  # named as the one before
        ("visits.csv", b"", "table_empty"),
        ("visits.csv", b"name,name,phone\nA,B,0772 000 001\n", "columns_alike"),
        ("visits.csv", b"name,phone\nA\x00\x00,1\n", "not_text"),
        ("visits.xlsx", saved(workbook(["name"]))[:90], "packed_file"),
        ("a" * 300 + ".csv", PAIR.encode(), "upload_not_kept"),
    ],
    ids=range(8),  # the bytes of a workbook differ from second to second
)
def test_a_wrong_file_is_a_sentence_and_nothing_is_lost(person, name, content, code):
    person.compose()
    person.do("press", "step:0")
    person.fill("region", "KE")
    person.upload("source", name, content)
    assert person.refused == code
    assert person.item("region")["value"] == "KE"
    assert Path("uploads/visits.csv").read_text() == VISITS
    assert [path.name for path in Path("uploads").iterdir()] == ["visits.csv"]
    person.go_on()
    assert (person.refused, person.composer.form.text) == ("", TEXT)


def test_a_disk_that_takes_no_file_is_said(person):
    Path("uploads").write_text("no folder")
    person.choose()
    assert person.refused == "upload_not_kept"
    Path("uploads").unlink()
    person.upload("source", "visits.csv", VISITS)
    assert (person.refused, person.item("number")["value"]) == ("", "phone")


def test_a_file_without_rows_goes_no_further(person):
    person.choose("name,phone\n")
    person.press("next")
    assert (person.refused, person.page["step"]) == ("no_rows", "people")


def test_rows_that_are_hidden_are_said_and_get_nothing(person):
    book = workbook(["name", "phone"], ["Aisha", "+256772000001"], ["Ben", "+256772000002"])
    book.active.row_dimensions[3].hidden = True
    person.choose(saved(book), "visits.xlsx")
    assert person.says("rows_hidden", count=1, first=3)
    person.write("Hi {name}")
    person.press("next")
    assert person.bar == {"get it": 1, "to correct": 0, "left out": 0}


# sheets


def households(*sheets):
    """A workbook with notes first, and a sheet of one household for each name."""
    book = Workbook()
    book.active.title = "Notes"
    book.active.append(["Distribution of November"])
    book.active.append(["by the field office"])
    for place, name in enumerate(sheets):
        book.create_sheet(name).append(["Head", "Phone"])
        book[name].append([f"Head of {name}", f"+256 772 000 00{place}"])
    return saved(book)


def test_of_several_sheets_one_is_chosen(person):
    person.choose(households("Gulu", "Lira"), "households.xlsx")
    assert (person.offers("sheet"), person.item("sheet")["value"]) == (["Notes", "Gulu", "Lira"], "Notes")
    person.press("next")
    assert person.refused == "few_numbers"
    person.fill("sheet", "Lira")
    person.write("Hi {Head}")
    assert person.phone == ["Hi Head of Lira", "Head of Lira, row 2"]


@pytest.mark.parametrize(
    ("sheets", "read"), [(("Gulu", "Lira", "Arua"), "Lira"), (("Gulu", "Lira 2"), "Notes")]
)
def test_a_workbook_that_is_chosen_again_is_read_at_the_same_sheet_while_it_is_there(person, sheets, read):
    person.choose(households("Gulu", "Lira"), "households.xlsx")
    person.fill("sheet", "Lira")
    person.upload("source", "households.xlsx", households(*sheets))
    assert (person.refused, person.item("sheet")["value"]) == ("", read)


# columns


def test_of_rows_whose_first_number_cannot_be_used_the_second_one_is(person):
    person.choose("name,phone,home\nAisha,0772 00,0772 000 011\nBen,0772 000 002,0772 000 012\nCara,,\n")
    person.fill("region", "UG")
    assert person.offers("second") == ["", "home"]
    assert shares(person, "second")["home"] == words("form_usable", column="home", usable=2, count=3)
    person.fill("second", "home")
    person.write("Hi {name}")
    assert person.phone == ["Hi Aisha", "Aisha, row 2"]
    person.press("next")
    assert person.bar == {"get it": 2, "to correct": 1, "left out": 0}
    assert person.says("second_numbers", count=1)
    person.press("next")
    person.rehearse()
    sent = campaign.load_result(person.composer.form.folder).messages["number"].tolist()
    assert sent == ["256772000011", "256772000002"]


def test_a_column_of_something_else_goes_no_further(person):
    person.choose()
    person.fill("number", "name")
    person.press("next")
    assert (person.refused, person.page["step"]) == ("few_numbers", "people")
    person.fill("number", "phone")
    assert person.refused == ""
    person.press("next")
    assert person.page["step"] == "message"


def test_columns_that_another_version_of_the_file_has_not_are_not_asked_for(person):
    person.choose("name,phone,home,Language\nAisha,0772 000 001,0772 000 002,en\nB,0772 000 003,,sw\n")
    person.fill("region", "UG")
    person.fill("second", "home")
    person.press("next")
    person.fill("language", "Language")
    person.fill("text", "Hello {name}")
    person.do("press", "step:0")
    person.upload("source", "visits.csv", "name,mobile\nAisha,0772 000 001\n")
    assert (person.refused, person.item("number")["value"]) == ("", "mobile")
    person.press("next")
    assert (person.refused, person.item("text")["value"]) == ("", "Hello {name}")


# the country


def test_numbers_of_no_country_go_no_further_until_one_is_chosen(person):
    person.choose(PAIR)
    assert person.item("region")["value"] == ""
    person.press("next")
    assert (person.refused, person.page["step"]) == ("numbers_without_country", "people")
    person.fill("region", "UG")
    assert shares(person)["phone"] == words("form_usable", column="phone", usable=2, count=2)
    person.press("next")
    assert person.page["step"] == "message"


def test_numbers_that_all_have_their_code_need_no_country(person):
    person.choose("name,phone\nAisha,+256 772 000 001\nAnn,+44 7700 900001\n")
    person.fill("region", "001")
    person.press("next")
    assert person.page["step"] == "message"


def test_a_country_that_most_numbers_contradict_is_doubted(person):
    person.choose("name,phone\n" + "".join(f"A,+25677200000{n}\n" for n in range(5)) + "B,0772 000 009\n")
    assert "ask" not in tones(person)
    person.fill("region", "KE")
    assert "ask" in tones(person)
    person.press("next")  # and it may be right all the same
    assert person.page["step"] == "message"


def tones(person):
    return [item.get("tone") for item in person.items()]


def test_the_country_and_the_sender_of_the_last_campaign_are_taken_where_they_fit(person):
    person.compose()
    person.rehearse()
    person.press("done")
    person.choose("name,phone\nEve,0772 000 011\n", "pupils.csv")
    assert person.item("region")["value"] == "UG"
    person.press("next")
    assert (person.item("sender")["value"], person.item("text").get("value", "")) == ("CLINIC", "")
    another_day = Person()
    another_day.choose(BRITISH, "guests.csv")
    assert another_day.item("region")["value"] == ""  # in Uganda, nobody has these


def test_the_country_that_was_chosen_stays_when_dates_are_read_otherwise(person):
    person.check(
        "name,phone,visit\nA,0772 000 001,05/01/2026\nB,+256772000002,06/01/2026\n", text="{visit:%-d %B}"
    )
    person.do("press", "step:0")
    person.fill("region", "TZ")
    person.press("next")
    person.press("next")
    person.fill("dates", "dmy")
    assert person.composer.form.region == "TZ"


# the same file again


@pytest.fixture
def sent(person):
    """The same person, who has rehearsed the visits; Carol's number was wrong."""
    person.compose()
    person.rehearse()
    assert person.counts == {"invalid": 1, "accepted": 3}
    return person


def test_a_known_file_is_a_new_message_or_goes_on_with_its_campaign(sent):
    sent.choose()
    assert (sent.shows("new-name"), sent.shows("continue:visits"), sent.shows("next")) == (True, True, False)
    sent.press("new-name")
    name = sent.composer.form.name
    assert name.startswith("visits ")
    sent.write("The clinic is closed on {day}.")
    sent.go_on()
    assert sent.item("name")["value"] == name
    sent.rehearse()
    assert sent.counts == {"invalid": 1, "accepted": 3}
    sent.choose()
    assert [one for one in ("visits", name) if sent.shows(f"continue:{one}")] == ["visits", name]
    sent.press("new-name")
    assert sent.composer.form.name == f"{name} (2)"


def test_a_corrected_file_goes_on_with_its_text_and_only_the_new_number_is_reached(sent):
    another_day = Person()
    another_day.continue_with(CORRECTED)
    assert another_day.item("send:local")["label"] == words("form_rehearse", messages=1)
    another_day.rehearse()
    assert another_day.counts == {"accepted": 4}
    assert another_day.composer.form.message == TEXT


def test_a_campaign_goes_on_with_a_file_whose_columns_have_other_names(sent):
    sent.choose(VISITS.replace("phone", "mobile"))
    sent.press("continue:visits")
    assert (sent.refused, sent.item("number")["value"]) == ("", "mobile")
    sent.go_on()
    assert not sent.shows("send:local")  # everybody has it


def test_a_campaign_that_was_begun_in_python_goes_on_here(desk):
    Path("uploads").mkdir()
    Path("uploads/visits.csv").write_text(VISITS)
    plan = campaign.prepare("uploads/visits.csv", message=TEXT, sender="CLINIC", region="UG")
    campaign.send(plan, progress=False)
    person = Person()
    person.choose(CORRECTED)
    person.press("continue:visits")
    person.write()
    person.go_on()
    person.rehearse()
    assert person.counts == {"accepted": 4}


def test_another_file_has_its_own_name(sent):
    sent.choose()
    sent.press("new-name")
    sent.upload("source", "pupils.csv", VISITS)
    assert (sent.composer.form.name, sent.page["top"]) == ("", "pupils")


# rows to correct


def test_rows_to_correct_ask_nothing_and_complete_their_campaign(sent):
    path = sent.download("follow-up")
    book = corrected(path, "B2", "0772 000 003")
    sent.upload("source", path.name, book)
    assert not sent.shows("new-name")
    sent.go_on()
    assert sent.composer.form.message == TEXT
    assert sent.item("send:local")["label"] == words("form_rehearse", messages=1)
    sent.rehearse()
    assert sent.counts == {"accepted": 4}


def test_rows_to_correct_of_a_chosen_sheet_are_read(person):
    rows = [line.split(",") for line in VISITS.splitlines()]
    book = workbook(*rows)
    book.active.title = "March"
    for row in rows:
        book.create_sheet("April") if "April" not in book.sheetnames else None
        book["April"].append(row)
    person.choose(saved(book), "visits.xlsx")
    person.fill("sheet", "April")
    person.write()
    person.go_on()
    person.rehearse()
    path = person.download("follow-up")
    person.upload("source", path.name, corrected(path, "B2", "0772 000 003"))
    assert person.refused == ""
    person.go_on()
    person.rehearse()
    assert person.counts == {"accepted": 4}


def test_rows_that_were_not_corrected_change_nothing(sent):
    path = sent.download("follow-up")
    sent.upload("source", path.name, path)
    assert (sent.page["step"], sent.bar["to correct"]) == ("check", 1)
    assert sent.item("next")["is_off"]


def test_a_corrected_table_with_hidden_rows_is_looked_at_from_the_beginning(sent):
    """A filter that was left on hides rows, which is said on the first page."""
    book = workbook(*(line.split(",") for line in CORRECTED.splitlines()))
    sent.upload("source", "visits.xlsx", saved(book))
    assert sent.page["step"] == "check"
    sent.press("start")
    sent.press(next(item["id"] for item in sent.items() if item.get("id", "").startswith("open:")))
    book.active.row_dimensions[3].hidden = True
    sent.upload("source", "visits.xlsx", saved(book))
    assert (sent.page["step"], sent.says("rows_hidden", count=1, first=3)) == ("people", True)


def corrected(path, cell, value):
    """A workbook with another value in a cell."""
    import openpyxl

    book = openpyxl.load_workbook(path)
    book.active[cell] = value
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()
