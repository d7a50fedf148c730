"""Sentences of this package in the words of somebody who does not program.

Remedies name arguments of Python, `region=` or `overlong="truncate"`, and calls, `campaign.send(...)`. Here
the first become the fields and choices of the composer, and clauses with the second are left out.
"""

import re
from html import escape, unescape

from campaign.masking import mask_text
from campaign.text import capitalised

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
    "name": "Name of this campaign",
    "changed": "People who got another text",
    "gone": "People who are no longer in the spreadsheet",
}
CHOICES = {
    ("dates", "dmy"): "The day first",
    ("dates", "mdy"): "The month first",
    ("dates", "ymd"): "The year first",
    ("overlong", "flag"): "Leave these people out",
    ("overlong", "truncate"): "Cut these texts",
    ("overlong", "split"): "Send them in several SMS",
    ("duplicates", "skip"): "Send to the first of them",
    ("duplicates", "keep"): "Send to all of them",
    ("several", "refuse"): "Leave these people out",
    ("several", "first"): "Use the first number",
    ("changed", "skip"): "They keep what they got",
    ("changed", "send"): "They get the new text too",
    ("gone", "withdraw"): "They get nothing",
}
_WORDS = {
    "batches": "groups of texts", "batch": "group of texts",
    "messages": "texts", "message": "text", "SMS parts": "SMS", "SMS part": "SMS", "parts": "SMS",
    "part": "SMS", "contact table": "spreadsheet", "GSM-7 alphabet": "alphabet of SMS",
}  # fmt: skip
_WORD = re.compile(rf"\b({'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))})\b")
_ARGUMENT = re.compile(r"(?<![\w.?&/-])([a-z]+(?:_[a-z]+)*)=(\"[^\"]*\"|\[[^\]]*\]|\{[^}]*\}|\w+)?")
_CODE = re.compile(
    r"\b(?:campaign|pandas|plan|result|getpass)\.[a-z]\w+|\b[A-Za-z_.]+\([^)]*\)|\b[a-z]+_[a-z_]+\b"
)
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[\"“A-Z{])")
_CLAUSE = re.compile(r"(; |: |, or |, and |, for example )")
_WITH_CODE = re.compile(r"<p\b[^>]*>(?:(?!</p>).)*<code>.*?</p>", re.DOTALL)
_PIECE = re.compile(r"(?<=>)[^<>]+(?=<)|\A[^<>]+|(?<=>)[^<>]+\Z")  # text between two tags
_QUOTED = re.compile(r"\"[^\"]*\"|\{[^}]*\}")


def desk_words(text: object) -> str:
    """The text without Python in it, with phone numbers masked.

    Clauses with a call, or with an argument that the composer has no field for, are left out.
    """
    lines = [_line_without_code(line) for line in str(text).splitlines()]
    plain = "\n".join(line for line in lines if line)
    return mask_text(_in_words(plain))


def desk_html(html: str) -> str:
    """A piece of HTML in the words of the desk, without its paragraphs that hold code."""
    return _PIECE.sub(_piece_in_words, _WITH_CODE.sub("", html))


def _piece_in_words(match: re.Match[str]) -> str:
    text = unescape(match[0])
    is_sentence = text.rstrip()[-1:] in ("?", "!", ".")
    return escape(desk_words(text) if is_sentence else _in_words(text))


def _in_words(text: str) -> str:
    return _WORD.sub(lambda match: _WORDS[match[0]], text)


def _line_without_code(line: str) -> str:
    sentences = (_without_code(sentence) for sentence in _SENTENCE_END.split(line))
    return " ".join(sentence for sentence in sentences if sentence)


def _without_code(sentence: str) -> str:
    """The clauses of a sentence that somebody at the composer can act on; "" if there is none."""
    pieces = _CLAUSE.split(_ARGUMENT.sub(_named, sentence))
    kept = ""
    for separator, clause in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        if _CODE.search(_QUOTED.sub("", clause)):
            continue
        kept += (separator if kept else "") + clause
    kept = capitalised(kept)
    return kept if not kept or kept[-1] in '.?!:”"' else f"{kept}."


def _named(match: re.Match[str]) -> str:
    """The choice or the field that an argument stands for; the argument itself if there is neither."""
    parameter, value = match[1], match[2]
    choice = CHOICES.get((parameter, (value or "").strip('"')))
    if choice:
        return f"“{choice}”"
    if parameter not in FIELDS:
        return f"{parameter}_()"  # code, so that its clause is left out
    return f"{'the' if value is None else 'in the'} field “{FIELDS[parameter]}”"
