"""Which values are lost where texts are cut."""

import pytest

import campaign
from campaign.messages.plan_tables.text_lengths import values_cut_off

LONG = "a very long remark " * 7
TABLE = f"""name,phone,remark,day,status,lang
Aisha,0772 000 001,{LONG},2026-12-01,open,en
Ben,0772 000 002,short,2026-12-02,open,en
Carol,0772 000 003,{LONG * 2},2026-12-03,,en
,0772 000 004,{LONG},2026-12-04,open,fr
""".encode()


def lost(message, language=None):
    contacts = campaign.read_contacts(TABLE)
    plan = campaign.prepare(
        contacts, message=message, sender="CLINIC", region="UG", language=language, overlong="truncate"
    )
    cut = plan.issues.loc[plan.issues["code"] == "truncated", "row"]
    texts = plan.messages.set_index("row")["message"].loc[cut]
    found = values_cut_off(contacts, texts, message, language)
    return {column: rows.tolist() for column, rows in found.items()}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Hi {name|you}, {remark} on the morning of {day:%-d %B}", {"remark": [4], "day": [2, 4, 5]}),
        ("{day}: {remark}{{x}} and also {day:%d/%m} {status|}", {"remark": [4], "status": [2, 5]}),
        ("{name|} {remark} {name|}", {"remark": [4]}),  # the first name stays
        ("{remark} and a few more words {name|" + "x" * 9 + "}", {"remark": [4], "name": [4, 5]}),
    ],
)
def test_a_value_is_lost_where_the_text_ends_before_its_end(message, expected):
    assert lost(message) == expected


def test_each_language_has_its_own_order():
    texts = {"en": "{remark} until the evening of {day}", "fr": "{day} {name|ami} {remark} {remark}"}
    assert lost(texts, "lang") == {"remark": [4], "day": [2, 4]}
