"""Valid numbers that get no message: duplicates, opt-outs, those already sent to."""

from textwrap import dedent
from types import SimpleNamespace

import pandas as pd
import pytest
from support.issue_facts import fact_of
from support.refusals import refused

import campaign
from campaign.contacts.reading import read_contacts
from campaign.errors import ContactsError, FileError, FolderError, UsageError
from campaign.messages.preparation import prepare
from campaign.messages.suppression.suppression_lists import EarlierCampaign
from campaign.results.totals import people_in

FAMILY = """\
    Name,Phone
    Ann,0772 000 001
    Ben,+256772000001
    Ann,772000001
    Cas,0772000002
    Ann,00256772000001
"""


def plan(text=FAMILY, **changes):
    options = {"message": "Hi {name}", "sender": "CLINIC", "region": "UG"}
    return prepare(read_contacts(dedent(text).encode()), **options | changes)


def statuses(made):
    return made.contacts["status"].tolist()


def issues_of(made, *codes):
    issues = made.issues
    return list(
        issues.loc[issues["code"].isin(codes), ["row", "value", "code", "detail"]].itertuples(
            index=False, name=None
        )
    )


def test_the_first_row_of_a_number_is_kept_and_the_others_name_it():
    made = plan()
    assert statuses(made) == ["not_sent", "duplicate", "duplicate", "not_sent", "duplicate"]
    assert repeats_of(made) == [
        (3, "+256772000001", "shared_phone", 2),
        (4, "772000001", "same_text", 2),
        (6, "00256772000001", "same_text", 2),
    ]
    assert fact_of(made, "shared_phone", "choice") == ["keep"]


def test_copies_of_somebody_who_opted_out_are_copies_and_no_more_people():
    made = plan(opt_outs=["+256772000001"])
    assert statuses(made) == ["opted_out", "opted_out", "duplicate", "not_sent", "duplicate"]
    assert [(row, other) for row, _, _, other in repeats_of(made)] == [(4, 2), (6, 2)]
    assert people_in(made.totals, (made.contacts["why"] == "shared_phone").sum()) == 3  # Ann, Ben and Cas


def test_each_row_names_the_first_row_of_its_own_number():
    made = plan("Name,Phone\n" + "".join(f"Ann,077200000{last}\n" for last in "1213212"))
    assert [(row, other) for row, _, _, other in repeats_of(made)] == [(4, 2), (6, 3), (7, 2), (8, 3)]


def test_every_different_text_can_be_sent_and_none_twice():
    made = plan(duplicates="keep")
    assert statuses(made) == ["not_sent", "not_sent", "duplicate", "not_sent", "duplicate"]
    assert [(code, other) for _, _, code, other in repeats_of(made)] == [
        ("shared_phone", 2), ("same_text", 2), ("same_text", 2),
    ]  # fmt: skip


@pytest.mark.parametrize("block", [2, 100])
def test_a_text_is_compared_with_all_that_its_phone_gets(monkeypatch, block):
    monkeypatch.setattr("campaign.messages.draft.BLOCK", block)
    names = ("Ann", "Eve", "Eve", "Ben", "Eve", "Ann")
    made = plan("Name,Phone\n" + "".join(f"{name},0772000001\n" for name in names), duplicates="keep")
    assert statuses(made) == ["not_sent", "not_sent", "duplicate", "not_sent", "duplicate", "duplicate"]
    assert fact_of(made, "same_text", "other_row") == [3, 3, 2]


def test_duplicates_can_be_an_error():
    with refused("numbers_repeated", ContactsError):
        plan(duplicates="error")
    assert plan("Name,Phone\nAnn,0772000001\n", duplicates="error").totals["not_sent"] == 1


def test_a_row_that_cannot_be_sent_keeps_nobody_else_from_the_number():
    made = plan("Name,Phone\n,0772000001\nBen,0772000001\n")
    assert statuses(made) == ["invalid", "not_sent"]


def test_duplicates_are_found_across_blocks_of_rows(monkeypatch):
    monkeypatch.setattr("campaign.messages.draft.BLOCK", 2)
    assert statuses(plan()) == ["not_sent", "duplicate", "duplicate", "not_sent", "duplicate"]
    assert [row for row, *_ in issues_of(plan(), "same_text", "shared_phone")] == [3, 4, 6]


