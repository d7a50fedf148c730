"""The provider's own list settles what nobody else can know."""

from datetime import timedelta
from decimal import Decimal

import openpyxl
import pandas as pd
import pytest
from support.findings import finding
from support.refusals import facts_of, findings_of, refused
from support.small_campaigns import people, plan_for

import campaign
from campaign.sending.afterwards import settling
from campaign.sending.ledger.ledger_file import LedgerFile
from campaign.sending.ledger.views import journal_frame

HEADER = "Number,Text,Submitted at,Cost"


@pytest.fixture(autouse=True)
def _the_list_is_read_three_hours_later(monkeypatch):
    monkeypatch.setattr(settling, "moment_now", lambda: pd.Timestamp.now("UTC") + pd.Timedelta(hours=3))


@pytest.fixture
def sandbox():
    """The answers to its second and third request are lost; it took the second, and not the third."""
    with campaign.Sandbox(faults={2: "accept_reset", 3: "reset"}) as service:
        yield service


@pytest.fixture
def visits(sandbox, tmp_path):
    """Six people in three batches: one accepted, two unknown."""
    result = send_to(people(6), sandbox, tmp_path / "visits", max_unknown=3)
    assert result.batches["status"].tolist() == ["accepted", "unknown", "unknown"]
    return result.folder


def send_to(contacts, sandbox, folder, **options):
    options = {"batch_size": 2, "concurrency": 1, "canary": False, "progress": False, **options}
    return campaign.send(plan_for(contacts), account=sandbox, folder=folder, **options)


def list_of(sandbox, folder, *more, hours=2):
    """What the provider took, with an entry of another campaign before it and one `hours` after it."""
    left = campaign.load_result(folder).batches["submitted_at"]
    before, after = left.min() - timedelta(days=1), left.max() + timedelta(hours=hours)
    took = [
        f"{message.number},{message.text},{message.time:%Y-%m-%d %H:%M:%SZ},35"
        for message in sandbox.inbox.itertuples()
    ]
    others = [
        f"+256772000{n},Another campaign,{at:%Y-%m-%d %H:%M:%SZ},35"
        for n, at in ((900, before), (901, after))
    ]
    return "\n".join([HEADER, *took, *others, *more])


def statuses(folder):
    return campaign.load_result(folder).batches["status"].tolist()


def test_the_comparison_is_shown_and_nothing_is_written(visits, sandbox, tmp_path):
    (tmp_path / "provider.csv").write_text(list_of(sandbox, visits))
    before = (visits / "ledger.sqlite").read_bytes()
    told = campaign.reconcile(visits, tmp_path / "provider.csv")
    assert told.certain == {2: "accepted", 3: "refused"}
    assert told.batches["verdict"].tolist() == ["all", "none"]
    assert told.phrase.startswith("settle 2 batches: 1 accepted, 1 refused ")
    assert (visits / "ledger.sqlite").read_bytes() == before
    assert statuses(visits) == ["accepted", "unknown", "unknown"]


def test_what_is_certain_is_settled_and_the_journal_says_by_whom_and_by_which_list(
    visits, sandbox, tmp_path, monkeypatch
):
    monkeypatch.setenv("LOGNAME", "amina")
    (tmp_path / "provider.csv").write_text(list_of(sandbox, visits))
    phrase = campaign.reconcile(visits, tmp_path / "provider.csv").phrase
    result = campaign.reconcile(visits, tmp_path / "provider.csv", confirm=phrase)
    assert result.batches["status"].tolist() == ["accepted", "accepted", "refused"]
    journal = journal_frame(LedgerFile(visits / "ledger.sqlite")).tail(2)
    assert journal["now"].tolist() == ["accepted", "refused"]
    assert set(journal["note"]) == {"amina: reconciled with provider.csv"}


def test_what_the_provider_never_took_goes_out_on_the_next_run_and_nobody_gets_it_twice(visits, sandbox):
    listed = list_of(sandbox, visits).encode()
    campaign.reconcile(visits, listed, confirm=campaign.reconcile(visits, listed).phrase)
    result = campaign.resume(visits, account=sandbox, progress=False)
    assert result.totals["accepted"] == 6
    assert sandbox.inbox["number"].value_counts().tolist() == [1] * 6


