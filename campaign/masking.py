"""Masking phone numbers, so that nobody can read them over a shoulder: 25677*****56."""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_text import (
    Bools,
    TextArray,
    are_ascii,
    array_to_series,
    concat_arrays,
    join_texts,
    map_unique,
    replace_where,
    series_to_array,
    series_to_chunks,
    text_array,
    text_scalar,
)
from campaign.text import clean
from campaign.words.finding import Finding

SHORTEST = 7  # digits of the shortest phone number
_OTHERS_WORDS = ("reason", "error", "cost_text")  # facts of findings, said by the service or another program

# Between two digits a person may type up to four spaces, dashes, dots, brackets or invisible characters, and
# in running text a slash too (0772/000123). Both Python's regular expressions and Arrow's (RE2) read this.
_SEPARATORS = (
    r"\x00-\x09\x0b\x0c\x0e-\x20\x7f-\xa0().\-"
    "\u00ad\u061c\u1680\u180e\u2000-\u2015\u2028-\u202f\u205f-\u206f\u2212\u3000\ufe58\ufe63\ufeff\uff0d"
)
_GAP = f"[{_SEPARATORS}]{{0,4}}"
_TEXT_GAP = f"[{_SEPARATORS}/]{{0,4}}"

# A cell that holds one number. RE2 cannot look around, so each length has its own pattern.
_DIGIT = r"\p{Nd}"
_TAIL = f"{_GAP}(?P<tail>{_DIGIT}{_GAP}{_DIGIT})"
_ELEVEN_OR_MORE = f"(?P<head>(?:{_DIGIT}{_GAP}){{4}}{_DIGIT})(?P<hidden>(?:{_GAP}{_DIGIT}){{4,}}){_TAIL}"
_NINE_OR_TEN = f"(?P<head>(?:{_DIGIT}{_GAP}){{2}}{_DIGIT})(?P<hidden>(?:{_GAP}{_DIGIT}){{4,5}}){_TAIL}"
_SEVEN_OR_EIGHT = f"(?P<head>)(?P<hidden>(?:{_DIGIT}{_GAP}){{4,5}}{_DIGIT}){_TAIL}"

# What looks like a phone number inside a text but is not one.
_YEAR, _DAY = "(?:19|20)[0-9]{2}", "(?:0?[1-9]|[12][0-9]|3[01])"  # a day or a month
_HOUR, _MINUTE = "(?:[01]?[0-9]|2[0-4])", "[0-5][0-9]"
_PLAIN = "|".join(
    [
        *(f"{_YEAR}{by}{_DAY}{by}{_DAY}|{_DAY}{by}{_DAY}{by}{_YEAR}" for by in ("-", r"\.", "/")),
        rf"{_HOUR}:{_MINUTE}|{_HOUR}\.{_MINUTE} ?[-–] ?{_HOUR}\.{_MINUTE}|{_YEAR} ?[-–/] ?{_YEAR}",
        "[0-9]{1,3}(?:[,'’][0-9]{3})+",
    ]
)
_AMOUNT = re.compile(r"[1-9][0-9]{0,2}(?:(?:[ .\xa0\u202f][0-9]{3}){1,2}|[0-9]{0,6})(?:[.,][0-9]{2})?")
_LONGEST_AMOUNT = 9  # digits
_CURRENCY = (
    "(?:UGX|US[Hh]|Ush|KES|KS[Hh]|Ksh|Shs|TZS|TS[Hh]|Tsh|RWF|BIF|ETB|SSP|NGN|GHS|ZAR|ZMW|MWK|MZN|XAF|XOF|FCFA|EGP"
    "|TND|USD|EUR|GBP|CHF|DKK|NOK|SEK|kr|CAD|AUD|SGD|INR|PKR|BDT|LKR|NPR|IDR|PHP|VND|JPY|CNY|BRL|MXN|[$£€¥₦₵₹₱₫₺])"
)
_CURRENCY_BEFORE = re.compile(rf"(?<![A-Za-z0-9]){_CURRENCY}[ .:\xa0]{{0,2}}\Z")
_CURRENCY_AFTER = re.compile(rf"[ \xa0]?{_CURRENCY}(?![A-Za-z])(?! ?[0-9])|/[=-]")  # 1500000/= are shillings
# A cell of a column of amounts, plain or in groups of three, perhaps with one decimal, as spreadsheets write
# a sum of halves; two decimals are an amount anywhere. What begins with a 0 or a + is none.
_BARE_AMOUNT = re.compile(r"-?(?:[1-9][0-9]{6,7}|[1-9][0-9]?(?:[ .\xa0\u202f][0-9]{3}){2})(?:[.,][0-9])?")
_LONGEST_CODE = 8  # digits that belong to the capital letter they touch