FOUR_BLOCKS = """\
    Name,Phone
    Ann,0772000001
    Ben,0772000002
    Cas,0772000003
    Dee,0772000004
    Eve,0772000005
    Eve,0772000005
    Ann,0772000001
    Cas,0772000003
    Ben,0772000004
    Eve,0772000002
"""


def test_texts_are_compared_with_the_kept_ones_of_all_blocks_before(monkeypatch):
    """Each block keeps texts of its own: later blocks find the right one among all of them."""
    monkeypatch.setattr("campaign.messages.draft.BLOCK", 2)
    assert [(row, code, other) for row, _, code, other in repeats_of(plan(FOUR_BLOCKS))] == [
        (7, "same_text", 6),
        (8, "same_text", 2),
        (9, "same_text", 4),
        (10, "shared_phone", 5),
        (11, "shared_phone", 3),
    ]


def repeats_of(made):
    """The duplicates, with the row that each repeats."""
    others = {code: iter(fact_of(made, code, "other_row")) for code in ("same_text", "shared_phone")}
    return [(row, value, code, next(others[code])) for row, value, code, _ in issues_of(made, *others)]


def test_a_number_whose_first_row_is_excluded_in_an_earlier_block_is_still_free(monkeypatch):
    monkeypatch.setattr("campaign.messages.draft.BLOCK", 2)
    made = plan("Name,Phone\n,0772000001\nBen,0772000002\nAnn,0772000001\nAnn,0772000001\n")
    assert statuses(made) == ["invalid", "not_sent", "not_sent", "duplicate"]
    assert repeats_of(made) == [(5, "0772000001", "same_text", 4)]


def test_at_most_five_pairs_of_duplicates_are_named():
    seven = "Name,Phone\n" + "Ann,0772000001\n" * 8
    with refused("numbers_repeated", ContactsError):
        plan(seven, duplicates="error")
    with refused("numbers_repeated", ContactsError):
        plan("Name,Phone\n" + "Ann,0772000001\n" * 6, duplicates="error")


@pytest.mark.parametrize(
    "opt_outs",
    [
        pd.Series(["0772 000 001", "nobody"]),
        pd.Series([256772000001.0, None]),
        pd.DataFrame({"Name": ["Ann"], "Phone": ["772000001"]}),
        pd.DataFrame({"whoever": ["+256 772 000001"]}),
        pd.DataFrame({"mobile": ["0701000000"], "home phone": ["0772000001"]}),
        ["0772000001"],
        {"0772000001"},
    ],
)
def test_opt_outs_are_read_by_the_same_rules(opt_outs):
    made = plan(opt_outs=opt_outs)
    assert statuses(made) == ["opted_out", "opted_out", "duplicate", "not_sent", "duplicate"]
    assert issues_of(made, "opted_out")[0][:3] == (2, "0772 000 001", "opted_out")


def test_several_lists_of_opt_outs(tmp_path):
    """A file by its name, the numbers of some rows and some by themselves; the entries of one stay one."""
    path = tmp_path / "stop.csv"
    path.write_text("phone\n0772000001\n")
    rows = pd.Series(["0772000002"])
    for lists in ([str(path), rows, ["0772000003"]], (path, pd.DataFrame({"Phone": rows}), {"0772000003"})):
        assert statuses(plan(FOUR, opt_outs=lists)) == ["opted_out"] * 3 + ["not_sent"]
    for lists in ([path, None], [str(path)]):
        assert statuses(plan(FOUR, opt_outs=lists))[:2] == ["opted_out", "not_sent"]
    for lists in ([str(path), "0772000003"], [772000003, str(path), str(path)]):
        assert statuses(plan(FOUR, opt_outs=lists)) == ["opted_out", "not_sent", "opted_out", "not_sent"]
    assert statuses(plan(FOUR, opt_outs=["0772000001", 772000002])) == ["opted_out"] * 2 + ["not_sent"] * 2


def test_a_file_that_is_not_there_is_no_entry_of_a_list(tmp_path):
    """Its people would get the texts, and only "Row 2 of the list is not a phone number" would say so."""
    with pytest.raises(FileError, match=r"no file .*stop\.csv"):
        plan(FOUR, opt_outs=[str(tmp_path / "stop.csv"), "0772000003"])