def test_a_phrase_of_another_list_settles_nothing_and_the_new_one_is_shown(visits, sandbox):
    listed = list_of(sandbox, visits)
    phrase = campaign.reconcile(visits, listed.encode()).phrase
    third = [f"+25677200000{n},Hi Person {n},,35" for n in (4, 5)]
    longer = "\n".join([listed, *third]).encode()
    with refused("confirmation_needed", campaign.ConfirmationError) as shown:
        campaign.reconcile(visits, longer, confirm=phrase)
    assert shown.value.complaint
    assert shown.value.phrase == campaign.reconcile(visits, longer).phrase
    assert statuses(visits) == ["accepted", "unknown", "unknown"]


def test_a_phrase_with_the_same_counts_for_other_batches_does_not_fit(visits, sandbox):
    """One accepted and one refused, but the other way round."""
    listed = list_of(sandbox, visits)
    turned = listed
    for n in (2, 3):
        turned = turned.replace(f"25677200000{n},Hi Person {n}", f"25677200000{n + 2},Hi Person {n + 2}")
    first, second = (campaign.reconcile(visits, text.encode()) for text in (listed, turned))
    assert second.certain == {2: "refused", 3: "accepted"}
    with refused("confirmation_needed"):
        campaign.reconcile(visits, turned.encode(), confirm=first.phrase)


def test_a_list_that_ends_too_early_settles_no_refusal(visits, sandbox):
    listed = list_of(sandbox, visits, hours=0).encode()
    assert campaign.reconcile(visits, listed).certain == {2: "accepted"}


def test_a_list_that_is_read_at_once_settles_no_refusal_whatever_is_planned_for_later(
    visits, sandbox, monkeypatch
):
    monkeypatch.undo()
    told = campaign.reconcile(visits, list_of(sandbox, visits).encode())
    assert told.certain == {2: "accepted"}


def test_a_list_that_proves_nothing_sends_the_person_to_resolve(visits):
    listed = f"{HEADER}\n+256772000900,Another campaign,2026-01-01 09:00Z,35".encode()
    assert campaign.reconcile(visits, listed).phrase == ""
    with refused("confirmation_needed") as shown:
        campaign.reconcile(visits, listed, confirm="settle 2 batches: 2 refused")
    assert facts_of(findings_of(shown.value))["list_settles_nothing"]["batches"] == ["2", "3"]
    assert statuses(visits) == ["accepted", "unknown", "unknown"]


def test_people_who_have_left_the_table_are_looked_for_in_the_list_as_well(sandbox, tmp_path):
    """Batch 2 holds persons 2 and 3. Person 3 is dropped, and the provider has taken both."""
    folder = send_to(people(4), sandbox, tmp_path / "visits").folder
    send_to(people(3), sandbox, folder)
    listed = list_of(sandbox, folder)
    assert campaign.reconcile(folder, listed.encode()).certain == {2: "accepted"}
    half = "\n".join(line for line in listed.splitlines() if "Person 3" not in line)
    told = campaign.reconcile(folder, half.encode())
    assert told.batches["verdict"].tolist() == ["some"]


def test_a_batch_of_which_nobody_is_left_in_the_table_is_not_taken_for_refused(sandbox, tmp_path):
    folder = send_to(people(4), sandbox, tmp_path / "visits").folder
    send_to(people(2), sandbox, folder)
    assert campaign.reconcile(folder, list_of(sandbox, folder).encode()).certain == {2: "accepted"}


def test_what_a_person_has_ordered_again_is_settled_already(visits, sandbox):
    campaign.resolve(visits, 3, "again", confirm="send batch 3 again, 2 messages may arrive twice")
    told = campaign.reconcile(visits, list_of(sandbox, visits).encode())
    assert told.certain == {2: "accepted"}
    assert told.batches["batch"].tolist() == [2]


def test_where_nothing_is_unknown_there_is_nothing_to_settle(tmp_path):
    with campaign.Sandbox() as sandbox:
        folder = send_to(people(2), sandbox, tmp_path / "visits").folder
        told = campaign.reconcile(folder, list_of(sandbox, folder).encode())
    assert (len(told.batches), told.certain) == (0, {})


