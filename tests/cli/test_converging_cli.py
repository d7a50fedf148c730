"""What a person does at the desk, from the shell: whatever it is, everybody is reached once.

The service is live: the embedded sandbox under a name that means this machine.
"""

import json
import re
import shlex
import shutil
from functools import partial
from pathlib import Path

import pytest
from support.live_service import NAME, LiveService, start_live
from support.shell import phrase_in

import campaign
from campaign.cli.main import main

TEXT = "Hi {name}, your visit is on Monday."


@pytest.fixture
def service(resolves_here, monkeypatch):
    """A live service whose account the shell finds in its environment."""
    with start_live(resolves_here, monkeypatch) as sandbox:
        live = LiveService(sandbox)
        log_in_to(live, monkeypatch)
        yield live


def log_in_to(service, monkeypatch, username="clinic", password="only-for-tests"):
    port = service.sandbox.account.url.rsplit(":", 1)[1].strip("/")
    # The shell has no word for the certificate of a service that is not the provider's.
    trusting = partial(campaign.Account.from_environment, ca_file=service.sandbox.ca_file)
    monkeypatch.setattr(campaign.Account, "from_environment", staticmethod(trusting))
    monkeypatch.setenv("CAMPAIGN_LIVE_URL", f"https://{NAME}:{port}")
    monkeypatch.setenv("CAMPAIGN_LIVE_USERNAME", username)
    monkeypatch.setenv("CAMPAIGN_LIVE_PASSWORD", password)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    path = tmp_path / "desk"
    path.mkdir()
    monkeypatch.chdir(path)
    write_visits(range(20))
    return path


def number_of(person):
    return f"25677200{person:04d}"


def write_visits(people, wrong=()):
    rows = "".join(
        f"Person {n},{'call her' if n in wrong else f'0772 00{n // 1000} {n % 1000:03d}'}\n" for n in people
    )
    Path("visits.csv").write_text(f"name,phone\n{rows}")


class Shell:
    """Types commands as a person does: `run` once, `confirmed` again with the phrase that is asked for."""

    def __init__(self, capsys):
        self._capsys = capsys

    def run(self, verb, *more, text=TEXT, environment="live"):
        """The exit code of a command and all that it printed."""
        arguments = [verb, *more, "--account", environment]
        if verb in ("send", "check"):
            arguments += ["--message", text, "--sender", "CLINIC", "--region", "UG"]
        if verb == "send" and "--batch-size" not in more:
            arguments += ["--batch-size", "5"]
        code = main(arguments)
        shown = self._capsys.readouterr()
        return code, shown.out + shown.err

    def refused(self, *arguments, **more):
        """The error of a command that sends nothing, as a program gets it."""
        code, shown = self.run(*arguments, "--json", **more)
        assert code == 2
        return json.loads(shown.splitlines()[0])["error"]

    def confirmed(self, *arguments, option="confirm", **more):
        code, shown = self.run(*arguments, **more)
        assert code == 2
        return self.run(*arguments, f"--{option}", phrase_in(shown, option), **more)


@pytest.fixture
def shell(capsys):
    return Shell(capsys)


def assert_reached_once(service, people):
    assert sorted(service.numbers) == sorted(number_of(n) for n in people)


# the rows of the table, one by one


def test_corrects_three_wrong_numbers_and_sends_all_again(service, desk, shell):
    write_visits(range(50), wrong=(3, 8, 30))
    _, shown = shell.confirmed("send", "visits.csv")
    assert re.search(r"47  accepted.*\n +3  to correct", shown)
    assert len(service.numbers) == 47

    write_visits(range(50))
    code, asked = shell.run("send", "visits.csv")
    assert code == 2
    assert re.fullmatch("send 3 messages live [0-9a-f]{4}", phrase_in(asked))
    assert "Compared with what was sent before: 3 new and 47 accepted before." in asked
    code, shown = shell.run("send", "visits.csv", "--confirm", phrase_in(asked))
    assert code == 0
    assert "accepted for 50 of 50 people" in shown
    assert_reached_once(service, range(50))