def test_each_of_several_lists_has_to_have_numbers():
    with refused("list_without_numbers", UsageError):
        plan(FOUR, opt_outs=[pd.Series(["0772000002"]), pd.Series(["nobody"])])


def test_a_single_number_needs_no_list():
    for number in ("0772 000 002", "+256772000002", "0772-000-002"):
        assert statuses(plan(FOUR, opt_outs=number)) == ["not_sent", "opted_out", "not_sent", "not_sent"]
    with pytest.raises(FileError, match="no file"):
        plan(FOUR, opt_outs="stop2026")


@pytest.mark.parametrize("stream", [False, True])
def test_a_list_without_entries_is_told_because_a_comparison_may_have_a_mistake(tmp_path, stream):
    contacts = read_contacts(dedent(FOUR).encode()).assign(**{"No SMS": ["yes", "", "", ""]})
    path = tmp_path / "stop.csv"
    path.write_text("Phone\n")
    for empty in (contacts.loc[contacts["No SMS"] == "Yes", "Phone"], contacts["No SMS"] == "Yes", path):
        made = prepare(
            contacts, message="Hi {name}", sender="CLINIC", region="UG", opt_outs=empty, stream=stream
        )
        assert len(issues_of(made, "empty_list")) == 1
        assert "empty_list" in [finding.code for finding in made.findings]
    assert not issues_of(plan(FOUR, opt_outs=[]), "empty_list")


def test_opt_outs_from_a_file(tmp_path):
    path = tmp_path / "stop.csv"
    path.write_text("Date;Phone\n2026-01-01;0772000001\n2026-01-02;AIRTEL\n")
    for source in (path, str(path)):
        made = plan(opt_outs=source)
        assert statuses(made)[3:] == ["not_sent", "duplicate"]
        assert [value for _, value, _, _ in issues_of(made, "unreadable_entry")] == ["AIRTEL"]
        assert fact_of(made, "unreadable_entry", "count") == [1]


def test_an_opt_out_list_excludes_too_many_rather_than_too_few():
    """Local numbers under every region of the table, digits also as if a plus stood before them."""
    table = "Name,Phone,Country\nAnn,0772000001,UG\nBen,07700900001,GB\nCas,+447700900002,UG\n"
    made = plan(table, region="country", opt_outs=["0772000001", "07700 900001", "447700900002"])
    assert statuses(made) == ["opted_out"] * 3
    made = plan("Name,Phone\nAnn,+256772000001\n", region=None, opt_outs=["256772000001"])
    assert statuses(made) == ["opted_out"]


def test_an_opt_out_list_without_a_column_of_numbers():
    with refused("list_without_numbers", UsageError):
        plan(opt_outs=pd.DataFrame({"a": ["1"], "b": ["2"]}))


RESULT = SimpleNamespace(
    messages=pd.DataFrame(
        {
            "row": [2, 3, 4, 5],
            "number": ["256772000001", "256772000002", "256772000003", "256772000004"],
            "status": ["accepted", "unknown", "refused", "not_sent"],
        }
    )
)
FOUR = "Name,Phone\n" + "".join(f"Ann,077200000{last}\n" for last in "1234")


@pytest.mark.parametrize(
    "not_again", [RESULT, [RESULT], RESULT.messages, [RESULT.messages, pd.Series(["0701000000"])]]
)
def test_whom_an_earlier_campaign_reached_or_may_have_reached_gets_nothing(not_again):
    made = plan(FOUR, not_again=not_again)
    assert statuses(made) == ["duplicate", "duplicate", "not_sent", "not_sent"]
    assert [(row, code) for row, _, code, _ in issues_of(made, "other_campaign")] == [
        (2, "other_campaign"),
        (3, "other_campaign"),
    ]


def test_results_are_known_without_a_region():
    made = plan("Name,Phone\nAnn,+256772000001\nBen,+256772000003\n", region=None, not_again=RESULT)
    assert statuses(made) == ["duplicate", "not_sent"]


def test_plain_lists_of_numbers_may_be_given_too():
    assert statuses(plan(FOUR, not_again=pd.Series(["+256772000004"]))) == ["not_sent"] * 3 + ["duplicate"]