def test_columns_are_named_where_no_header_says_what_they_are(visits, sandbox):
    listed = list_of(sandbox, visits).replace(HEADER, "a,b,c,d")
    with refused("list_column_missing", campaign.ColumnError, what="number"):
        campaign.reconcile(visits, listed.encode())
    told = campaign.reconcile(visits, listed.encode(), number="a", text="b", time="c")
    assert told.certain == {2: "accepted", 3: "refused"}


def test_a_list_that_does_not_exist(visits, tmp_path):
    with refused("list_unreadable", campaign.FileError):
        campaign.reconcile(visits, tmp_path / "provider.csv")


def test_a_folder_that_is_no_campaign(tmp_path):
    with refused("no_campaign", campaign.FolderError):
        campaign.reconcile(tmp_path, b"Number,Text\n")


def test_a_frozen_file_that_was_changed_is_not_believed(visits, sandbox):
    part = visits / "rounds" / "0001" / "plan" / "part-00000.parquet"
    part.write_bytes(part.read_bytes() + b" ")
    with refused("campaign_file_damaged", campaign.FolderError, file=part):
        campaign.reconcile(visits, list_of_nobody())


def list_of_nobody():
    return f"{HEADER}\n+256772000900,Another campaign,2026-01-01 09:00Z,35".encode()


def test_a_campaign_that_is_being_sent_is_shown_but_not_settled(tmp_path):
    with campaign.Sandbox(latency=0.3, faults={1: "accept_reset"}) as sandbox:
        run = campaign.start(
            plan_for(people(6)), account=sandbox, folder=tmp_path / "visits", batch_size=1, concurrency=1,
            canary=False, max_unknown=9, progress=False,
        )  # fmt: skip
        assert len(campaign.reconcile(run.folder, list_of_nobody()).people) == 0
        with refused("campaign_open", campaign.LockedError):
            campaign.reconcile(run.folder, list_of_nobody(), confirm="settle 1 batch: 1 accepted")
        run.wait()


# batches that a person has settled, and that the list has after all


def settle(folder, batch, outcome):
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.resolve(folder, batch, outcome)
    return campaign.resolve(folder, batch, outcome, confirm=asked.value.phrase)


SETTLED = ("refused", "again")


@pytest.mark.parametrize("outcome", SETTLED)
def test_what_a_person_settled_and_the_list_has_is_settled_anew_with_its_people(visits, sandbox, outcome):
    settle(visits, 2, outcome)
    told = campaign.reconcile(visits, list_of(sandbox, visits).encode())
    assert told.reached_after_all["number"].tolist() == ["256772000002", "256772000003"]
    columns = ["batch", "was", "in_list", "verdict"]
    assert told.batches[columns].values.tolist() == [[2, outcome, 2, "all"], [3, "unknown", 0, "none"]]
    assert set(told.people["found"]) == {"in the list"}
    assert told.certain == {2: "accepted", 3: "refused"}
    assert "25677*****02" in told._repr_html_()
    assert "256772000002" not in told._repr_html_()


def send_again(folder, sandbox, table=None):
    return campaign.send(
        plan_for(people(6) if table is None else table), account=sandbox, folder=folder, progress=False
    )


@pytest.mark.parametrize("outcome", SETTLED)
@pytest.mark.parametrize("go_on", [send_again, lambda *given: campaign.resume(given[0], account=given[1])])
def test_an_answer_that_was_wrong_is_settled_anew_and_nobody_gets_it_twice(visits, sandbox, outcome, go_on):
    settle(visits, 2, outcome)
    listed = list_of(sandbox, visits).encode()
    told = campaign.reconcile(visits, listed)
    result = campaign.reconcile(visits, listed, confirm=told.phrase)
    assert result.batches["status"].tolist() == ["accepted", "accepted", "refused"]
    assert result.batches["error"][1].endswith(": reconciled with a table")
    for _ in range(2):
        go_on(visits, sandbox)
        assert sandbox.inbox["number"].value_counts().tolist() == [1] * 6
    result = campaign.load_result(visits)
    assert result.totals["accepted"] == 6
    (line,) = campaign.history(visits.parent).to_dict("records")
    assert (line["accepted"], line["refused"], line["unknown"], line["unpriced"]) == (6, 0, 0, 1)


