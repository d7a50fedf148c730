"""The number of every row, what repeating rows would get, and keeping one of them instead."""

from textwrap import dedent

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.issue_facts import fact_of
from support.refusals import refused

from campaign.contacts.reading import read_contacts
from campaign.errors import UsageError
from campaign.messages import draft
from campaign.messages.plan import Plan
from campaign.messages.plan_tables.plan_fingerprint import fingerprint
from campaign.messages.preparation import prepare

FAMILY = """\
    Name,Phone
    Ann,0772 000 001
    Ben,0772 000 002
    Cas,0772000001
    Dee,0772 000 003
    Ann,+256772000001
    Eve,0772
    ,0772000002
    Cas,0772000001
    Fay,
"""


def contacts(text: str = FAMILY) -> pd.DataFrame:
    return read_contacts(dedent(text).encode())


def plan(table: pd.DataFrame | None = None, **changes: object) -> Plan:
    options: dict[str, object] = {"message": "Hi {name}", "sender": "CLINIC", "region": "UG"}
    return prepare(contacts() if table is None else table, **options | changes)


def texts(messages: pd.DataFrame) -> list[tuple[int, str, str]]:
    return list(messages[["row", "number", "message"]].itertuples(index=False, name=None))


# --- what a plan carries ------------------------------------------------------------------------------


def test_every_row_has_its_number_also_when_it_gets_no_message():
    addressing = plan(opt_outs=["0772000003"]).addressing
    ann, ben, dee = 256772000001, 256772000002, 256772000003
    assert addressing.numbers.tolist() == [ann, ben, ann, dee, ann, 0, ben, ann, 0]
    assert addressing.numbers.dtype == np.int64
    assert addressing.columns == ("Phone",)


def test_the_columns_of_the_numbers_are_named_as_in_the_plan():
    made = plan(contacts("Code,Mobile\n0772000001,\n,0772000002\n"), message="Hi", number=["Mobile", "Code"])
    assert made.addressing.columns == ("Mobile", "Code (your column)")
    assert set(made.addressing.columns) <= set(made.contacts.columns)


def test_alternatives_are_what_repeating_rows_with_another_text_would_get():
    """Row 6 repeats row 2 to the letter, and row 8 has no name: neither would say anything else."""
    made = plan()
    alternatives = made.addressing.alternatives
    assert texts(alternatives) == [(4, "256772000001", "Hi Cas"), (9, "256772000001", "Hi Cas")]
    assert alternatives.dtypes.equals(made.messages.dtypes)


def test_all_pieces_of_an_alternative_are_there():
    long = " ".join(["word"] * 60)
    table = contacts(f"Name,Phone\nAnn,0772000001\n{long},0772000001\n")
    alternatives = plan(table, overlong="split").addressing.alternatives
    assert alternatives["row"].tolist() == [3, 3]
    assert [text[:6] for text in alternatives["message"]] == ["(1/2) ", "(2/2) "]


@pytest.mark.parametrize("duplicates", ["keep", "skip"])
def test_rows_that_are_all_kept_or_left_out_for_another_reason_are_no_alternatives(duplicates):
    made = plan(duplicates=duplicates, not_again=[["0772000001"]])
    assert made.addressing.alternatives.empty
    assert list(made.addressing.alternatives.columns) == list(made.messages.columns)


def test_the_tables_of_a_plan_cannot_be_changed_from_outside():
    made = plan()
    alternatives = made.addressing.alternatives
    alternatives["number"] = "1"
    assert set(made.addressing.alternatives["number"]) == {"256772000001"}
    with pytest.raises(ValueError, match="read-only"):
        made.addressing.numbers[0] = 1


# --- keeping another row ------------------------------------------------------------------------------


def test_the_row_gets_its_message_and_the_others_become_its_duplicates():
    made = plan().keep_instead([4])
    assert texts(made.messages) == [
        (3, "256772000002", "Hi Ben"), (4, "256772000001", "Hi Cas"), (5, "256772000003", "Hi Dee"),
    ]  # fmt: skip
    assert made.contacts["status"].tolist() == [
        "duplicate", "not_sent", "not_sent", "not_sent", "duplicate", "invalid", "invalid", "duplicate",
        "invalid",
    ]  # fmt: skip
    assert fact_of(made, "shared_phone", "other_row") == [4, 4]
    assert fact_of(made, "same_text", "other_row") == [4]
    repeats = made.issues[made.issues["code"].isin(["same_text", "shared_phone"])]
    assert list(repeats[["row", "code", "value"]].itertuples(index=False, name=None)) == [
        (2, "shared_phone", "0772 000 001"),
        (6, "shared_phone", "+256772000001"),
        (9, "same_text", "0772000001"),
    ]
    assert texts(made.addressing.alternatives) == [
        (2, "256772000001", "Hi Ann"), (6, "256772000001", "Hi Ann"),
    ]  # fmt: skip
    assert made.fingerprint == fingerprint(made.messages) != plan().fingerprint