# Digits and everything that can occur between the digits of a number, a date or an amount. The second pattern
# finds what is in there: something that stays readable, or a run of digits, which ends where such begins.
_STRETCH = re.compile(rf"\d[\d{_SEPARATORS}/,'’:]*\d")
_RUN = re.compile(
    rf"(?<![0-9])(?:(?:{_PLAIN})(?![0-9])|[1-9][0-9]{{4,8}}\.[0-9]{{2}}(?![ .]?[0-9]))"
    rf"|(?P<run>\d(?:\d|[{_SEPARATORS}/]{{1,4}}(?!(?:{_PLAIN})(?![0-9]))\d){{{SHORTEST - 1},}})"
)
_ANY_RUN = re.compile(rf"\d(?:{_TEXT_GAP}\d){{{SHORTEST - 1},}}")
_MAY_HOLD_RUN = f"(?:{_DIGIT}{_TEXT_GAP}){{{SHORTEST - 1}}}{_DIGIT}"

# What is masked by itself in a sentence: what it quotes, and what begins after a full stop.
_SENTENCE_PIECE = re.compile(r'(“[^”]*”|"[^"]*"|(?<=\.) (?=\d))')

# What the pieces of these patterns are in a text of ASCII.
_IN_ASCII = {
    _SEPARATORS: r"\x00-\x09\x0b\x0c\x0e-\x20\x7f().\-", _DIGIT: "[0-9]", r"\P{Nd}": "[^0-9]",
}  # fmt: skip


def mask_numbers(numbers: "pd.Series[Any]") -> "pd.Series[str]":
    """A column of phone numbers, cleaned or as typed, with the middle hidden: 25677*****56.

    There is a star for each hidden digit, so that a number that is too short or too long is seen to be so.
    Cells that contain anything other than one number of seven digits or more (short codes, two numbers,
    letters between the digits) lose every digit. Missing values stay missing.
    """
    return _series(_mask_with(_texts(numbers), (_ELEVEN_OR_MORE, _NINE_OR_TEN, _SEVEN_OR_EIGHT)), numbers)


def _mask_with(texts: TextArray, patterns: Sequence[str]) -> TextArray:
    """The texts masked by the first pattern that they match, or without any digit."""
    if not patterns:
        return _replace(texts, _DIGIT, "*")
    masked = _mask_whole(texts, patterns[0])
    is_left = pc.and_(pc.is_null(masked), pc.is_valid(texts)).to_numpy(zero_copy_only=False)
    if not is_left.any():
        return masked
    return replace_where(masked, is_left, _mask_with(texts.filter(pa.array(is_left)), patterns[1:]))


def _mask_whole(texts: TextArray, pattern: str) -> TextArray:
    """The texts that are one number of this pattern, masked; the others are missing."""
    around = f"^(?P<before>\\P{{Nd}}*){pattern}(?P<after>\\P{{Nd}}*)$"
    found = pc.extract_regex(texts, _fitting(around, texts))
    before, head, hidden, tail, after = (
        pc.struct_field(found, name) for name in ("before", "head", "hidden", "tail", "after")
    )
    counts = pc.count_substring_regex(hidden, _fitting(_DIGIT, texts))
    return join_texts(before, head, pc.binary_repeat(text_scalar("*"), counts), tail, after)


