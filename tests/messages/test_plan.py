"""From small spreadsheets to plans: what each row gets, and why some get nothing."""

import re
from decimal import Decimal
from html import escape
from textwrap import dedent

import pandas as pd
import pytest
from support.issue_facts import fact_of
from support.refusals import refused

from campaign.contacts.reading import read_contacts
from campaign.errors import ColumnError, TemplateError, UsageError
from campaign.messages.plan_tables.plan_fingerprint import fingerprint
from campaign.messages.preparation import prepare

CLINIC = """\
    Name,Phone,Visit date,Clinic
    Ann,0772 000 001,2026-01-05,Mulago
    Ben,+256772000002,2026-01-06,Nsambya
    Cas,O772000003,2026-01-07,Mulago
    Dee,,2026-01-08,Mulago
    ,,,
    ,0772000006,2026-01-09,Mulago
    Gus,0772000001,2026-01-05,Mulago
    Zoë,00256772000008,2026-01-10,Mulago
"""
VISIT = "Hi {name}, your visit is on {visit_date:%-d %b}."


def contacts(text):
    return read_contacts(dedent(text).encode())


def plan(text=CLINIC, **changes):
    options = {"message": VISIT, "sender": "CLINIC", "region": "UG"}
    return prepare(contacts(text), **options | changes)


def issues_of(made, *codes):
    issues = made.issues
    issues = issues[issues["code"].isin(codes)] if codes else issues
    return list(issues[["row", "column", "value", "code", "severity"]].itertuples(index=False, name=None))


# --- the frames ---------------------------------------------------------------------------------------


def test_each_row_gets_its_message_or_its_reason():
    made = plan()
    assert made.messages.to_dict("records") == [
        {
            "row": row,
            "number": number,
            "message": f"Hi {name}, your visit is on {day} Jan.",
            "sender": "CLINIC",
            "priority": "",
            "parts": 1,
        }
        for row, number, name, day in [
            (2, "256772000001", "Ann", 5),
            (3, "256772000002", "Ben", 6),
            (9, "256772000008", "Zoë", 10),
        ]
    ]
    assert made.contacts["status"].to_dict() == {
        2: "not_sent", 3: "not_sent", 4: "invalid", 5: "invalid",
        6: "blank", 7: "invalid", 8: "duplicate", 9: "not_sent",
    }  # fmt: skip
    assert issues_of(made) == [
        (4, "Phone", "O772000003", "letters", "error"),
        (5, "Phone", "", "missing_number", "error"),
        (6, "", "", "blank_row", "info"),
        (7, "Name", "", "missing_value", "error"),
        (8, "Phone", "0772000001", "shared_phone", "error"),
        (9, "Phone", "00256772000008", "international_prefix", "info"),
        (9, "Name", "Zoë", "ucs2", "info"),
    ]


WHY = {
    "Ann,0772 000 001,UG": ("not_sent", ""),
    "Ann,+256772000001,UG": ("duplicate", "same_text"),
    "Ben,0772000001,UG": ("duplicate", "shared_phone"),
    "Cas,0772000002,UG": ("opted_out", "opted_out"),
    ",0772 000 002,UG": ("opted_out", "opted_out"),  # whatever else is wrong with the row
    "Cas,256772000002,UG": ("duplicate", "same_text"),  # nobody is counted twice
    "Dee,0772000003,UG": ("duplicate", "other_campaign"),
    "Eve,O772000004,UG": ("invalid", "letters"),
    ",0772,UG": ("invalid", "too_short"),  # the first that is wrong
    ",0772000005,UG": ("invalid", "missing_value"),
    "Fay,0772000006,": ("invalid", "no_region"),
    "Gus,,UG": ("invalid", "missing_number"),
    ",,": ("blank", "blank_row"),
    "Zoë,00256772000008,UG": ("not_sent", ""),
    "Total,,": ("blank", "line_of_totals"),
}