def test_under_another_name_they_are_reached_as_well(visits, sandbox, tmp_path):
    settle(visits, 2, "refused")
    settle(visits, 3, "refused")
    listed = list_of(sandbox, visits).encode()
    campaign.reconcile(visits, listed, confirm=campaign.reconcile(visits, listed).phrase)
    campaign.resume(visits, account=sandbox, progress=False)
    plan = plan_for(people(6), not_again=visits)
    assert len(plan.messages) == 0


def test_numbers_can_be_named_without_a_list_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(plan_for(people(3), not_again=["+256 772 000 000", "256772000001"]).messages) == 1
    assert len(plan_for(people(3), not_again="256772000001").messages) == 2
    with campaign.Sandbox() as sandbox:
        campaign.send(plan_for(people(2)), account=sandbox, folder="256772000009", progress=False)
    assert len(plan_for(people(3), not_again=["256772000009", "256772000002"]).messages) == 0
    with refused("no_campaign", campaign.FolderError):
        plan_for(people(3), not_again=["visits", "256772000002"])


def test_a_line_that_is_run_again_says_that_the_list_had_it_since(visits, sandbox):
    settle(visits, 2, "refused")
    listed = list_of(sandbox, visits).encode()
    campaign.reconcile(visits, listed, confirm=campaign.reconcile(visits, listed).phrase)
    again = campaign.resolve(visits, 2, "refused", confirm="batch 2 was refused")
    settled = [
        finding(one, "settled_already").facts["settled"]
        for one in (again, campaign.resolve(visits, 2, "accepted"))
    ]
    assert settled == ["settled as refused", "settled as accepted"]
    assert statuses(visits) == ["accepted", "accepted", "refused"]
    assert campaign.reconcile(visits, listed).batches.empty


def test_what_the_list_settled_gets_its_cost_by_hand(visits, sandbox):
    settle(visits, 2, "refused")
    listed = list_of(sandbox, visits).encode()
    campaign.reconcile(visits, listed, confirm=campaign.reconcile(visits, listed).phrase)
    assert campaign.load_result(visits).totals.unpriced == 1
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.resolve(visits, 2, "accepted", cost=70)
    result = campaign.resolve(visits, 2, "accepted", cost=70, confirm=asked.value.phrase)
    assert (result.totals.cost, result.totals.unpriced) == (Decimal(140), 0)


def test_texts_that_wait_in_another_batch_are_not_asked_about(tmp_path):
    """The batch was to be sent again, and the money was gone before the turn of its second message."""
    faults = {2: "accept_reset", 3: "reset", 4: "Money Not Enough To Send This Batch of Msgs"}
    with campaign.Sandbox(faults=faults) as sandbox:
        folder = send_to(people(6), sandbox, tmp_path / "visits", max_unknown=3).folder
        settle(folder, 2, "refused")
        send_to(people(6), sandbox, folder, batch_size=1)
        assert statuses(folder) == ["accepted", "refused", "unknown", "refused", "not_sent"]
        told = campaign.reconcile(folder, list_of(sandbox, folder).encode())
        assert told.certain == {3: "refused"}
        assert told.batches["batch"].tolist() == [3]


def test_of_two_batches_with_one_text_that_were_both_called_refused_the_last_one_is_found(tmp_path):
    """The first was not taken, and the second was: the list shows the text once."""
    with campaign.Sandbox(faults={1: "reset", 2: "accept_reset"}) as sandbox:
        folder = send_to(people(1), sandbox, tmp_path / "visits").folder
        settle(folder, 1, "refused")
        send_to(people(1), sandbox, folder)
        settle(folder, 2, "refused")
        assert campaign.reconcile(folder, list_of(sandbox, folder).encode()).certain == {2: "accepted"}


