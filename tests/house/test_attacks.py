"""Attacks, and the tests that hold each. What no other module tests stands below.

what is tried                                   held by

in the message and the sender
a placeholder that reaches into Python          test_template::test_nothing_of_pythons_format_language_is_understood
a format that fills the memory                  test_template::test_nothing_of_pythons_format_language_is_understood
a name that looks like a placeholder            test_plan::test_values_are_never_looked_at_again
direction controls and other hidden characters  test_template::test_invisible_characters_in_a_text_are_refused_by_name,
                                                test_plan_wild::test_hidden_characters_are_refused_and_shown_escaped
half a character                                test_template::test_half_a_character_is_refused,
                                                test_reading::test_a_frame_without_columns_and_half_a_character_are_said_in_a_sentence
look-alike letters in a sender                  test_limits::test_senders_that_are_refused

in what is shown
markup in header, cell, text, folder, answer    test_attacks::test_markup_is_escaped_wherever_it_is_shown,
                                                test_markup::test_markup_and_control_characters_never_reach_a_page,
                                                test_notebook::test_what_the_service_says_is_escaped_and_masked,
                                                test_report::test_the_page_needs_nothing_from_elsewhere
escapes and line breaks in an answer            test_attacks::test_no_escape_of_the_service_reaches_a_terminal,
                                                test_text::test_a_terminal_gets_one_line_without_escapes
escapes inside an echoed password               test_attacks::test_a_password_is_not_put_together_again_by_taking_escapes_out
escapes in a file, its headers and its name     test_attacks::test_no_escape_in_a_file_reaches_a_terminal
formulas in cells, headers and answers          test_attacks::test_no_cell_of_a_workbook_is_a_formula_or_a_link,
                                                test_attacks::test_no_cell_of_a_csv_begins_a_formula,
                                                test_report::test_what_would_run_as_a_formula_is_disarmed_and_numbers_are_left_alone
reading numbers over a shoulder                 test_attacks::test_no_number_in_what_is_said,
                                                test_attacks::test_trying_out_masks_numbers_in_what_the_service_wrote,
                                                test_report::test_no_number_is_readable_unless_it_is_to_be,
                                                test_masking::test_numbers_are_masked_as_people_type_them,
                                                test_results::test_the_displays_are_escaped_and_hold_no_number

files that are read
a cell in the last corner of a sheet            test_reading_guards::test_a_hostile_file_is_refused_at_once_and_in_little_memory
bombs, wrong sizes, entities, endless repeats   test_reading_guards::test_a_hostile_file_is_refused_at_once_and_in_little_memory,
                                                test_reading_guards::test_a_refused_bomb_costs_little_memory,
                                                test_reading_guards::test_the_reader_gets_only_what_was_checked
damaged files of every kind                     test_reading_damage::test_damaged_files_are_read_or_refused
a pickle, under any name, in any place          test_attacks::test_a_pickle_is_never_opened,
                                                test_reading::test_other_files_are_named_for_what_they_are

files that are written
a campaign called like a path or a device       test_attacks::test_the_name_of_a_campaign_is_no_path
a spreadsheet called like a path                test_attacks::test_a_spreadsheet_called_like_a_path_is_none_either
a folder whose name none can have               test_attacks::test_a_campaign_in_a_folder_whose_name_none_can_have
a report whose name no file can have            test_attacks::test_a_report_whose_name_no_file_can_have
a report on a link or a folder                  test_report::test_links_and_folders_are_refused
a crash while a report is written               test_attacks::test_a_report_is_the_old_one_or_the_new_one_whenever_it_is_killed,
                                                test_attacks::test_a_report_is_put_in_the_place_of_the_old_one,
                                                test_report::test_a_report_that_fails_leaves_the_old_one
others on the same machine                      test_attacks::test_nobody_else_reads_a_file_even_without_a_umask,
                                                test_ledger::test_only_the_owner_reads_a_ledger,
                                                test_send::test_only_the_owner_reads_a_campaign_folder,
                                                test_report::test_only_its_owner_can_read_a_report
a crafted database in place of the ledger       test_attacks::test_a_crafted_ledger_is_refused_and_left_alone,
                                                test_attacks::test_a_ledger_with_values_that_no_run_writes_is_refused,
                                                test_attacks::test_a_state_that_no_run_writes_is_refused,
                                                test_attacks::test_a_database_of_another_program_is_left_as_it_was,
                                                test_ledger::test_a_file_that_is_no_ledger_is_refused,
                                                test_ledger::test_a_ledger_without_its_triggers_is_refused
SQL in names, notes and answers                 test_attacks::test_sql_is_a_text_like_any_other

answers
without end, a million keys, deep nesting       test_attacks::test_an_answer_made_to_hurt_is_unknown_at_once,
                                                test_transport::test_an_answer_without_end_is_left_after_64_kib,
                                                test_transport::test_an_answer_that_unpacks_without_end_is_not_unpacked
a redirect to another port                      test_transport::test_a_redirect_is_reported_and_never_followed
the request, echoed                             test_secrets_service::test_a_service_that_echoes_the_request_does_not_bring_it_out

the way to the service
live over plain HTTP                            test_account::test_live_is_https_only
this machine called live                        test_account::test_this_machine_is_never_live
odd spellings of an address, user info in it    test_account::test_an_address_that_cannot_be_one_is_refused,
                                                test_account::test_odd_spellings_of_this_machine_are_no_addresses_at_all,
                                                test_secrets::test_a_refused_account_does_not_show_its_password
a certificate of nobody, or of another host     test_transport::test_a_certificate_that_nobody_vouches_for_stops,
                                                test_account::test_a_certificate_for_another_host_stops,
                                                test_account::test_a_named_authority_never_turns_checking_off
a proxy or a password file in the environment   test_attacks::test_no_proxy_and_no_netrc_of_the_environment_is_used
an environment that changes under an account    test_attacks::test_the_environment_flips_nothing_that_was_made
the live password on plain HTTP                 test_account::test_the_live_password_is_never_given_to_the_plain_sandbox,
                                                test_account::test_live_variables_are_never_taken_for_the_sandbox
one account's campaign sent by another          test_send::test_a_folder_of_another_account_is_refused
live by accident                                test_send::test_live_needs_a_phrase_that_names_the_count,
                                                test_cli::test_live_is_never_reached_by_accident

the password
in reprs, pickles and copies                    test_secrets_service::test_nothing_shows_it_when_looked_at,
                                                test_secrets_service::test_a_secret_is_neither_saved_nor_copied,
                                                test_account::test_an_account_is_neither_saved_nor_copied
in tracebacks with local variables              test_secrets_service::test_no_mistake_shows_it,
                                                test_secrets_service::test_tasks_at_work_do_not_show_it,
                                                test_secrets::test_no_traceback_shows_the_password_even_with_local_variables
in logs                                         test_logs::test_no_record_holds_the_password_while_a_transport_is_open,
                                                test_secrets_service::test_no_fault_shows_it
in ledger, reports, output, command line        test_secrets::test_nothing_that_a_campaign_leaves_or_shows_holds_the_password,
                                                test_send::test_the_account_is_kept_as_a_salted_hash_only
in a notebook and its widgets                   test_notebook::test_a_notebook_that_is_kept_holds_no_secret,
                                                test_secrets_service::test_a_person_at_a_notebook_is_asked_and_the_password_stays_out_of_it
as an argument or in a password widget          test_attacks::test_no_option_and_no_widget_takes_a_password
a search that finds nothing because it is blind test_secrets::test_the_search_finds_a_password_that_is_shown,
                                                test_secrets_service::test_the_search_finds_what_it_should

the embedded service
from the network                                test_sandbox::test_it_listens_on_this_machine_only,
                                                test_sandbox::test_the_network_does_not_reach_it
from a page under a name that means loopback    test_sandbox::test_a_request_under_another_name_is_turned_away
from a browser                                  test_sandbox::test_a_browser_is_turned_away,
                                                test_attacks::test_a_browser_that_asks_first_gets_no_leave
a body without end                              test_sandbox::test_a_body_without_end_is_refused
tracebacks in its answers                       test_attacks::test_a_fault_of_the_sandbox_is_no_traceback,
                                                test_sandbox::test_no_body_brings_it_down
what it logs and keeps                          test_sandbox::test_no_word_of_a_request_is_logged,
                                                test_attacks::test_the_sandbox_keeps_no_password_on_disk
money spent twice by requests at once           test_sandbox::test_money_is_never_spent_twice_by_requests_at_once
false rules learned from it                     test_sandbox::test_what_the_contract_does_not_describe_is_refused_in_words_of_its_own
"""  # noqa: E501 - names of tests are as long as they are

