"""Every row of a reason and of a choice at the composer, with its number, its cell and what to do."""

import re

import openpyxl
import pytest
from support.widget_tree import find, html_of, widgets_in

from campaign.notebook.composer import row_list

TEXT = "Hi {name}, come on {day}."


def lists(person):
    """The lists of rows that are offered now, by the label of their button."""
    found = [one for one in widgets_in(person.section(3)) if isinstance(one, row_list.RowList)]
    return {one.children[0].description: one for one in found if one.layout.display != "none"}


def open_list(person, label):
    rows = lists(person)[label]
    rows.children[0].click()
    return rows


def at_the_check(person, table, rows, text=TEXT):
    table.write_text("name,phone,day\nAisha,+256 772 000 001,Mon\n" + rows)
    person.compose(text=text)
    person.reopen(3)


def test_all_rows_of_a_reason_open_in_place(person, table):
    at_the_check(person, table, "".join(f"P{n},0772 {n:02},Tue\n" for n in range(27)))
    assert "and 19 others" in person.sees("section-3")
    assert "0772 26" not in person.sees("section-3")
    rows = open_list(person, "Show all 27 rows")
    shown = html_of(rows)
    for n in range(27):
        assert f">{n + 3}</td>" in shown
        assert f">P{n}</td>" in shown
        assert f">0772 {n:02}</td>" in shown
    assert shown.count("Compare it with its source and complete it.") == 27
    assert [*lists(person)] == ["Hide all 27 rows"]
    rows.children[0].click()
    assert html_of(rows).count("<td") == 0


def test_why_and_what_to_do_are_said_apart_and_nothing_is_to_do_for_who_wants_none(person, table):
    at_the_check(person, table, "Ben,0772 000 002,Tue\nEve,0772 000 002,Tue\nCat,0772,Tue\n")
    (table.parent / "stop.csv").write_text("phone\n+256772000002\n")
    person.fill("opt-outs", "stop.csv")
    person.press("agree")  # most of this short table
    opened = [open_list(person, label) for label in ("Show both rows", "Show this row")]
    shown = [re.findall(r"<t[hd][^>]*>([^<]*)", html_of(rows)) for rows in opened]
    assert "why" in shown[0]
    assert shown[0][-1] == "The number is on the list of people who want no texts."
    assert "what to do" not in shown[0]
    assert shown[1][-2:] == ["The number has too few digits.", "Compare it with its source and complete it."]


def test_the_list_of_rows_without_a_text_has_all_that_the_page_counts(person, table, tmp_path):
    """Who wants none and who comes twice too, each with the reason; only a mistake stands out."""
    rows = "Ben,0772 000 002,Tue\nCat,0772,Tue\nAisha,0772 000 001,Mon\n,,\nDan,0772 000 001,Fri\n"
    at_the_check(person, table, rows)
    (table.parent / "stop.csv").write_text("phone\n+256772000002\n")
    person.fill("opt-outs", "stop.csv")
    assert "1 person gets a text; 5 rows get none" in person.sees("section-3")
    section = person.section(3)
    (tmp_path / "rows.xlsx").write_bytes(section.download.content())
    sheet = openpyxl.load_workbook(tmp_path / "rows.xlsx").active
    header, *lines = sheet.iter_rows(values_only=True)
    assert header == ("name", "phone", "day", "why it gets no text", "row in your own spreadsheet")
    assert [line[4] for line in lines] == ["3", "4", "5", "6", "7"]
    assert [line[3].partition(".")[0] for line in lines] == [
        "The number is on the list of people who want no texts",
        "The number has too few digits",
        "The same number and the same text as row 2, which is kept",
        "The row is empty",
        "The same number as row 2, which has another text",
    ]
    filled = [cell.coordinate for row in sheet.iter_rows() for cell in row if cell.fill.fill_type == "solid"]
    assert filled == ["B3", "B6"]