@pytest.mark.parametrize("block", [2, 100])
def test_each_row_has_the_code_of_what_decided_its_status(monkeypatch, block):
    monkeypatch.setattr("campaign.messages.draft.BLOCK", block)
    table = contacts("\n".join(["Name,Phone,Country", *WHY]))
    lists = {"opt_outs": ["256772000002"], "not_again": pd.Series(["+256772000003"])}
    made = prepare(table, message="Hi {Name}", sender="CLINIC", region=table["Country"], **lists)
    assert [*made.contacts[["status", "why"]].itertuples(index=False, name=None)] == [*WHY.values()]
    assert ((made.contacts["why"] == "") == (made.contacts["reason"] == "")).all()


def test_the_code_goes_with_the_row_that_is_kept():
    made = plan("Name,Phone\nAnn,0772000001\nBen,0772000001\nBen,0772000001\n", message="Hi {name}")
    assert made.contacts["why"].tolist() == ["", "shared_phone", "shared_phone"]
    assert made.keep_instead([3]).contacts["why"].tolist() == ["shared_phone", "", "same_text"]


def test_a_row_whose_number_stands_in_another_column_says_so():
    rows = pd.DataFrame(
        {"Phone": ["0772 000 001", "", ""], "Alt phone": ["", "0772 000 003", " "], "Name": [*"ABC"]}
    )
    made = prepare(rows, message="Hi", sender="CLINIC", region="UG", number="Phone")
    assert fact_of(made, "missing_number", "elsewhere") == ["Alt phone", ""]


def test_the_frames_have_the_promised_types():
    made = plan()
    text = "str"
    assert made.messages.dtypes.astype(str).to_dict() == {
        "row": "int64", "number": text, "message": text, "sender": text, "priority": text, "parts": "int64",
    }  # fmt: skip
    assert made.issues.dtypes.astype(str).to_dict() == {
        "row": "Int64", "column": text, "value": text, "code": text, "severity": text, "detail": text,
        "facts": text,
    }  # fmt: skip
    assert list(made.contacts.columns) == ["Name", "Phone", "Visit date", "Clinic", "status", "why", "reason"]
    assert set(made.contacts.dtypes.astype(str)) == {text}
    assert made.contacts.index.name == "row"


def test_totals_add_up_to_the_file():
    totals = plan().totals
    assert dict(totals) == {
        "invalid": 3, "blank": 1, "duplicate": 1, "opted_out": 0,
        "not_sent": 3, "accepted": 0, "refused": 0, "unknown": 0,
    }  # fmt: skip
    assert (totals.rows, totals.messages, totals.parts, totals.gsm7, totals.ucs2) == (8, 3, 3, 2, 1)
    assert totals.longest == len("Hi Ann, your visit is on 10 Jan.")
    assert totals.countries == {"UG": 3}


def test_a_number_that_can_be_read_in_two_ways_is_shown_with_both():
    made = plan("Phone\n4915112345678\n4915112345678\n", message="Hi", region="DE")
    assert [code for _, _, _, code, _ in issues_of(made)] == ["ambiguous", "ambiguous"]
    readings = "+49 491 5112345678 (a landline, DE) or +49 1511 2345678 (a mobile phone, DE)"
    assert fact_of(made, "ambiguous", "readings") == [readings] * 2


def test_the_country_is_that_of_the_number_that_is_used():
    table = "Mobile,Phone\n0772000001,+254712345678\n,+254712345679\n,+447700900001\n"
    made = plan(table, message="Hi", number=["Mobile", "Phone"])
    assert made.messages["number"].tolist() == ["256772000001", "254712345679", "447700900001"]
    assert made.totals.countries == {"GB": 1, "KE": 1, "UG": 1}


def test_the_reason_names_everything_that_is_wrong_with_a_row():
    made = plan("Name,Phone\n,123\n", message="Hi {name}")
    assert made.contacts["reason"].tolist() == [" ".join(made.issues["detail"])]
    assert issues_of(made) == [
        (2, "Phone", "123", "too_short", "error"),
        (2, "Name", "", "missing_value", "error"),
    ]


