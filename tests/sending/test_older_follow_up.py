"""A follow-up file that is older than the own spreadsheet: a correction reaches its own person, or nobody."""

import csv
import random
import re
from pathlib import Path

import pytest
from support.consistency_audit import audit_folder

import campaign

TEXT = "Hi {name}, come to {ward}."
HEADER = "name,phone,ward"
WARDS = """\
Ada,0772 000 001,Ward 1
Ben,0772 000 002,Ward 1
Cy,call him,Ward 1
Dora,,Ward 2
Eve,0772 000 005,Ward 2
Flo,0772 00,Ward 3
""".splitlines()


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with campaign.Sandbox() as sandbox:
        yield sandbox


def plan_of(source):
    table = campaign.read_contacts(source)
    return campaign.prepare(table, message=TEXT, sender="CLINIC", region="UG")


def send(source, sandbox, **options):
    return campaign.send(plan_of(source), account=sandbox, progress=False, **options)


def write(rows, path="visits.csv"):
    Path(path).write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def rows_to_correct(sandbox, rows=WARDS):
    """Send the spreadsheet, and hand out the rows to correct."""
    return campaign.write_follow_up(send(write(rows), sandbox), "correct.csv")


def correct(path, corrections, delete=()):
    """Type into a follow-up file: for a name other cells by column. Rows to delete are counted from 2 on."""
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    rows = [row for number, row in enumerate(rows, 2) if number not in delete]
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(row | corrections.get(row["name"], {}) for row in rows)


def texts(sandbox):
    return sorted(zip(sandbox.inbox["number"], sandbox.inbox["text"], strict=True))


def test_rows_removed_and_corrected_at_home_leave_the_follow_up_file_its_other_rows(desk):
    """Ada was removed, so that everybody moved up, and Dora got her number at home; Cy and Flo, whose ward
    is corrected too, are in the file."""
    path = rows_to_correct(desk)
    own = [row.replace("Dora,,", "Dora,0772 000 004,") for row in WARDS if "Ada" not in row]
    send(write(own), desk)
    correct(path, {"Cy": {"phone": "0772 000 003"}, "Flo": {"phone": "0772 000 006", "ward": "Ward 9"}})
    assert campaign.compare(plan_of(path), account=desk.account).new == 2
    result = send(path, desk)
    assert result.contacts["name"].tolist() == ["Ben", "Cy", "Dora", "Eve", "Flo"]
    assert result.contacts["status"].eq("accepted").all()
    assert texts(desk)[2:] == [
        ("256772000003", "Hi Cy, come to Ward 1."),
        ("256772000004", "Hi Dora, come to Ward 2."),
        ("256772000005", "Hi Eve, come to Ward 2."),
        ("256772000006", "Hi Flo, come to Ward 9."),
    ]
    assert audit_folder(result.folder, desk.inbox) == []
    assert result.corrected_rows.tolist() == [3, 6]  # as they are numbered today
    assert send(path, desk).nothing_sent
    again = send(write(own), desk, changed="skip")
    assert again.nothing_sent
    assert len(desk.inbox) == 6
    assert campaign.write_follow_up(again, path).why_kept


def test_rows_put_right_at_home_and_reached_ask_for_no_correction(desk):
    """Each of both files numbers its rows in its own way: Ada is in none any more, so all others moved up."""
    path = rows_to_correct(desk)
    assert campaign.read_contacts(path)["name"].tolist() == ["Cy", "Dora", "Flo"]
    own = [row.replace("Dora,,", "Dora,0772 000 004,").replace("Flo,0772 00,", "Flo,,") for row in WARDS[1:]]
    send(write(own), desk)
    correct(path, {"Cy": {"phone": "0772 000 003"}})
    plan = plan_of(path)
    asks = "compare the plan with that campaign to see whether there are any."
    assert asks in plan.sentence
    assert "Rows are numbered as in this file, not as in your own spreadsheet." in plan._repr_html_()
    compared = campaign.compare(plan, account=desk.account)
    assert (
        " 1 row of this file was put right in your own spreadsheet since, and reached in rehearsal: nothing "
        "is to correct in it (row 3 of this file; row 4 of your own spreadsheet). 1 row of this file was "
        "changed in your own spreadsheet since, or removed from it, and that counts (row 4 of this file; row "
        "6 of your own spreadsheet)." in compared.sentence
    )
    card = compared._repr_html_()
    assert "<th>row in this file</th><th>row in your own spreadsheet</th>" in re.sub(
        r" [a-z]+=[^>]*", "", card
    )
    assert re.search(r">2</td>\s*<td[^>]*>3</td>\s*<td[^>]*>25677", card)  # Cy


