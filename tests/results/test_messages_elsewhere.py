"""What a campaign has sent and today's table does not have: everywhere the same is said of it."""

import re
from decimal import Decimal
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from support.small_campaigns import contacts_of, people, plan_for

import campaign
from campaign.local_times import LocalTimes
from campaign.notebook.run_card import run_card
from campaign.results.page.costs import cost_by_country, cost_by_sender
from campaign.results.page.sending_facts import round_table

TABLE = ["José,0772000001,12500,Gulu", "Ben,0772000002,1,Soroti", "Cat,0772000003,1,Gulu",
         "Dan,0772000004,1,Soroti", "Eve,0772000005,1,Gulu", "Flo,0772000006,1,Soroti"]  # fmt: skip
WRONG = "José,0772000001,99999,Gulu"
JOSE = 2


def send(*rows, name="fees", duplicates="skip", opt_outs=None, **options):
    contacts = contacts_of(*rows, header="name,phone,amount,district")
    plan = campaign.prepare(
        contacts, message="{name}: {amount}", sender="CLINIC", region="UG", duplicates=duplicates,
        opt_outs=opt_outs,
    )  # fmt: skip
    return campaign.send(plan, name=name, progress=False, **options)


@pytest.fixture(scope="module", autouse=True)
def desk(tmp_path_factory):
    with pytest.MonkeyPatch.context() as here:
        here.chdir(tmp_path_factory.mktemp("elsewhere"))
        here.setenv("CAMPAIGN_STATE_DIR", "state")
        yield


@pytest.fixture(scope="module")
def earlier(desk):
    """José's amount was changed and sent again, and Eve was taken out of the table."""
    send(*TABLE)
    return send(WRONG, *TABLE[1:4], TABLE[5], changed="send")


@pytest.fixture(scope="module")
def later(earlier):
    """Then his amount was put back, so that nothing was sent, and Ben's number was corrected."""
    send(*TABLE[:4], TABLE[5])
    send(TABLE[0], "Ben,0772000022,1,Soroti", *TABLE[2:4], TABLE[5])
    return campaign.load_result("campaigns/fees.local")


def test_messages_to_people_in_the_table_are_not_said_to_have_gone_to_others(earlier):
    assert (
        "The campaign has also sent 2 messages that are not in this table: 1 was another message to a "
        "number in it and 1 went to a number that no row has any more. The cost includes them."
        in earlier.sentence
    )
    assert earlier.contacts["reason"].tolist() == [""] * 5  # what he got last is what the table says
    history = campaign.history(earlier.folder)
    assert (history["accepted_in_all_rounds"][0], history["accepted_without_row"][0]) == (8 - 1, 1)
    assert history["accepted"].tolist() == [5]
    said = (
        "7 messages were accepted: 5 are in the last tables, 1 was another message to a number in them and "
        "1 went to a number that no row has any more."
    )
    book = openpyxl.load_workbook(campaign.write_report(history, "year.xlsx"))
    assert said in history._repr_html_()
    assert said in next(row[1] for row in book["Summary"].iter_rows(values_only=True) if row[0] == "In all")


def test_a_later_text_is_called_so_and_its_row_says_that_it_was_the_last(later):
    assert (
        "3 messages that are not in this table: 1 was a later text to a number in it and 2 went to numbers "
        "that no row has any more." in later.sentence
    )
    assert "1 person got a later text than the one in this table (row 2)." in later.sentence
    reason = later.contacts.at[JOSE, "reason"]
    assert re.fullmatch(
        r"A later text to this number was accepted on \d+ \w+ \d+, \d\d:\d\d \(.*\): this person's last "
        "message is that one, not the one of this row.",
        reason,
    )
    assert later.contacts["reason"].drop(JOSE).eq("").all()
    page = campaign.write_report(later, "later.html").read_text("utf-8")
    assert "Decide whether to send the text of this table again." in page
    assert "Nobody needs attention" not in page
    sheet = openpyxl.load_workbook(campaign.write_report(later, "later.xlsx"))["Contacts"]
    assert reason in [cell.value for row in sheet.iter_rows() for cell in row]


def test_a_run_that_had_nothing_to_send_says_whose_last_text_is_another_one(later):
    same = [TABLE[0], "Ben,0772000022,1,Soroti", *TABLE[2:4], TABLE[5]]
    contacts = contacts_of(*same, header="name,phone,amount,district")
    plan = campaign.prepare(contacts, message="{name}: {amount}", sender="CLINIC", region="UG")
    run = campaign.start(plan, name="fees", progress=False)
    again = run.wait()
    assert "a later text than the one in this table (row 2)" in run_card(run)
    page = campaign.write_report(again, "again.html", by="district").read_text("utf-8")
    assert "Nothing was left to send: all 5 people were reached" in page
    assert ">SMS parts in the table<" in page