def test_columns_of_the_same_name_as_ours_are_moved_out_of_the_way():
    made = plan("Phone,Status,code,code (your column)\n0772000001,new,a,b\n", message="{status}{code}")
    assert list(made.contacts.columns) == [
        "Phone", "Status (your column)", "code (your column)", "code (your column) (your column)", "status",
        "why", "reason",
    ]  # fmt: skip
    assert made.messages["message"].tolist() == ["newa"]


def test_a_table_without_rows_gives_a_plan_without_messages():
    made = plan("Name,Phone,Visit date\n")
    assert made.totals.rows == 0
    assert made.messages.empty
    assert list(made.batches(10)) == []
    assert "<" in made._repr_html_()
    assert len(made.fingerprint) == 64
    with refused("no_rows", UsageError):
        made.preview()


def test_any_dataframe_will_do_and_pipe_works():
    frame = pd.DataFrame({"phone": ["0772000001", "0772000002"], "amount": [1500.0, 2500.5]})
    made = frame.pipe(prepare, message="Pay {amount:,.0f}", sender="SHOP", region="UG")
    assert made.messages["message"].tolist() == ["Pay 1,500", "Pay 2,501"]


def test_a_contact_table_that_was_edited_keeps_its_row_numbers():
    table = contacts(CLINIC).loc[[9, 3]].assign(Fee=[1500, 20])
    made = prepare(table, message="{name}: {fee}", sender="CLINIC", region="UG")
    assert made.messages[["row", "message"]].values.tolist() == [[9, "Zoë: 1500"], [3, "Ben: 20"]]


def test_what_was_read_is_told():
    assert plan().reading.rows == 8
    assert escape(plan().reading.sentence) in plan()._repr_html_()
    assert re.search(
        r"Fingerprint [0-9a-f]{12}\. Written on \d+ \w+ 20\d\d, \d\d:\d\d:", plan()._repr_html_()
    )


# --- columns and arguments ----------------------------------------------------------------------------


def test_several_number_columns_are_taken_in_order_of_preference():
    made = plan(
        """\
        Mobile,Home
        0772000001,0772000009
        bad,0772000002
        ,0772000003
        bad,
        0414000000,bad
        """,
        message="Hi",
        number=["Mobile", "Home"],
    )
    assert made.messages[["row", "number"]].values.tolist() == [
        [2, "256772000001"], [3, "256772000002"], [4, "256772000003"],
    ]  # fmt: skip
    assert issues_of(made) == [
        (3, "Mobile", "bad", "no_digits", "warning"),
        (5, "Mobile", "bad", "no_digits", "error"),
        (6, "Mobile", "0414000000", "fixed", "error"),
        (6, "Home", "bad", "no_digits", "error"),
    ]


def test_duplicates_across_number_columns_are_shown_where_they_stand():
    made = plan("Mobile,Home\n0772000001,\n,0772000001\n", message="Hi", number=["Mobile", "Home"])
    assert issues_of(made) == [(3, "Home", "0772000001", "same_text", "warning")]


@pytest.mark.parametrize(
    ("header", "code"),
    [("Name,Town", "number_column_missing"), ("Phone 1,Phone 2", "number_column_unclear")],
)
def test_a_number_column_that_cannot_be_told(header, code):
    with refused(code, ColumnError, columns=header.split(",")):
        plan(f"{header}\n0772000001,0772000002\n", message="Hi")


def test_a_mobile_column_wins_over_a_home_phone():
    made = plan("Home phone,Mobile\n0414000000,0772000001\n", message="Hi")
    assert made.messages["number"].tolist() == ["256772000001"]


def test_the_region_may_be_a_column():
    text = "Phone,Country\n0772000001,UG\n07700 900001,GB\n"
    for region in ("country", "{Country}", contacts(text)["Country"]):
        made = plan(text, message="Hi", region=region)
        assert made.messages["number"].tolist() == ["256772000001", "447700900001"]
        assert made.totals.countries == {"GB": 1, "UG": 1}