def test_of_two_long_texts_that_end_alike_and_were_both_called_refused_the_last_one_is_found(tmp_path):
    """Their last part is the same, and the list shows it once."""
    first, second = (plan_for(people(1), f"{word} {'please come ' * 15}", overlong="split") for word in "AB")
    with campaign.Sandbox(faults={1: "reset", 2: "accept_reset"}) as sandbox:
        options = {"account": sandbox.account, "folder": tmp_path / "visits", "progress": False}
        folder = campaign.send(first, **options).folder
        settle(folder, 1, "refused")
        campaign.send(second, **options, changed="send")
        settle(folder, 2, "refused")
        assert campaign.reconcile(folder, list_of(sandbox, folder).encode()).certain == {2: "accepted"}


def test_texts_that_waited_until_the_campaign_was_closed_keep_nothing_from_being_settled(tmp_path):
    faults = {2: "accept_reset", 3: "reset", 4: "Money Not Enough To Send This Batch of Msgs"}
    with campaign.Sandbox(faults=faults) as sandbox:
        folder = send_to(people(6), sandbox, tmp_path / "visits", max_unknown=3).folder
        settle(folder, 2, "refused")
        send_to(people(6), sandbox, folder, batch_size=1)
        listed = list_of(sandbox, folder).encode()
        assert campaign.reconcile(folder, listed).certain == {3: "refused"}
        with pytest.raises(campaign.ConfirmationError) as asked:
            campaign.close(folder)
        campaign.close(folder, confirm=asked.value.phrase)
        told = campaign.reconcile(folder, listed)
        assert told.certain == {2: "accepted", 3: "refused"}
        campaign.reconcile(folder, listed, confirm=told.phrase)
        send_again(folder, sandbox)
        assert sandbox.inbox["number"].value_counts().tolist() == [1] * 6
        assert campaign.load_result(folder).totals["accepted"] == 6


@pytest.mark.parametrize("outcome", SETTLED)
def test_who_is_in_the_list_can_be_left_out_instead_also_when_it_is_sent_once_more(visits, sandbox, outcome):
    settle(visits, 2, outcome)
    settle(visits, 3, "refused")
    told = campaign.reconcile(visits, list_of(sandbox, visits).encode())
    plan = plan_for(people(6), not_again=told.reached_after_all["number"])
    for _ in range(2):
        campaign.send(plan, account=sandbox, folder=visits, progress=False)
        assert sandbox.inbox["number"].value_counts().tolist() == [1] * 6
    campaign.resume(visits, account=sandbox, progress=False)
    assert sandbox.inbox["number"].value_counts().tolist() == [1] * 6


def test_part_of_a_settled_batch_in_the_list_is_counted(visits, sandbox):
    settle(visits, 2, "refused")
    lines = list_of(sandbox, visits).splitlines()
    some = "\n".join(line for line in lines if "256772000003" not in line)
    told = campaign.reconcile(visits, some.encode())
    assert told.batches[["in_list", "verdict"]].values.tolist()[0] == [1, "some"]
    assert told.reached_after_all["row"].tolist() == [4]
    assert 2 not in told.certain


@pytest.mark.parametrize("outcome", SETTLED)
def test_what_was_sent_again_since_is_no_longer_asked_about(visits, sandbox, outcome):
    settle(visits, 2, outcome)
    settle(visits, 3, "refused")
    campaign.resume(visits, account=sandbox, progress=False)
    told = campaign.reconcile(visits, list_of(sandbox, visits).encode())
    assert (len(told.batches), len(told.people), told.certain) == (0, 0, {})
    with refused("batch_not_unknown", campaign.UsageError):
        campaign.resolve(visits, 2, "accepted", confirm="batch 2 was accepted")
    assert sandbox.inbox["number"].value_counts().head(2).tolist() == [2, 2]


def test_an_entry_of_an_accepted_batch_shows_nothing_of_a_settled_one(visits, sandbox):
    """The list has each text of batch 3 once; it was settled as refused, and then sent again and taken."""
    settle(visits, 3, "refused")
    settle(visits, 2, "accepted")
    campaign.resume(visits, account=sandbox, progress=False)
    assert campaign.load_result(visits).totals["accepted"] == 6
    told = campaign.reconcile(visits, list_of(sandbox, visits).encode())
    assert told.batches.empty
    assert told.people.empty