import argparse
import ast
import asyncio
import csv
import http.client
import json
import logging
import os
import pickle
import re
import shutil
import sqlite3
import subprocess
import sys
import time
import traceback
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from support.raw_server import OK, hostile, reply
from support.widget_tree import html_of

import campaign
from campaign.cli.arguments import parser
from campaign.cli.commands import main
from campaign.notebook.dashboard import Dashboard
from campaign.sending.ledger import ledger
from campaign.service.transport import ANSWER_LIMIT, Transport
from campaign.service.wire import EncodedMessages

TESTS = Path(__file__).parents[1]
IMAGE = "<img src=x onerror=alert(1)>"
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m"
FORMULAS = ["=1+1", "=HYPERLINK(1)", "=cmd|' /C calc'!A0", "+1 a", "-1 a", "@SUM(1)", "\t=1", "\r=1", "＝1"]
# What moves a terminal's cursor or turns the text that follows it.
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def table(*rows, header="name,phone"):
    return campaign.read_contacts("\n".join([header, *rows]).encode())


def people(count):
    return table(*(f"Person {n},0772 000 {n:03}" for n in range(count)))


def prepared(contacts, message="Hi {name}", **options):
    return campaign.prepare(contacts, message=message, sender="CLINIC", region="UG", **options)


@pytest.fixture
def plan():
    return prepared(people(3))


