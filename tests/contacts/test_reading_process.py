"""Workbooks are opened in a process of their own: whatever happens there is a sentence here."""

import os
import signal
import subprocess
import sys
import threading
import time
from array import array
from contextlib import contextmanager, suppress
from pathlib import Path
from textwrap import indent

import polars
import psutil
import pytest
from support.findings import as_codes
from support.old_workbooks import label, old_workbook, record
from support.refusals import refused
from support.spreadsheets import as_rows, reading, saved, workbook
from test_reading_guards import cpu_seconds, open_document, repeated_texts
from test_reading_workbooks import AMINA, HEAD, rows_xml, with_part, with_sheet

from campaign.contacts.reading import read_contacts
from campaign.contacts.workbooks import process
from campaign.contacts.workbooks.sheet_cells import CellBlock, SheetCells
from campaign.contacts.workbooks.sheet_grid import grid_of
from campaign.errors import FileError, UsageError

ROOT = Path(__file__).parents[2]
STOPPED = {"file_too_large", "file_damaged_or_large"}  # whichever limit is met first
SHARED = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def shared_texts(attributes):
    """A workbook whose list of shared texts says how long it is."""
    xml = f'<?xml version="1.0"?><sst xmlns="{SHARED}" {attributes}><si><t>name</t></si></sst>'
    return with_part(repeated_texts(), "xl/sharedStrings.xml", xml.encode())


def hidden_spans():
    spans = '<col min="1" max="16384" hidden="1"/>' * 200_000
    return with_sheet(f"<cols>{spans}</cols>{rows_xml(HEAD, AMINA)}")


def open_cell(content):
    cell = f'<table:table-cell office:value-type="string">{content}</table:table-cell>'
    return open_document(f"<table:table-row>{cell}</table:table-row>")


def repeated_rows():
    cell = '<table:table-cell table:number-columns-repeated="150" office:value-type="string">'
    row = f'<table:table-row table:number-rows-repeated="1048000">{cell}<text:p>x</text:p></table:table-cell>'
    return open_document(f"{row}</table:table-row>")


def continued_texts():
    return old_workbook(
        label(0, 0, "name"), sheets=record(0xFC, bytes(12)) + record(0x3C, b"\0x") * 1_000_000
    )


# Each of these took a minute, gigabytes or the whole process where nothing limits them.
ATTACKS = {
    "4,000,000,000,000 shared texts": (
        lambda: shared_texts('count="9" uniqueCount="4000000000000"'),
        STOPPED,
    ),
    "4,294,967,295 shared texts": (
        lambda: shared_texts('count="4294967295" uniqueCount="4294967295"'),
        STOPPED,
    ),
    "a text of a megabyte in 10,000 cells": (repeated_texts, STOPPED),
    "200,000 hidden spans": (hidden_spans, STOPPED | {"all_hidden"}),
    "2,000,000,000,000 spaces": (
        lambda: open_cell("<text:p>" + '<text:s text:c="1000000000"/>' * 2000 + "</text:p>"),
        STOPPED | {"table_empty", "beyond_sheet"},
    ),
    "rows repeated a million times": (repeated_rows, STOPPED),
}


def workbook_processes():
    """The processes under way that open a workbook; other tests may have left helpers of their own."""
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.Error):  # it has ended, and nobody has asked how yet
            found += [child] if process.CODE in child.cmdline() else []
    return found


@contextmanager
def memory_of_children():
    """The most memory that a process started in the block to open a workbook was seen to take, in bytes."""
    peak, done = [0], threading.Event()

    def watch():
        while not done.wait(0.01):
            for child in workbook_processes():
                with suppress(psutil.Error):  # it has just ended
                    peak[0] = max(peak[0], child.memory_info().rss)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_costs_a_sentence_a_little_time_and_a_little_memory(attack):
    make, codes = ATTACKS[attack]
    data = make()
    assert len(data) < 200_000
    with memory_of_children() as peak, pytest.raises(FileError) as caught:
        read_contacts(data, max_seconds=3)
    assert caught.value.finding.code in codes
    assert peak[0] < 1_300_000_000


def test_a_cell_of_very_many_paragraphs_is_read():
    table = read_contacts(open_cell("<text:p>x</text:p>" * 16_000), header=False)
    assert len(table.iloc[0, 0]) == 31_999


def test_very_many_records_that_continue_others_are_passed_over():
    assert as_rows(read_contacts(continued_texts())) == {0: ["name"]}


# --- limits -------------------------------------------------------------------------------------------


def test_the_limits_grow_with_the_file_and_can_be_given():
    assert process.Limits.for_size(50_000_000, None, None) == process.Limits(209.0, (1 << 30) + 1_500_000_000)
    assert process.Limits.for_size(50_000_000, 7.5, 1000) == process.Limits(7.5, 1000)


@pytest.mark.parametrize("limit", [{"max_seconds": 0}, {"max_memory": -1}, {"max_seconds": "9"}])
def test_a_limit_is_a_number_above_zero(limit):
    with refused("wrong_value", UsageError, argument=next(iter(limit))):
        read_contacts(b"name\nAmina\n", **limit)


