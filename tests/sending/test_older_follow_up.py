"""A follow-up file that is older than the own spreadsheet: a correction finds its own row, or stops."""

import csv
import random
from pathlib import Path

import pytest
from support.consistency_audit import audit_folder
from support.refusals import facts_of, findings_of, refused

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


def test_rows_that_nobody_touched_in_the_file_change_nothing(desk):
    """At home Ada was removed, so that everybody moved up, Dora got her number, and Flo left."""
    path = rows_to_correct(desk)
    own = [row.replace("Dora,,", "Dora,0772 000 004,") for row in WARDS if row[:3] not in ("Ada", "Flo")]
    send(write(own), desk)
    correct(path, {"Cy": {"phone": "0772 000 003"}})
    assert campaign.compare(plan_of(path), account=desk.account).new == 1
    result = send(path, desk)
    assert result.contacts["name"].tolist() == ["Ben", "Cy", "Dora", "Eve"]
    assert result.contacts["status"].eq("accepted").all()
    assert texts(desk)[2:] == [
        ("256772000003", "Hi Cy, come to Ward 1."),
        ("256772000004", "Hi Dora, come to Ward 2."),
        ("256772000005", "Hi Eve, come to Ward 2."),
    ]
    assert audit_folder(result.folder, desk.inbox) == []
    assert send(path, desk).nothing_sent


@pytest.mark.parametrize(
    "today",
    {
        "sorted": [*reversed(WARDS)],
        "extended above": ["Gus,0772 000 007,Ward 1", *WARDS],
        "extended below": [*WARDS, "Gus,0772 000 007,Ward 1"],
        "others removed": [row for row in WARDS if row[:3] not in ("Ada", "Eve")],
        "corrected likewise": [WARDS[1], WARDS[2].replace("call him", "0772 000 003"), *WARDS[3:]],
    }.items(),
    ids=lambda today: today[0],
)
def test_a_correction_finds_its_row_in_the_table_of_today(desk, today):
    _, rows = today
    path = rows_to_correct(desk)
    numbers = {"Cy": "0772 000 003", "Dora": "0772 000 004", "Flo": "0772 000 006"}
    correct(path, {name: {"phone": number} for name, number in numbers.items()})
    send(write(rows), desk)
    result = send(path, desk)
    assert result.contacts["name"].tolist() == [row.split(",")[0] for row in rows]
    assert result.contacts["status"].eq("accepted").all()
    assert result.contacts.set_index("name").loc[[*numbers], "phone"].to_dict() == numbers
    assert desk.inbox["number"].is_unique
    assert audit_folder(result.folder, desk.inbox) == []


@pytest.mark.parametrize(
    "today",
    [
        [row for row in WARDS if not row.startswith("Cy")],
        [row.replace("Cy,call him", "Cy,call her") for row in WARDS],
        [row.replace("Cy,call him", "Cy,0772 000 013") for row in WARDS],  # and she was reached
    ],
)
def test_a_corrected_row_that_is_not_in_the_table_of_today_stops_the_file(desk, today):
    path = rows_to_correct(desk)
    send(write(today), desk)
    correct(path, {"Cy": {"phone": "0772 000 003"}, "Dora": {"phone": "0772 000 004"}})
    received = len(desk.inbox)
    for ask in (lambda: campaign.compare(plan_of(path), account=desk.account), lambda: send(path, desk)):
        with refused("rows_not_found", campaign.FolderError, rows="Row 2"):
            ask()
    assert len(desk.inbox) == received
    correct(path, {}, delete=[2])
    assert send(path, desk).contacts.set_index("name").at["Dora", "status"] == "accepted"


def test_a_table_with_another_column_is_another_table(desk):
    path = rows_to_correct(desk)
    Path("visits.csv").write_text(
        "\n".join(f"{row},{note}" for row, note in zip([HEADER, *WARDS], "nabcdef", strict=False))
    )
    result = send("visits.csv", desk)
    correct(path, {"Cy": {"phone": "0772 000 003"}})
    with refused("rows_not_found"):
        send(path, desk)
    anew = campaign.write_follow_up(result, "anew.csv")
    correct(anew, {"Cy": {"phone": "0772 000 003"}})
    assert send(anew, desk).contacts["n"].tolist() == [*"abcdef"]


def test_of_equal_rows_the_file_names_which_was_corrected(desk):
    twins = ["Ada,?,Ward 1", "Ben,0772 000 002,Ward 1", "Ada,?,Ward 1"]
    path = rows_to_correct(desk, twins)
    path.write_text("0772 000 003".join(path.read_text("utf-8-sig").rsplit("?", 1)))
    assert send(path, desk).contacts["phone"].tolist() == ["?", "0772 000 002", "0772 000 003"]


def test_a_question_about_another_text_says_of_which_file_a_row_is(desk):
    """Flo gets the number of Ada, who has left the table."""
    path = rows_to_correct(desk)
    send(write(WARDS[1:]), desk)
    correct(path, {"Flo": {"phone": "0772 000 001"}})
    with refused("decision_needed") as asked:
        send(path, desk)
    assert facts_of(findings_of(asked.value))["text_replaced"]["place"] == "row 4 of this file"
    assert asked.value.questions == {"changed": 1}


def test_a_row_that_was_sent_with_one_mistake_for_another_is_corrected_in_a_new_file(desk):
    path = rows_to_correct(desk)
    correct(path, {"Cy": {"phone": "ask"}})
    send(path, desk)
    correct(path, {"Cy": {"phone": "0772 000 003"}})
    with refused("rows_not_found"):
        send(path, desk)
    anew = campaign.write_follow_up(campaign.load_result("campaigns/visits.local"), "anew.csv")
    correct(anew, {"Cy": {"phone": "0772 000 003"}})
    assert send(anew, desk).totals["accepted"] == 4


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
    """Send the file; where it is refused, nothing is sent from it."""
    if not len(campaign.read_contacts(path)):
        return
    received = len(sandbox.inbox)
    try:
        send(path, sandbox, changed="skip")
    except campaign.FolderError:
        assert len(sandbox.inbox) == received