def with_service(answer, act):
    """`act(account)` while a service on this machine gives that answer to every request."""

    async def script(visit):
        await visit.request()
        await visit.say(reply(answer if isinstance(answer, bytes) else json.dumps(answer).encode()))

    async def play():
        async with hostile(script) as server:
            account = campaign.Account("local", f"http://127.0.0.1:{server.port}", "clinic", "made up")
            return await asyncio.to_thread(act, account)

    return asyncio.run(play())


def failing_with(text, act):
    return with_service({"Status": "Failed", "Message": text}, act)


# what is shown


def test_markup_is_escaped_wherever_it_is_shown(tmp_path):
    """In a header, a cell, the text, the folder and what the service says."""
    header = f'"{IMAGE}",name,phone'
    contacts = table(f"{IMAGE},{IMAGE},0772000001", f"x,{IMAGE},{IMAGE}", "y,Ben,0772000003", header=header)
    plan = prepared(contacts, message=f"Hi {{name}} {IMAGE}")

    def act(account):
        run = campaign.start(plan, account=account, folder=tmp_path / IMAGE, batch_size=1)
        result = run.wait()
        yield from (Dashboard(run), campaign.summary(result))
        run.stop()
        page = campaign.write_report(result, "report.html").read_text("utf-8")
        tried = campaign.try_out(plan, account, number="+256 772 000 999", folder="tried")
        frames = [contacts, plan.messages, plan.issues, result.batches, result.follow_up()]
        for one in (plan, plan.preview(), result, tried, *frames):
            yield one._repr_html_()
        yield page

    shown = failing_with(IMAGE, lambda account: list(act(account)))
    shown = [one if isinstance(one, str) else html_of(one) for one in shown]
    assert len(shown) == 12
    for one in shown:
        assert "<img" not in one
    assert sum("&lt;img" in one for one in shown) == len(shown)


def test_no_escape_of_the_service_reaches_a_terminal(plan, monkeypatch, caplog, capfd):
    """Neither in a repr, a sentence, a table, an error or a log, nor in what the commands print."""
    said = f"Refused{ESCAPES}\r\ncampaign: all was accepted \u202eand ask 256772000012"
    caplog.set_level(logging.DEBUG)

    def act(account):
        run = campaign.start(plan, account=account, folder="visits", batch_size=1)
        result = run.wait()
        run.stop()
        tried = campaign.try_out(plan, account, number="+256 772 000 999", folder="tried")
        for name, value in (("URL", account.url), ("USERNAME", "clinic"), ("PASSWORD", "made up")):
            monkeypatch.setenv(f"CAMPAIGN_SANDBOX_{name}", value)
        Path("visits.csv").write_text("name,phone\nAisha,0772000001\n")
        send = ["visits.csv", "--message", "Hi", "--sender", "CLINIC", "--region", "UG"]
        main(["send", *send, "--environment", "sandbox", "--folder", "by-command"])
        main(["status", "by-command"])
        main(["report", "by-command"])
        texts = [repr(run), run.sentence, run.counts.sentence, repr(result), result.sentence, repr(tried)]
        cells = [*result.batches["error"], *result.contacts["reason"], *result.follow_up()["last reason"]]
        return [*texts, *cells]

    texts = failing_with(said, act)
    output = capfd.readouterr()
    printed = [*output.out.split("\n"), *re.split("[\r\n]", output.err)]  # the progress bar returns
    for text in (*texts, *printed, *caplog.messages):
        assert not UNSEEN.search(text), ascii(text)
    assert any("Refused campaign: all was accepted and ask" in text for text in texts)
    assert any("and ask 25677*****12" in line for line in printed)
    assert not any("256772000012" in line for line in (*printed, texts[0], texts[3]))
    assert not any(line.startswith("campaign: all was accepted") for line in printed)


def test_a_password_is_not_put_together_again_by_taking_escapes_out():
    secret = "sesame-0pen"

    def act(account):
        account = campaign.Account("local", account.url, "clinic", secret)
        return campaign.send(prepared(people(1)), account=account, folder="visits", progress=False)

    result = failing_with(f"wrong: {secret[:5]}\x1b[0m{secret[5:]}", act)
    assert result.batches["error"].tolist() == ["wrong: <hidden>"]