@pytest.fixture
def library(tmp_path, monkeypatch):
    """Puts code in the place of calamine, in the process that opens a workbook only."""

    def replace(code):
        (tmp_path / "python_calamine.py").write_text(
            "import os, sys, time\n"
            "PasswordError = CalamineError = OSError\n"
            "class CalamineWorkbook:\n"
            "    def from_filelike(file):\n" + indent(code, " " * 8)
        )
        monkeypatch.syspath_prepend(tmp_path)

    return replace


def amina():
    return saved(workbook(["name", "phone"], ["Amina", "0772000001"]))


def test_a_workbook_that_never_ends_is_stopped(library):
    library("while True: pass")
    with refused("file_too_large", FileError, unit="seconds of computing", option="seconds"):
        read_contacts(amina(), max_seconds=1)


def test_computing_counts_however_much_time_there_is_by_the_clock(library, monkeypatch):
    monkeypatch.setattr(process, "WAITING", 60)
    library("while True: pass")
    start = cpu_seconds()
    with refused("file_too_large", FileError, unit="seconds of computing", option="seconds"):
        read_contacts(amina(), max_seconds=1)
    assert cpu_seconds() - start < 8


def test_a_workbook_that_waits_forever_is_stopped(library, monkeypatch):
    monkeypatch.setattr(process, "WAITING", 1)
    library("while True: time.sleep(1)")
    with refused("file_too_large", FileError, unit="seconds of computing", option="seconds"):
        read_contacts(amina(), max_seconds=2)


@pytest.mark.skipif(sys.platform != "linux", reason="only there can a process limit its own memory")
def test_the_process_limits_its_own_memory(library, monkeypatch):
    monkeypatch.setattr(process, "PAUSE", 600)  # the parent does not look
    library("pages = []\nwhile len(pages) < 1000: pages.append(bytearray(1 << 20))")
    with refused("file_too_large", FileError, option="memory"):
        read_contacts(amina(), max_memory=200_000_000)


def test_the_process_limits_its_own_time(library, monkeypatch):
    """By a timer that ends it even while a library holds Python's lock."""
    monkeypatch.setattr(process, "PAUSE", 600)  # the parent does not look
    monkeypatch.setattr(process, "WAITING", 0)
    monkeypatch.setattr(process, "GRACE", 0.5)
    library("import re\nre.match('(a+)+$', 'a' * 60 + 'b')")
    start = cpu_seconds()
    with refused("file_damaged_or_large", FileError):
        read_contacts(amina())
    assert cpu_seconds() - start < 20


def test_a_workbook_that_fills_the_memory_is_stopped(library):
    library("pages = []\nwhile True: pages.append(bytearray(1 << 20))")
    with (
        memory_of_children() as peak,
        pytest.raises(FileError) as caught,
    ):
        read_contacts(amina(), max_memory=200_000_000)
    assert caught.value.finding.code in STOPPED
    assert 10_000_000 < peak[0] < 400_000_000


def test_where_the_system_sets_no_limit_the_parent_watches_the_memory(library):
    library(
        "import resource\n"
        "most = resource.getrlimit(resource.RLIMIT_AS)[1]\n"
        "resource.setrlimit(resource.RLIMIT_AS, (most, most))\n"
        "pages = []\n"
        "while True: pages.append(bytearray(b'x') * (1 << 20)); time.sleep(0.001)"
    )
    with (
        memory_of_children() as peak,
        refused("file_too_large", FileError, unit="bytes of memory", option="memory"),
    ):
        read_contacts(amina(), max_memory=200_000_000)
    assert 10_000_000 < peak[0] < 400_000_000


@pytest.mark.parametrize("end", ["os.abort()", "os._exit(0)", "os.kill(os.getpid(), 9)"])
def test_a_process_that_ends_is_a_sentence(end, library):
    library(end)
    with refused("file_damaged_or_large", FileError):
        read_contacts(amina())


def test_a_process_that_is_killed_from_outside_is_a_sentence(library):
    library("while True: time.sleep(1)")
    seen = threading.Event()

    def kill():
        while not seen.wait(0.01):
            for child in workbook_processes():
                # It has imported all it needs, and sleeps in the library.
                if child.num_threads() > 2 and child.status() == psutil.STATUS_SLEEPING:
                    child.kill()
                    return

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        with refused("file_damaged_or_large", FileError):
            read_contacts(amina())
    finally:
        seen.set()
        thread.join()


@pytest.mark.skipif(sys.platform == "win32", reason="there no thread can interrupt another")
def test_ctrl_c_ends_the_process_at_once(library, tmp_path):
    """Even while a library holds Python's lock and the process cannot see that nobody needs it, and where
    polars has interrupted system calls begin anew."""
    polars.DataFrame({"phone": ["0772000001"]})
    opened, over = tmp_path / "opened", threading.Event()
    library(f"open({str(opened)!r}, 'w').close()\nimport re\nre.match('(a+)+$', 'a' * 60 + 'b')")

    def interrupt():
        while not over.wait(0.01):
            if opened.exists():
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                return

    thread = threading.Thread(target=interrupt)
    thread.start()
    start = cpu_seconds()
    try:
        with pytest.raises(KeyboardInterrupt):
            read_contacts(amina())
    finally:
        over.set()
        thread.join()
    assert cpu_seconds() - start < 5
    assert workbook_processes() == []