def test_rows_put_right_at_home_are_not_called_reached_while_nobody_knows(tmp_path, monkeypatch):
    """The connection was lost while Dora's message, with her number from home, was on its way."""
    monkeypatch.chdir(tmp_path)
    with campaign.Sandbox(faults={3: "reset"}) as sandbox:
        path = rows_to_correct(sandbox)
        own = [row.replace("Dora,,", "Dora,0772 000 004,") for row in WARDS]
        assert send(write(own), sandbox).contacts["status"].eq("unknown").sum() == 1
        sentence = campaign.compare(plan_of(path), account=sandbox.account).sentence
        assert "and reached" not in sentence
        assert "1 row of this file was changed in your own spreadsheet since" in sentence
        assert "(row 3 of this file; row 5 of your own spreadsheet)" in sentence


def test_a_question_about_another_text_says_of_which_file_a_row_is(desk):
    path = rows_to_correct(desk)
    send(write(WARDS[1:]), desk)
    correct(path, {"Cy": {"phone": "0772 000 003"}})
    send(path, desk)
    correct(path, {"Cy": {"ward": "Ward 9"}})
    with pytest.raises(campaign.ConfirmationError, match=r"\nrow 2 of this file: "):
        send(path, desk)


@pytest.mark.parametrize(
    "today",
    {
        "sorted": [*reversed(WARDS)],
        "extended above": ["Gus,0772 000 007,Ward 1", *WARDS],
        "extended below": [*WARDS, "Gus,0772 000 007,Ward 1"],
        "others removed": [row for row in WARDS if row[:3] not in ("Ada", "Eve")],
        "corrected likewise": [WARDS[1], WARDS[2].replace("call him", "+256772000003"), *WARDS[3:]],
        "a column more": [f"{row},{'due' if not row else 'yes'}" for row in reversed(WARDS)],
    }.items(),
    ids=lambda today: today[0],
)
def test_a_correction_finds_its_person_in_the_table_of_today(desk, today):
    what, rows = today
    path = rows_to_correct(desk)
    numbers = {"Cy": "0772 000 003", "Dora": "0772 000 004", "Flo": "0772 000 006"}
    correct(path, {name: {"phone": number} for name, number in numbers.items()})
    write(rows)
    if what == "a column more":
        Path("visits.csv").write_text(Path("visits.csv").read_text().replace(HEADER, f"{HEADER},due"))
    send("visits.csv", desk)
    result = send(path, desk)
    assert result.contacts["name"].tolist() == [row.split(",")[0] for row in rows]
    assert result.contacts["status"].eq("accepted").all()
    numbers_there = dict(zip(result.messages["row"], result.messages["number"], strict=True))
    for name, number in numbers.items():
        (row,) = result.contacts.index[result.contacts["name"] == name]
        assert numbers_there[row] == "256" + number[1:].replace(" ", "")
    assert desk.inbox["number"].is_unique
    assert audit_folder(result.folder, desk.inbox) == []