def test_sorts_and_appends_rows_and_adds_an_opt_out_before_running_again(service, desk, shell):
    code, shown = shell.confirmed("send", "visits.csv", "--budget", "420")  # twelve messages at 35
    assert code == 4
    assert "of 420 spent" in shown
    reached = set(service.numbers)
    assert 0 < len(reached) < 20
    waiting = next(n for n in range(20) if number_of(n) not in reached)

    write_visits([20, *reversed(range(20))])
    Path("stop.csv").write_text(f"phone\n+{number_of(waiting)}\n")
    again = ("send", "visits.csv", "--opt-outs", "stop.csv")
    _, shown = shell.confirmed(*again)
    assert "of 420 spent" in shown  # the budget stays
    assert len(service.numbers) <= 12
    code, shown = shell.confirmed(*again, "--budget", "none")
    assert "1  opted out" in shown
    assert_reached_once(service, set(range(21)) - {waiting})


def test_sends_from_another_directory(service, desk, shell, tmp_path, monkeypatch):
    shell.confirmed("send", "visits.csv")
    (tmp_path / "elsewhere").mkdir()
    shutil.copy("visits.csv", tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "elsewhere")
    error = shell.refused("send", "visits.csv")
    assert error["code"] == "campaign_elsewhere"
    assert error["facts"]["there"] == str(desk / "campaigns" / "visits")
    assert_reached_once(service, range(20))


@pytest.mark.parametrize("fate", ["renamed", "deleted"])
def test_renames_or_deletes_the_folder(service, desk, shell, fate):
    shell.confirmed("send", "visits.csv")
    folder = desk / "campaigns" / "visits"
    if fate == "renamed":
        folder.rename(folder.with_name("done"))
    else:
        shutil.rmtree(folder)
    error = shell.refused("send", "visits.csv")
    assert (error["code"], error["facts"]["messages"]) == ("campaign_gone", 20)
    assert_reached_once(service, range(20))


def test_writes_the_user_name_in_capitals(service, desk, shell, monkeypatch):
    shell.confirmed("send", "visits.csv")
    log_in_to(service, monkeypatch, username="CLINIC")
    code, shown = shell.run("send", "visits.csv")
    assert code == 0
    assert "Nothing was left to send: 20 messages accepted on " in shown
    assert_reached_once(service, range(20))


def test_restores_yesterdays_backup(service, desk, shell, tmp_path):
    shell.confirmed("send", "visits.csv", "--pilot", "6")
    assert len(service.numbers) == 6
    folder = desk / "campaigns" / "visits"
    shutil.copytree(folder, tmp_path / "backup")
    shell.confirmed("resume", str(folder))
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "backup", folder)
    for again in (["send", "visits.csv"], ["resume", str(folder)]):
        assert shell.refused(*again)["code"] == "ledger_older"
    assert_reached_once(service, range(20))


def test_copies_the_folder_and_resumes_both(service, desk, shell):
    shell.confirmed("send", "visits.csv", "--pilot", "6")
    folder = desk / "campaigns" / "visits"
    shutil.copytree(folder, folder.with_name("copy"))
    error = shell.refused("resume", str(folder.with_name("copy")))
    assert error["code"] == "campaign_elsewhere"
    assert "--takeover" in error["message"]
    assert shell.confirmed("resume", str(folder))[0] == 0
    assert_reached_once(service, range(20))


def test_moves_the_folder_and_takes_it_over(service, desk, shell):
    shell.confirmed("send", "visits.csv", "--pilot", "6")
    (desk / "campaigns" / "visits").rename(desk / "moved")
    code, shown = shell.run("resume", "moved")
    assert code == 2
    takeover = ["--takeover", phrase_in(shown, "takeover")]
    assert shell.confirmed("resume", "moved", *takeover)[0] == 0
    assert_reached_once(service, range(20))


def test_runs_out_of_funds_tops_up_and_resumes(desk, shell, resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch, balance=35 * 8) as sandbox:
        service = LiveService(sandbox)
        log_in_to(service, monkeypatch)
        code, shown = shell.confirmed("send", "visits.csv")
        assert code == 4
        assert len(service.numbers) == 6  # the canary and one batch; how many were tried besides is chance
        assert re.search("Top (it )?up", shown)
        sandbox._behaviour.balance += 10_000
        code, shown = shell.confirmed("resume", "campaigns/visits")
        assert code == 0
        assert "accepted for 20 of 20 people" in shown
        assert_reached_once(service, range(20))