def test_the_region_may_be_the_world():
    """Every number begins with its country code, also that of a satellite phone, which no country has."""
    text = "Phone,001\n256772000001,UG\n447700900001,GB\n881612345678,UG\n0772000002,UG\n"
    made = plan(text, message="Hi", region="001")
    assert made.messages["number"].tolist() == ["256772000001", "447700900001", "881612345678"]
    assert made.totals.countries == {"GB": 1, "UG": 1, "001": 1}
    by_column = plan(text, message="Hi", region="{001}")
    assert by_column.messages["number"].tolist()[-1] == "256772000002"


def test_a_region_that_is_no_country_excludes_its_row():
    made = plan(
        "Phone,Country\n0772000001,UG\n0772000002,Uganda\n+256772000003,\n0772000004,\n",
        message="Hi",
        region="country",
    )
    assert made.messages["row"].tolist() == [2, 4]
    assert issues_of(made)[:2] == [
        (3, "Country", "Uganda", "unknown_region", "error"),
        (3, "Phone", "0772000002", "no_region", "error"),
    ]


def test_two_numbers_in_a_cell_and_other_kinds_of_numbers_are_taken_when_asked_for():
    text = "Phone\n0772000001 / 0772000002\n0414000000\n"
    assert plan(text, message="Hi").messages.empty
    made = plan(text, message="Hi", several="first", kinds=["mobile", "fixed"])
    assert made.messages["number"].tolist() == ["256772000001", "256414000000"]


def test_the_next_column_is_taken_where_the_first_has_no_number_to_send_to():
    text = "Phone,Phone 2\n999,0772000001\nx,'0772000002\n,0772000003\n"
    made = plan(text, message="Hi", number=["Phone", "Phone 2"])
    assert made.messages["number"].tolist() == ["256772000001", "256772000002", "256772000003"]
    assert issues_of(made) == [
        (2, "Phone", "999", "emergency", "warning"),
        (3, "Phone 2", "'0772000002", "quotes", "info"),
        (3, "Phone", "x", "no_digits", "warning"),
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"overlong": "chop"},
        {"duplicates": "drop"},
        {"max_parts": 0},
        {"max_parts": "1"},
        {"ellipsis": None},
        {"number": 7},
        {"opt_outs": {"a": 1}},
        {"sender": ""},
        {"sender": "TWELVE CHARS"},
        {"priority": 5},
        {"priority": True},
        {"priority": "high"},
        {"priority": ""},
        {"ellipsis": "\u200b"},
        {"several": "all"},
        {"kinds": ["landline"]},
        {"region": "UK"},
        {"number": []},
        {"message": {"en": "Hi"}},
        {"language": "Name"},
        {"message": {}, "language": "Name"},
        {"message": {"en": "a", "EN": "b"}, "language": "Name"},
        {"message": None},
        {"message": 7},
        {"opt_outs": 7},
        {"not_again": 7},
    ],
)
def test_arguments_that_cannot_be_used(options):
    with pytest.raises(UsageError):
        plan(**options)


@pytest.mark.parametrize("message", ["", "  \n ", "Hi {nobody}", "Hi {"])
def test_messages_that_cannot_be_used(message):
    with pytest.raises(TemplateError):
        plan(message=message)


# --- texts --------------------------------------------------------------------------------------------


def test_values_are_never_looked_at_again():
    made = plan("Phone,Note\n0772000001,{phone} {{x}} {0}\n", message="{note}")
    assert made.messages["message"].tolist() == ["{phone} {{x}} {0}"]


def test_the_spaces_around_values_and_messages_are_left_out():
    made = plan('Phone,Name\n0772000001,"  Ann "\n0772000002,\n', message="  {name|} hello\n")
    assert made.messages["message"].tolist() == ["Ann hello", "hello"]
    assert made.totals.longest == 9


def test_fallbacks_stand_in_for_missing_values():
    made = plan("Phone,Name\n0772000001,Ann\n0772000002,\n", message="Dear {name|friend}")
    assert made.messages["message"].tolist() == ["Dear Ann", "Dear friend"]