@pytest.mark.parametrize(
    ("before", "today", "typed", "doubt"),
    [
        # Cy was dropped; whom his row is now, nobody can say.
        (
            WARDS,
            [WARDS[1], WARDS[0], *WARDS[3:]],
            "Cy",
            r"row 2 of the file \(Cy, 25677\*+99\) cannot be found in it for certain",
        ),
        # Ada with the bad number was dropped, and the other Ada stays.
        (
            ["Ada,?,Ward 1", "Ada,0772 000 001,Ward 1", "Ben,0772 000 002,Ward 1"],
            ["Ben,0772 000 002,Ward 1", "Ada,0772 000 001,Ward 1"],
            "Ada",
            r"row 2 of the file \(Ada, 25677\*+99\) cannot be found in it for certain",
        ),
        # A second Ada came.
        (
            ["Ada,?,Ward 1", "Ben,0772 000 002,Ward 1"],
            ["Ada,?,Ward 1", "Ada,0772 000 001,Ward 1", "Ben,0772 000 002,Ward 1"],
            "Ada",
            r"row 2 of the file \(Ada, 25677\*+99\) cannot be found in it for certain",
        ),
        # Somebody else in the same ward, the only other cell of the table that says anything.
        ([",?,Ward 1"], ["Eve,0772 000 009,Ward 2", ",0772 000 001,Ward 1"], "", "row 2 of the file"),
        # She was corrected at home, at her place, and reached.
        (
            ["Ada,?,Ward 1", "Ben,0772 000 002,Ward 1"],
            ["Ada,0772 000 001,Ward 1", "Ben,0772 000 002,Ward 1", "Cy,0772 000 003,Ward 1"],
            "Ada",
            r"row 2 of the file \(Ada, 25677\*+99\) was reached under another number since",
        ),
    ],
)
def test_nothing_is_sent_while_it_is_not_certain_whose_a_correction_is(desk, before, today, typed, doubt):
    path = rows_to_correct(desk, before)
    send(write(today), desk, changed="skip")
    correct(path, {typed: {"phone": "0772 000 099"}})
    received = len(desk.inbox)
    for ask in (lambda: campaign.compare(plan_of(path), account=desk.account), lambda: send(path, desk)):
        with pytest.raises(campaign.FolderError, match=doubt) as raised:
            ask()
        is_alone = len(campaign.read_contacts(path)) == 1
        remedy = "Correct" if is_alone else "Delete row 2 from the file to send the others, and correct"
        assert f"Nothing was sent. {remedy} it in your own spreadsheet" in str(raised.value)
    assert len(desk.inbox) == received


def test_the_rows_that_are_certain_go_out_once_the_others_are_deleted(desk):
    """As the refusal says it; the follow-up file can then be written again under its name."""
    path = rows_to_correct(desk)
    own = [row.replace("call him", "0772 000 013") for row in WARDS[1:]]
    send(write(own), desk)
    correct(path, {"Cy": {"phone": "0772 000 003"}, "Dora": {"phone": "0772 000 004"}})
    with pytest.raises(campaign.FolderError, match=r"Delete row 2 from the file to send the others"):
        send(path, desk)
    correct(path, {}, delete=[2])
    result = send(path, desk)
    assert dict(result.contacts.set_index("name")["status"])["Flo"] == "invalid"
    assert result.totals["accepted"] == 4
    assert sorted(desk.inbox["number"])[2:] == ["256772000004", "256772000005", "256772000013"]
    own = [row.replace("Dora,,", "Dora,0772 000 004,") for row in own]
    campaign.write_follow_up(send(write(own), desk), path)
    assert campaign.read_contacts(path)["name"].tolist() == ["Flo"]


def test_rows_that_nobody_touched_in_the_file_say_nothing_against_the_own_spreadsheet(desk):
    path = rows_to_correct(desk)
    own = [row.replace("Dora,,", "Dora,0772 000 004,") for row in WARDS if not row.startswith("Flo")]
    send(write(own), desk)
    correct(path, {"Cy": {"phone": "0772 000 003"}})
    result = send(path, desk)
    assert result.contacts["name"].tolist() == ["Ada", "Ben", "Cy", "Dora", "Eve"]
    assert result.contacts["status"].eq("accepted").all()


def test_a_row_that_was_corrected_twice_in_the_file_keeps_its_place(desk):
    path = rows_to_correct(desk)
    send(write(WARDS[1:]), desk)
    correct(path, {"Cy": {"phone": "ask", "name": "Cyril"}})
    assert send(path, desk).contacts.loc[3, ["name", "status"]].tolist() == ["Cyril", "invalid"]
    correct(path, {"Cyril": {"phone": "0772 000 003"}})
    result = send(path, desk)
    assert result.contacts.loc[3, ["name", "status"]].tolist() == ["Cyril", "accepted"]
    assert result.totals.rows == 5
    assert texts(desk)[2] == ("256772000003", "Hi Cyril, come to Ward 1.")


