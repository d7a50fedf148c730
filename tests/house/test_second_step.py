"""The second day: what one program made is saved, loaded, continued and reported by another.

Every public function has its second step here. Each step is a process of its own, and the service's own
record says what has reached it.
"""

import inspect
import json
import os
import shutil
import sys
import warnings
from collections import Counter

import pandas as pd
import pytest
from support.crash_sender import begin
from support.postgres_server import PASSWORD

import campaign

FILE = "name,phone\n" + "".join(f"Person {n},0772 000 {n:03}\n" for n in range(12)) + "Nobody,12\n"
BEGIN = """
import asyncio, hashlib, json, os
import pandas as pd
import campaign

account = campaign.Account("local", os.environ["SERVICE_URL"], "clinic", "made up")
options = dict(account=account, folder="visits", batch_size=3, concurrency=1, canary=False, progress=False)

def contacts():
    return campaign.read_contacts("visits.csv")

def plan():
    return campaign.prepare(contacts(), message="Hi {name}, come on Monday", sender="CLINIC", region="UG")

def tell(**facts):
    print(json.dumps(facts, default=str))

def known(result):
    return dict(result.totals), str(result.totals.cost), result.batches.status.tolist()
"""
FIRST_DAY = "tell(known=known(campaign.send(plan(), **options)))"
# Of twelve messages in batches of three the second answer is lost, and the run pauses.
AFTER_FIRST_DAY = {"invalid": 1, "accepted": 3, "unknown": 3, "not_sent": 6}


@pytest.fixture(scope="module")
def service():
    """An embedded sandbox that loses its second answer, and keeps a record of all that reached it."""
    with campaign.Sandbox(username="clinic", password="made up", faults={2: "accept_reset"}) as sandbox:
        yield sandbox


def run(code, folder, environment, told):
    """Be a program: what it prints and its errors are in the file `told` afterwards."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    warnings.simplefilter("error")
    with told.open("w") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    exec(code, {"__name__": "__main__"})
    sys.stdout.flush()


class Programs:
    """Pieces of Python, each in a process of its own in the same folder; `tell` gives what it found."""

    def __init__(self, folder, service):
        self.folder = folder
        self._service, self._before = service, len(service.inbox)

    def __call__(self, code):
        told = self.folder.with_name("told.txt")
        environment = {**os.environ, "SERVICE_URL": self._service.account.url}
        process = begin(run, f"{BEGIN}\n{code}", self.folder, environment, told)
        process.join()
        assert process.exitcode == 0, told.read_text()
        return json.loads(told.read_text().splitlines()[-1])

    @property
    def received(self):
        """How many messages each number got from these programs."""
        return Counter(self._service.inbox["number"][self._before :])


@pytest.fixture(scope="module")
def first_folder(tmp_path_factory, service):
    """A folder in which one program has begun a campaign: three accepted, three unknown, six never sent."""
    folder = tmp_path_factory.mktemp("first")
    (folder / "visits.csv").write_text(FILE)
    programs = Programs(folder, service)
    (counts, _, _) = programs(FIRST_DAY)["known"]
    assert {status: count for status, count in counts.items() if count} == AFTER_FIRST_DAY
    assert sum(programs.received.values()) == 6
    return folder


@pytest.fixture
def program(first_folder, tmp_path, service):
    """Runs other programs the day after, in a copy of that folder."""
    folder = tmp_path / "second"
    shutil.copytree(first_folder, folder)
    return Programs(folder, service)


def test_every_public_function_has_a_second_step():
    functions = {name for name in campaign.__all__ if inspect.isfunction(getattr(campaign, name))}
    steps = {name.removeprefix("test_second_").split("__")[0] for name in globals() if "test_second_" in name}
    assert functions - steps == set()


def test_second_read_contacts__what_was_saved_is_read_again(program):
    told = program(
        """