def test_no_escape_in_a_file_reaches_a_terminal(capsys):
    name = "visits\x1b[31m\u202e.csv"
    rows = [f"Ben{ESCAPES},none{ESCAPES}", f"Cas,0772000001{ESCAPES}", "Dan,0772000002"]
    Path(name).write_text("\n".join([f"na{ESCAPES}me,phone", *rows]), encoding="utf-8")
    contacts = campaign.read_contacts(name)
    header = contacts.columns[0]
    plan = prepared(contacts, message=f"Hi {{{header}}}")
    errors = []
    for wrong in ({"message": "Hi {nobody}"}, {"message": "Hi", "number": "nobody"}):
        with pytest.raises(campaign.CampaignError) as error:
            prepared(contacts, **wrong)
        errors.append(str(error.value))
    with pytest.raises(campaign.FileError) as error:
        campaign.read_contacts(f"no {name}")
    main(["check", name, "--message", "Hi", "--sender", "CLINIC", "--region", "UG"])
    main(["check", f"no {name}", "--message", "Hi", "--sender", "CLINIC"])
    output = capsys.readouterr()
    printed = f"{output.out}\n{output.err}".split("\n")
    shown = [repr(plan), str(error.value), *plan.issues["detail"]]
    for text in (*errors, *shown, *printed, header):
        assert not UNSEEN.search(text), ascii(text)
    assert len(plan.messages) == 1


def result_with_formulas():
    rows = [f'"{cell}","{cell}",0772 000 {n:03}' for n, cell in enumerate(FORMULAS)]
    contacts = table(*rows, header='=1+1,"@note",phone')
    plan = prepared(contacts, message="Hi {note}")

    def act(account):
        return campaign.send(plan, account=account, folder="visits", progress=False)

    return failing_with("=cmd|' /C calc'!A0", act)


@pytest.mark.parametrize("reveal", [False, True])
def test_no_cell_of_a_workbook_is_a_formula_or_a_link(reveal):
    path = campaign.write_report(result_with_formulas(), "report.xlsx", reveal=reveal)
    book = openpyxl.load_workbook(path)
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    texts = [cell.value for cell in cells if cell.data_type == "s"]
    assert sum(str(text).startswith("=cmd") for text in texts) >= 2  # text, as it was
    assert not [cell.value for cell in cells if cell.data_type == "f" or cell.hyperlink]
    with zipfile.ZipFile(path) as parts:
        sheets = [parts.read(name) for name in parts.namelist() if name.startswith("xl/worksheets/sheet")]
        assert not [name for name in parts.namelist() if "externalLink" in name or "macro" in name.lower()]
    assert not [xml for xml in sheets if re.search(rb"<f[ >/]|<hyperlink", xml)]


def test_no_cell_of_a_csv_begins_a_formula():
    path = campaign.write_report(result_with_formulas(), "report.csv", reveal=True)
    with path.open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if re.match(r"[\s\u3000]*[=+\-@＝＋－＠]", cell)]
    assert "'=cmd|' /C calc'!A0" in cells
    assert "0772 000 001" in cells  # digits are left alone


def test_no_number_in_what_is_said(caplog, capfd):
    """Not in a repr, an error, a log or the output, whether the number is good, bad or asked for."""
    caplog.set_level(logging.DEBUG)
    good, bad = "256772000001", "0772 000 00 11 22"
    contacts = table(f"Aisha,+{good}", f"Ben,{bad}", f"Cas,+{good}", "Dan,256772000003")
    plan, errors = prepared(contacts), []
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        run = campaign.start(plan, account=sandbox.account, folder="visits", batch_size=1)
        result = run.wait()
        run.stop()
        run.wait()
        wrong = [
            lambda: prepared(contacts, duplicates="error"),
            lambda: prepared(contacts, opt_outs=pd.DataFrame({"who": [good, bad]}), number="who"),
            lambda: campaign.try_out(plan, sandbox.account, number=bad),
            lambda: campaign.send(prepared(contacts, message="x"), account=sandbox.account, folder="visits"),
            lambda: campaign.resolve("visits", 2, "again"),
        ]
        for call in wrong:
            with pytest.raises(campaign.CampaignError) as error:
                call()
            errors.append("".join(traceback.format_exception_only(error.value)))
        main(["status", "visits"])
        tried = repr(campaign.try_out(plan, sandbox.account, number=f"+{good}"))
    assert result.totals["unknown"] == 1
    output = "".join(capfd.readouterr())
    shown = [repr(plan), repr(run), repr(result), run.sentence, repr(plan.preview()), repr(plan.reading)]
    for text in (*shown, *errors, tried, output, caplog.text, plan._repr_html_(), result._repr_html_()):
        for secret in (good, bad, "772000001", "772 000 00", "256772000003"):
            assert secret not in text, text


# files