class Office:
    """An own spreadsheet and its follow-up file, worked on at random. A person's number says who they are."""

    def __init__(self, chance):
        self.chance, self.people = chance, 0
        self.own = [self.somebody() for _ in range(chance.randint(4, 12))]

    def somebody(self):
        self.people += 1
        name, ward = self.chance.choice(["Ada", "Ben", "Cy", "Dora", "Eve", "Flo"]), self.chance.randint(1, 4)
        is_wrong = self.chance.random() < 0.4
        number = self.chance.choice(["?", "", "call"]) if is_wrong else self.number(self.people)
        return {"id": self.people, "name": name, "phone": number, "ward": f"Ward {ward}"}

    @staticmethod
    def number(person):
        return f"0772 000 {person:03}"

    def edit(self):
        """Remove, add, sort, correct: each perhaps."""
        chance = self.chance
        self.own = [row for row in self.own if chance.random() < 0.85] or self.own
        for _ in range(chance.choice((0, 0, 1, 3))):
            self.own.insert(chance.randint(0, len(self.own)), self.somebody())
        if chance.random() < 0.4:
            chance.shuffle(self.own)
        self.own = [self.corrected(row) if chance.random() < 0.2 else row for row in self.own]

    def corrected(self, row):
        return row | {"phone": self.number(row["id"])}

    def save(self):
        return write(f"{row['name']},{row['phone']},{row['ward']}" for row in self.own)

    def identity(self):
        """Who is in each row of the spreadsheet as it was saved."""
        return dict(enumerate(self.own, 2))


def expected_texts(people):
    return {f"256{Office.number(row['id'])[1:].replace(' ', '')}": TEXT.format(**row) for row in people}


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 10))]
)
@pytest.mark.parametrize("own_first", [True, False])
def test_whatever_happens_to_the_own_spreadsheet_a_correction_reaches_its_person_once(desk, seed, own_first):
    office = Office(random.Random(seed))
    everybody = list(office.own)
    path = campaign.write_follow_up(send(office.save(), desk), "correct.csv")
    in_file = correct_at_random(path, office)
    office.edit()
    everybody += office.own
    if own_first:
        send(office.save(), desk, changed="skip", waiting="withdraw")
        send_what_is_certain(path, desk)
    else:
        send_what_is_certain(path, desk)
        send(office.save(), desk, changed="skip", waiting="withdraw")
    result = campaign.load_result("campaigns/visits.local")
    assert [*zip(result.contacts["name"], result.contacts["ward"], strict=True)] == [
        (row["name"], row["ward"]) for row in office.own
    ]
    received = dict(texts(desk))
    assert len(received) == len(desk.inbox)  # nobody twice
    expected = expected_texts(everybody)
    assert received == {number: expected[number] for number in received}  # and each their own text
    numbers = dict(zip(result.messages["row"], result.messages["number"], strict=True))
    for row, person in office.identity().items():  # no row has somebody else's number
        assert numbers.get(row, "") in ("", *expected_texts([person]))
    office.own = [office.corrected(row) for row in office.own]
    send(office.save(), desk, changed="skip", waiting="withdraw")
    assert {*expected_texts(office.own)} <= {*desk.inbox["number"]}  # nobody is forgotten
    assert desk.inbox["number"].is_unique
    assert audit_folder(result.folder, desk.inbox) == []
    assert in_file is not None


def correct_at_random(path, office):
    """Type the numbers of some people into the file, which names the rows of the saved spreadsheet."""
    people = office.identity()
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    typed = [row for row in rows if office.chance.random() < 0.7]
    for row in typed:
        row["phone"] = office.number(people[int(row["row in the file"])]["id"])
    if rows:
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return typed


def send_what_is_certain(path, sandbox):
    """Send the file; where it is refused, do what the refusal says."""
    if not len(campaign.read_contacts(path)):
        return
    try:
        send(path, sandbox, changed="skip")
    except campaign.FolderError as error:
        for named in re.findall(r"Delete rows? ([^a-z]*(?:and [0-9]+)?) from", str(error)):
            correct(path, {}, delete=[int(number) for number in re.findall("[0-9]+", named)])
            send(path, sandbox, changed="skip")


