"""The composer's first section: what a country makes of the numbers, and files that cannot be read."""

import pytest
from openpyxl import Workbook
from support.composer_person import Person
from support.widget_tree import find

import campaign


def test_the_country_shows_what_it_makes_of_a_number(person):
    person.fill("path", "visits.csv")
    assert (
        "2 of 3 numbers without a country code can be used: 077*****01 becomes +25677*****01 "
        "(Uganda)." in (person.sees("section-1"))
    )
    assert person.sees("country-warning") == ""


def test_a_country_that_does_not_fit_is_doubted(person, table):
    table.write_text("name,phone\nAisha,0772 000 001\nBen,0772 000 002\n")
    person.fill("path", "visits.csv")
    person.fill("country", "GB")
    assert "0 of 2 numbers without a country code can be used." in person.sees("section-1")
    warning = person.sees("country-warning")
    assert warning.startswith("This is probably the wrong country: 2 of 2 can be used in ")
    assert warning.endswith("Choose the country that these people live in.")
    person.fill("country", "UG")
    assert person.sees("country-warning") == ""
    assert "elsewhere too, so make sure of the country." in person.sees("section-1")
    person.press("use")
    assert person.folded() == ["1 · visits.csv, 2 rows, number in phone (Uganda)"]


@pytest.mark.parametrize("third", ["0772 000 003", "0772 000 03", "0772 00 03", "0772 00"])
def test_where_else_numbers_are_written_so_does_not_hang_on_a_digit_of_one_of_them(person, table, third):
    table.write_text(f"name,phone\nAisha,0772 000 001\nBen,0772 000 002\nCarol,{third}\n")
    person.fill("path", "visits.csv")
    person.fill("country", "UG")
    said = "Numbers are written like this elsewhere too, so make sure of the country."
    assert said in person.sees("section-1")


def test_a_country_code_without_a_plus_is_counted_as_one(person, table):
    table.write_text("name,phone\nA,256772000003\nB,0772 000 001\nC,0772 00\nD,+256 772 000 004\n")
    person.fill("path", "visits.csv")
    assert (
        "1 of 2 numbers without a country code can be used: 077*****01 becomes +25677*****01 "
        "(Uganda). "
        "1 number begins with the country code 256, without +." in person.sees("section-1")
    )
    table.write_text("name,phone\nA,256772000003\nB,256772000005\n")
    person.press("again")
    person.fill("country", "UG")
    assert (
        "2 numbers begin with the country code 256, without +: 25677*****03 becomes +25677*****03 (Uganda)."
        in person.sees("section-1")
    )


def test_countries_are_listed_by_names_that_people_know(person):
    person.fill("path", "visits.csv")
    names = person.offered("country")
    assert {"Kosovo", "Ascension Island", "Tristan da Cunha", "Uganda"} <= {*names}
    assert [name for name in names if len(name) < 4] == []