class Bomb:
    """Leaves a file behind when it is unpickled."""

    def __reduce__(self):
        return (Path.touch, (Path("it-ran"),))


@pytest.mark.parametrize("ending", ["pkl", "pickle", "csv", "xlsx", "parquet", "ods", "txt"])
@pytest.mark.parametrize("protocol", [2, 5])
def test_a_pickle_is_never_opened(ending, protocol, plan):
    data = pickle.dumps(Bomb(), protocol=protocol)
    path = Path(f"people.{ending}")
    path.write_bytes(data)
    calls = [
        lambda: campaign.read_contacts(path),
        lambda: campaign.read_contacts(data),
        lambda: prepared(people(1), opt_outs=path),
        lambda: prepared(people(1), not_again=path),
        lambda: campaign.load_result(path),
    ]
    campaign.send(plan, folder="visits", progress=False)
    for file in ("contacts.parquet", "manifest.json", "ledger.sqlite", "plan/issues.parquet"):
        shutil.copytree("visits", f"with-{Path(file).stem}")
        Path(f"with-{Path(file).stem}", file).write_bytes(data)
        calls.append(lambda folder=f"with-{Path(file).stem}": campaign.load_result(folder))
    for call in calls:
        with pytest.raises(campaign.CampaignError):
            call()
    assert not Path("it-ran").exists()
    pickle.loads(data)
    assert Path("it-ran").exists()  # it would have run


NAMES = [
    "../../etc/x", "/etc/x", "..", ".", "", "CON", "nul.txt", "a\0b", "x" * 300, "a\\b:c*?", IMAGE, ESCAPES,
    "'); DROP TABLE batches;--", "-rf", "~", "$HOME", "é", "\u202egnp",
]  # fmt: skip


def test_the_name_of_a_campaign_is_no_path(plan, tmp_path):
    """It becomes letters, digits and hyphens, and the hash beside it tells campaigns apart."""
    before = {*tmp_path.parent.iterdir(), tmp_path / "campaigns"}
    for name in NAMES:
        folder = campaign.send(plan, name=name, progress=False).folder
        assert folder.parent == tmp_path / "campaigns"
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}-[0-9a-f]{8}", folder.name)
    assert {*tmp_path.parent.iterdir(), *tmp_path.iterdir()} == before


def test_a_spreadsheet_called_like_a_path_is_none_either(plan, tmp_path):
    """Without a name it is that of the file."""
    Path("..%2f CON;rm -rf.csv").write_text("name,phone\nAisha,0772000001\n")
    result = campaign.send(prepared(campaign.read_contacts("..%2f CON;rm -rf.csv")), progress=False)
    assert re.fullmatch(r"2f-con-rm-rf-[0-9a-f]{8}", result.folder.name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rep\0ort.html", "report.html cannot be written: A file name cannot contain a NUL character"),
        ("x" * 300 + ".xlsx", "xxxx… cannot be written: File name too long"),
        ("visits.csv/report.html", "cannot be written: Not a directory"),
        ("../" * 3000 + "x.csv", "cannot be written: File name too long"),
    ],
    ids=["NUL", "300 characters", "below a file", "9,000 characters"],
)
def test_a_report_whose_name_no_file_can_have(plan, name, words):
    Path("visits.csv").touch()
    result = campaign.send(plan, folder="visits", progress=False)
    with pytest.raises(campaign.ReportError, match=re.escape(words)):
        campaign.write_report(result, name)
    assert {path.name for path in Path().iterdir()} == {"visits", "visits.csv"}


def test_a_report_is_put_in_the_place_of_the_old_one(plan):
    """The old file is not written into: whoever has it open, or linked to it, keeps what it was."""
    result = campaign.send(plan, folder="visits", progress=False)
    for ending in ("html", "xlsx", "csv"):
        report, kept = Path(f"report.{ending}"), Path(f"kept.{ending}")
        report.write_text("old")
        kept.hardlink_to(report)
        campaign.write_report(result, report)
        assert kept.read_text() == "old"
        assert report.stat().st_size > 100


