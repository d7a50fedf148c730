"""The sample files have the faults that their README names, row by row, and no others."""

from pathlib import Path

import pandas as pd

from campaign.contacts.reading import read_contacts
from campaign.messages.preparation import prepare

SAMPLES = Path(__file__).parents[2] / "sample_data"


def found(plan, *severities):
    """The rows of each finding."""
    issues = plan.issues[plan.issues["severity"].isin(severities)]
    return {str(code): rows.tolist() for code, rows in issues.groupby("code")["row"]}


def visits(message):
    contacts = read_contacts(SAMPLES / "clinic_visits.xlsx")
    return prepare(contacts, message=message, sender="CLINIC", region="UG")


def test_the_clinic_sheet_is_read_as_described():
    contacts = read_contacts(SAMPLES / "clinic_visits.xlsx")
    reading = contacts.attrs["reading"]
    assert (reading.sheet, reading.header_row, reading.rows) == ("Visits", 1, 299)
    assert (reading.hidden_rows, reading.blank_rows) == (1, 2)
    assert list(contacts.columns) == ["First name", "Last name", "Phone", "Visit date", "Clinic", "Notes"]
    assert contacts.index[[0, -1]].tolist() == [2, 301]
    assert 198 not in contacts.index
    assert contacts.loc[[9, 33, 58, 102, 171, 226], "First name"].tolist() == [
        "Zoé",
        "André",
        "Noëlla",
        "François",
        "Chloé",
        "Agnès",
    ]
    assert contacts.loc[2, "Visit date"] == "2026-03-05"


def test_the_clinic_sheet_has_the_faults_described():
    plan = visits((SAMPLES / "visit_reminder.txt").read_text(encoding="utf-8").strip())
    assert found(plan, "error") == {
        "fixed": [81],
        "letters": [24, 189, 279],
        "missing_number": [47, 160, 288],
        "missing_value": [75, 131, 203],
        "unreadable_value": [37],
        "no_digits": [263],
        "too_short": [109],
        "overlong": [154],
        "scientific": [147],
        "several": [52],
        "shared_phone": [181, 182, 241],
    }
    assert found(plan, "warning") == {"same_text": [67, 118, 251], "ucs2": [58, 102]}
    assert dict(plan.totals) | {"opted_out": 0} == {
        "invalid": 16,
        "blank": 2,
        "duplicate": 6,
        "opted_out": 0,
        "not_sent": 275,
        "accepted": 0,
        "refused": 0,
        "unknown": 0,
    }
    assert plan.totals.longest == 135
    assert plan.messages["number"].str.match("256(?:772|701)000").all()  # nobody's numbers


def test_row_154_is_too_long_for_the_short_message_too():
    plan = visits("Hi {first_name}, your visit is on {visit_date:%-d %B}.")
    assert found(plan, "error")["overlong"] == [154]


def test_the_numbers_of_the_clinic_are_spelled_in_six_ways():
    contacts = read_contacts(SAMPLES / "clinic_visits.xlsx")
    spellings = {
        r"0\d{3} \d{3} \d{3}": 60,
        r"0\d{9}": 50,
        r"\+256 \d{3} \d{3} \d{3}": 30,
        r"256\d{9}": 10,
        r"7\d{8}": 10,
        r"0\d{3}-\d{3}-\d{3}": 10,
    }
    counts = {pattern: contacts["Phone"].str.fullmatch(pattern).sum() for pattern in spellings}
    assert all(counts[pattern] >= least for pattern, least in spellings.items()), counts


def test_the_shop_file_is_read_as_described():
    customers = read_contacts(SAMPLES / "shop_customers.csv")
    reading = customers.attrs["reading"]
    assert (reading.encoding, reading.delimiter, reading.rows, reading.blank_rows) == ("cp1252", ";", 90, 1)
    assert list(customers.columns) == ["first_name", "mobile", "points", "voucher"]
    assert customers.loc[7, "first_name"] == 'Christopher; "Kit"'
    assert customers.loc[[11, 19, 28, 66], "voucher"].tolist() == [
        "-20% on coffee",
        "=2*50 points",
        "+1 free mug",
        "€5 – tea or coffee",
    ]
    assert customers.loc[[34, 35], "first_name"].tolist() == ["Nan", "None"]


def test_the_shop_file_has_the_faults_described():
    customers = read_contacts(SAMPLES / "shop_customers.csv")
    message = "Hi {first_name}, you have {points} points. Show {voucher} at the till."
    plan = prepare(customers, message=message, sender="SHOP", region="GB")
    assert found(plan, "error") == {
        "letters": [78],
        "missing_number": [41],
        "missing_value": [46, 88],
        "no_such_number": [60],
    }
    assert found(plan, "warning") == {"same_text": [53], "rare_country": [61, 72]}
    assert found(plan, "info")["replaced"] == [66]
    assert found(plan, "info")["ucs2"] == [22, 32, 43, 59, 85, 89, 90]
    abroad = plan.messages.set_index("row")["number"]
    assert abroad.loc[[61, 72]].tolist() == ["46701740612", "12025550147"]


def test_every_row_that_the_readme_names_exists():
    text = (SAMPLES / "README.md").read_text(encoding="utf-8")
    clinic, shop = text.split("## shop_customers.csv")
    for part, last in ((clinic, 301), (shop, 91)):
        cells = pd.Series(part.splitlines()).str.extract(r"^\| ([\d, and]+) \|")[0].dropna()
        named = cells.str.findall(r"\d+").explode().astype("int64")
        assert len(named) > 15
        assert named.between(2, last).all()
