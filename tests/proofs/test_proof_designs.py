"""The harness catches what is wrong: nine wrong designs, each in a scenario that the right one passes."""

import json
import os
import random
import socket
import threading
import time
from contextlib import contextmanager, suppress

import pandas as pd
import pytest
from support.consistency_audit import audit_folder
from support.crash_sender import begin, plan_of, send
from support.power_cut import cuts, record
from support.wrong_designs import DESIGNS, adopt

import campaign
from campaign.errors import LedgerError

OK = b'{"Status":"OK","Cost":"35","MsgFollowUpUniqueCode":"ApiJsonSubmit0123456789abc.00000001"}'
ONE = {"concurrency": 1, "progress": False}


def killed_and_resumed(place, folder, design):
    """A sender is killed when a place is passed for the third time; another one goes on."""
    with campaign.Sandbox(password="sesame") as sandbox:
        for die in ((place, 3), None):
            process = begin(send, folder, 60, sandbox.account.url, die=die, design=design, concurrency=1)
            process.join(60)
            assert process.exitcode == (-9 if die else 0)
            time.sleep(0.2)  # the service goes on with what it has got
        return audit_folder(folder, sandbox.inbox)


def kill_after_the_answer(folder, design, patch):
    return killed_and_resumed("an answer is read", folder, design)


def kill_before_the_intent(folder, design, patch):
    return killed_and_resumed("before an intent is kept", folder, design)


def lose_an_answer(folder, design, patch):
    """The service accepts the third batch, and its answer is lost."""
    with campaign.Sandbox(faults={3: "accept_reset"}) as sandbox:
        campaign.send(plan_of(60), account=sandbox.account, folder=folder, batch_size=10, **ONE)
        return audit_folder(folder, sandbox.inbox)


def answer_late(folder, design, patch):
    """A service repeats its answer on a connection that is still open, and reads nothing more from it."""

    def visit(connection, received):
        received += request(connection)
        connection.sendall(reply("200 OK", OK))
        if connection.recv(1, socket.MSG_PEEK):
            time.sleep(0.1)
            connection.sendall(reply("200 OK", OK))
            time.sleep(0.1)
        connection.close()

    return send_to(visit, folder)


def point_elsewhere(folder, design, patch):
    """A service has moved, and the page at its new address says OK to everybody."""

    def visit(connection, received):
        if request(connection):
            connection.sendall(reply("301 Moved Permanently", b"", "Location: /new/"))
        else:
            connection.sendall(reply("200 OK", OK))

    return send_to(visit, folder)


def cut_the_power(folder, design, patch):
    folder.mkdir()
    chance, lost = random.Random(7), 0
    for number, remains in enumerate(cuts(record(folder, patch, 300, seed=7), 30, chance)):
        (folder / str(number)).mkdir()
        try:
            lost += remains.lost(folder / str(number)) > 0
        except LedgerError:
            lost += 1
    return [f"acknowledged moves are lost after {lost} of 30 power cuts"] if lost else []


def sort_the_rows_halfway(folder, design, patch):
    """The account is empty after half of it; the rows are sorted, the account filled, the cell run again.

    Whoever would get a text twice is noticed at the latest when the round is registered.
    """
    with campaign.Sandbox(balance=35 * 31, password="sesame") as sandbox:
        options = {"account": sandbox.account, "folder": folder, "batch_size": 10, **ONE}
        campaign.send(plan_of(60), **options)
        sandbox.top_up(10**6)
        try:
            campaign.send(plan_of(60, reverse=True), **options)
        except LedgerError as error:
            return [str(error)]
        assert sandbox.inbox["number"].nunique() == 60
        return audit_folder(folder, sandbox.inbox)


