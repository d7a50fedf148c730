"""Another language is another catalogue: with one for pages, reports have no sentence of their own."""

import html
import re
from string import Formatter

import openpyxl
import pytest

import campaign
from campaign.words.page import PAGE

ROWS = """\
name,phone,visit
Amina,0772 000 001,5 March 2026
Ben,0772,6 March 2026
Carol,,7 March 2026
Dan,0772 000 001,8 March 2026
Eva,0772 000 005,
Faith,0772 000 006,9 March 2026
Faith,0772 000 006,9 March 2026
"""
MARK = "¤"
# What is no finding: notes at the foot of a page, and what the service said.
LABELS = (
    "Phone numbers are masked: two can look the same. Names are not.",
    "Accepted” is by the service, which sends no delivery receipts.",
    "Written ",
    "Money Not Enough",
)


def translated(template):
    """The template with a mark in front of each word that is not a fact."""
    pieces = []
    for literal, name, spec, conversion in Formatter().parse(template):
        pieces.append(re.sub(r"(?<![\w¤])(?=[A-Za-z])", MARK, literal).replace("{", "{{").replace("}", "}}"))
        if name is not None:
            pieces.append(f"{{{name}{f'!{conversion}' if conversion else ''}{f':{spec}' if spec else ''}}}")
    return "".join(pieces)


@pytest.fixture
def result(tmp_path, monkeypatch):
    for name in ("headlines", "remedies"):
        monkeypatch.setattr(
            PAGE, name, {code: translated(text) for code, text in getattr(PAGE, name).items()}
        )
    text = {"message": "Hi {name}, come on {visit:%-d %B}.", "sender": "CLINIC", "region": "UG"}
    plan = campaign.prepare(campaign.read_contacts(ROWS.encode()), **text)
    with campaign.Sandbox(faults={2: "Money Not Enough To Send This Batch of Msgs"}) as sandbox:
        place = {"account": sandbox.account, "folder": tmp_path / "visits"}
        return campaign.send(plan, **place, batch_size=1, progress=False)


def sentences_of(texts):
    """Texts of at least four words that end like a sentence, and in which nothing was translated."""
    found = [text.strip() for text in texts]
    return [text for text in found if len(text.split()) >= 4 and text[-1:] in ".?!" and MARK not in text]


def test_a_report_has_no_sentence_of_its_own(result, tmp_path):
    page = campaign.write_report(result, tmp_path / "report.html").read_text("utf-8")
    body = re.sub(r"<(style|svg|pre|code)\b.*?</\1>|<title>.*?</title>", " ", page, flags=re.S)
    texts = map(html.unescape, re.findall(r">([^<>]+)<", body))
    own = [text for text in sentences_of(texts) if not any(label in text for label in LABELS)]
    assert [text for text in own if "Hi " not in text] == []
    assert page.count(MARK) > 50


def test_a_follow_up_file_has_no_sentence_of_its_own(result, tmp_path):
    book = openpyxl.load_workbook(campaign.write_follow_up(result, tmp_path / "to_correct.xlsx"))
    cells = [str(cell.value or "") for sheet in book for row in sheet.iter_rows() for cell in row]
    assert sentences_of(cells) == []
    assert any(MARK in cell for cell in cells)