def test_a_message_that_comes_out_empty_excludes_its_row():
    made = plan("Phone,A,B\n0772000001,x,\n0772000002,,\n", message="{a|} {b|}")
    assert made.messages["message"].tolist() == ["x"]
    assert issues_of(made) == [(3, "message", "", "empty_text", "error")]


def test_values_that_are_not_what_their_format_wants():
    made = plan(
        "Phone,Date,Fee\n0772000001,05/01/2026,1500\n0772000002,2026-01-05,?\n",
        message="{date:%d %b} {fee:,.2f}",
    )
    assert issues_of(made) == [
        (2, "Date", "05/01/2026", "ambiguous_date", "error"),
        (3, "Fee", "?", "unreadable_value", "error"),
    ]


def test_each_row_takes_the_text_of_its_language():
    made = plan(
        """\
        Phone,Name,Lang
        0772000001,Ann,EN
        0772000002,Ben,lg
        0772000003,Cas,fr
        0772000004,Dee,
        0772000005,Eve, en
        """,
        message={"en": "Hello {name}", "lg": "Gyebale {name}", "sw": "Habari {name}"},
        language="lang",
    )
    assert made.messages[["row", "message"]].values.tolist() == [
        [2, "Hello Ann"], [3, "Gyebale Ben"], [6, "Hello Eve"],
    ]  # fmt: skip
    assert issues_of(made) == [
        (pd.NA, "Lang", "sw", "unused_text", "warning"),
        (4, "Lang", "fr", "no_text", "error"),
        (5, "Lang", "", "no_text", "error"),
    ]


def test_senders_and_priorities_are_templates_too():
    made = plan(
        "Phone,Clinic,Urgent\n0772000001, MULAGO ,0\n0772000002,KAMPALA MAIN,1\n0772000003,,2\n"
        "0772000004,CAFÉ,3\n0772000005,GULU,9\n0772000006,GULU,\n",
        message="Hi",
        sender="{clinic}",
        priority="{urgent}",
    )
    assert made.messages[["row", "sender", "priority"]].values.tolist() == [[2, "MULAGO", "0"]]
    assert issues_of(made) == [
        (3, "sender", "KAMPALA MAIN", "bad_sender", "error"),
        (4, "Clinic", "", "missing_value", "error"),
        (5, "sender", "CAFÉ", "bad_sender", "error"),
        (6, "priority", "9", "bad_priority", "error"),
        (7, "Urgent", "", "missing_value", "error"),
    ]


def test_a_missing_priority_may_be_left_to_the_service():
    made = plan("Phone,Urgent\n0772000001,3\n0772000002,\n", message="Hi", priority="{urgent|}")
    assert made.messages["priority"].tolist() == ["3", ""]


@pytest.mark.parametrize("priority", [2, "2", " 2 "])
def test_a_priority_for_all(priority):
    assert plan(priority=priority).messages["priority"].unique().tolist() == ["2"]


# --- the plan itself ----------------------------------------------------------------------------------


def test_a_plan_never_changes():
    made = plan()
    before = made.fingerprint
    messages, contacts, issues = made.messages, made.contacts, made.issues
    messages.loc[0, "message"] = "other"
    contacts["status"] = "accepted"
    issues["detail"] = ""
    made.totals.countries["UG"] = 0
    for name in ("messages", "totals", "_messages", "new"):
        with pytest.raises(AttributeError):
            setattr(made, name, None)
    assert fingerprint(made.messages) == before
    assert made.totals.countries == {"UG": 3}
    assert made.issues["detail"].ne("").all()
    assert set(made.contacts["status"]) == {"not_sent", "invalid", "blank", "duplicate"}