def mask_texts(
    texts: "pd.Series[Any]",
    *,
    own_numbers: Iterable["pd.Series[Any]"] = (),
    lengths: Collection[int] = (),
) -> "pd.Series[str]":
    """A column of any text, in which whatever could be a phone number is masked.

    That is every run of seven digits or more, also with spaces, dashes, dots, brackets or slashes in it:
    "0772 000 012", "12 34 56 78", "20123456". These stay readable, because they are not phone numbers:

    - dates with a four-digit year, times, spans of years or hours: 2026-11-22 14:02, 22/11/2026, 08.00-20.00
    - amounts: thousands with commas, two decimals, or a currency beside them: 1,500,000, UGX 12000000
    - codes of eight digits or fewer that touch a capital letter: INV1234567
    - in a column of amounts, for which `lengths` says how many digits the phone numbers of its table can have
      (`number_lengths`): cells of seven or eight digits, when no number has as many: 1250000, 12 500 000, and
      with one decimal: 2184400.5

    The row's own number, recognised by its last seven digits, is masked even there: `own_numbers` are columns
    of the same rows. Digits that could be either (an order number, 20261122) are masked.
    """
    values = _texts(texts)
    # Searching costs a tenth of replacing, and most cells hold no number.
    candidates = _matches(values, _MAY_HOLD_RUN)
    if not candidates.any():
        return _series(values, texts)
    mask_runs = partial(_mask_runs, lengths=frozenset(lengths))
    values = replace_where(values, candidates, map_unique(values.filter(candidates), mask_runs))
    for numbers in own_numbers:
        values = _mask_own(values, numbers)
    return _series(values, texts)


def mask_number(number: str) -> str:
    """One phone number with the middle hidden: "256772000056" becomes "25677*****56"."""
    return str(mask_numbers(pd.Series([number], dtype="str")).iat[0])


def mask_apart(number: str, other: str) -> tuple[str, str]:
    """Two different phone numbers as in `mask_number`; where they would look the same, the digits in which
    they differ are shown too: "25677****156" and "25677****356"."""
    masked = mask_number(number), mask_number(other)
    if masked[0] != masked[1]:
        return masked
    return _showing_difference(masked[0], number, other), _showing_difference(masked[1], other, number)


def _showing_difference(masked: str, number: str, other: str) -> str:
    digits = zip(masked, number, other, strict=True)
    return "".join(digit if digit != others else shown for shown, digit, others in digits)


def mask_text(text: str, *, keep: str = "") -> str:
    """One text in which whatever could be a phone number is masked, as in `mask_texts`.

    `keep` stays wherever the text has it, such as the name of a campaign with a date in it: "march 20261122".
    """
    if not keep or _mask_runs(keep) == keep:
        return _mask_runs(text)
    return keep.join(map(_mask_runs, text.split(keep)))


def mask_sentences(text: str) -> str:
    """Sentences of this package in which whatever could be a phone number is masked, as in `mask_texts`.

    No number goes on from one sentence to the next: "on 25 November 2026. 130 people" stays readable. In what
    is quoted, a full stop may be a part of a number.
    """
    return "".join(map(_mask_runs, _SENTENCE_PIECE.split(text)))


def mask_finding(finding: Finding) -> Finding:
    """The finding with phone numbers masked in facts that are words of others."""
    facts = dict(finding.facts)
    for name, fact in finding.facts.items():
        if isinstance(fact, Finding):
            facts[name] = mask_finding(fact)
        elif name in _OTHERS_WORDS and isinstance(fact, str):
            facts[name] = mask_text(clean(fact))
    return Finding(finding.code, facts, finding.severity, finding.row, finding.column)


def _texts(values: "pd.Series[Any]") -> TextArray:
    """The column as one array, missing values kept; a pandas column may consist of several arrays."""
    return concat_arrays(series_to_chunks(values.astype("str"), missing=None))


def _series(values: TextArray, like: "pd.Series[Any]") -> "pd.Series[str]":
    masked = array_to_series(values, like.index)
    masked.name = like.name
    return masked


def _matches(values: TextArray, pattern: str) -> Bools:
    """Which texts match; missing ones do not."""
    matches = pc.match_substring_regex(values, _fitting(pattern, values)).fill_null(False)
    found: Bools = matches.to_numpy(zero_copy_only=False)
    return found