def test_one_earlier_text_is_called_so_in_words_that_are_not_those_of_the_table(desk):
    """It says "text" on a page and "message" in Python, and neither has a text."""
    for row in (WRONG, TABLE[0]):
        result = send(row, name="one", changed="send")
    assert "that is not in this table: it was another message to a number in it. The cost" in result.sentence


def test_a_later_text_that_is_unknown_is_not_said_to_be_the_last(desk):
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        for row in (TABLE[0], WRONG, TABLE[0]):
            result = send(row, name="unknown", account=sandbox, changed="send")
    assert "The campaign has also sent, or may have sent, 1 message that is not in this" in result.sentence
    assert "1 person got, or may have got, a later text" in result.sentence
    assert "may have been sent on" in result.contacts.at[JOSE, "reason"]


def test_who_shares_a_phone_got_no_later_text_and_who_opted_out_has_a_row(desk):
    """Both texts of a phone went out at once; then one of these rows was taken out, and Cat answered STOP."""
    both = ["Ben,0772000002,1,Soroti", "Eva,0772000002,1,Soroti", "Cat,0772000003,1,Gulu"]
    send(*both, name="shared", duplicates="keep")
    result = send(both[0], both[2], name="shared", opt_outs=pd.Series(["+256772000003"], dtype="str"))
    assert (
        "2 messages that are not in this table: they were other messages to numbers in it." in result.sentence
    )
    assert result.contacts.at[2, "reason"] == ""
    assert result.by("district")["cost_share"].to_dict() == {"Gulu": 35, "Soroti": 70}
    card = campaign.history(result.folder)._repr_html_()  # it was the only one to Cat
    assert "1 is in the last tables and 2 were other messages to numbers in them." in card


def test_what_another_text_cost_belongs_to_the_value_of_its_row(later):
    costs = later.by("district")["cost_share"]
    assert costs.loc[["Gulu", "Soroti"]].tolist() == [35 * 3, 35 * 3]
    assert costs[costs.index.isna()].tolist() == [35 * 2]  # Eve, and the number that Ben never had


def test_costs_by_sender_and_country_are_of_all_messages_that_were_sent(desk):
    """Ben's number was corrected in the follow-up file, José's amount changed, and Eve left the table."""
    header = "name,phone,amount,district,from"
    rows = ["José,0772000001,12500,Gulu,CLINIC", "Ben,07720,1,Soroti,LAB", "Eve,+447700900001,1,Gulu,LAB"]

    def send(source, **options):
        plan = campaign.prepare(source, message="{name}: {amount}", sender="{from}", region="UG")
        return campaign.send(plan, name="clinics", progress=False, **options)

    path = campaign.write_follow_up(send(contacts_of(*rows, header=header)), "correct.csv")
    path.write_text(path.read_text("utf-8-sig").replace("07720", "+447700900002"), "utf-8")
    send(path)
    own = contacts_of(rows[0].replace("12500", "99999"), rows[1], header=header)
    result = send(own, changed="send")
    assert (
        "2 messages that are not in this table: 1 was another message to a number in it and 1 went to a "
        "number that no row has any more." in result.sentence
    )
    assert cost_by_country(result) == {"UG": (Decimal(70), 0), "GB": (Decimal(70), 0)}
    assert cost_by_sender(result) == {"CLINIC": (Decimal(70), 0), "LAB": (Decimal(70), 0)}
    page = campaign.write_report(result, "clinics.html", by="district").read_text("utf-8")
    assert "(not in the table)" not in page
    all_sent = "This is the cost of all messages that were sent, with the 2 that are not in this table."
    assert page.count(all_sent) == 2  # by sender and by country
    gone = "“(in no row any more)” stands for the message that went to a number that no row has any more."
    assert page.count(gone) == 1


def test_a_text_to_a_number_that_another_row_has_now_counts_with_that_row(desk):
    """Paul has left the table, and Lucy has his number: whose text it was is not known, and not guessed."""
    send("Jon,0772000001,1,Gulu", "Paul,0772000003,3,Gulu", "Lucy,77,4,Soroti", name="taken")
    result = send("John,0772000001,1,Gulu", "Lucy,0772000003,4,Soroti", name="taken", changed="send")
    assert "2 messages that are not in this table: they were other messages to numbers" in result.sentence
    assert result.by("district")["cost_share"].to_dict() == {"Gulu": 70, "Soroti": 70}


def by_district(path):
    """The rows of that sheet."""
    return [*openpyxl.load_workbook(path)["By district"].iter_rows(values_only=True)]


def test_the_sheet_of_a_column_says_of_which_messages_its_parts_are(later):
    """The costs are of all rounds; the parts, as on the page and in the summary, of the table alone."""
    note, header, *lines = by_district(campaign.write_report(later, "by.xlsx", by="district"))
    sums = dict(zip(header[1:], map(sum, zip(*(line[1:] for line in lines), strict=True)), strict=True))
    assert "(in no row any more)" in note[0]
    assert (sums["parts_in_table"], sums["cost_share"]) == (later.totals.parts, later.totals.cost) == (5, 280)
    assert "parts" not in sums
    first = send(*TABLE, name="first time")
    header, *lines = by_district(campaign.write_report(first, "first.xlsx", by="district"))
    sums = dict(zip(header[1:], map(sum, zip(*(line[1:] for line in lines), strict=True)), strict=True))
    assert (sums["parts"], sums["cost_share"]) == (first.totals.parts, first.totals.cost) == (6, 210)