def test_a_report_is_the_old_one_or_the_new_one_whenever_it_is_killed():
    campaign.send(prepared(people(400)), folder="visits", progress=False)
    code = (
        "import campaign; result = campaign.load_result('visits'); print('go', flush=True)\n"
        "while True: campaign.write_report(result, 'report.html')"
    )
    report = Path("report.html")
    for pause in (0.0, 0.11, 0.23):
        report.write_text("old</html>\n")
        writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        assert writer.stdout.readline() == b"go\n"
        time.sleep(pause)
        writer.kill()
        writer.communicate()
        assert report.read_text("utf-8").rstrip().endswith("</html>")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_nobody_else_reads_a_file_even_without_a_umask(plan):
    usual = os.umask(0)
    try:
        with campaign.Sandbox(latency=0.2) as sandbox:
            run = campaign.start(
                plan, account=sandbox.account, folder="visits", batch_size=1, ledger="elsewhere.sqlite"
            )
            while not (during := set(Path().glob("elsewhere.sqlite*"))):
                time.sleep(0.01)
            open_files = {path: path.stat().st_mode for path in during}
            result = run.wait()
        for ending in ("html", "xlsx", "csv"):
            campaign.write_report(result, f"visits/report.{ending}")
    finally:
        os.umask(usual)
    modes = open_files | {path: path.stat().st_mode for path in Path().rglob("*")}
    assert len(modes) > 10
    empty = {Path("visits/lock")}  # only ever locked, never written
    assert {str(path): oct(mode) for path, mode in modes.items() if mode & 0o077 and path not in empty} == {}
    assert Path("visits/lock").stat().st_size == 0


CRAFTED = {
    "a view that calls a function": "CREATE VIEW v AS SELECT load_extension('evil.so')",
    "a trigger of its own": "CREATE TRIGGER t AFTER UPDATE ON batches BEGIN SELECT evil('it-ran'); END",
    "a table of its own": "CREATE TABLE extra (x)",
    "an index over a function": "CREATE INDEX i ON batches (abs(messages))",
    "a search table": "CREATE VIRTUAL TABLE f USING fts5(x)",
    "another program's mark": "PRAGMA application_id = 7",
    "no trigger": "DROP TRIGGER batches_stay",
    "no batches": "DROP TABLE batches",
    "another fingerprint": "UPDATE campaign SET value = 'x' WHERE key = 'fingerprint'",
    "a schema that does not parse": "PRAGMA writable_schema = ON; "
    "UPDATE sqlite_schema SET sql = 'CREATE TABLE batches (' WHERE name = 'batches'",
}


ODD_VALUES = {
    "a cost that is none": "UPDATE batches SET cost = 'abc'",
    "a cost without a value": "UPDATE batches SET cost = 'NaN'",
    "a cost that fills the memory": "UPDATE batches SET cost = '1e999999'",
    "a cost that gives money back": "UPDATE batches SET cost = '-35'",
    "a time that is none": "UPDATE batches SET submitted_at = 'soon'",
}


@pytest.mark.parametrize("change", ODD_VALUES.values(), ids=ODD_VALUES)
def test_a_ledger_with_values_that_no_run_writes_is_refused(change, plan):
    campaign.send(plan, folder="visits", progress=False)
    with sqlite3.connect("visits/ledger.sqlite") as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(change)
    connection.close()
    with pytest.raises(campaign.LedgerError, match="is damaged"):
        campaign.load_result("visits")


def test_a_state_that_no_run_writes_is_refused(plan):
    campaign.send(plan, folder="visits", progress=False)
    with sqlite3.connect("visits/ledger.sqlite") as connection:
        (guard,) = connection.execute(
            "SELECT sql FROM sqlite_schema WHERE name = 'only_known_moves'"
        ).fetchone()
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("DROP TRIGGER only_known_moves")
        connection.execute("UPDATE batches SET state = '<img>'")
        connection.execute(guard)
    connection.close()
    for call in (campaign.load_result, campaign.resume):
        with pytest.raises(campaign.LedgerError, match="is damaged"):
            call("visits")


def test_a_database_of_another_program_is_left_as_it_was(plan):
    campaign.send(plan, folder="visits", progress=False)
    place = Path("visits/ledger.sqlite")
    place.unlink()
    with sqlite3.connect(place) as connection:
        connection.execute("CREATE TABLE bookmarks (x)")
    connection.close()
    before = place.read_bytes()
    with pytest.raises(campaign.LedgerError, match="is not a ledger of this program"):
        campaign.load_result("visits")
    assert place.read_bytes() == before


@pytest.mark.parametrize("name", ["vis\0its", "x" * 300, "file/visits", "../" * 3000], ids=str.__len__)
def test_a_campaign_in_a_folder_whose_name_none_can_have(name, plan):
    Path("file").touch()
    with pytest.raises(campaign.FolderError):
        campaign.send(plan, folder=name, progress=False)


def test_trying_out_masks_numbers_in_what_the_service_wrote(plan):
    def act(account):
        return campaign.try_out(plan, account, number="+256 772 000 999", folder="tried")

    tried = failing_with("ask 256772000012", act)
    assert "ask 25677*****12" in repr(tried)
    assert "256772000012" not in repr(tried) + tried._repr_html_()