def _replace(values: TextArray, pattern: str, replacement: str) -> TextArray:
    replaced: TextArray = pc.replace_substring_regex(values, _fitting(pattern, values), replacement)
    return replaced


def _fitting(pattern: str, values: TextArray) -> str:
    """The pattern, for ASCII texts without what these cannot hold: RE2 builds it ten times as fast."""
    if are_ascii(values):
        for piece, in_ascii in _IN_ASCII.items():
            pattern = pattern.replace(piece, in_ascii)
    return pattern


def _mask_runs(text: str, lengths: Collection[int] = ()) -> str:
    return _STRETCH.sub(partial(_mask_stretch, lengths=lengths), text)


def _mask_stretch(match: re.Match[str], lengths: Collection[int]) -> str:
    stretch = match[0]
    if len(stretch) < SHORTEST:
        return stretch
    if len(stretch) > _LONGEST_AMOUNT and stretch.isdecimal():  # the most frequent case: only digits
        return _masked(stretch)
    if _is_code(match) or _is_amount(match) or (lengths and _is_bare_amount(match, lengths)):
        return stretch
    return _RUN.sub(_mask_run, stretch)


def _mask_run(match: re.Match[str]) -> str:
    return _masked(match[0]) if match["run"] else match[0]


def _is_code(match: re.Match[str]) -> bool:
    """Whether a capital letter touches a few digits."""
    if match.end() - match.start() > _LONGEST_CODE or not match[0].isdecimal():
        return False
    neighbours = match.string[max(match.start() - 1, 0) : match.end() + 1]
    return "A" <= neighbours[0] <= "Z" or "A" <= neighbours[-1] <= "Z"


def _is_amount(match: re.Match[str]) -> bool:
    """Whether there is a currency beside the digits that cannot belong to anything else."""
    if not _AMOUNT.fullmatch(match[0]):
        return False
    before = match.string[max(match.start() - 8, 0) : match.start()]
    return bool(_CURRENCY_BEFORE.search(before) or _CURRENCY_AFTER.match(match.string, match.end()))


def _is_bare_amount(match: re.Match[str], lengths: Collection[int]) -> bool:
    """Whether the cell is an amount of as many digits as no phone number has."""
    is_amount = _BARE_AMOUNT.fullmatch(match.string.strip())
    return bool(is_amount) and sum(map(str.isdecimal, match[0])) not in lengths


def _masked(run: str) -> str:
    """The first five digits of eleven or more, the first three of nine or ten, stars, the last two digits."""
    places = [place for place, character in enumerate(run) if character.isdecimal()]
    shown = 5 if len(places) > 10 else 3 if len(places) > 8 else 0
    head = run[: places[shown - 1] + 1] if shown else ""
    return f"{head}{'*' * (len(places) - shown - 2)}{run[places[-2] :]}"


def _mask_own(values: TextArray, numbers: "pd.Series[Any]") -> TextArray:
    """The texts with the number of their own row masked, however it is written there."""
    rows = _matches(values, _MAY_HOLD_RUN)
    own = _digits(series_to_array(numbers.astype("str")).filter(rows))
    masked = [
        _mask_number_in(text, digits)
        for text, digits in zip(values.filter(rows).to_pylist(), own, strict=True)
    ]
    return replace_where(values, rows, text_array(masked))


def _digits(values: TextArray) -> list[str]:
    """The digits of each text."""
    return [digits or "" for digits in _replace(values, r"\P{Nd}", "").to_pylist()]


def _mask_number_in(text: str | None, own: str) -> str | None:
    """The text with every run masked that holds the end of the row's own digits, or ends within them.

    A cell may have several numbers, and the end of each is within its digits.
    """
    if text is None or len(own) < SHORTEST:
        return text

    def mask(match: re.Match[str]) -> str:
        digits = re.sub(r"\D", "", match[0])
        is_own = own[-SHORTEST:] in digits or digits[-SHORTEST:] in own
        return _masked(match[0]) if is_own else match[0]

    return _ANY_RUN.sub(mask, text)
