"""What is said of a result, and how little: one catalogue for each audience, and no sentence elsewhere."""

import re

import pytest
from support.findings import rows_found, to_do
from support.small_campaigns import contacts_of, people, plan_for

import campaign
from campaign.cli.main import main
from campaign.results.finding_lines import is_counted
from campaign.results.outcome_list import KINDS, outcome
from campaign.words import codes, page, python, shell
from campaign.words.catalogue import Catalogue

MIXED = [*(f"P{n},0772000{n:03}" for n in range(12)), "X,none", "P1,0772000001", "Sam,0772000002", ","]


@pytest.fixture
def mixed(tmp_path, monkeypatch):
    """Accepted, refused, unknown, not sent, to correct, sharing a phone, repeated and blank."""
    monkeypatch.chdir(tmp_path)
    with campaign.Sandbox(faults={2: "Invalid sender ID", 3: "accept_reset"}) as sandbox:
        options = {"account": sandbox, "batch_size": 2, "concurrency": 1, "progress": False}
        return campaign.send(plan_for(contacts_of(*MIXED)), name="visits", **options)


def test_every_row_is_counted_once(mixed):
    assert sum(rows_found(mixed).values()) == mixed.totals.rows
    assert set(rows_found(mixed)) <= set(KINDS)


def test_a_person_is_asked_for_three_things_at_most(mixed):
    assert to_do(mixed) == ["rows_unknown", "rows_refused", "rows_not_sent"]
    assert "rows_to_correct" in rows_found(mixed)


def test_after_a_send_the_shell_says_little(mixed, capsys):
    assert main(["status", "campaigns/visits.local"]) == 4
    before_rounds = capsys.readouterr().out.partition("  round 1")[0]
    note = shell.SHELL.text(mixed.ending)
    assert len(before_rounds.splitlines()) <= 12
    assert len(before_rounds.replace(note, "").split()) <= 60 + 6  # two commands name the folder


def test_after_a_good_send_it_says_less(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    campaign.send(plan_for(people(3)), name="visits", progress=False)
    main(["status", "campaigns/visits.local"])
    assert capsys.readouterr().out.splitlines()[:3] == [
        "Rehearsal, nobody got anything: accepted for 3 of 3 people.",
        "  3  accepted, cost 105 (made up)",
        "Folder: campaigns/visits.local",
    ]


def test_the_card_shows_one_line_for_each_kind_and_folds_the_rest(mixed):
    card = mixed._repr_html_()
    assert card.count("<li>") == len([one for one in mixed.findings if is_counted(one)])
    assert card.count('role="img"') == 1
    assert "<table" not in card.partition("<details>")[0]


def test_headlines_and_remedies_are_short():
    areas = codes.RESULTS | codes.NOTEBOOK
    assert [code for code, text in areas.items() if len(_plain(text).split()) > 12] == []
    remedies = [
        area for words in (python, shell, page) for area in (words.RESULTS, getattr(words, "NOTEBOOK", {}))
    ]
    told = {code: text for area in remedies for code, text in area.items()}
    assert [code for code, text in told.items() if len(_plain(text).split()) > 20] == []
    assert set(told) <= set(areas)


def _swapped(match):
    """Facts stay, and words become others."""
    if match[1]:
        return f"{{{match[1]}}}"
    return "ö" if match[0][0].isalpha() else match[0]


def _plain(template):
    return re.sub(r"\[\[|\]\]", "", template)


def test_counted_findings_begin_with_their_count():
    for code in KINDS:
        assert codes.RESULTS[code].startswith("{rows}"), code


def test_in_another_language_nothing_is_left_of_this_one(mixed):
    """No sentence is made outside the catalogues."""
    own = re.compile(r"\{[^{}|:]*\}|\[\[|\]\]|\{(\w+):[^{}]*\}|[A-Za-z]+")
    swapped = {code: own.sub(_swapped, text) for code, text in codes.CODES.items()}
    other = Catalogue(swapped, {})
    shown = re.sub(r"<[^>]*>", " ", outcome(mixed.findings, other))
    facts = {"Invalid", "sender", "made", "more"}
    assert set(re.findall(r"[A-Za-z]{3,}", shown)) <= facts