def test_what_the_service_refused_itself_is_no_answer_of_a_person(tmp_path):
    with campaign.Sandbox(faults={1: "Invalid sender ID"}) as service:
        result = send_to(people(2), service, tmp_path / "visits")
        listed = f"{HEADER}\n+256772000000,Hi Person 0,2026-11-22 10:00Z,35"
        assert campaign.reconcile(result.folder, listed.encode()).batches.empty


def in_workbook(csv, path, hidden=(), moved=(), lost=()):
    """The list as a workbook: some of its rows are hidden, others on a second sheet, others lack a cell."""
    book = openpyxl.Workbook()
    more = book.create_sheet("Page 2")
    for number, line in enumerate(csv.splitlines(), start=1):
        sheet = more if number in moved else book.active
        sheet.append(line.split(","))
        if number in lost:
            sheet.cell(sheet.max_row, 2).value = "=A99"
    for number in hidden:
        book.active.row_dimensions[number].hidden = True
    book.save(path)
    return path


@pytest.mark.parametrize("left_out", [{"hidden": [3, 4]}, {"moved": [3, 4]}, {"lost": [3]}])
@pytest.mark.parametrize("is_table", [False, True])
def test_a_list_that_was_not_read_completely_settles_nothing(sandbox, visits, tmp_path, left_out, is_table):
    """Rows 3 and 4 are of the first unknown batch: without them it would be called "none", and sent again."""
    path = in_workbook(list_of(sandbox, visits), tmp_path / "provider.xlsx", **left_out)
    given = campaign.read_contacts(path) if is_table else path
    before = statuses(visits)
    for confirm in (None, "settle 1 batch: 1 refused 0000"):
        with pytest.raises(campaign.FileError) as caught:
            campaign.reconcile(visits, given, confirm=confirm)
        assert caught.value.finding.code in ("list_incomplete", "list_values_lost")
    assert statuses(visits) == before
    if "hidden" in left_out:
        told = campaign.reconcile(visits, campaign.read_contacts(path, hidden="include"))
        assert told.certain == campaign.reconcile(visits, list_of(sandbox, visits).encode()).certain


def test_a_sheet_beside_the_list_without_numbers_does_not_matter(sandbox, visits, tmp_path):
    path = in_workbook(list_of(sandbox, visits), tmp_path / "provider.xlsx")
    book = openpyxl.load_workbook(path)
    book["Page 2"].append(["Network", "Network", 250_000])
    book.save(path)
    assert campaign.reconcile(visits, path).certain
    with path.open("rb") as opened:
        assert campaign.reconcile(visits, opened).certain


@pytest.mark.parametrize("wrong", ["x", "0772 00"])
def test_a_campaign_that_sent_nothing_has_nothing_to_settle(tmp_path, wrong):
    contacts = people(3).assign(phone=wrong)
    folder = campaign.send(plan_for(contacts), folder=tmp_path / "visits", progress=False).folder
    told = campaign.reconcile(folder, b"Number,Text\n256772000000,Hi\n")
    assert (len(told.batches), told.certain, told.phrase) == (0, {}, "")
    with refused("confirmation_needed") as shown:
        campaign.reconcile(folder, b"Number,Text\n256772000000,Hi\n", confirm="settle")
    assert "no_batch_unknown" in facts_of(findings_of(shown.value))


def test_a_campaign_that_died_before_its_first_round_has_nothing_to_settle(tmp_path, monkeypatch):
    class PowerCut(BaseException):
        pass

    def cut(*_):
        raise PowerCut

    with monkeypatch.context() as patch:
        patch.setattr("campaign.sending.opening._register", cut)
        with pytest.raises(PowerCut):
            campaign.send(plan_for(people(3)), folder=tmp_path / "visits", progress=False)
    assert campaign.reconcile(tmp_path / "visits", b"Number,Text\n256772000000,Hi\n").certain == {}
    with refused("never_begun", campaign.FolderError):
        campaign.load_result(tmp_path / "visits")