@pytest.mark.parametrize(
    "change",
    [
        {"message": "Hi {name}!"},
        {"sender": "CLINICS"},
        {"priority": 3},
        {"priority": "4"},
        {"text": "Name,Phone\nBen,0772000002\nAnn,0772000001\n"},
        {"text": "Name,Phone\nAnn,0772000001\nBen,0772000003\n"},
        {"text": "Name,Phone\nAnn,0772000001\n"},
    ],
)
def test_the_fingerprint_depends_on_everything_that_is_sent(change):
    call = {"text": "Name,Phone\nAnn,0772000001\nBen,0772000002\n", "message": "Hi {name}", "priority": 2}
    assert plan(**call).fingerprint == plan(**call).fingerprint
    assert plan(**call | change).fingerprint != plan(**call).fingerprint


def test_the_fingerprint_is_these_very_bytes():
    """SHA-256 of a first line, then per column its number of texts, their lengths, their bytes."""
    import hashlib

    made = plan("Phone,Name\n0772000001,Zoë\n0772000002,Ben\n", message="Hi {name}", priority="1")
    parts = [b"campaign plan 1\n"]
    for column in (
        [b"256772000001", b"256772000002"], [b"Hi Zo\xc3\xab", b"Hi Ben"], [b"CLINIC"] * 2, [b"1"] * 2,
    ):  # fmt: skip
        parts += [b"\x02" + 7 * b"\0", *(len(text).to_bytes(4, "little") for text in column), *column]
    assert made.fingerprint == hashlib.sha256(b"".join(parts)).hexdigest()


def test_the_fingerprint_does_not_depend_on_what_is_not_sent():
    base = plan().fingerprint
    shuffled = contacts(CLINIC)[["Clinic", "Visit date", "Phone", "Name"]].assign(More="x")
    assert prepare(shuffled, message=VISIT, sender="CLINIC", region="UG").fingerprint == base
    messages = plan().messages
    pieces = pd.concat([messages.iloc[:1], messages.iloc[1:]])  # the same texts in two chunks of memory
    assert fingerprint(pieces) == base
    assert fingerprint(messages.astype(object)[["sender", "priority", "message", "number"]]) == base


def test_any_change_of_number_text_sender_priority_or_order_changes_the_fingerprint():
    messages = plan().messages
    swapped = messages.iloc[[1, 0, 2]]
    moved = messages.assign(sender="CLINI", priority="C")  # the same bytes, cut elsewhere
    prints = [fingerprint(frame) for frame in (messages, swapped, moved, messages.iloc[:2])]
    for column in ("number", "message", "sender", "priority"):
        changed = messages.copy()
        changed.loc[1, column] += "1"
        prints.append(fingerprint(changed))
    assert len(set(prints)) == len(prints)


def test_preview_shows_what_a_row_gets_or_why_it_gets_nothing():
    made = plan()
    assert str(made.preview()) == (
        "Row 2 to 25677*****01: 31 characters, 1 part.\nCLINIC: Hi Ann, your visit is on 5 Jan."
    )
    assert repr(made.preview(8)).startswith("Row 8 gets no message (duplicate). The same number as row 2")
    html = made.preview(9)._repr_html_()
    assert "Hi Zoë, your visit is on 10 Jan." in html
    assert "256772000008" not in html
    with refused("row_missing", UsageError):
        made.preview(1)


def test_a_preview_masks_the_readers_own_number_and_no_other():
    made = plan(message="{phone}, 256772000001, +256 772-000-001. Call 0800 100 200 on 2026-01-05, {name}")
    shown = "25677*****01, 25677*****01, 25677*****01. Call 0800 100 200 on 2026-01-05, Ann"
    assert str(made.preview()).endswith(shown)
    assert shown in made._repr_html_()


def test_a_sample_is_the_same_each_time():
    made = plan()
    assert made.sample(2).equals(made.sample(2))
    assert len(made.sample(2)) == 2
    assert made.sample(100)["row"].tolist() == [2, 3, 9]
    with pytest.raises(UsageError):
        made.sample(-1)