def test_the_refusal_to_replace_corrections_names_the_rows_of_today(desk):
    """Whoever follows it writes into these rows: the numbers of the day before are other people's."""
    path = rows_to_correct(desk)
    again = send(write(WARDS[1:]), desk)
    correct(path, {"Cy": {"phone": "0772 000 003"}, "Flo": {"ward": "Ward 9"}})
    with pytest.raises(campaign.ReportError, match=r"its rows 2 and 4 are not as .* \(there: rows 3 and 6\)"):
        campaign.write_follow_up(again, path)
    send(write(["Gus,0772 000 007,Ward 1", *WARDS[2:5]]), desk)  # and Flo is not there any more
    with pytest.raises(campaign.ReportError) as raised:
        campaign.write_follow_up(campaign.load_result("campaigns/visits.local"), path)
    told = "(there: row 3; row 4 of the file cannot be found there for certain)"
    assert told in str(raised.value)


def test_a_correction_in_the_own_spreadsheet_is_known_in_any_row_and_spelling(desk):
    path = rows_to_correct(desk)
    correct(path, {"Cy": {"phone": "0772 000 003"}})
    again = send(write([*reversed([row.replace("call him", "+256 772 000003") for row in WARDS])]), desk)
    campaign.write_follow_up(again, path)
    assert campaign.read_contacts(path)["name"].tolist() == ["Flo", "Dora"]


def test_a_correction_that_is_taken_back_in_the_same_file_is_told_where_it_counts_from(desk):
    """The own spreadsheet has Cy as the file has, which itself was sent with another number."""
    path = rows_to_correct(desk)
    before = campaign.read_contacts(path).set_index("name").at["Cy", "phone"]
    send(write(WARDS[1:]), desk)
    correct(path, {"Cy": {"phone": "0772 000 002"}})  # the number of Ben
    assert send(path, desk).nothing_sent
    correct(path, {"Cy": {"phone": before}})
    sentence = campaign.compare(plan_of(path), account=desk.account).sentence
    assert (
        "1 row of this file was corrected in a file of rows to correct that was sent since, and that counts: "
        "to change it again, write a new file (row 2 of this file; row 3 of your own spreadsheet)."
    ) in sentence
    assert "changed in your own spreadsheet" not in sentence


def test_who_was_reached_as_the_file_says_is_not_called_reached_under_another_number(desk):
    """Ben shares a phone in the own spreadsheet, and got his text at the number that only the file has."""
    rows = [row.replace("0772 000 002", "0772 000 001").replace("Ben,", "Ben B,") for row in WARDS]
    rows[1] = rows[1].replace("Ward 1", "Ward 4")
    path = rows_to_correct(desk, rows)
    correct(path, {"Ben B": {"phone": "0772 000 031"}})
    send(path, desk)
    table = campaign.read_contacts(write(rows[::-1]))
    every_text = campaign.prepare(table, message=TEXT, sender="CLINIC", region="UG", duplicates="keep")
    campaign.send(every_text, account=desk, changed="skip", progress=False)
    correct(path, {"Flo": {"phone": "0772 000 006"}})
    result = send(path, desk, changed="skip")
    assert dict(zip(result.contacts["name"], result.contacts["status"], strict=True))["Flo"] == "accepted"
    assert [text for _, text in texts(desk) if "Ben" in text] == ["Hi Ben B, come to Ward 4."]


def test_columns_that_were_added_since_keep_their_cells_when_an_older_file_is_sent(desk):
    path = rows_to_correct(desk)
    own = [f"{row},{note}" for row, note in zip(WARDS, "abcdef", strict=True)]
    Path("visits.csv").write_text("\n".join([f"{HEADER},note", *own]) + "\n")
    send("visits.csv", desk)
    correct(path, {"Cy": {"phone": "0772 000 003"}})
    result = send(path, desk)
    assert result.contacts["note"].tolist() == list("abcdef")
    assert campaign.load_result(result.folder).by("note")["rows"].sum() == 6