@pytest.mark.parametrize("craft", CRAFTED.values(), ids=CRAFTED)
def test_a_crafted_ledger_is_refused_and_left_alone(craft, plan):
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        account = sandbox.account
        campaign.send(plan, account=account, folder="visits", batch_size=1, concurrency=1, progress=False)
        received = len(sandbox.inbox)
        with sqlite3.connect("visits/ledger.sqlite") as connection:
            connection.executescript(craft)
        connection.close()
        calls = [
            lambda: campaign.load_result("visits"),
            lambda: campaign.resume("visits", account=account, progress=False),
            lambda: campaign.resolve("visits", 2, "accepted", confirm="batch 2 was accepted"),
            lambda: campaign.send(plan, account=account, folder="visits", progress=False),
        ]
        for call in calls:
            with pytest.raises(campaign.LedgerError):
                call()
        assert len(sandbox.inbox) == received
    assert not Path("it-ran").exists()


def test_sql_is_a_text_like_any_other():
    """In a name, a campaign, a user name, an answer and a person's note."""
    sql = "x', state = 'accepted'); DROP TABLE batches; --"
    plan = prepared(table(f'"{sql}",0772000001', f'"{sql}",0772000002'), message="{name}")

    async def script(visit):
        await visit.request()
        await visit.say(reply(json.dumps({"Status": "Failed", "Message": sql}).encode(), "500 Oops"))

    async def play():
        async with hostile(script) as server:
            account = campaign.Account("local", f"http://127.0.0.1:{server.port}", sql, "made up")
            return await campaign.asend(plan, account=account, name=sql, progress=False)

    result = asyncio.run(play())
    assert result.messages["message"].tolist() == [sql, sql]
    assert result.batches["status"].tolist() == ["unknown", "not_sent"]
    assert sql in result.batches["error"].iloc[0]
    settled = campaign.resolve(result.folder, 1, "refused", confirm="batch 1 was refused", note=sql)
    assert settled.batches["status"].tolist() == ["refused", "not_sent"]
    assert ledger.journal(result.folder / "ledger.sqlite")["note"].iloc[-1].endswith(f"refused, {sql}")


# answers and the way to the service


async def post(account):
    async def gate():
        pass

    columns = {"number": "256772000012", "message": "Hello", "sender": "CLINIC", "priority": ""}
    entries = EncodedMessages(pa.table({name: [text] for name, text in columns.items()}), "url").slice(0, 1)
    async with Transport(account, timeout=10) as transport:
        return await transport.post(entries, gate)