table = pd.DataFrame(contacts().to_dict("list"))  # the cells alone, as a person keeps them
table.to_csv("saved.csv", index=False)
table.to_excel("saved.xlsx", index=False)
table.to_parquet("saved.parquet", index=False)
tell(values=table.values.tolist())
"""
    )
    again = program(
        """
kinds = ("csv", "xlsx", "parquet")
tell(**{kind: campaign.read_contacts(f"saved.{kind}").values.tolist() for kind in kinds})
"""
    )
    assert again == dict.fromkeys(("csv", "xlsx", "parquet"), told["values"])


def test_second_sample__what_is_written_beside_it_changes_no_sample(program):
    told = program(
        """
sample = campaign.sample("clinic_visits")
table = campaign.read_contacts(sample)
table.head(3).to_csv("clinic_visits.csv", index=False)
tell(rows=len(table), digest=hashlib.sha256(sample.read_bytes()).hexdigest())
"""
    )
    again = program(
        """
sample = campaign.sample("clinic_visits")
tell(rows=len(campaign.read_contacts(sample)), digest=hashlib.sha256(sample.read_bytes()).hexdigest())
"""
    )
    assert again == told == {"rows": 299, "digest": told["digest"]}


def test_second_clean_numbers__a_clean_number_stays_as_it_is(program):
    told = program(
        """
first = campaign.clean_numbers(contacts()["phone"], region="UG")["number"].dropna()
tell(first=first.tolist(), again=campaign.clean_numbers(first, region="UG")["number"].tolist())
"""
    )
    assert told["again"] == told["first"]
    assert len(told["first"]) == 12


def test_second_prepare__the_same_file_makes_the_same_plan(program):
    """The frozen plan of the first program has the fingerprint of the one that is prepared today."""
    told = program(
        """
frozen = campaign.load_result("visits").plan
tell(frozen=[frozen.fingerprint, dict(frozen.totals)], today=[plan().fingerprint, dict(plan().totals)])
"""
    )
    assert told["today"] == told["frozen"]


def test_second_prepare__whom_a_campaign_reached_gets_nothing_from_the_next(program):
    told = program(
        """
def prepare():
    return campaign.prepare(contacts(), message="Hello", sender="CLINIC", region="UG", not_again="visits")

try:
    prepare()
except campaign.FolderError as error:
    refused = str(error)
campaign.close("visits", confirm="close with 6 messages not sent")
tell(refused=refused, totals=dict(prepare().totals))
"""
    )
    assert "6 messages can still go" in told["refused"]
    assert told["totals"]["duplicate"] == 6  # accepted and unknown
    assert told["totals"]["not_sent"] == 6


AGAIN = {
    "send": "campaign.send(plan(), **options)",
    "start": "campaign.start(plan(), **options).wait()",
    "asend": "asyncio.run(campaign.asend(plan(), **options))",
    "resume": 'campaign.resume("visits", account=account, progress=False)',
}


def goes_on(program, code):
    """What waits goes out, and nothing else; the second time nothing is left."""
    for _ in range(2):
        (counts, cost, _) = program(f"tell(known=known({code}))")["known"]
        assert {status: count for status, count in counts.items() if count} == {
            "invalid": 1,
            "accepted": 9,
            "unknown": 3,
        }
        assert cost == "315"
        assert set(program.received.values()) == {1}
        assert len(program.received) == 6


def test_second_send__goes_on_and_sends_nothing_twice(program):
    goes_on(program, AGAIN["send"])


def test_second_start__goes_on_and_sends_nothing_twice(program):
    goes_on(program, AGAIN["start"])


def test_second_asend__goes_on_and_sends_nothing_twice(program):
    goes_on(program, AGAIN["asend"])


def test_second_resume__goes_on_and_sends_nothing_twice(program):
    goes_on(program, AGAIN["resume"])


def test_second_load_result__tells_what_the_first_program_knew(program):
    (counts, cost, statuses) = program('tell(known=known(campaign.load_result("visits")))')["known"]
    assert {status: count for status, count in counts.items() if count} == AFTER_FIRST_DAY
    assert cost == "105"
    assert statuses == ["accepted", "unknown", "not_sent", "not_sent"]


RESOLVE = """
try:
    campaign.resolve("visits", 2, "{outcome}")