def test_a_run_that_sent_nothing_is_no_round_to_anybody(later):
    assert later.batches["round"].unique().tolist() == [1, 2, 4]  # as the folder numbers them
    page = campaign.write_report(later, "rounds.html").read_text("utf-8")
    table = page[page.index('aria-label="Rounds"') :].partition("</table>")[0]
    assert re.findall(r"<td[^>]*>(\d)</td><td[^>]*>\d+ \w+ \d+, ", table) == ["1", "2", "3"]
    assert "<dd>3</dd><dt>rounds</dt>" in page
    assert "A run that had nothing left to send is not counted." in page
    assert page.count("The embedded sandbox is a practice service on this machine") == 1
    assert campaign.history(later.folder)["rounds"].tolist() == [3] == [later.sent_rounds]
    card = later._repr_html_()
    rows = card[card.index(">round</th>") :].partition("</table>")[0]
    assert sorted(set(re.findall(r"<tr><t\w [^>]*>(\d)<", rows))) == ["1", "2", "3"]


def test_what_was_refused_and_sent_again_is_a_round(tmp_path):
    """As its own row of the table says; the page explains that beside it."""
    with campaign.Sandbox(balance=0) as service:
        options = {"account": service.account, "progress": False}
        refused = campaign.send(plan_for(people(4)), folder=tmp_path / "c", **options)
        service.top_up(1_000)
        result = campaign.resume(refused.folder, **options)
    assert result.batches["round"].unique().tolist() == [1, 2]
    page = campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")
    assert "or a second try of what the service had refused." in page


def test_the_figures_of_one_row_are_of_the_same_messages(later):
    """280 for 8 messages is 35 for each; the table has 5 of them."""
    page = campaign.write_report(later, "tiles.html").read_text("utf-8")
    tiles = dict(re.findall(r"<dd>([\d,.]+)</dd><dt>([^<]+)</dt>", page))
    assert tiles["8"] == "messages (texts) accepted in all rounds"
    assert "The table has 5 messages (texts), in 5 SMS parts." in page
    assert (tiles["280"][:9], tiles["35"]) == ("made-up c", "for each accepted message")
    shown = re.sub("<[^>]+>", " ", later._repr_html_())
    assert re.search(r"messages in the table\s+5\s+messages accepted in all rounds\s+8\s+cost\s+280", shown)


def test_after_erasing_only_the_count_is_known(later):
    campaign.erase(later.folder, confirm=phrase_to_erase(later.folder))
    erased = campaign.load_result(later.folder)
    assert "also sent 3 messages that are not in this table; the cost includes them." in erased.sentence
    history = campaign.history(later.folder)
    assert pd.isna(history["accepted_without_row"][0])
    assert "8 messages were accepted. The cost" in history._repr_html_()
    assert Path(campaign.write_report(history, "erased.html")).exists()


def phrase_to_erase(folder):
    with pytest.raises(campaign.ConfirmationError) as question:
        campaign.erase(folder)
    return question.value.phrase


def test_what_is_of_the_last_round_alone_says_so(sandbox, tmp_path):
    """Two rounds that differ in text, pace and size of their requests, and not in their sender."""
    place = {"account": sandbox, "folder": tmp_path / "fees", "progress": False}
    campaign.send(plan_for(contacts_of("Ann,0772000001")), **place)
    plan = plan_for(contacts_of("Ann,0772000001", "Ben,0772000002"), message="Dear {name}")
    result = campaign.send(plan, changed="send", rate=5, batch_size=1, **place)
    page = campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")
    facts = dict(re.findall("<dt>([^<]+)</dt><dd>([^<]+)</dd>", page))
    assert facts["Text"] == "1 message: Hi {name}\n2 messages: Dear {name}"
    assert facts["Limits (last run)"] == "5 messages a second at most"
    assert facts["Requests (last round)"].startswith("batches of 1,")
    assert facts["From"] == "CLINIC"
    (past,) = campaign.history(place["folder"]).to_dict("records")
    rounds = round_table(result, LocalTimes.of_rounds(result.rounds))
    assert (
        (past["rounds"], past["accepted_in_all_rounds"]) == (len(rounds), rounds["Accepted"].sum()) == (2, 3)
    )
    sheet = openpyxl.load_workbook(campaign.write_report(result, tmp_path / "report.xlsx"))["Summary"]
    told = {row[0]: row[1] for row in sheet.iter_rows(values_only=True)}
    assert (told["SMS parts in the table"], told["Messages accepted in all rounds (texts)"]) == (2, 3)
    assert told["Limits (last run)"] == facts["Limits (last run)"]