def test_an_opt_out_list_may_name_landlines():
    table = "Name,Phone\nAnn,020 7946 0000\nBen,020 7946 0001\n"
    made = plan(table, region="GB", kinds=("fixed",), opt_outs=["+44 20 7946 0000"])
    assert statuses(made) == ["opted_out", "not_sent"]


def test_a_list_with_a_status_of_its_own_is_a_plain_list():
    earlier = pd.DataFrame({"number": ["0772000001", "0772000002"], "status": ["accepted", "active"]})
    assert statuses(plan(FOUR, not_again=earlier)) == ["duplicate", "duplicate", "not_sent", "not_sent"]


def test_entries_of_a_result_that_are_not_numbers_are_left_out():
    earlier = RESULT.messages.assign(number=["256772000001", "", "256772000003", "2567720000040000000000"])
    made = plan(FOUR, not_again=earlier.assign(status="accepted"))
    assert statuses(made) == ["duplicate", "not_sent", "duplicate", "not_sent"]


def test_a_frame_with_a_column_called_messages_is_a_frame():
    assert (
        statuses(plan(FOUR, not_again=pd.DataFrame({"number": ["0772000004"], "messages": ["Hi"]})))[3]
        == "duplicate"
    )


def test_a_missing_folder_and_a_plan_are_not_results():
    with pytest.raises(FolderError, match="no campaign"):
        campaign.prepare(
            read_contacts(FOUR.encode()), message="Hi", sender="CLINIC", not_again=["campaigns/visits-3fa2c1"]
        )
    with refused("wrong_value", UsageError):
        plan(not_again=["campaigns/visits-3fa2c1"])
    with refused("wrong_value", UsageError):
        plan(not_again=plan())


def test_a_plan_remembers_which_earlier_campaigns_it_left_out(tmp_path):
    (tmp_path / "reached.csv").write_text("phone\n0772000004\n")
    made = plan(FOUR, not_again=[RESULT, tmp_path / "reached.csv"])
    assert made.not_again == (RESULT, tmp_path / "reached.csv")
    assert statuses(made) == ["duplicate", "duplicate", "not_sent", "duplicate"]
    assert plan(FOUR).not_again == ()


def test_an_earlier_campaign_counts_by_the_numbers_it_reached():
    reached = pd.Series(["256772000002", "256772000003"], dtype="str")
    made = plan(FOUR, not_again=EarlierCampaign("campaigns/visits", reached, "live"))
    assert statuses(made) == ["not_sent", "duplicate", "duplicate", "not_sent"]


def test_opting_out_comes_before_whatever_else_is_wrong_with_a_row():
    long, on_list = "long " * 40, ["0772000001", "0772000002", "0772000003"]
    made = plan(f"Name,Phone\n{long},0772000001\n,0772000002\nCas,0772000003\n,1\n", opt_outs=on_list)
    assert statuses(made) == ["opted_out", "opted_out", "opted_out", "invalid"]
    assert made.contacts.loc[[2, 3], "why"].unique() == ["opted_out"]
    assert not len(issues_of(made, "overlong"))


def test_opting_out_comes_before_having_been_sent_to_and_that_before_duplicates():
    made = plan(FOUR + "Bea,0772000001\n", opt_outs=["0772000001"], not_again=RESULT)
    assert statuses(made) == ["opted_out", "duplicate", "not_sent", "not_sent", "opted_out"]


def test_an_opt_out_file_without_a_header_excludes_all_of_its_numbers(tmp_path):
    (tmp_path / "stop.csv").write_text("0772000001\n0772000002\n")
    made = plan(
        "Name,Phone\nAnn,0772000001\nBen,0772000002\nCaro,0772000003\n", opt_outs=tmp_path / "stop.csv"
    )
    assert statuses(made) == ["opted_out", "opted_out", "not_sent"]


@pytest.mark.parametrize("duplicates", ["skip", "keep"])
@pytest.mark.parametrize("stream", [False, True])
def test_every_row_with_a_number_that_was_reached_is_left_out(stream, duplicates):
    """Nobody guesses from the other cells whose text it was."""
    made = plan(not_again=pd.Series(["0772000001"]), stream=stream, duplicates=duplicates)
    assert statuses(made) == ["duplicate", "duplicate", "duplicate", "not_sent", "duplicate"]
    assert [row for row, *_ in issues_of(made, "other_campaign")] == [2, 3, 4, 6]