except campaign.ConfirmationError as asked:
    phrase = str(asked).split('confirm="')[1].split('"')[0]
campaign.resolve("visits", 2, "{outcome}", confirm=phrase)
tell()
"""


@pytest.mark.parametrize(
    ("outcome", "statuses", "received"),
    [("accepted", (6, 0, 0, 6), 6), ("refused", (3, 3, 0, 6), 9), ("again", (3, 0, 3, 6), 9)],
)
def test_second_resolve__is_remembered_and_resumed(program, outcome, statuses, received):
    """Whom a person takes for refused, or wants to be sent to again, is sent to by the next run."""
    program(RESOLVE.format(outcome=outcome))
    (counts, _, _) = program('tell(known=known(campaign.load_result("visits")))')["known"]
    assert (counts["accepted"], counts["refused"], counts["unknown"], counts["not_sent"]) == statuses
    (counts, _, _) = program(f"tell(known=known({AGAIN['resume']}))")["known"]
    assert (counts["accepted"], counts["unknown"]) == (12, 0)
    assert Counter(program.received.values()) == {1: received}


@pytest.fixture
def released(tmp_path, service, postgres_server):
    """Runs programs in a folder in which one of them has released a campaign of two parts to workers."""
    (tmp_path / "visits.csv").write_text(FILE)
    program = Programs(tmp_path, service)
    told = program(
        f"""
from campaign.sending.store import frozen_messages
frozen_messages.PART_MESSAGES = 6
ledger = {postgres_server.database()!r}
options = dict(account=account, folder="visits", ledger=ledger, batch_size=3, canary=False)
tell(parts=campaign.release(plan(), **options).parts)
"""
    )
    assert told["parts"] == 2
    return program


@pytest.fixture(autouse=True)
def _password(monkeypatch):
    """Other programs than the one that was given the address find it where libpq looks."""
    monkeypatch.setenv("PGPASSWORD", PASSWORD)


def reports(program, *calls):
    """What workers have accepted and what they leave, each call in a program of its own."""
    code = "report = campaign.{}; tell(counts=[report.accepted, report.waiting, report.status])"
    return [program(code.format(call))["counts"] for call in calls]


def test_second_release__another_program_sends_it(released):
    told = reports(released, *['work("visits", account=account)'] * 2)
    assert told == [[12, 0, "finished"], [0, 0, "finished"]]
    assert Counter(released.received.values()) == {1: 12}


def test_second_work__what_one_leaves_another_sends(released):
    told = reports(released, *(f'work("visits", account=account{rest})' for rest in (", parts=[1]", "")))
    assert told == [[6, 0, "finished"], [6, 0, "finished"]]
    assert Counter(released.received.values()) == {1: 12}


def test_second_send_part__is_sent_once_however_often_it_is_called(released):
    told = reports(released, *(f'send_part("visits", {part}, account=account)' for part in (1, 0, 1)))
    assert told == [[6, 0, "finished"], [6, 0, "finished"], [0, 0, "finished"]]
    assert Counter(released.received.values()) == {1: 12}


def test_second_order__is_heard_by_programs_that_come_later(released):
    released('campaign.order("visits", "pause"); tell()')
    call = 'work("visits", account=account, when_paused="end")'
    assert reports(released, call) == [[0, 12, "paused"]]
    released('campaign.order("visits", "resume"); tell()')
    assert reports(released, call) == [[12, 0, "finished"]]


def test_second_workers__are_gone_when_their_programs_have_ended(released):
    reports(released, 'work("visits", account=account)')
    assert released('tell(count=len(campaign.workers("visits")))') == {"count": 0}


def test_second_compare__says_what_is_left_and_sends_nothing(program):
    told = program(
        """