def settle_by_a_first_page(folder, design, patch):
    """The third batch arrived and its answer was lost; the provider's list ends before it."""
    with campaign.Sandbox(faults={3: "accept_reset"}, password="sesame") as sandbox:
        options = {"account": sandbox.account, "batch_size": 10, **ONE}
        campaign.send(plan_of(60), folder=folder, **options)
        batches = campaign.load_result(folder).batches
        listed = int(batches["messages"].head(2).sum())
        page = sandbox.inbox[["number", "text", "time"]].head(listed)
        told = campaign.reconcile(folder, page)
        if told.phrase:
            campaign.reconcile(folder, page, confirm=told.phrase)
        campaign.resume(folder, **options)
        twice = sandbox.inbox["number"].duplicated().sum()
        return [f"{twice} people got it twice"] if twice else audit_folder(folder, sandbox.inbox)


def correct_a_row_of_a_sorted_table(folder, design, patch):
    """Ada's number is typed into the follow-up file; meanwhile the own spreadsheet was sorted and sent."""
    own, file = folder.with_suffix(".csv"), folder.with_name("correct.csv")
    rows = ["Ada,?", "Ben,0772 000 002", "Cy,?"]

    def send_table(source):
        plan = campaign.prepare(
            campaign.read_contacts(source), message="Hi {name}", sender="CLINIC", region="UG"
        )
        return campaign.send(plan, account=sandbox.account, folder=folder, **ONE)

    with campaign.Sandbox(password="sesame") as sandbox:
        own.write_text("\n".join(["name,phone", *rows]))
        campaign.write_follow_up(send_table(own), file)
        header, ada, _ = file.read_text("utf-8-sig").splitlines()
        file.write_text(f"{header}\n{ada.replace('?', '0772 000 001')}\n")
        own.write_text("\n".join(["name,phone", *rows[::-1]]))
        send_table(own)
        names = send_table(file).contacts["name"].tolist()
        return [] if names == ["Cy", "Ben", "Ada"] else [f"the table has {names}"]


SCENARIOS = {
    "record after the answer": kill_after_the_answer,
    "retry on error": lose_an_answer,
    "no commit in the gate": kill_before_the_intent,
    "keep alive": answer_late,
    "redirects on": point_elsewhere,
    "synchronous normal": cut_the_power,
    "compare by fingerprint": sort_the_rows_halfway,
    "a list that covers too little": settle_by_a_first_page,
    "follow up found by row number only": correct_a_row_of_a_sorted_table,
}


def test_there_is_a_scenario_for_each_of_them():
    assert SCENARIOS.keys() == DESIGNS.keys()
    assert len(DESIGNS) == 9


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("design", DESIGNS)
def test_a_wrong_design_is_caught(design, tmp_path, monkeypatch):
    adopt(design, monkeypatch.setattr)
    found = SCENARIOS[design](tmp_path / "visits", design, monkeypatch)
    print(found)
    assert found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("design", DESIGNS)
def test_the_right_design_passes_the_same(design, tmp_path, monkeypatch):
    assert SCENARIOS[design](tmp_path / "visits", "", monkeypatch) == []


def send_to(visit, folder):
    """Send 60 messages in batches to a service that answers each connection with `visit`."""
    received = []
    with serving(visit, received) as port:
        account = campaign.Account("local", f"http://127.0.0.1:{port}", "clinic", "sesame", encoding="plain")
        campaign.send(plan_of(60), account=account, folder=folder, batch_size=10, **ONE)
    inbox = pd.DataFrame(received, columns=["number", "text"], dtype=str)
    return audit_folder(folder, inbox)


@contextmanager
def serving(visit, received):
    """A listener on a free port of this machine that calls `visit` for each connection, in a thread."""

    def welcome():
        with suppress(OSError):  # closed at the end
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=meet, args=(connection,), daemon=True).start()

    def meet(connection):
        open_.append(connection)
        with suppress(OSError):
            visit(connection, received)

    open_ = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        waiting = threading.Thread(target=welcome, daemon=True)
        waiting.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            waiting.join()
            for connection in open_:
                connection.close()


def request(connection):
    """The number and text of every message of one request; none for one without a body."""
    head, body = b"", b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(65_536)
    head, _, body = head.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    wanted = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < wanted:
        body += connection.recv(65_536)
    return [(one["number"], one["message"]) for one in json.loads(body)["msgdata"]] if body else []


def reply(status, content, *headers):
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + content
