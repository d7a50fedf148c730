"""The sentences of the package in the words of somebody who does not program."""

import re

import pytest
from support.sentences import sentences

from campaign.contacts.phone_numbers.cleaning import PROBLEMS, REPAIRS
from campaign.messages.issues import CODES
from campaign.notebook.composer.desk_words import _SECTIONS, CHOICES, FIELDS, desk_html, desk_words

CODE = re.compile(
    r"\b[a-z_]+=(?!\d)|\b(?:campaign|pandas|plan|result)\.[a-z]\w+\b(?!\.)|\w\([^)]*\)|\bNone\b"
)


def without_quotes(text):
    return re.sub(r'"[^"]*"|“[^”]*”|\{[^}]*\}', "", text)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            'The message has 169 characters, 9 more than the limit of 160. Shorten it, or use '
            'overlong="truncate" or overlong="split".',
            "The text has 169 characters, 9 more than the limit of 160. Shorten it, or use “Cut these texts” "
            "or “Send them in several SMS”.",
        ),
        (
            'This is a landline, which may not receive SMS. Enter a mobile number. To send to it anyway, add '
            '"fixed" to kinds=.',
            "This is a landline, which may not receive SMS. Enter a mobile number.",
        ),
        (
            'Give changed="skip" to let them keep it, or changed="send" to send the new text too.',
            "Choose “They get nothing more” to let them keep it, or “They get the new text too” "
            "to send the new text too.",
        ),
        (
            'Finish them first with resume, or give waiting="withdraw".',
            "Send them first, with the spreadsheet and the text of then, or choose “Do not send them”.",
        ),
        (
            '1 hidden row was left out (row 23); hidden="include" reads it.',
            "1 hidden row was left out (row 23).",
        ),
        (
            'Give it one, for example name="visits".',
            "Give it one, for example in the field “Name of this campaign”.",
        ),
        (
            "Correct the invalid rows: in your own spreadsheet, which you send again, or in the file that "
            "write_follow_up writes, which has the reasons.",
            "Correct the rows with a mistake: in your own spreadsheet, which you send again, or in the file "
            "that “Rows to correct” writes, which has the reasons.",
        ),
        (
            "Correct the invalid row: in your own spreadsheet.",
            "Correct the row with a mistake: in your own spreadsheet.",
        ),
        (
            'The message has the placeholder {first_nam}. Did you mean "first_name"?',
            'The text has the placeholder {first_nam}. Did you mean "first_name"?',
        ),
        ("Row 2: call 0772 000 012.\nGive it up.", "Row 2: call 077*****12.\nGive it up."),
        (
            'Give the list again with opt_outs=, or opted_out="send" to send to them. Look again.',
            "Give the list again with the field “People who want no texts”. Look again.",
        ),
        (
            'Give the country with region=, for example region="UG".',
            "Give the country with the field “Country”.",
        ),
        (
            'See "campaigns/visits-20261122-98123456.local", not 0772 000 012.',
            'See "campaigns/visits-20261122-98123456.local", not 077*****12.',
        ),
        (
            "The rest: 2 invalid, 1 duplicate, 1 opted out.",
            "The rest: 2 have to be corrected, 1 repeats a number, 1 wants no texts.",
        ),
        (
            "If the address itself is wrong, send the plan with the right one: nobody has got a message yet.",
            "If the address itself is wrong, ask whoever looks after this machine to set the right one: "
            "nobody has got a text yet.",
        ),
        ("", ""),
    ],
)  # fmt: skip
def test_remedies_name_fields_and_choices(said, shown):
    assert desk_words(said).replace("077****", "077****") == shown


def test_no_sentence_about_rows_keeps_any_code():
    for sentence in [*PROBLEMS.values(), *REPAIRS.values(), *CODES.values()]:
        assert not CODE.search(without_quotes(desk_words(sentence))), sentence


def test_no_sentence_of_the_layers_that_the_composer_calls_keeps_any_code():
    layers = ("contacts", "messages", "sending", "service", "results")
    said = [(place, text) for place, text in sentences() if place.split(".")[0] in layers]
    said = [(place, text) for place, text in said if re.match(r"[A-Z7“\"].* .*[.?!]$", text, re.DOTALL)]
    assert len(said) > 200
    shown = [(place, desk_words(text)) for place, text in said]
    assert [one for one in shown if CODE.search(without_quotes(one[1]))] == []


def test_every_choice_has_a_field():
    assert {parameter for parameter, _ in CHOICES} <= set(FIELDS)


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<p>Sending 2 messages</p>", "<p>Sending 2 texts</p>"),
        ("<th>batch</th><th>messages</th>", "<th>batch</th><th>texts</th>"),
        ("<dt>accepted</dt><dd>1,024</dd>", "<dt>accepted</dt><dd>1,024</dd>"),
        (
            "<p>The service refused a batch: no &lt;funds&gt;.</p>",
            "<p>The service refused a batch: no &lt;funds&gt;.</p>",
        ),
        ('<p class="note">Look: <code>campaign.resume("x")</code></p><p>Stopped.</p>', "<p>Stopped.</p>"),
        ("<p>Top up, then resume, or call run.resume().</p>", "<p>Top up, then resume.</p>"),
        ('<div class="message" aria-label="x"></div>', '<div class="message" aria-label="x"></div>'),
    ],
)
def test_pieces_of_a_page_are_put_into_words_and_their_markup_stays(html, shown):
    assert desk_html(html) == shown


@pytest.mark.parametrize(
    ("said", "here", "shown"),
    [
        (
            'Shorten it, or use overlong="truncate".',
            2,
            "Shorten it, or use “Cut these texts”. That is in section 3.",
        ),
        ('Shorten it, or use overlong="truncate".', 3, "Shorten it, or use “Cut these texts”."),
        ('Read it with dates="dmy".', 3, "Read it with “The day first”. That is in section 1."),
    ],
)
def test_a_choice_that_is_in_another_section_is_said_to_be_there(said, here, shown):
    assert desk_words(said, here=here) == shown


def test_every_field_and_choice_is_in_a_section():
    assert {name for names in _SECTIONS.values() for name in names} == {*FIELDS}
    assert {name for name, _ in CHOICES} <= {*FIELDS}