difference = campaign.compare(plan(), folder="visits", account=account)
tell(counts=[difference.new, difference.reached, difference.unknown])
"""
    )
    assert told["counts"] == [6, 3, 3]
    assert not program.received


def test_second_close__leaves_nothing_to_resume(program):
    program('campaign.close("visits", confirm="close with 6 messages not sent"); tell()')
    (counts, _, _) = program(f"tell(known=known({AGAIN['resume']}))")["known"]
    assert (counts["accepted"], counts["unknown"], counts["not_sent"]) == (3, 3, 6)
    assert not program.received
    (counts, _, _) = program(f"tell(known=known({AGAIN['send']}))")["known"]
    assert (counts["accepted"], counts["unknown"], counts["not_sent"]) == (9, 3, 0)
    assert Counter(program.received.values()) == {1: 6}


def test_second_erase__is_refused_while_anything_waits_or_is_unknown(program):
    told = program(
        """
try:
    campaign.erase("visits")
except campaign.FolderError as error:
    tell(refused=str(error))
"""
    )
    assert told["refused"].startswith("The campaign cannot be erased yet: 3 unknown, 6 waiting.")
    (counts, _, _) = program('tell(known=known(campaign.load_result("visits")))')["known"]
    assert (counts["accepted"], counts["unknown"], counts["not_sent"]) == (3, 3, 6)


RECONCILE = """
table = campaign.load_result("visits").messages
took = table[table["status"].isin(["accepted", "unknown"])]  # as the service has it
took[["number", "message"]].to_csv("provider.csv", index=False)
phrase = campaign.reconcile("visits", "provider.csv").phrase
tell(known=known(campaign.reconcile("visits", "provider.csv", confirm=phrase)))
"""


def test_second_reconcile__is_remembered_and_what_is_left_is_sent(program):
    told = program(RECONCILE)
    loaded = program('tell(known=known(campaign.load_result("visits")))')
    assert loaded == told
    (counts, _, _) = program(f"tell(known=known({AGAIN['resume']}))")["known"]
    assert (counts["accepted"], counts["unknown"]) == (12, 0)
    assert Counter(program.received.values()) == {1: 6}


def test_second_history__lists_what_another_program_sent(program):
    code = """
row, = campaign.history(".").to_dict("records")
tell(**{name: row[name] for name in ("name", "people", "accepted", "unknown", "waiting", "cost", "sender")})
"""
    told = program(code)
    assert told == {
        "name": "visits", "people": 13, "accepted": 3, "unknown": 3, "waiting": 6, "cost": "105",
        "sender": "CLINIC",
    }  # fmt: skip
    program(f"tell(known=known({AGAIN['resume']}))")
    assert program(code) == {**told, "accepted": 9, "waiting": 0, "cost": "315"}


def test_second_try_out__leaves_the_campaign_alone(program):
    code = """
tried = campaign.try_out(plan(), account, number="+256 772 000 999")
tell(status=tried.result.messages["status"].tolist(), known=known(campaign.load_result("visits")))
"""
    for times in (1, 2):  # a test message may be repeated
        told = program(code)
        assert told["status"] == ["accepted"]
        counts = told["known"][0]
        assert {status: count for status, count in counts.items() if count} == AFTER_FIRST_DAY
        assert program.received == {"256772000999": times}


@pytest.mark.parametrize(
    "source", ['campaign.load_result("visits")', AGAIN["resume"]], ids=["loaded", "resumed"]
)
def test_second_write_report__in_every_format_from_disk(program, source):
    """Each twice over the same file: a cell that is run again replaces its report."""
    told = program(
        f"""
