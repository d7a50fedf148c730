"""Sentences of this package in the words of somebody who does not program.

Remedies name arguments of Python, `region=` or `overlong="truncate"`, and calls, `campaign.send(...)`. Here
the first become the fields and choices of the composer, and clauses with the second are left out.
"""

import re
from collections.abc import Collection
from html import escape, unescape

from campaign.masking import mask_sentences
from campaign.remedies import ADD_COST, without_code
from campaign.results.plain_words import SHARES_PHONE, STATUS_WORDS
from campaign.sending.store.identity import CAMPAIGNS

# What the composer calls the parameters of `read_contacts`, `prepare` and `send`.
FIELDS = {
    "sheet": "Sheet",
    "number": "Column with the numbers",
    "region": "Country",
    "dates": "How dates are written",
    "language": "Texts in several languages",
    "message": "Text",
    "sender": "Sender",
    "overlong": "Texts that are too long",
    "duplicates": "Numbers that come twice",
    "several": "Cells with several numbers",
    "opt_outs": "People who want no texts",
    "opt_out_column": "Column that says who wants texts, or none",
    "name": "Name of this campaign",
    "changed": "Phones that got another text",
    "waiting": "Texts that still wait",
    "budget": "Stop when it has cost",
}
CHOICES = {
    ("dates", "dmy"): "The day first",
    ("dates", "mdy"): "The month first",
    ("dates", "ymd"): "The year first",
    ("overlong", "flag"): "Leave these people out",
    ("overlong", "truncate"): "Cut these texts",
    ("overlong", "one_sms"): "Cut them to one SMS each",
    ("overlong", "split"): "Send them in several SMS",
    ("duplicates", "skip"): "Send one text to each phone",
    ("duplicates", "keep"): "Send every different text",
    ("several", "refuse"): "Leave these people out",
    ("several", "first"): "Use the first number",
    ("changed", "skip"): "They get nothing more",
    ("changed", "send"): "They get the new text too",
    ("waiting", "withdraw"): "Do not send them",
}
GO_ON_TO_SENDING = "Go on to sending"
CHANGE_BUDGET = "Change the budget"
GO_ON_WITH = "Go on with “{}”"  # a campaign
CHANGE_TO = "Change to “{}”"  # from a campaign that was begun
BEGIN = "Begin “{}”, a campaign of its own"
ACCEPTED = "It was accepted"  # what became of a batch
NOT_THERE = "It did not get there"
CHOOSE_LIST = "Choose the provider's own list"
_SECTIONS = {
    1: ("sheet", "number", "region", "dates"),
    2: ("language", "message", "sender"),
    3: ("overlong", "duplicates", "several", "opt_outs", "opt_out_column"),
    4: ("name", "changed", "waiting", "budget"),
}  # by the section that has them
_WORDS = {
    "The issues of the plan say why": "Section 3 says why",
    "messages": "texts", "message": "text", "SMS parts": "SMS", "SMS part": "SMS", "parts": "SMS",
    "part": "SMS", "contact table": "spreadsheet", "GSM-7 alphabet": "alphabet of SMS",
    "the next batch (1 SMS part": "the next text (1 SMS",
    "The next batch": "The next texts", "the next batch": "the next texts",
    "by the embedded sandbox": "in the rehearsal", "the embedded sandbox": "the rehearsal",
    "in the follow-up file only": "in the file of “Rows to correct” only",
    "in a new follow-up file, which you write under another name": "in a new file of “Rows to correct”",
    "in a follow-up file": "in a file of “Rows to correct”",
    "the opt-out list": "the list of people who want no texts",
    "that campaign wrote": "that this program wrote",
    "Give another list, or none": f"Choose another list, or empty the field “{FIELDS['opt_outs']}”",
    "Correct the invalid rows": "Correct the rows with a mistake",
    "Correct the invalid row": "Correct the row with a mistake",
    "and this plan is from": "and this spreadsheet is",
    "in the table, with what was sent earlier": "in the spreadsheet, with what was sent earlier",
    "that is not in the table": "that is not in the spreadsheet",
    "that are not in the table": "that are not in the spreadsheet",
    "Finish them first with resume": "Send them first, with the spreadsheet and the text of then",
    "give another name if this": f"write another name into the field “{FIELDS['name']}” if this",
    "settle each batch with resolve, or all with reconcile and the provider's own list":
    f"press “{ACCEPTED}” or “{NOT_THERE}” for each batch, or “{CHOOSE_LIST}” for all",
    "Name the column: the field": "Choose it in the field",
    "settle each batch with resolve": f"press “{ACCEPTED}” or “{NOT_THERE}” for each batch",
    "Settle what is unknown with resolve":
    f"For each batch that is unknown, press “{ACCEPTED}” or “{NOT_THERE}”",
    "the next send or resume sends them": "they go out when you press the button in section 4",
    "settled as refused": "settled as not there",
    "send the plan with the right one": "ask whoever looks after this machine to set the right one",
}  # fmt: skip
_WORD = re.compile(rf"\b({'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))})\b")
_STATUS_WORDS = STATUS_WORDS | {"sharing a phone": SHARES_PHONE}
_STATUS = re.compile(rf"\b(\d[\d,]*) ({'|'.join(_STATUS_WORDS)})(?=[.,;)]|$)")
_BUDGET = re.compile(
    r"Resume with a (?:larger budget|budget of (.*?))(?: to send the rest; a budget stays .*?later)?\.(?= |$)"
)
_ANOTHER_NAME = re.compile(r'(?<= it again, )give another name, for example name="[^"]*"(?=\.)')
_TO_CONTINUE = re.compile(
    r'(?<=To continue that campaign, )give name="([^"]*)"; for a new one, give another name(?=\.)'
)
_LOCKED = re.compile(
    r"^.* is open in another run(?:, in .*)?\. Wait for that one, or stop it, then try again\.", re.DOTALL
)
_GIVE_NAME = (  # the field has made room for what was sent
    f"open section 3, press “{GO_ON_TO_SENDING}” and give another name in the field “{FIELDS['name']}”"
)
_SENT_ELSEWHERE = (
    "This campaign is open in another window, tab or program, which may be sending it. When that has ended, "
    "try again: what it sent is not sent twice."
)
_ADD_COSTS = re.compile(r"\badd (it|them) with resolve and cost=\.")
_FOLLOW_UP = re.compile(r"(?<![.\w])write_follow_up\b(?!\()")  # a button of the last section
_NAMED_TWICE = re.compile(r"(the field “[^”]*”), for example in \1")  # of region=, for example region="UG"
# Answers of Python's world are given; on the page they are chosen from a list, or written into a field.
_GIVEN_CHOICE = re.compile(
    rf"\b(give|answer with) (?=“(?:{'|'.join(map(re.escape, CHOICES.values()))})”)", re.I
)
_GIVEN_FIELD = re.compile(
    rf"\b(give) (?:in )?(?=the field “(?:{'|'.join(map(re.escape, FIELDS.values()))})”)", re.I
)
_WITH_CODE = re.compile(r"<p\b[^>]*>(?:(?!</p>).)*<code>.*?</p>", re.DOTALL)
_END = re.compile(r"[.?!](?= |$)")  # of a sentence
_FOLDER = re.compile(rf"(?<={CAMPAIGNS}[/\\])([\w.-]*\w)")
_PIECE = re.compile(r"(?<=>)[^<>]+(?=<)|\A[^<>]+|(?<=>)[^<>]+\Z")  # text between two tags