def test_gives_a_wrong_password_and_then_the_right_one(service, desk, shell, monkeypatch):
    log_in_to(service, monkeypatch, password="mistyped-for-tests")
    assert shell.confirmed("send", "visits.csv")[0] == 4
    assert service.numbers == []
    log_in_to(service, monkeypatch)
    assert shell.confirmed("send", "visits.csv")[0] == 0
    assert_reached_once(service, range(20))


@pytest.mark.parametrize("concurrency", ["8", "32"])
def test_a_budget_is_used_up_to_the_last_batch(service, desk, shell, concurrency):
    write_visits(range(3000))
    options = ["--budget", "20_000", "--batch-size", "10", "--concurrency", concurrency]
    assert shell.confirmed("send", "visits.csv", *options)[0] == 4
    assert 571 - 10 < len(service.numbers) <= 571


def test_after_a_refused_first_message_nothing_else_leaves(desk, shell, resolves_here, monkeypatch):
    with start_live(resolves_here, monkeypatch, faults={1: "Invalid sender ID"}) as sandbox:
        service = LiveService(sandbox)
        log_in_to(service, monkeypatch)
        assert shell.confirmed("send", "visits.csv")[0] == 4
        assert sandbox.requests == 1
        assert shell.confirmed("send", "visits.csv")[0] == 0
        assert_reached_once(service, range(20))


def test_a_rehearsal_in_not_again_reaches_nobody(service, desk, shell):
    assert shell.run("send", "visits.csv", environment="local")[0] == 0
    assert service.numbers == []
    assert shell.confirmed("send", "visits.csv", "--not-again", "campaigns/visits.local")[0] == 0
    assert_reached_once(service, range(20))


def test_saves_the_spreadsheet_under_another_name_in_the_same_week(service, desk, shell):
    assert shell.confirmed("send", "visits.csv")[0] == 0
    Path("visits.csv").rename("visits_v2.csv")
    error = shell.refused("send", "visits_v2.csv")
    assert (error["questions"], len(service.numbers)) == ({"elsewhere": 20}, 20)
    assert "'visits' (20 accepted)" in error["message"]
    assert "--elsewhere send" in error["message"]
    assert shell.run("send", "visits_v2.csv", "--dry-run")[0] == 2
    code, _ = shell.run("send", "visits_v2.csv", "--name", "visits")
    assert (code, len(service.numbers)) == (0, 20)
    assert shell.confirmed("send", "visits_v2.csv", "--elsewhere", "send")[0] == 0
    assert len(service.numbers) == 40


def test_sends_b_without_those_of_a_while_a_still_waits(service, desk, shell):
    assert shell.confirmed("send", "visits.csv", "--pilot", "6", "--name", "A")[0] == 4
    others = ["send", "visits.csv", "--name", "B", "--not-again", str(next(Path("campaigns").glob("a*")))]
    error = shell.refused(*others)
    assert (error["code"], error["facts"]["messages"]) == ("campaign_not_finished", 14)
    assert len(service.numbers) == 6


def test_corrects_the_text_and_runs_again_with_the_old_phrase(service, desk, shell):
    _, asked = shell.run("send", "visits.csv")
    phrase = ["--confirm", phrase_in(asked)]
    assert shell.run("send", "visits.csv", *phrase)[0] == 0
    new_text = "Hello {name}, your visit is on Monday."
    assert shell.refused("send", "visits.csv", *phrase, text=new_text)["questions"] == {"changed": 20}
    assert len(service.numbers) == 20

    code, _ = shell.run("send", "visits.csv", "--changed", "skip", text=new_text)
    assert code == 0
    assert len(service.numbers) == 20
    code, asked = shell.run("send", "visits.csv", *phrase, "--changed", "send", text=new_text)
    assert code == 2  # the old phrase is not that of the new text
    assert (
        shell.run("send", "visits.csv", "--changed", "send", "--confirm", phrase_in(asked), text=new_text)[0]
        == 0
    )
    assert len(service.numbers) == 40


# what is shown before and after


def test_people_who_wait_and_are_gone_are_asked_about(service, desk, shell):
    shell.confirmed("send", "visits.csv", "--pilot", "6")
    reached = [n for n in range(20) if number_of(n) in service.numbers]
    write_visits(reached)
    assert shell.refused("send", "visits.csv")["questions"] == {"waiting": 14}
    assert shell.run("send", "visits.csv", "--waiting", "withdraw")[0] == 0
    assert_reached_once(service, reached)