result = {source}
for kind in ("html", "xlsx", "csv") * 2:
    campaign.write_report(result, f"report.{{kind}}")
    campaign.write_report(result, f"revealed.{{kind}}", reveal=True)
tell(counts=dict(result.totals))
"""
    )
    counts = {status: count for status, count in told["counts"].items() if count}
    for name, revealed in (("report", False), ("revealed", True)):
        rows = pd.read_csv(program.folder / f"{name}.csv", dtype="str")
        assert rows["status"].value_counts().to_dict() == counts
        sheets = pd.read_excel(
            program.folder / f"{name}.xlsx", sheet_name=None, dtype="str", engine="openpyxl"
        )
        assert len(sheets["Messages"]) == 12
        assert ("256772000003" in set(sheets["Messages"]["number"])) is revealed
        page = (program.folder / f"{name}.html").read_text("utf-8")
        people = 13 - counts.get("blank", 0) - counts.get("duplicate", 0)
        assert f"{counts['accepted']} of {people} people" in page


@pytest.mark.parametrize("ending", ["xlsx", "ods", "csv"])
def test_second_write_follow_up__is_corrected_and_sent_by_another_program(program, ending):
    """The one row without a usable number is corrected, and goes out with whatever else is missing."""
    program(f'tell(path=campaign.write_follow_up(campaign.load_result("visits"), "to_correct.{ending}"))')
    told = program(
        f"""
rows = campaign.read_contacts("to_correct.{ending}")
rows["phone"] = "0772 000 099"
corrected = campaign.prepare(rows, message="Hi {{name}}", sender="CLINIC", region="UG")
result = campaign.send(corrected, **options)
tell(columns=list(rows.columns), names=rows["name"].tolist(), totals=dict(result.totals))
"""
    )
    assert (told["columns"], told["names"]) == (["name", "phone"], ["Nobody"])
    assert (sum(told["totals"].values()), told["totals"]["invalid"]) == (13, 0)
    assert program.received["256772000099"] == 1
    assert set(program.received.values()) == {1}


def test_second_summary__of_a_loaded_campaign_shows_its_figures(program):
    told = program(
        """
def texts(widget):
    yield str(getattr(widget, "value", ""))
    for child in getattr(widget, "children", ()):
        yield from texts(child)

tell(text=" ".join(texts(campaign.summary(campaign.load_result("visits")))))
"""
    )
    assert 'aria-label="3 accepted, 3 unknown, 6 not sent, 1 to correct"' in told["text"]
    assert "256772000003" not in told["text"]


def test_second_browse__shows_the_rows_of_a_loaded_campaign(program):
    told = program(
        """
from campaign.notebook.row_browser import rows_to_browse
result = campaign.load_result("visits")
rows = rows_to_browse(result, reveal=False)
statuses = rows["status"].value_counts().to_dict()
tell(card=campaign.browse(result).card(), statuses=statuses, codes=rows["code"].tolist())
"""
    )
    assert told["statuses"]["accepted"] == 3
    assert sum(told["statuses"].values()) == 13
    assert "13 rows" in told["card"]
    assert len([code for code in told["codes"] if code]) >= 3


def test_second_compose__the_same_form_filled_in_again_sends_nothing_twice(program):
    form = """
from support.form_person import Person
person = Person()
person.composer.facts.accounts["local"] = account
with open("visits.csv") as file:
    person.choose(file.read())
if person.shows("continue:visits"):
    person.press("continue:visits")
else:
    person.fill("region", "UG")
    person.write("Hi {name}")
person.go_on()
left = person.shows("send:local")
person.rehearse() if left else person.press("look:local")
tell(left=left, counts=person.counts, text=person.composer.form.message)
"""
    first = program(form)
    assert (first["left"], first["text"]) == (True, "Hi {name}")
    assert first["counts"] == {"invalid": 1, "accepted": 12}
    received = dict(program.received)
    assert program(form) == first | {"left": False}
    assert dict(program.received) == received