def test_the_estimate_is_the_price_times_parts_or_messages():
    made = plan(message="Ŋ" * 80)
    assert made.estimate(35) == Decimal(8 * 35)
    assert made.estimate("0.1", per="message") == Decimal("0.4")
    assert made.estimate(0.1) == Decimal("0.8")
    for wrong in ({"price": "free"}, {"price": -1}, {"price": 1, "per": "row"}, {"price": float("nan")}):
        with pytest.raises(UsageError):
            made.estimate(**wrong)


def test_batches_are_consecutive_and_never_larger_than_asked():
    text = "Phone\n" + "".join(f"0772000{number:03}\n" for number in range(25))
    made = plan(text, message="Hi")
    assert [len(batch) for batch in made.batches(10)] == [10, 10, 5]
    assert pd.concat(made.batches(7)).equals(made.messages)
    with pytest.raises(UsageError):
        next(made.batches(0))


def test_the_pieces_of_a_split_text_stay_in_one_batch():
    text = "Phone,Note\n" + "".join(f"0772000{number:03},{'word ' * 70}\n" for number in range(4))
    made = plan(text, message="{note}", overlong="split")
    assert made.messages["row"].tolist() == [2] * 3 + [3] * 3 + [4] * 3 + [5] * 3
    assert [batch["row"].unique().tolist() for batch in made.batches(7)] == [[2, 3], [4, 5]]
    assert [batch["row"].unique().tolist() for batch in made.batches(2)] == [[2], [3], [4], [5]]


def test_the_html_is_escaped_masked_and_tells_a_manager_what_matters():
    made = plan(
        "Phone,Name\n0772000001,<img src=x onerror=alert(1)>\n0772 000 001,Ben\n0772 000 00,Cas\n",
        message="Hi {name}",
    )
    html = made._repr_html_()
    assert "<img" not in html
    assert "&lt;img" in html
    assert "1 message (1 SMS part) from 3 rows." in html
    assert "0772" not in html
    assert "256772000001" not in html
    assert html.index('class="bars"') < html.index('class="box"') < html.index('class="scroller"')
    assert "SMS parts in UCS-2, 70 characters each" in html[html.index("<details>") :]


def test_a_plan_says_in_a_line_what_it_holds():
    assert repr(plan()).startswith("Plan: Ready to send: 3 messages (3 SMS parts) from 8 rows.")
    assert [finding.code for finding in plan().findings] == ["plan_ready", "phones_shared"]
    assert repr(plan().totals) == (
        "Totals(8 rows: invalid 3, blank 1, duplicate 1, not_sent 3; 3 messages, 3 parts)"
    )


def test_a_plan_says_at_once_what_to_know_about_rows_that_get_nothing():
    """A forgotten country, and two people with one phone: only a number that begins with + gets a message."""
    made = plan(
        "Phone,Name\n256772000001,Ada\n0772000002,Ben\n+256772000003,Cas\n+256772000003,Dan\n",
        message="Hi {name}", region=None,
    )  # fmt: skip
    headline, *others = made.findings
    assert headline.facts["excluded"] == ["2 invalid", "1 duplicate"]
    assert [(finding.code, finding.facts["count"]) for finding in others] == [
        ("numbers_without_country", 2), ("phones_shared", 1),
    ]  # fmt: skip
    assert made._repr_html_().count('class="box"') == 2


def test_the_card_names_the_column_of_the_numbers_and_others_that_look_like_one():
    table = "name,Mobile,Home phone,Next of kin phone\nAda,0772 000 001,0772 000 002,0772 000 003"
    made = prepare(read_contacts(table.encode()), message="Hi", sender="CLINIC", region="UG")
    about = made.addressing.finding(made.contacts.columns)
    assert about.facts == {"columns": ["Mobile"], "others": ["Home phone", "Next of kin phone"]}
    assert "Next of kin phone" in made._repr_html_()
    one = prepare(
        read_contacts(table.encode()), message="Hi", sender="CLINIC", region="UG",
        number=["Home phone", "Mobile"],
    )  # fmt: skip
    about = one.addressing.finding(one.contacts.columns)
    assert about.facts == {"columns": ["Home phone", "Mobile"], "others": ["Next of kin phone"]}