@pytest.mark.parametrize("name", ["why", "what they get", "why it gets no text"])
def test_a_column_called_as_one_of_the_page_is_shown_beside_it(person, table, tmp_path, name):
    table.write_text(f"{name},phone\nsick,+256 772 000 001\nwell,0772\n")
    person.compose(text="Please come.")
    find(person.composer, "who-gets").children[0].click()
    assert "sick 25677*****01 “Please come.”" in person.sees("who-gets")
    person.reopen(3)
    assert "well" in html_of(open_list(person, "Show this row"))
    section = person.section(3)
    (tmp_path / "rows.xlsx").write_bytes(section.download.content())
    _, line = openpyxl.load_workbook(tmp_path / "rows.xlsx").active.iter_rows(values_only=True)
    assert line[0] == "well"
    assert line[2].startswith("The number has too few digits.")


def test_a_list_of_these_rows_stands_out_and_no_main_button_uses_it(person, table, tmp_path):
    at_the_check(person, table, "Ben,0772,Tue\n")
    section = person.section(3)
    (tmp_path / "rows.xlsx").write_bytes(section.download.content())
    person.reopen(1)
    person.fill("path", "rows.xlsx")
    use = find(person.composer, "use")
    assert (use.description, use.button_style) == ("Use it anyway", "")
    warning = find(person.composer, "own-file").value
    assert 'class="changed"' in warning
    assert "a list that this program wrote of the rows that get no text. It is not a file" in warning
    assert person.sees("section-1").count("It is not a file to send") == 1
    person.fill("path", "visits.csv")
    assert (use.description, use.button_style) == ("Use this spreadsheet", "primary")
    assert person.sees("own-file") == ""


def test_a_spreadsheet_with_a_column_called_as_the_one_of_that_list_is_used_without_a_word(person, table):
    table.write_text("why it gets no text,phone\nsick,+256 772 000 001\n")
    person.fill("path", "visits.csv")
    assert find(person.composer, "use").description == "Use this spreadsheet"
    assert "this program wrote" not in person.sees("section-1")


@pytest.mark.parametrize("sheet", ["Summary", "Contacts"])
def test_a_sheet_of_a_report_is_said_to_be_one_whatever_its_columns(person, tmp_path, sheet):
    person.compose()
    person.send()
    (tmp_path / "report.xlsx").write_bytes(person.section(5).downloads["report.xlsx"].content())
    person.reopen(1)
    person.fill("path", "report.xlsx")
    find(person.composer, "sheet").value = sheet
    person.press("use")
    said = person.sees("section-1")
    assert "Choose the column with the numbers" not in said
    assert said.endswith("Use your own spreadsheet, or the file of rows to correct.")


def test_very_many_rows_come_in_pages_and_numbers_are_masked(person, table, monkeypatch):
    monkeypatch.setattr(row_list, "_PAGE", 3)
    at_the_check(person, table, "".join("Eve,0772 000 001,Mon\n" for _ in range(4)))
    rows = open_list(person, "Show all 4 rows")
    assert "Here are 1 to 3 of 4 rows." in html_of(rows)
    earlier, later = rows.children[2].children
    assert (earlier.layout.display, later.layout.display) == ("none", None)
    later.click()
    assert "Here are 4 to 4 of 4 rows." in html_of(rows)
    assert (earlier.layout.display, later.layout.display) == (None, "none")
    assert "25677*****01" in html_of(rows)
    assert "0772 000 001" not in html_of(rows)


def test_all_rows_of_a_choice_show_what_they_get(person, table):
    at_the_check(person, table, "".join(f"{'x' * 160},0772 000 01{n},Mon\n" for n in range(6)), "Hi {name}")
    *_, choice = lists(person).values()
    choice.children[0].click()
    assert html_of(choice).count("No text. The text has 163 characters") == 6
    person.fill("overlong", "truncate")
    shown = html_of(choice)  # it stays open
    assert "No text." not in shown
    assert shown.count("Hi xxx") == 6