def test_what_a_library_prints_and_raises_does_not_disturb_the_answer(library):
    library("print('name,phone')\nraise ZeroDivisionError")
    with refused("file_damaged", FileError):
        read_contacts(amina())


def test_the_process_ends_with_its_parent(tmp_path):
    """Killed outright in the middle of reading, so that it cannot tidy up."""
    opened = tmp_path / "opened"
    endless = f"import time\nopen({str(opened)!r}, 'w').close()\nwhile True: time.sleep(0.1)\n"
    (tmp_path / "python_calamine.py").write_text(endless)
    (tmp_path / "amina.xlsx").write_bytes(amina())
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import campaign; "
        f"campaign.read_contacts({str(tmp_path / 'amina.xlsx')!r})"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)})
    try:
        while not opened.exists():
            assert parent.poll() is None
            time.sleep(0.01)
        children = psutil.Process(parent.pid).children()
        assert len(children) == 1
    finally:
        parent.kill()
        parent.wait()
    alive = psutil.wait_procs(children, timeout=30)[1]
    for child in alive:
        child.kill()
    assert alive == []


# --- the surroundings ---------------------------------------------------------------------------------


def test_nothing_of_it_is_left_behind():
    threads = threading.active_count()
    read_contacts(amina())
    with pytest.raises(FileError):
        read_contacts(shared_texts('count="9" uniqueCount="4000000000000"'))
    assert workbook_processes() == []
    assert threading.active_count() == threads


def test_it_gets_no_credentials(monkeypatch, library):
    monkeypatch.setenv("CAMPAIGN_LIVE_PASSWORD", "sentinel-password")
    library("raise KeyError if 'CAMPAIGN_LIVE_PASSWORD' in os.environ else IndexError")
    with refused("file_damaged", FileError):
        read_contacts(amina())


def test_a_module_in_the_current_folder_is_not_run(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    assert as_rows(read_contacts(amina()))[2] == ["Amina", "0772000001"]


def test_it_imports_next_to_nothing():
    code = (
        "import campaign.contacts.workbooks.child, campaign.contacts.workbooks.xlsx, sys; "
        "heavy = ('numpy', 'pandas', 'pyarrow', 'aiohttp', 'psutil', 'xlrd'); "
        "print([name for name in heavy if name in sys.modules])"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == "[]"


def test_columns_that_do_not_fit_their_lengths_are_no_sheet():
    """The other process writes them: what it says is checked before Arrow relies on it."""
    for block in (
        CellBlock(b"Amina", array("i", [5, 1]).tobytes()),
        CellBlock(b"\xff", array("i", [1]).tobytes()),
    ):
        with pytest.raises(ValueError, match=r"larger than values|Invalid UTF8"):
            grid_of(SheetCells("xlsx", [[block]], sheet="S", sheets=["S"]))


def test_it_does_without_arrow_and_numpy(library):
    """They took three times as long to load as all that a workbook of usual size needs; `inspect`, which
    defining a dataclass needs, is half of what Python itself takes, and no cell has a time zone."""
    library(
        "from contextlib import nullcontext\n"
        "from types import SimpleNamespace\n"
        "def rows():\n"
        "    yield from [['name']] * 10_000\n"
        "    heavy = {'numpy', 'pandas', 'pyarrow', 'inspect', 'zoneinfo'}\n"
        "    raise KeyError if heavy & {*sys.modules} else IndexError\n"
        "sheet = SimpleNamespace(iter_rows=rows, start=None, width=1, merged_cell_ranges=None)\n"
        "return nullcontext(SimpleNamespace(get_sheet_by_name=lambda name: sheet))"
    )
    with refused("file_damaged", FileError):
        read_contacts(amina())


@pytest.mark.parametrize("place", ["no interpreter", "a frozen program", "not allowed", "another program"])
def test_where_no_process_can_be_started_it_reads_in_this_one_and_says_so(place, tmp_path, monkeypatch):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755 if place == "another program" else 0o600)
    if place == "a frozen program":
        monkeypatch.setattr(sys, "frozen", True, raising=False)
    else:
        monkeypatch.setattr(sys, "executable", "" if place == "no interpreter" else str(program))
    table = read_contacts(amina())
    assert as_rows(table)[2] == ["Amina", "0772000001"]
    assert as_codes(reading(table).notices) == {"no_process": {}}
    with refused("file_damaged", FileError):
        read_contacts(amina()[:-10])


def test_several_workbooks_are_read_at_once_in_threads():
    tables = []
    threads = [threading.Thread(target=lambda: tables.append(read_contacts(amina()))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [as_rows(table)[2] for table in tables] == [["Amina", "0772000001"]] * 2