HURTING = {
    "a million keys": b"{" + b",".join(b'"%d":0' % n for n in range(1_000_000)) + b"}",
    "as many keys as are read": b"{" + b",".join(b'"%d":0' % n for n in range(6_000)) + b"}",
    "200,000 brackets": b"[" * 200_000,
    "as many brackets as are read": b"[" * (ANSWER_LIMIT - 1),
    "as many braces as are read": b'{"a":' * (ANSWER_LIMIT // 5),
    "a number as long as is read": b'{"Status":"OK","Cost":' + b"9" * 60_000 + b"}",
    "an exponent without end": b'{"Status":"Failed","Message":"x","Cost":1e999999999999999999}',
    "an ok deep inside": b"[" * 5_000 + OK + b"]" * 5_000,
    "a text that never closes": b'{"Status":"' + b"\\u0000" * 10_000,
}


@pytest.mark.parametrize("answer", HURTING.values(), ids=HURTING)
def test_an_answer_made_to_hurt_is_unknown_at_once(answer):
    began = time.process_time()
    outcome = with_service(answer, lambda account: asyncio.run(post(account)))
    assert time.process_time() - began < 3
    if answer == HURTING["an exponent without end"] and outcome.status == "refused":
        return  # well-formed JSON, and a refusal: its cost is not looked at
    assert (outcome.status, outcome.cost, outcome.code) == ("unknown", None, "")
    assert outcome.error.startswith("the answer ")  # it was read, or left; nothing broke


def test_no_proxy_and_no_netrc_of_the_environment_is_used(tmp_path, monkeypatch):
    async def answer(visit):
        await visit.request()
        await visit.say(reply(OK))

    async def play():
        async with hostile(answer) as proxy, hostile(answer) as service:
            for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
                monkeypatch.setenv(name, f"http://user:word@127.0.0.1:{proxy.port}")
            netrc = tmp_path / "netrc"
            netrc.write_text("machine 127.0.0.1 login somebody password else\n")
            netrc.chmod(0o600)
            monkeypatch.setenv("NETRC", str(netrc))
            monkeypatch.delenv("NO_PROXY", raising=False)
            monkeypatch.delenv("no_proxy", raising=False)
            outcome = await post(
                campaign.Account("local", f"http://127.0.0.1:{service.port}", "me", "made up")
            )
            return outcome, proxy.connections, service.heads

    outcome, through_proxy, heads = asyncio.run(play())
    assert (outcome.status, through_proxy, len(heads)) == ("accepted", 0, 1)
    assert b"authorization" not in heads[0].lower()


def test_the_environment_flips_nothing_that_was_made(monkeypatch):
    def set_variables(kind, url, word):
        for name, value in (("URL", url), ("USERNAME", "clinic"), ("PASSWORD", word)):
            monkeypatch.setenv(f"CAMPAIGN_{kind}_{name}", value)

    with campaign.Sandbox(username="clinic", password="of-sandbox") as sandbox:
        set_variables("SANDBOX", sandbox.account.url, "of-sandbox")
        account = campaign.Account.from_environment("sandbox")
        before = (account.environment, account.endpoint, account.label, repr(account), account.identity)
        set_variables("SANDBOX", "https://evil.example", "other")
        set_variables("LIVE", "https://live.example", "of-live")
        monkeypatch.setenv("CAMPAIGN_ENVIRONMENT", "live")
        now = (account.environment, account.endpoint, account.label, repr(account), account.identity)
        assert now == before
        assert asyncio.run(post(account)).status == "accepted"
        assert len(sandbox.inbox) == 1
    with pytest.raises(AttributeError):
        account.environment = "live"


def test_no_option_and_no_widget_takes_a_password():
    """Whatever is an argument stands in the list of processes, and a widget's value in the notebook."""

    def options(commands):
        for action in commands._actions:
            yield from action.option_strings
            if isinstance(action, argparse._SubParsersAction):
                for one in action.choices.values():
                    yield from options(one)

    found = set(options(parser()))
    assert {"--environment", "--confirm", "--port"} <= found
    assert not [name for name in found if re.search("pass|secret|token|key|credential", name)]
    sources = (TESTS.parent / "campaign").rglob("*.py")
    names = {
        name
        for source in sources
        for node in ast.walk(ast.parse(source.read_text("utf-8")))
        for name in (getattr(node, "attr", ""), getattr(node, "name", ""), getattr(node, "id", ""))
    }
    assert "HTML" in names  # the search sees what widgets there are
    assert "Password" not in names


# the embedded service


def ask(service, method="POST", body=b"", headers=None):
    connection = http.client.HTTPConnection(service.account.url.split("/")[2], timeout=10)
    connection.request(method, "/api/v1/json/", body, headers or {})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def test_a_browser_that_asks_first_gets_no_leave():
    asking = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    with campaign.Sandbox() as service:
        response, _ = ask(service, "OPTIONS", headers=asking)
        assert response.status in (403, 405)
        assert not [name for name in response.headers if name.lower().startswith("access-control")]
        assert service.requests == 0


def test_a_fault_of_the_sandbox_is_no_traceback(monkeypatch):
    """Also while asyncio is debugged, when aiohttp would show one."""
    monkeypatch.setenv("PYTHONASYNCIODEBUG", "1")
    with campaign.Sandbox(username="clinic", password="sesame-0pen") as service:
        service._stand_in._accepted.close()  # as when a disk fails
        message = {"number": "256772000012", "message": "Hello", "senderid": "CLINIC"}
        userdata = {"username": "clinic", "password": "sesame-0pen"}
        request = {"method": "SendSms", "userdata": userdata, "msgdata": [message]}
        response, content = ask(service, body=json.dumps(request).encode())
        assert (response.status, content) == (500, b"SANDBOX: a fault of its own (ValueError).")
        assert asyncio.run(post(service.account)).status == "unknown"


def test_the_sandbox_keeps_no_password_on_disk():
    with campaign.Sandbox(password="sesame-0pen") as service:
        assert asyncio.run(post(service.account)).status == "accepted"
        kept = service._stand_in._accepted
        kept.seek(0)
        content = kept.read()
        assert b"256772000012" in content
        assert b"sesame" not in content
        assert b"userdata" not in content


# the table above


def functions_in(path):
    return {
        node.name for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)
    }


def test_the_table_above_names_tests_that_exist():
    modules = {path.stem: functions_in(path) for path in TESTS.rglob("test_*.py")}
    named = re.findall(r"(test_\w+)::(test_\w+)", __doc__)
    assert len(named) > 60
    assert [f"{module}::{test}" for module, test in named if test not in modules.get(module, ())] == []


def test_the_table_above_names_the_tests_below():
    below = {name for name in functions_in(Path(__file__)) if name.startswith("test_")}
    named = {
        test for module, test in re.findall(r"(test_\w+)::(test_\w+)", __doc__) if module == "test_attacks"
    }
    assert {name for name in below - named if "_table_" not in name} == set()


def test_each_attack_of_the_table_has_a_test():
    """A line either begins an attack and names its test, or names one more test of the attack above it."""
    lines = __doc__.split("held by\n")[1].splitlines()
    attacks = [line for line in lines if line and not line.startswith(" ") and len(line) > 48]
    assert len(attacks) > 40
    assert [line for line in attacks if "::" not in line] == []