def test_the_name_of_the_file_stays_in_sight(person):
    person.fill("path", "visits.csv")
    assert "visits.csv: 4 rows." in person.sees("section-1")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "list.pdf",
            b"%PDF-1.4 \xe2\xe3\xcf",
            '"list.pdf" is a PDF. Save the table itself as .xlsx or .csv.',
        ),
        ("list.jpg", b"\xff\xd8\xff\xe0", '"list.jpg" is a picture, and a table in it cannot be read.'),
    ],
)
def test_a_file_of_another_kind_is_named_for_what_it_is(person, tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    person.fill("path", name)
    assert said in person.sees("section-1")
    assert "UTF-8" not in person.sees("section-1")
    person.upload("upload", name, content)
    assert said in person.sees("section-1")
    assert [*(tmp_path / "uploads").iterdir()] == []


def test_a_file_that_cannot_be_read_replaces_none_of_its_name(person, tmp_path):
    person.upload("upload", "visits.csv", b"name,phone\nAisha,+256 772 000 001\n")
    person.upload("upload", "visits.csv", b"%PDF-1.4 \xe2\xe3\xcf")
    assert (tmp_path / "uploads" / "visits.csv").read_bytes().startswith(b"name,phone")


def test_a_country_that_the_numbers_themselves_contradict_is_doubted(person):
    person.fill("path", "visits.csv")
    person.fill("country", "KE")
    warning = person.sees("country-warning")
    assert "1 of 1 number with a country code is from Uganda" in warning
    assert "Kenya" in warning or "wrong country" in warning


def test_no_spreadsheet_is_taken_while_its_numbers_are_of_no_country(person, table):
    table.write_text("name,phone\nAisha,0772 000 001\nBen,0772 000 002\n")
    person.fill("path", "visits.csv")
    person.press("use")
    assert "Choose the country: 2 numbers have no country code" in person.sees("section-1")
    assert person.section(1).is_open
    assert not person.section(2).is_open
    person.fill("country", "UG")
    person.press("use")
    assert person.section(2).is_open


@pytest.mark.parametrize(("coded", "is_doubted"), [(5, False), (2, True)])
def test_a_country_that_numbers_say_is_doubted_only_for_more_numbers_than_these(
    person, table, coded, is_doubted
):
    """Numbers of Uganda that are too short could be called in Somalia."""
    rows = [f"A,+256 772 000 00{n}" for n in range(coded)] + [f"B,0772 000 0{n}" for n in range(3)]
    table.write_text("\n".join(["name,phone", *rows, "C,0772 000 008", "D,0772 000 009"]))
    person.fill("path", "visits.csv")
    assert person.composer.spreadsheet.numbers.chosen["region"] == "UG"
    assert ("wrong country" in person.sees("country-warning")) == is_doubted


def test_the_country_of_the_spreadsheet_before_stays_only_where_it_fits(person, table, tmp_path):
    table.write_text("name,phone\nAisha,0772 000 001\nBen,0772 000 002\n")
    (tmp_path / "again.csv").write_text(table.read_text())
    (tmp_path / "shop.csv").write_text("name,phone\nAnn,07700 900001\nBob,07700 900002\n")
    person.fill("path", "visits.csv")
    person.fill("country", "UG")
    person.fill("path", "again.csv")
    assert person.composer.spreadsheet.numbers.chosen["region"] == "UG"
    person.fill("path", "shop.csv")
    assert person.composer.spreadsheet.numbers.chosen["region"] is None
    assert "say which country they are from" in person.sees("section-1")
    person.press("use")
    assert "Choose the country: 2 numbers have no country code" in person.sees("section-1")


@pytest.mark.parametrize("country", ["", "UG"])
def test_a_column_of_something_else_is_doubted_before_the_country(person, table, country):
    table.write_text("name,phone,visit\nAisha,0772 000 001,2/12/2026\nBen,0772 000 002,3/12/2026\n")
    person.fill("path", "visits.csv")
    person.fill("number", "visit")
    person.fill("country", country)
    assert "Hardly any cell in “visit” is a phone number" in person.sees("country-warning")
    assert "country code" not in person.sees("section-1")
    person.press("use")
    assert not person.section(2).is_open
    person.fill("number", "phone")
    assert person.sees("country-warning") == ""


def test_a_wrong_country_names_the_one_of_the_other_numbers(person, table):
    numbers = ["+256 772 000 001", "+256 772 000 002", "256772000003", "0772 000 004", "0772 000 005"]
    table.write_text("name,phone\n" + "".join(f"A,{number}\n" for number in numbers))
    person.fill("path", "visits.csv")
    person.fill("country", "NG")
    shown = person.sees("section-1")
    assert "+25677*****03 (Nigeria)" not in shown
    assert "can be used in Uganda, the country of the other numbers. Choose it if these" in shown


def test_rows_to_correct_are_not_doubted_because_their_numbers_are_wrong(person, table):
    rows = ["name,phone", "Aisha,0772 00", "Ben,none", "Cara,"]
    table.write_text("\n".join(rows))
    person.fill("path", "visits.csv")
    person.fill("country", "UG")
    assert person.sees("country-warning").startswith("Hardly any cell in “phone” is a phone number")
    added = [",last status,row in the file,campaign", ",invalid,3,Fees", ",invalid,5,Fees", ",invalid,9,Fees"]
    table.write_text("\n".join(map("".join, zip(rows, added, strict=True))))
    person.press("again")
    assert person.sees("country-warning") == ""
    assert "which may be wrong" not in person.sees("section-1")


def test_one_number_is_said_to_be_one(person, table):
    table.write_text("name,phone\nAisha,0772 000 001\nBen,\nCara,none\n")
    person.fill("path", "visits.csv")
    person.fill("country", "UG")
    assert "phone: 1 of 3 cells is a number to send to; 1 has no number and 1 is empty." in person.sees(
        "section-1"
    )
    table.write_text("name,phone\nAisha,none\nBen,\n")
    person.press("again")
    assert "phone: 0 of 2 cells are numbers to send to; 1 has no number and 1 is empty." in person.sees(
        "section-1"
    )


def test_what_the_cells_are_adds_up(person, table):
    numbers = [
        "+256 772 000 001",
        "0772 000 002",
        "0772 00",
        "0772-000-005 / 0772-000-055",
        "ask husband",
        "",
    ]
    table.write_text("name,phone\n" + "".join(f"A,{number}\n" for number in numbers))
    person.fill("path", "visits.csv")
    shown = person.sees("section-1")
    assert (
        "phone: 2 of 6 cells are numbers to send to; 1 is a number that cannot be used, 1 has several "
        "numbers, 1 has no number and 1 is empty." in shown
    )
    assert "1 of 1 number with a country code is from Uganda. 1 of 2 numbers without a country code" in shown
    person.fill("country", "")
    assert "phone: 6 cells, 1 of them empty. The country below decides" in person.sees("section-1")


def test_the_country_of_the_last_campaign_is_chosen_where_it_fits_and_the_numbers_say_none(person, table):
    person.compose()
    person.send()
    person.press("begin-anew")
    table.with_name("pupils.csv").write_text("name,phone\nEve,0772 000 011\nFay,0772 000 012\n")
    person.fill("path", "pupils.csv")
    assert (
        "Uganda was the country of the last campaign here, and may be that of these numbers, which have no "
        "country code. 2 of 2 numbers without a country code can be used: 077*****11 becomes +25677*****11 "
        "(Uganda). Numbers are written like this elsewhere too, so make sure of the country."
    ) in person.sees("section-1")
    assert person.composer.desk.composition.sender == ""
    person.press("use")
    assert person.composer.desk.composition.sender == "CLINIC"  # most campaigns have that of the last one
    another = Person(campaign.compose())  # as on another day
    table.with_name("guests.csv").write_text("name,phone\nGus,07700 900011\nHal,07700 900012\n")
    another.fill("path", "guests.csv")
    assert another.composer.spreadsheet.numbers.country.value == ""  # in Uganda, nobody has these
    another.press("use")
    assert "Choose the country: 2 numbers have no country code" in another.sees("section-1")
    another.fill("path", "pupils.csv")
    another.press("use")
    assert another.folded() == ["1 · pupils.csv, 2 rows, number in phone (Uganda)"]


def test_of_several_sheets_the_first_with_a_column_of_numbers_is_read(person, tmp_path):
    workbook = Workbook()
    workbook.active.title = "Notes"
    workbook.active.append(["Distribution of November"])
    workbook.active.append(["by the field office"])
    workbook.create_sheet("Households").append(["Head", "Phone"])
    workbook["Households"].append(["Aisha", "+256 772 000 001"])
    workbook.save(tmp_path / "distribution.xlsx")
    person.fill("path", "distribution.xlsx")
    assert find(person.composer, "sheet").value == "Households"
    person.fill("sheet", "Notes")
    assert "Choose the column with the numbers, or another sheet." in person.sees("country-warning")
    person.fill("sheet", "Households")
    person.press("use")
    assert person.folded() == ["1 · distribution.xlsx, sheet Households, 1 row, number in Phone (Uganda)"]


def test_a_workbook_that_is_chosen_again_is_read_at_the_sheet_of_last_time(person, tmp_path):
    def choose(*sheets):
        workbook = Workbook()
        workbook.active.title = "Notes"
        workbook.active.append(["Distribution of November"])
        workbook.active.append(["by the field office"])
        for place, name in enumerate(sheets):
            workbook.create_sheet(name).append(["Head", "Phone"])
            workbook[name].append(["Aisha", f"+256 772 000 00{place}"])
        workbook.save(tmp_path / "kept.xlsx")
        person.upload("upload", "distribution.xlsx", (tmp_path / "kept.xlsx").read_bytes())
        return find(person.composer, "sheet").value

    assert choose("Gulu", "Lira") == "Gulu"
    person.fill("sheet", "Lira")
    assert choose("Gulu", "Lira", "Arua") == "Lira"
    assert choose("Gulu", "Lira 2", "Arua") == "Gulu"  # it has another name by now
