"""What holds for any table: every row ends in exactly one status, and the frames agree with each other."""

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from campaign.contacts.reading import read_contacts
from campaign.contract import STATUSES
from campaign.messages.preparation import prepare
from campaign.messages.text.segments import count_parts, count_units

NUMBERS = st.one_of(
    st.sampled_from(
        [
            "0772000001", "+256772000001", "772000002", "00256772000003", "0772 000 004", "0772000005.0",
            "2.56772E+11", "O772000001", "0414000000", "999", "", " ", "0772000001 / 0772000002", "none",
        ]
    ),
    st.integers(0, 30).map(lambda last: f"07720000{last:02}"),
)  # fmt: skip
CELLS = st.one_of(
    st.sampled_from(
        ["Ann", "", "  ", "Zoë", "O’Brien", "[x]", "{name}", "€" * 90, "a" * 170, "Ŋ" * 100, "😀" * 85]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)
ROWS = st.lists(
    st.tuples(NUMBERS, NUMBERS, CELLS, st.sampled_from(["A", "B", "", "TOO LONG A NAME"])), max_size=25
)
OPTIONS = st.fixed_dictionaries(
    {
        "message": st.sampled_from(
            ["{name}", "Hi {name|friend}, [ŋ]", "It’s {name|} {other}", "{name}{name}"]
        ),
        "sender": st.sampled_from(["CLINIC", "{sender}", "{sender|X}"]),
        "overlong": st.sampled_from(["flag", "truncate", "split"]),
        "duplicates": st.sampled_from(["skip", "keep"]),
        "downgrade": st.booleans(),
        "keep_words": st.booleans(),
        "max_parts": st.sampled_from([None, 1, 2, 3]),
        "number": st.sampled_from(["phone", ["phone", "other"]]),
    }
)


def contact_table(rows):
    """The rows as a contact table: made of plain numbers first, so that any text can stand in its cells."""
    table = read_contacts(("phone,other,name,sender\n" + "1,2,3,4\n" * len(rows)).encode())
    for place, name in enumerate(table.columns):
        table[name] = pd.array([row[place] for row in rows], dtype="str")
    return table


@given(ROWS, OPTIONS)
def test_every_row_has_one_status_and_the_frames_agree(rows, options):
    table = contact_table(rows)
    made = prepare(table, region="UG", **options)
    contacts, messages, issues = made.contacts, made.messages, made.issues

    assert contacts.index.tolist() == table.index.tolist()
    assert contacts[table.columns.drop("sender")].equals(table.drop(columns="sender"))
    assert contacts["status"].isin(STATUSES[:5]).all()
    assert dict(made.totals) == {status: (contacts["status"] == status).sum() for status in STATUSES}
    assert sum(made.totals.values()) == made.totals.rows == len(rows)

    sent = contacts.index[contacts["status"] == "not_sent"]
    assert messages["row"].drop_duplicates().tolist() == sent.tolist()
    assert (contacts["reason"] == "").tolist() == (contacts["status"] == "not_sent").tolist()
    errors = issues[issues["severity"] == "error"]
    has_no_own_phone = errors["code"] == "shared_phone"
    assert set(errors["row"][~has_no_own_phone]) == set(contacts.index[contacts["status"] == "invalid"])
    assert (contacts.loc[errors["row"][has_no_own_phone], "status"] == "duplicate").all()
    assert issues["row"].dropna().isin(contacts.index).all()

    assert messages["number"].str.fullmatch(r"[1-9][0-9]{6,14}").all()
    assert messages["sender"].str.fullmatch(r"[ -~]{1,11}").all()
    assert all(0 < count_units(text) <= 160 and text.strip() for text in messages["message"])
    assert messages["parts"].tolist() == [count_parts(text) for text in messages["message"]]
    assert made.totals.parts == messages["parts"].sum() == made.totals.gsm7 + made.totals.ucs2
    if options["max_parts"]:
        assert messages.groupby("row")["parts"].sum().le(options["max_parts"]).all()
    if options["duplicates"] == "skip":
        assert not messages.drop_duplicates("row")["number"].duplicated().any()
    assert pd.concat([messages.iloc[:0], *made.batches(4)]).equals(messages)


@given(ROWS, OPTIONS, st.integers(1, 7))
def test_blocks_of_any_size_give_the_same_plan(rows, options, size):
    table = contact_table(rows)
    whole = prepare(table, region="UG", **options)
    in_blocks = in_blocks_of(size, table, options)
    assert in_blocks.messages.equals(whole.messages)
    assert in_blocks.contacts.equals(whole.contacts)
    assert in_blocks.fingerprint == whole.fingerprint
    assert sorted(map(str, in_blocks.issues.to_numpy().tolist())) == sorted(
        map(str, whole.issues.to_numpy().tolist())
    )


def in_blocks_of(size, table, options):
    from campaign.messages import draft

    usual = draft.BLOCK
    draft.BLOCK = size
    try:
        return prepare(table, region="UG", **options)
    finally:
        draft.BLOCK = usual