def test_those_who_answered_stop_get_nothing_more(service, desk, shell):
    shell.confirmed("send", "visits.csv", "--pilot", "6")
    waiting = next(n for n in range(20) if number_of(n) not in service.numbers)
    Path("stop.csv").write_text(f"phone\n+{number_of(waiting)}\n")
    shell.confirmed("resume", "campaigns/visits", "--opt-outs", "stop.csv")
    assert_reached_once(service, set(range(20)) - {waiting})


def everything_in(*folders):
    """Every file in the folders with its content."""
    return {path: path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


def test_a_check_and_a_dry_run_show_what_would_leave_and_write_nothing(service, desk, shell, state_directory):
    assert "Nothing was sent under this name before." in shell.run("check", "visits.csv")[1]
    code, shown = shell.run("send", "visits.csv", "--dry-run")
    assert code == 0
    assert "Nothing was sent under this name before." in shown
    assert "This would send 20 messages." in shown
    assert not (desk / "campaigns").exists()
    assert not state_directory.exists()

    (command,) = re.findall(r"add (--confirm .*)\n", shown)
    assert shell.run("send", "visits.csv", *shlex.split(command))[0] == 0
    write_visits(range(1, 22))
    before = everything_in(desk, state_directory)
    for arguments in (["check", "visits.csv"], ["send", "visits.csv", "--dry-run"]):
        code, shown = shell.run(*arguments)
        assert code == 0
        assert re.search(r"This would send 2 messages\.\n +2  new\n +19  accepted before\n", shown)
        assert "1 number reached before is in no row now." in shown
        assert "Nothing was sent under this name before." not in shown
    assert 'add --confirm "send 2 messages live ' in shown
    assert everything_in(desk, state_directory) == before
    assert_reached_once(service, range(20))


def test_a_dry_run_asks_what_sending_would_ask(service, desk, shell):
    shell.confirmed("send", "visits.csv")
    error = shell.refused("send", "visits.csv", "--dry-run", text="Hello {name}.")
    assert error["questions"] == {"changed": 20}
    assert "--changed skip" in error["message"]
    code, shown = shell.run("send", "visits.csv", "--dry-run", "--changed", "send", text="Hello {name}.")
    assert code == 0
    assert "send 20 messages live " in shown


def test_a_check_needs_neither_an_account_nor_the_folder_of_a_rehearsal(desk, shell):
    shell.run("send", "visits.csv", environment="local")
    _, shown = shell.run("check", "visits.csv", environment="live")
    assert "Nothing was sent under this name before." in shown
    _, shown = shell.run("check", "visits.csv", environment="local")
    assert "20  accepted before" in shown
    _, shown = shell.run("check", "visits.csv", "--name", "reminder", environment="local")
    assert "Nothing was sent under this name before." in shown
    _, shown = shell.run("check", "visits.csv", "--folder", "campaigns/visits.local", environment="local")
    assert "20  accepted before" in shown


def test_status_shows_the_rounds(desk, capsys):
    plan = ["--message", TEXT, "--sender", "CLINIC", "--region", "UG"]
    write_visits(range(20), wrong=(3, 8, 15))
    main(["send", "visits.csv", *plan])
    write_visits(range(20))
    main(["send", "visits.csv", *plan])
    write_visits(range(21), wrong=(20,))
    main(["send", "visits.csv", *plan])
    capsys.readouterr()
    assert main(["status", "campaigns/visits.local"]) == 0
    shown = capsys.readouterr().out
    assert shown.count(": there was nothing to send\n") == 1  # to people this is no round
    rounds = [line for line in shown.splitlines() if line.startswith("  round ")]
    assert [re.sub(r", [^:]*:\d\d \(.*?\)", "", line) for line in rounds] == [
        "  round 2: 3 accepted",
        "  round 1: 17 accepted",
    ]
    page = Path("campaigns/visits.local/report.html").read_text("utf-8")
    assert "<dt>rounds</dt>" in page
    assert page.count("nothing to send") == 0


def test_the_account_of_the_shell_is_that_of_python(service, desk, shell):
    """One campaign, whoever sends it."""
    shell.confirmed("send", "visits.csv")
    plan = campaign.prepare(campaign.read_contacts("visits.csv"), message=TEXT, sender="CLINIC", region="UG")
    assert campaign.compare(plan, account=service.account).reached == 20
