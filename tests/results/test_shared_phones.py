"""People who share a phone, with different texts: nobody forgets the one who got nothing."""

import html
import re

import openpyxl
import pandas as pd
import pytest
from support.small_campaigns import contacts_of, plan_for

import campaign
from campaign.cli.main import main
from campaign.contacts.reading import read_contacts
from campaign.notebook.composer.desk_words import CHOICES
from campaign.remedies import EVERY_TEXT

VISITS = """\
name,phone,clinic
Ann,0772000001,North
Ben,0772000002,North
Cy,0772 000 001,South
Ann,0772000001,North
Dan,0772000003,South
Eve,77 letters,South
"""
SENDING = {"message": "Hi {name}", "sender": "CLINIC", "region": "UG"}
BOTH = 'enter another number, or send all texts for this phone from your own spreadsheet (duplicates="keep").'
CY = 4  # shares the phone of Ann in row 2; row 5 is Ann once more


@pytest.fixture
def visits(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text(VISITS, encoding="utf-8")
    return path


def sent(source, tmp_path, **options):
    contacts = read_contacts(source) if not isinstance(source, pd.DataFrame) else source
    plan = campaign.prepare(contacts, **SENDING, **options)
    return campaign.send(plan, folder=tmp_path / "visits", progress=False)


@pytest.fixture(params=["fresh", "loaded"])
def result(visits, tmp_path, request):
    fresh = sent(visits, tmp_path)
    return fresh if request.param == "fresh" else campaign.load_result(fresh.folder)


def texts_by_row(result):
    return result.messages.set_index("row")["message"].to_dict()


def test_the_row_says_who_has_the_phone_and_what_became_of_that_text(result):
    status, reason = result.contacts.loc[CY, ["status", "reason"]]
    assert status == "duplicate"
    assert reason == f"Shares a phone with row 2, whose text was rehearsed. To reach this person too, {BOTH}"
    copy = result.contacts.at[5, "reason"]
    assert copy == "The same number and the same text as row 2, which is kept."


def test_they_count_as_people_who_need_attention_and_copies_do_not(result):
    totals = result.totals
    assert (totals.people, totals["accepted"], totals.sharing, totals.attention) == (5, 3, 1, 2)
    by_outcome = totals.by_outcome
    assert (totals["duplicate"], by_outcome["duplicate"], by_outcome["sharing_a_phone"]) == (2, 1, 1)
    assert sum(by_outcome.values()) == totals.rows
    assert "the rest: 1 invalid, 1 duplicate, 1 sharing a phone." in result.headline
    bars = re.findall(r'scope="row">([a-z_ ]+)</th><td class="figure">(\d)<', result._repr_html_())
    assert {("duplicate", "1"), ("sharing a phone", "1")} < {*bars}
    assert result.needing_attention.tolist() == [CY, 7]
    assert result.by("clinic")["people"].to_dict() == {"North": 2, "South": 3}
    assert result.sentence.endswith(
        "which has the reason. 1 person shares a phone with somebody else and was not sent the text of their "
        f"row. The file of write_follow_up has this row. To reach this person too, {BOTH}"
    )
    assert "the rows of “sharing a phone” are duplicate; result.outcomes names" in result._repr_html_()
    assert "6 rows in the file: 5 people (1 shares a phone), 1 duplicate. Rows with" in result._repr_html_()


def test_the_page_and_the_workbook_show_them(result, tmp_path):
    page = campaign.write_report(result, tmp_path / "report.html", by="clinic").read_text("utf-8")
    assert "messages for 3 of 5 people (60%)" in page
    assert "2 people need attention." in page
    assert "6 rows in the file: 5 people (1 shares a phone), 1 duplicate." in page
    assert "Find another number for 1 person who shares a phone." in page
    assert "Shares a phone with row 2, whose text was rehearsed." in page
    assert "1 sharing a phone (20%)" in page
    book = openpyxl.load_workbook(campaign.write_report(result, tmp_path / "report.xlsx"))
    counts = dict(line[:2] for line in book["Summary"].iter_rows(values_only=True))
    assert (counts["duplicate (repeat a number)"], counts["sharing a phone"]) == (1, 1)
    _, head, *rows = book["Follow-up"].iter_rows(values_only=True)
    follow_up = pd.DataFrame(rows, columns=head)
    assert follow_up["name"].tolist() == ["Cy", "Eve"]
    assert follow_up["last reason"].iloc[0].startswith("Shares a phone with row 2")
    assert "*" in follow_up["phone"].iloc[0]


def test_the_frame_the_file_and_the_sheet_have_the_same_rows_words_and_order(result, tmp_path):
    """Whoever works the list off has the own spreadsheet beside it: all go by its rows."""
    frame = result.follow_up()
    path = campaign.write_follow_up(result, tmp_path / "to_correct.csv")
    file = pd.read_csv(path, dtype="str")
    book = openpyxl.load_workbook(campaign.write_report(result, tmp_path / "report.xlsx"))
    _, head, *rows = book["Follow-up"].iter_rows(values_only=True)
    sheet = pd.DataFrame(rows, columns=head)
    for table in (frame, file, sheet):
        assert table["last status"].tolist() == ["sharing a phone", "invalid"]
        assert table["name"].tolist() == ["Cy", "Eve"]
    assert result.outcomes[frame.index].tolist() == frame["last status"].tolist()


@pytest.mark.parametrize(
    ("result", "ending"), [("fresh", ".xlsx"), ("loaded", ".ods"), ("loaded", ".csv")], indirect=["result"]
)
def test_the_follow_up_file_reaches_them_once_their_row_has_another_number(result, tmp_path, ending):
    path = campaign.write_follow_up(result, tmp_path / f"to_correct{ending}")
    rows = campaign.read_contacts(path)
    assert rows["name"].tolist() == ["Cy", "Eve"]

    plan = campaign.prepare(rows, **SENDING)
    ready = "1 message ready to send (1 SMS part) from 2 rows. Rows that get none: 1 invalid. "
    assert plan.sentence == (
        f"{ready}Some of these people may have been reached by now, or another row of their campaign may "
        "have their number. They would get nothing: compare the plan with that campaign to see whether there "
        "are any."
    )
    compared = campaign.compare(plan, folder=tmp_path / "visits")
    assert compared.sentence == (
        "Nothing would be rehearsed: 3 people were reached in rehearsal before. Of the rows of this file "
        "that have a "
        "text, 1 gets nothing in this rehearsal: 1 shares a phone."
    )
    untouched = sent(rows, tmp_path)
    assert untouched.nothing_sent
    assert untouched.needing_attention.tolist() == [CY, 7]
    assert untouched.contacts.at[CY, "reason"].startswith(
        "Shares a phone with row 2, whose text was rehearsed."
    )

    rows["phone"] = rows["phone"].replace("0772 000 001", "0772 000 009")
    corrected = sent(rows, tmp_path)
    assert corrected.contacts.at[CY, "status"] == "accepted"
    assert (corrected.totals["accepted"], corrected.totals.sharing) == (4, 0)
    assert texts_by_row(corrected) == {2: "Hi Ann", 3: "Hi Ben", CY: "Hi Cy", 6: "Hi Dan"}
    assert sent(rows, tmp_path).nothing_sent


@pytest.mark.parametrize(
    ("couples", "said"),
    [
        (1, "2 people (1 shares a phone and was sent a text earlier)"),
        (2, "4 people (2 share a phone, of whom 1 was sent a text earlier)"),
    ],
)
def test_whoever_of_them_was_reached_with_another_number_is_told_apart(tmp_path, couples, said):
    """Ben has a number of his own in the follow-up file, and none yet in the own spreadsheet."""
    rows = ["Ann,0772 000 001", "Ben,0772 000 001", "Cy,0772 000 002", "Dan,0772 000 002"][: 2 * couples]
    options = {"folder": tmp_path / "visits", "progress": False}
    first = campaign.send(plan_for(contacts_of(*rows)), **options)
    path = campaign.write_follow_up(first, tmp_path / "to_correct.csv")
    path.write_text(path.read_text("utf-8-sig").replace("0772 000 001", "0772 000 009"), "utf-8")
    campaign.send(plan_for(campaign.read_contacts(path)), **options)
    result = campaign.send(plan_for(contacts_of(*rows)), **options)
    page = campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")
    assert f"{2 * couples} rows in the file: {said}." in page


def test_the_number_of_a_row_to_correct_may_turn_out_to_be_somebody_elses(result, tmp_path):
    rows = result.follow_up()
    rows["phone"] = rows["phone"].replace("77 letters", "0772000002")
    once_more = sent(rows, tmp_path)
    assert once_more.nothing_sent
    assert once_more.contacts.at[7, "reason"] == (
        f"Shares a phone with row 3, whose text was rehearsed. To reach this person too, {BOTH}"
    )
    assert once_more.needing_attention.tolist() == [CY, 7]


def test_a_row_to_correct_may_turn_out_to_be_a_copy(result, tmp_path):
    rows = result.follow_up()
    rows["phone"] = rows["phone"].replace("77 letters", "0772000002")
    rows["name"] = rows["name"].replace("Eve", "Ben")
    once_more = sent(rows, tmp_path)
    assert once_more.nothing_sent
    found = once_more.issues[once_more.issues["row"] == 7]
    assert found.loc[found["severity"] != "info", "code"].tolist() == ["same_text"]
    assert once_more.needing_attention.tolist() == [CY]


def test_nobody_is_written_to_at_a_number_that_opted_out(visits, tmp_path):
    listed = sent(visits, tmp_path / "other", opt_outs=pd.Series(["+256772000001"]))
    assert listed.needing_attention.tolist() == [7]


def test_once_erased_they_still_count(result):
    with pytest.raises(campaign.errors.CampaignError) as question:
        campaign.erase(result.folder)
    phrase = str(question.value).split('confirm="')[1].split('"')[0]
    erased = campaign.erase(result.folder, confirm=phrase)
    assert (erased.totals.people, erased.totals.sharing) == (result.totals.people, 1)
    assert "shares a phone" not in erased.sentence


def test_the_card_has_a_call_that_is_right_whatever_the_result_is_called(result, monkeypatch):
    call = f'campaign.write_follow_up(campaign.load_result("{result.folder}"), "to_correct.xlsx")'
    card = html.unescape(result._repr_html_())
    assert call in card
    assert "write_follow_up(result" not in card
    monkeypatch.chdir(result.folder.parent)
    assert f'(campaign.load_result("{result.folder.name}"), ' in html.unescape(result._repr_html_())


def test_without_invalid_rows_the_file_for_them_is_named(tmp_path):
    rows = pd.DataFrame({"name": ["Ann", "Cy", "Di"], "phone": ["0772000001"] * 3}, dtype="str")
    assert sent(rows, tmp_path).sentence.endswith(
        "2 people share a phone with somebody else and were not sent the texts of their rows. "
        f"The file of write_follow_up has their rows. To reach them too, {BOTH}"
    )


def test_check_names_them_with_the_rows_that_cannot_be_sent(visits, capsys):
    main(["check", str(visits), "--message", "Hi {name}", "--sender", "CLINIC", "--region", "UG", "--all"])
    output = capsys.readouterr().out
    assert "2 rows that cannot be sent (1 invalid, and 1 duplicate that shares a phone):" in output
    assert "row 4, phone: The same number as row 2, which has another text." in output
    assert "--duplicates keep so that both texts go out." in output
    assert "row 5" not in output


def test_both_are_sent_where_that_was_chosen(visits, tmp_path):
    result = sent(visits, tmp_path, duplicates="keep")
    assert (result.totals.people, result.totals.sharing) == (5, 0)
    assert result.totals["accepted"] == 4


def test_a_follow_up_file_names_the_choice_that_sends_both_texts(result, tmp_path):
    """Whoever corrects rows in a spreadsheet program knows the page, and not Python."""
    path = campaign.write_follow_up(result, tmp_path / "to_correct.csv")
    text = path.read_text("utf-8")
    said = "enter another number, or send all texts for this phone from your own spreadsheet"
    assert f"{said} (“Send every different text”)." in text
    assert "duplicates=" not in text
    assert result.follow_up()["last reason"].str.contains('duplicates="keep"', regex=False).sum() == 1
    assert CHOICES["duplicates", "keep"] == EVERY_TEXT == "Send every different text"


def test_the_page_says_how_to_send_both_texts_in_every_face(result, tmp_path):
    page = html.unescape(campaign.write_report(result, tmp_path / "report.html").read_text("utf-8"))
    assert page.count("(“Send every different text”).") == 2  # for the group, and row by row: nothing is cut
    assert page.count("duplicates=") == 1
    assert (
        "with another number there, this person is reached. Or let all texts go to the phone: send your own "
        "spreadsheet again with “Send every different text” (in a command, --duplicates keep; in Python, "
        'duplicates="keep").' in page
    )


def test_a_follow_up_file_cannot_send_both_texts_and_does_not_say_so(visits, result, tmp_path):
    plan = campaign.prepare(result.follow_up(), **SENDING, duplicates="keep")
    once_more = campaign.send(plan, folder=result.folder, progress=False)
    assert once_more.nothing_sent
    assert once_more.contacts.at[CY, "reason"].endswith(BOTH)
    issues = once_more.issues
    (detail,) = issues.loc[(issues["row"] == CY) & (issues["code"] == "shared_phone"), "detail"]
    assert detail == (
        "The same number as another row of the campaign, which has another text. At most one of them is "
        f"sent. If two people share the phone, {BOTH}"
    )
    assert sent(visits, tmp_path, duplicates="keep").contacts.at[CY, "status"] == "accepted"


def test_a_row_of_a_follow_up_file_is_named_as_the_own_spreadsheet_numbers_it(tmp_path):
    """Cy has the number of row 2 of the file, which is row 3 of the spreadsheet; row 2 there is Ann."""
    table = "name,phone\nAnn,0772 000 501\nBea,0772 000 502\nCy,0772 000 502\nDan,0772 000\n"
    contacts = campaign.read_contacts(table.encode())
    sending = SENDING | {"message": "Hi {name}."}
    budget = campaign.Budget(messages=1)
    folder = tmp_path / "visits"
    first = campaign.send(
        campaign.prepare(contacts, **sending), folder=folder, batch_size=1, concurrency=1, budget=budget,
        progress=False,
    )  # fmt: skip
    file = campaign.write_follow_up(first, tmp_path / "to_correct.csv", statuses=["not_sent", "invalid"])
    rows = campaign.read_contacts(file)
    assert rows["name"].tolist() == ["Bea", "Cy", "Dan"]
    again = campaign.send(campaign.prepare(rows, **sending), folder=folder, budget=None, progress=False)
    (detail,) = again.issues.loc[again.issues["code"] == "shared_phone", "detail"]
    assert detail.startswith("The same number as row 3, which has another text.")


# --- neither text is sent ---------------------------------------------------------------------------------


def rows_without(result, path, name):
    """The rows of the follow-up file, of which a person has deleted one."""
    rows = campaign.read_contacts(campaign.write_follow_up(result, path))
    return rows[rows["name"] != name]


def reason_of_cy(result):
    """The reason, which is also that of the folder read again."""
    again = campaign.load_result(result.folder)
    assert again.contacts.at[CY, "reason"] == result.contacts.at[CY, "reason"]
    return result.contacts.at[CY, "reason"]


@pytest.mark.parametrize("stream", [False, True])
def test_nothing_goes_to_a_phone_whose_person_answered_stop(tmp_path, visits, stream):
    sent(visits, tmp_path, stream=stream)
    stopped = campaign.resume(tmp_path / "visits", opt_outs=pd.Series(["+256772000001"]), progress=False)
    assert stopped.contacts.at[2, "status"] == "opted_out"
    assert reason_of_cy(stopped) == (
        "Shares a phone with row 2, whose person wants no messages, so nothing goes to that phone."
    )
    assert stopped.needing_attention.tolist() == [7]


def test_whose_number_an_earlier_campaign_reached_is_not_said_to_be_sent(tmp_path, visits):
    elsewhere = sent(contacts_of("Ann,0772000001"), tmp_path / "elsewhere")
    plan = campaign.prepare(read_contacts(visits), **SENDING)
    part = campaign.send(plan, folder=tmp_path / "visits", progress=False, pilot=1)
    rows = rows_without(part, tmp_path / "to_correct.csv", "Cy")
    rest = sent(rows, tmp_path, not_again=elsewhere)
    assert rest.contacts.at[2, "status"] == "duplicate"
    reason = (
        "Shares a phone with row 2, which gets nothing either. To reach this person, enter another number."
    )
    assert reason_of_cy(rest) == reason
    (line,) = rest.follow_up().loc[[CY], "last reason"]
    assert line == reason
    assert "duplicates=" not in rest.sentence


def refused(visits, tmp_path):
    with campaign.Sandbox(faults={1: "Invalid sender ID"}) as sandbox:
        plan = campaign.prepare(read_contacts(visits), **SENDING)
        return campaign.send(plan, folder=tmp_path / "visits", account=sandbox.account, progress=False)


def test_a_row_beside_one_with_a_mistake_is_sent_as_it_is(tmp_path, visits):
    """The text of row 2 was refused, and a person emptied its name in the follow-up file."""
    rows = rows_without(refused(visits, tmp_path), tmp_path / "to_correct.csv", "Cy")
    rest = sent(rows.replace("Ann", ""), tmp_path)
    assert reason_of_cy(rest) == (
        "Shares a phone with row 2, which has a mistake and gets nothing either. To reach this person, enter "
        "another number, or send this row again as it is."
    )
    assert sent(rest.follow_up(), tmp_path).contacts.at[CY, "status"] == "accepted"


def test_a_row_whose_phone_is_no_other_rows_any_more_is_sent_as_it_is(tmp_path, visits):
    rows = rows_without(refused(visits, tmp_path), tmp_path / "to_correct.csv", "Cy")
    rows["phone"] = rows["phone"].replace("0772000001", "0772000009")
    rest = sent(rows, tmp_path)
    assert reason_of_cy(rest) == (  # row 5, a copy of what was row 2, is none of a person
        "Shared a phone with a row that has another number now. Send this row again as it is to reach it."
    )
    assert sent(rest.follow_up(), tmp_path).contacts.at[CY, "status"] == "accepted"


# --- every different text was sent before, and that is not asked for any more ----------------------------

LATER = VISITS.replace("77 letters", "0772000009")  # a corrected list, on another day


@pytest.fixture(params=["fresh", "loaded"])
def later(visits, tmp_path, request):
    sent(visits, tmp_path, duplicates="keep")
    visits.write_text(LATER, encoding="utf-8")
    fresh = sent(visits, tmp_path)
    return fresh if request.param == "fresh" else campaign.load_result(fresh.folder)


def test_whoever_has_their_text_already_is_not_said_to_have_got_nothing(later, tmp_path):
    assert later.contacts["status"].tolist() == [*["accepted"] * 3, "duplicate", "accepted", "accepted"]
    assert later.contacts.at[CY, "batch"] == later.contacts.at[6, "batch"] == 2  # that of the first day
    assert texts_by_row(later)[CY] == "Hi Cy"
    totals = later.totals
    assert (totals.people, totals["accepted"], totals.sharing, totals.attention) == (5, 5, 0, 0)
    assert (len(later.follow_up()), later.elsewhere.count) == (0, 0)
    assert later.sentence.endswith(
        "5 of 6 rows were accepted by the embedded sandbox; the rest: 1 duplicate."
    )
    groups = later.by("clinic")
    assert groups["accepted"].to_dict() == {"North": 2, "South": 3}
    assert (groups["cost_share"].sum(), totals.cost) == (175, 175)
    past = campaign.history(later.folder)
    assert past[["people", "accepted", "to_correct"]].to_numpy().tolist() == [[5, 5, 0]]
    page = campaign.write_report(later, tmp_path / "report.html", by="clinic").read_text("utf-8")
    assert "messages for all 5 people" in page
    assert "shares a phone" not in page


def test_before_sending_they_are_among_those_who_were_reached(visits, tmp_path):
    sent(visits, tmp_path, duplicates="keep")
    visits.write_text(LATER, encoding="utf-8")
    compared = campaign.compare(campaign.prepare(visits, **SENDING), folder=tmp_path / "visits")
    assert (
        compared.sentence == "1 message would be rehearsed, for 1 new person. "
        "Nothing more goes to 4 people reached in rehearsal before."
    )
    about = compared.messages.set_index("row")["reason"]
    assert about.to_dict() == dict.fromkeys([2, 3, CY, 6], "reached") | {7: "new"}


def test_sent_once_more_nothing_is_new_about_them(later, visits, tmp_path):
    assert sent(visits, tmp_path).nothing_sent
    assert sent(visits, tmp_path, duplicates="keep").nothing_sent
    assert sent(visits, tmp_path).nothing_sent
    assert campaign.load_result(later.folder).totals["accepted"] == 5


def test_the_texts_left_out_at_first_go_out_once(visits, tmp_path):
    assert sent(visits, tmp_path).needing_attention.tolist() == [CY, 7]
    every_text = sent(visits, tmp_path, duplicates="keep")
    assert (every_text.totals["accepted"], every_text.needing_attention.tolist()) == (4, [7])
    one_text = sent(visits, tmp_path)
    assert one_text.nothing_sent
    assert one_text.needing_attention.tolist() == [7]


def test_of_a_text_that_may_have_arrived_that_is_said(visits, tmp_path):
    options = {"folder": tmp_path / "visits", "progress": False, "batch_size": 1, "concurrency": 1}
    with campaign.Sandbox(faults={3: "accept_reset"}) as sandbox:
        plan = campaign.prepare(visits, duplicates="keep", **SENDING)
        campaign.send(plan, account=sandbox, max_unknown=2, **options)
        result = campaign.send(campaign.prepare(visits, **SENDING), account=sandbox, **options)
        assert result.contacts.at[CY, "status"] == "unknown"
        assert result.totals.sharing == 0
        campaign.resolve(result.folder, 3, "refused", confirm="batch 3 was refused")
        settled = campaign.send(campaign.prepare(visits, **SENDING), account=sandbox, **options)
    assert settled.contacts.at[CY, "reason"].startswith(
        "Shares a phone with row 2, whose text was rehearsed."
    )


def test_a_row_whose_own_text_did_not_go_out_still_shares_a_phone(visits, tmp_path):
    sent(visits, tmp_path, duplicates="keep")
    visits.write_text(VISITS.replace("Cy,", "Cyrus,"), encoding="utf-8")
    result = sent(visits, tmp_path)
    assert result.needing_attention.tolist() == [CY, 7]
    assert result.nothing_sent


def test_a_row_without_the_text_gives_way_to_all_that_have_theirs(visits, tmp_path):
    sent(visits, tmp_path, duplicates="keep")
    visits.write_text(f"{VISITS.replace('Ann,', 'Anna,')}Cy,0772000001,South\n", encoding="utf-8")
    result = sent(visits, tmp_path)  # Ann in both of her rows has another text now
    assert result.contacts["status"].tolist() == [
        "duplicate", "accepted", "accepted", "duplicate", "accepted", "invalid", "duplicate",
    ]  # fmt: skip
    assert result.nothing_sent


def test_another_number_for_a_row_that_has_its_text_is_said_to_be_new(visits, tmp_path):
    """The old number stays in the table, in the row of the other child."""
    sent(visits, tmp_path, duplicates="keep")
    new_number = VISITS.replace("0772 000 001", "0772 000 009")
    said = (
        "1 message would be rehearsed, for 1 new person. "
        "Nothing more goes to 3 people reached in rehearsal before."
    )
    for rows, about in (
        (new_number, " 1 row was reached in rehearsal with this text under another number, which another row "
                     "still has, and counts as new (row 4)."),
        (new_number.replace("Cy,", "Cyrus,"), ""),  # another text
        (new_number.replace("009,South", "009,North"), ""),  # another person, for all that is known
    ):  # fmt: skip
        visits.write_text(rows, encoding="utf-8")
        for duplicates in ("skip", "keep"):
            plan = campaign.prepare(visits, duplicates=duplicates, **SENDING)
            assert campaign.compare(plan, folder=tmp_path / "visits").sentence == said + about


def test_rows_of_a_follow_up_file_that_have_their_texts_get_nothing_more(later, tmp_path):
    """A person may ask for any rows, and correct what was right."""
    rows = later.follow_up(["accepted"])
    untouched = sent(rows, tmp_path)
    assert untouched.nothing_sent
    assert (untouched.totals["accepted"], untouched.totals.sharing) == (5, 0)
    rows["phone"] = rows["phone"].replace("0772 000 001", "0772 000 010")
    compared = campaign.compare(campaign.prepare(rows, **SENDING), folder=later.folder)
    assert "1 row was reached in rehearsal with this text under another number" in compared.sentence


COUPLE = """\
name,phone
Florence,0772000017
George,0772-000-017
Grace,0772000003
Grace,0772 000 003
"""


def test_a_text_for_everybody_does_not_make_a_couple_with_one_phone_come_twice(tmp_path):
    """As they had a text each on the first day, they are two people there and one on the second."""
    path = tmp_path / "visits.csv"
    path.write_text(COUPLE, encoding="utf-8")
    said = {}
    for day, text in enumerate(["Hi {name}", "We are closed on Monday."], start=1):
        plan = campaign.prepare(path, **SENDING | {"message": text}, duplicates="keep")
        result = campaign.send(plan, folder=tmp_path / "visits", changed="send", progress=False)
        page = campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")
        assert "twice" not in page
        said[day] = re.search(r"<p class=\"note\">(4 rows in the file: .*)</p>", page)[1]
    assert result.outcomes.tolist() == ["accepted", "duplicate", "accepted", "duplicate"]
    rule = (
        "Rows with the same number and the same text count as one person, also where two people share the "
        "phone."
    )
    assert said == {
        1: f"4 rows in the file: 3 people, 1 duplicate. {rule}",
        2: f"4 rows in the file: 2 people, 2 duplicates. {rule} "
        "The table has 2 messages (texts), in 2 SMS parts.",
    }


def test_a_card_whose_rows_are_the_people_says_nothing_of_how_they_go_together(tmp_path):
    card = sent(contacts_of("Ann,0772000001", "Ben,0772000002"), tmp_path)._repr_html_()
    assert "rows in the file:" not in card