def test_several_numbers_can_change_their_row_at_once():
    phones = "Ann,0772000001 Cas,0772000001 Cas,0772000001 Ben,0772000002 Dee,0772000002 Dee,0772000002"
    first = plan(contacts("Name,Phone\n" + phones.replace(" ", "\n")))
    made = first.keep_instead({3, 6})
    assert made.fingerprint == first.keep_instead([3]).keep_instead([6]).fingerprint
    assert texts(made.messages) == [(3, "256772000001", "Hi Cas"), (6, "256772000002", "Hi Dee")]
    assert list(zip(made.issues["row"], made.issues["code"], strict=True)) == [
        (2, "shared_phone"), (4, "same_text"), (5, "shared_phone"), (7, "same_text"),
    ]  # fmt: skip


def test_keeping_the_first_row_again_gives_the_first_plan_again():
    made, again = plan(), plan().keep_instead([9]).keep_instead(np.array([2]))
    for table in ("messages", "issues", "contacts"):
        pd.testing.assert_frame_equal(getattr(again, table), getattr(made, table))
    assert again.fingerprint == made.fingerprint
    assert repr(again.totals) == repr(made.totals)


def test_nothing_to_keep_is_the_same_plan():
    made = plan()
    assert made.keep_instead([]) is made


def test_only_an_alternative_can_be_kept_instead():
    with refused("row_not_repeated", UsageError):
        plan().keep_instead([4, 3])
    with refused("row_not_repeated", UsageError):
        plan(duplicates="keep").keep_instead([4])
    with refused("same_number", UsageError):
        plan().keep_instead([4, 9])
    with refused("row_not_repeated", UsageError) as a_number_of_a_person:
        plan().keep_instead([256772000001])
    assert "256772000001" not in str(a_number_of_a_person.value)
    with refused("wrong_value", UsageError, argument="keep_instead"):
        plan().keep_instead("4")


def test_what_happens_to_the_files_and_tables_afterwards_makes_no_difference(tmp_path):
    opt_outs, table = tmp_path / "stop.csv", contacts()
    opt_outs.write_text("phone\n0772000003\nno number\n")
    regions = pd.Series(["UG"] * len(table))
    made = plan(table, opt_outs=opt_outs, region=regions)
    opt_outs.unlink()
    table["Name"], regions[:] = "Somebody else", "KE"
    kept = made.keep_instead([4])
    assert [message for _, _, message in texts(kept.messages)] == ["Hi Ben", "Hi Cas"]
    assert kept.issues["code"].tolist().count("unreadable_entry") == 1


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["0772000001", "+256772000001", "0772000002", "0772000003", "0772", ""]),
        st.sampled_from(["Ann", "Ben", "", "Zoë", "a" * 170, "O’Brien [x]"]),
        st.sampled_from(["A", "B", ""]),
    ),
    min_size=2,
    max_size=14,
)


@given(ROWS, st.sampled_from(["flag", "truncate", "split"]), st.sampled_from([2, 5, 100]), st.data())
def test_it_is_as_if_the_table_had_those_rows_first(rows, overlong, block, data):
    table = contacts("Phone,Name,Sender\n" + "1,2,3\n" * len(rows))
    for place, name in enumerate(table.columns):
        table[name] = pd.array([row[place] for row in rows], dtype="str")
    options = {"message": "Hi {name}", "sender": "{sender|X}", "overlong": overlong}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(draft, "BLOCK", block)
        made = plan(table, **options)
        alternatives = made.addressing.alternatives.drop_duplicates("row")
        by_number = alternatives.groupby("number")["row"].agg(list)
        chosen = [data.draw(st.sampled_from(own)) for own in by_number if data.draw(st.booleans())]
        kept = made.keep_instead(chosen)
        swapped = plan(table.loc[chosen + [row for row in table.index if row not in chosen]], **options)
    for of_kept, of_swapped in (
        (kept.messages, swapped.messages),
        (kept.issues, swapped.issues),
        (kept.addressing.alternatives, swapped.addressing.alternatives),
    ):
        in_file_order = of_swapped.sort_values("row", kind="stable").reset_index(drop=True)
        pd.testing.assert_frame_equal(of_kept, in_file_order)
    pd.testing.assert_frame_equal(kept.contacts, swapped.contacts.loc[table.index])
    assert repr(kept.totals) == repr(swapped.totals)
    assert kept.totals.as_record() == swapped.totals.as_record()
    assert kept.addressing.numbers.tolist() == made.addressing.numbers.tolist()
    assert kept.fingerprint == fingerprint(kept.messages)
