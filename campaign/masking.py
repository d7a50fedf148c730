"""Phone numbers hidden from a look over the shoulder: 25677*****56."""

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

# RE2: no look-around, so each length has its own pattern. Between two digits a person may type up to four
# spaces, dashes, dots, brackets or invisible characters.
_DIGIT = r"\p{Nd}"
_GAP = r"[\p{Z}\p{Pd}\p{Cf}\t.()]{0,4}"
_TAIL = f"{_GAP}({_DIGIT}{_GAP}{_DIGIT})"
_LONG = f"((?:{_DIGIT}{_GAP}){{4}}{_DIGIT})(?:{_GAP}{_DIGIT}){{4,}}{_TAIL}"  # 11 digits or more
_MIDDLE = f"((?:{_DIGIT}{_GAP}){{2}}{_DIGIT})(?:{_GAP}{_DIGIT}){{4,5}}{_TAIL}"  # 9 or 10
_SHORT = f"()(?:{_DIGIT}{_GAP}){{4,5}}{_DIGIT}{_TAIL}"  # 7 or 8
# A date's dashes or dots would join it to the time behind it: private-use characters stand in meanwhile.
_DATES = {
    r"\b((?:19|20)\d\d)-(\d\d?)-(\d\d?)\b": "\\1\ue000\\2\ue000\\3\ue002",
    r"\b(\d\d?)-(\d\d?)-((?:19|20)\d\d)\b": "\\1\ue000\\2\ue000\\3\ue002",
    r"\b(\d\d?)\.(\d\d?)\.((?:19|20)\d\d)\b": "\\1\ue001\\2\ue001\\3\ue002",
}
_MARKS = {"\ue000": "-", "\ue001": ".", "\ue002": ""}


def _replace(values: pa.Array, *patterns: str, by: str) -> pa.Array:
    for pattern in patterns:
        values = pc.replace_substring_regex(values, pattern, by)
    return values


def _texts(series: "pd.Series[str]") -> pa.Array:
    return pa.array(series.astype("str"), type=pa.large_string(), from_pandas=True)


def _series(values: pa.Array, like: "pd.Series[str]") -> "pd.Series[str]":
    return pd.Series(pd.array(values.to_pandas(), dtype="str"), index=like.index, name=like.name)


def mask_numbers(numbers: "pd.Series[str]") -> "pd.Series[str]":
    """A column of phone numbers, cleaned or as typed, with the middle hidden: 25677*****56.

    The number of stars is always five, so that the length is hidden too. Cells that hold anything else than
    one number of seven digits or more (short codes, two numbers, letters between the digits) lose every
    digit. Missing values stay missing.
    """
    texts = _texts(numbers)
    alone = [f"^(\\P{{Nd}}*){pattern}(\\P{{Nd}}*)$" for pattern in (_LONG, _MIDDLE, _SHORT)]
    masked = _replace(texts, *alone, by=r"\1\2*****\3\4")
    bare = pc.replace_substring_regex(texts, _DIGIT, "*")
    return _series(pc.if_else(pc.equal(masked, texts), bare, masked), numbers)


def mask_texts(texts: "pd.Series[str]") -> "pd.Series[str]":
    """A column of any text, in which whatever looks like a phone number (nine digits or more) is masked.

    Dates with a four-digit year stay as they are.
    """
    values = _texts(texts)
    # Finding costs a tenth of replacing, and most cells hold no number.
    found = pc.fill_null(pc.match_substring_regex(values, f"(?:{_DIGIT}{_GAP}){{8}}{_DIGIT}"), False)
    return _series(pc.replace_with_mask(values, found, _mask_inside(values.filter(found))), texts)


def _mask_inside(values: pa.Array) -> pa.Array:
    for date_pattern, marked in _DATES.items():
        values = pc.replace_substring_regex(values, date_pattern, marked)
    values = _replace(values, _LONG, _MIDDLE, by=r"\1*****\2")
    for mark, original in _MARKS.items():
        values = pc.replace_substring(values, mark, original)
    return values


def mask_number(number: str) -> str:
    """One phone number with the middle hidden: "256772000056" becomes "25677*****56"."""
    return str(mask_numbers(pd.Series([number], dtype="str")).iat[0])


def mask_text(text: str) -> str:
    """One text in which whatever looks like a phone number is masked."""
    return str(mask_texts(pd.Series([text], dtype="str")).iat[0])
