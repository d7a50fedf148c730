"""What `write_report` and `write_follow_up` return: a path for programs, a card for people in a notebook."""

import copy
import pickle
import re
from pathlib import Path

import pandas as pd
import pytest
from support.small_campaigns import contacts_of, plan_for
from support.unsent_result import unsent_result

import campaign
from campaign.results.written_file import WrittenFile, size_in_words


@pytest.fixture
def result(tmp_path, monkeypatch):
    """Of three people one is ready, one has a short number, and one shares the phone of the first."""
    monkeypatch.chdir(tmp_path)
    contacts = contacts_of("Ada,0772 000 001", "Ben,0772", "Cy,0772 000 001")
    return unsent_result(plan_for(contacts), name="visits")


def test_it_is_a_path_in_all_respects(result):
    file, path = campaign.write_report(result, "report.csv"), Path("report.csv")
    assert isinstance(file, Path)
    assert (file, hash(file), repr(file), f"{file}") == (path, hash(path), repr(path), "report.csv")
    for other in (pickle.loads(pickle.dumps(file)), copy.deepcopy(file)):
        assert (other, type(other)) == (path, type(path))
    assert file.with_suffix(".html") == Path("report.html")
    assert getattr(file.absolute().parent, "_repr_html_", lambda: None)() is None
    assert len(pd.read_csv(file)) == 3


def test_rows_to_correct_are_counted_with_what_to_do_next_and_a_link(result):
    card = campaign.write_follow_up(result, "to correct.xlsx")._repr_html_()
    assert 'aria-label="Written: to correct.xlsx"' in card
    assert re.search(
        r">Written on \d+ \w+ 20\d\d, \d\d:\d\d:\d\d \(", card
    )  # a saved notebook is opened later
    assert "2 rows: 1 invalid, 1 sharing a phone, phone numbers in full" in card
    assert "<code>contacts = campaign.read_contacts(&quot;to correct.xlsx&quot;)</code>" in card
    assert '<a href="to%20correct.xlsx" download>Download to correct.xlsx</a> (' in card
    nothing = unsent_result(plan_for(contacts_of("Ada,0772 000 001")), name="visits")
    assert "no rows to correct" in campaign.write_follow_up(nothing, "none.csv")._repr_html_()


def test_a_page_opens_and_a_file_elsewhere_has_no_link(result, tmp_path, monkeypatch):
    file = campaign.write_report(result, "report.html")
    assert '<a href="report.html">Open report.html</a> (' in file._repr_html_()
    assert "Phone numbers are masked" in file._repr_html_()
    elsewhere = WrittenFile.showing(tmp_path / "report.html", [])
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir("notebooks")
    assert f"<p>In {tmp_path / 'report.html'} (" in elsewhere._repr_html_()
    elsewhere.unlink()
    assert "(not there any more)" in elsewhere._repr_html_()


def test_sizes_are_short():
    assert [size_in_words(size) for size in (0, 999, 41_234, 5_234_000)] == [
        "1 kB",
        "1 kB",
        "41 kB",
        "5.2 MB",
    ]