def desk_words(text: object, *, here: int | None = None, unasked: Collection[str] = ()) -> str:
    """The text without Python in it, with phone numbers masked.

    Clauses with a call, or with an argument that the composer has no field for, are left out; so are those
    with an argument that is `unasked` now. `here` is the section that shows it: what is to be chosen in
    another one is said to be there.
    """

    def named(parameter: str, value: str) -> str:
        return "" if parameter in unasked else _named(parameter, value)

    said = _TO_CONTINUE.sub(_go_on_with, _ANOTHER_NAME.sub(_GIVE_NAME, str(text)))
    said = _BUDGET.sub(_change_budget, _LOCKED.sub(_SENT_ELSEWHERE, said))
    said = _ADD_COSTS.sub(rf"add \1 below with “{ADD_COST}”.", said)
    plain = without_code(_FOLLOW_UP.sub("“Rows to correct”", said), named)
    plain = _GIVEN_FIELD.sub(_filled_in, _GIVEN_CHOICE.sub(_chosen, _NAMED_TWICE.sub(r"\1", plain)))
    words = _masked(_STATUS.sub(_status_in_words, _in_words(plain)))
    return words if here is None else _with_places(words, here)


def _chosen(match: re.Match[str]) -> str:
    return "Choose " if match[1][0].isupper() else "choose "


