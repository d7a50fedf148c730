"""The composer's second section: why a text takes several SMS, and the rows with a problem in turn."""

import pytest
from support.widget_tree import find

from campaign.notebook.composer.alphabet import explain_alphabet

PLACE = "is not in the alphabet of SMS, so one SMS holds 70 characters instead of 160."


@pytest.mark.parametrize(
    ("message", "text", "said"),
    [
        ("Hi {name}, a plain text", "Hi Aisha, a plain text", ""),
        ("Fête", "Fête", f"“ê” in your text {PLACE} To save room, write “e” instead of “ê”."),
        ("Hi {name}", "Hi Ŋgũ", "“Ŋ” and “ũ” from the spreadsheet are not in the alphabet of SMS, so one SMS "
         "holds 70 characters instead of 160. To save room, write “u” instead of “ũ” and leave out “Ŋ”."),
        ("Party 🎉", "Party 🎉", f"“🎉” in your text {PLACE} To save room, leave out “🎉”."),
        ("{ê}", "e", ""),  # the name of a column is not sent
        ("“Come”", "“Come”", ""),  # replaced before sending
        ("Euro " + "€" * 5, "Euro " + "€" * 5, ""),
        ("€" * 6, "x" * 150 + "€" * 6, "“€” counts as two characters, so this text takes 2 SMS."),
        ("x" * 161, "x" * 161, ""),  # too long: the check says so
    ],
)  # fmt: skip
def test_the_characters_that_need_more_room_are_named(message, text, said):
    assert explain_alphabet(message, text) == said


def test_the_composer_explains_the_text_of_the_row_on_the_phone(person, table):
    table.write_text("name,phone\nAisha,+256 772 000 001\nZoë,+256 772 000 002\nŊina,+256 772 000 003\n")
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Hi {name}, " + "come again " * 7)
    assert person.sees("alphabet") == ""
    assert person.sees("counter").endswith("· more than 1 SMS for 2 people")
    person.press("next")
    assert "“ë” from the spreadsheet is not" in person.sees("alphabet")
    person.press("previous")
    assert person.sees("alphabet") == ""


def test_rows_with_a_problem_come_one_after_another(person, table):
    table.write_text("name,phone\nA,1\nB,+256 772 000 002\nC,2\nD,+256 772 000 004\nE,3\n")
    person.fill("path", "visits.csv")
    person.press("use")
    person.write("Hi {name}")
    seen = []
    for _ in range(4):
        person.press("problem")
        seen.append(find(person.composer, "section-2").phone.row)
    assert seen == [4, 6, 2, 4]
    assert "2 of 3 rows with a problem." in person.sees("phone")
    person.press("next")
    person.press("problem")
    assert find(person.composer, "section-2").phone.row == 6