def _filled_in(match: re.Match[str]) -> str:
    return "Fill in " if match[1][0].isupper() else "fill in "


def _go_on_with(match: re.Match[str]) -> str:
    """Which button goes on with a campaign, and what makes a new one."""
    button = GO_ON_WITH.format(match[1])
    return f"press {button}; for a new one, write another name into the field “{FIELDS['name']}”"


def _change_budget(match: re.Match[str]) -> str:
    """What to do once a budget is used up."""
    enough = match[1] or ""
    if enough and not enough[-1].isdigit():  # no cost can be read, so no amount would do
        return f"To send the rest, empty “{FIELDS['budget']}” in section 4."
    way_on = f"To send the rest, change “{FIELDS['budget']}” in section 4"
    return f"{way_on}: {enough} is enough." if enough else f"{way_on}."


def _masked(text: str) -> str:
    """The text with phone numbers masked; the path of a campaign has to be right, and keeps its digits."""
    pieces = _FOLDER.split(text)  # the folders are every other piece
    return "".join(piece if place % 2 else mask_sentences(piece) for place, piece in enumerate(pieces))


def _with_places(words: str, here: int) -> str:
    """The words, which say after a sentence where the fields and choices are that it names, if not here."""
    labels = [*FIELDS.items(), *((name, label) for (name, _), label in CHOICES.items())]
    for number, names in _SECTIONS.items():
        named = [words.rfind(f"“{label}”") for name, label in labels if name in names]
        if number != here and (last := max(named)) >= 0:
            end = _END.search(words, last)
            place = end.end() if end else len(words)
            words = f"{words[:place]} That is in section {number}.{words[place:]}"
    return words


def desk_html(html: str) -> str:
    """A piece of HTML in the words of the desk, without its paragraphs that hold code."""
    return _PIECE.sub(_piece_in_words, _WITH_CODE.sub("", html))


def _piece_in_words(match: re.Match[str]) -> str:
    text = unescape(match[0])
    is_sentence = text.rstrip()[-1:] in ("?", "!", ".")
    return escape(desk_words(text) if is_sentence else _in_words(text))


def _in_words(text: str) -> str:
    return _WORD.sub(lambda match: _WORDS[match[0]], text)


def _status_in_words(match: re.Match[str]) -> str:
    one, several = _STATUS_WORDS[match[2]]
    return f"{match[1]} {one if match[1] == '1' else several}"


def _named(parameter: str, value: str) -> str:
    """The choice or the field that an argument stands for; "" if there is neither."""
    choice = CHOICES.get((parameter, value.strip('"')))
    if choice:
        return f"“{choice}”"
    if parameter not in FIELDS:
        return ""
    return f"{'in the' if value else 'the'} field “{FIELDS[parameter]}”"
