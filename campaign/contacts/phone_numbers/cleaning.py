"""Cleaning a column of written phone numbers: `clean_numbers` returns them in the form the service takes.

`phonenumbers` alone decides what is a valid number. This module adds repairs of what spreadsheets and people
do to numbers, each with a name (`REPAIRS`), and reasons to refuse a number, each with a sentence for the
person who corrects the cell (`PROBLEMS`).
"""

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.argument_checks import check_choice, wrong
from campaign.arrow_text import (
    TEXT,
    TextArray,
    TextChunks,
    array_to_series,
    combine_chunks,
    fill_missing,
    integers_to_array,
    mask_to_numpy,
    series_to_chunks,
    text_array,
    unique_texts,
)
from campaign.contacts.cells.cell_text import float_texts
from campaign.contacts.phone_numbers.decisions import Decisions, decide, parse_with_decimal_zeros
from campaign.contacts.phone_numbers.digit_extraction import ExtractedDigits, extract_digits, first_numbers
from campaign.contacts.phone_numbers.digit_patterns import Int16s
from campaign.contacts.phone_numbers.libphonenumber import WORLD, format_international
from campaign.contacts.phone_numbers.metadata import NO_REGION, MetadataTables, metadata_tables
from campaign.contacts.phone_numbers.parsing import ask_library, parse_numbers
from campaign.contacts.phone_numbers.prefix_corrections import Corrections
from campaign.contacts.phone_numbers.problems_and_repairs import (
    KINDS,
    MOBILE_KINDS,
    PROBLEM_INDEXES,
    PROBLEMS,
    REPAIR_BITS,
    REPAIRS,
    repair_names,
)
from campaign.contacts.phone_numbers.regions import check_region, is_region
from campaign.errors import UsageError
from campaign.public_calls import public_call

__all__ = ["KINDS", "PROBLEMS", "REPAIRS", "WORLD", "clean_numbers", "readings"]

CHUNK = 32_768  # rows cleaned together: small enough for the cache, large enough to make steps cheap
_WORLD_INDEX = -2
_OTHER_MARK = r"[^/\\|,;&:\p{L}\r\n\x{2028}\x{2029}]*"
_NO_NUMBER = ("too_short", "too_long", "no_such_number", "unknown_country")
_ONLY_SLASHES = f"^{_OTHER_MARK}(?:/{_OTHER_MARK})+$"  # and nothing else that separates numbers


@public_call
def clean_numbers(
    numbers: "pd.Series[Any]",
    *,
    region: "str | pd.Series[Any] | None",
    several: str = "refuse",
    kinds: Collection[str] = MOBILE_KINDS,
) -> pd.DataFrame:
    """Clean a column of phone numbers, and report what was repaired and what is wrong.

    Parameters
    ----------
    numbers
        Series of numbers as people write them. Missing cells count as blank.
    region
        Country of numbers without a country code: an ISO code such as "UG", or a Series with a code for
        each number. None, or a blank code: a number needs + or 00. "001": all begin with their country
        code.
    several
        A cell with several numbers is refused ("refuse"), or its first one is used ("first").
    kinds
        Kinds of numbers to send to, from `KINDS`. Others, such as landlines, may not receive SMS.

    Returns
    -------
    pandas.DataFrame
        Columns of text, with the index of `numbers`: `number` (digits, country code first, no plus; missing
        if there is a problem), `repair` (names from `REPAIRS`, joined by ", "), `problem` (a name from
        `PROBLEMS`), `kind` (from `KINDS`, "short_code" or "emergency") and `region`; "" for none.

    Raises
    ------
    UsageError
        The region, a kind or `several` is unknown. No text raises an error.

    Notes
    -----
    What `phonenumbers` calls valid as written is never changed. Cleaned numbers stay the same with
    region="001".

    Examples
    --------
    >>> campaign.clean_numbers(pd.Series(["0772 000 001", "12"]), region="UG")
             number repair    problem    kind region
    0  256772000001                    mobile     UG
    1           NaN         too_short
    """
    _check_numbers(numbers)
    decisions = decide_numbers(numbers, region=region, several=several, kinds=kinds)
    columns = _as_columns(decisions, metadata_tables())
    return pd.DataFrame({name: array_to_series(column, numbers.index) for name, column in columns.items()})


def decide_numbers(
    numbers: "pd.Series[Any]", *, region: "str | pd.Series[Any] | None", several: str, kinds: Collection[str]
) -> Decisions:
    """What `clean_numbers` makes of a column, without the words."""
    check_choice(several, ("refuse", "first"), subject="several")
    sendable_kinds = check_kinds(kinds)
    regions = _region_indexes(region, len(numbers))
    texts = _text_chunks(numbers)
    decisions = _decide_texts(texts, regions, sendable_kinds)
    _decide_several(decisions, texts, regions, sendable_kinds, use_first=several == "first")
    return decisions


def countries_of(decisions: Decisions) -> TextArray:
    """The country of each number, "" if unknown."""
    countries = [entry.region if entry else "" for entry in metadata_tables().classifications]
    return text_array(countries).take(decisions.classification)


def readings(text: str, *, region: str | None) -> tuple[str, ...]:
    """All numbers that a text can mean, to show why it was refused as ambiguous.

    For example "+39 347 123 4567 (a mobile phone, IT)". Empty if it cannot be read as any number.
    """
    tables = metadata_tables()
    texts = text_array([_without_surrogates(text)])
    extracted = _extract(texts, _region_indexes(region, 1))
    parsed = parse_numbers(extracted.digits, tables)
    ask_library(parsed, tables, extracted.library_texts)
    candidates = [(parsed.number, parsed.classification)]
    candidates += Corrections(parsed, tables, np.ones(1, bool)).candidates
    if extracted.repairs[0] & REPAIR_BITS["decimal"]:
        with_zeros = parse_with_decimal_zeros(texts, extracted.digits.region, tables)
        candidates.append((with_zeros.number, with_zeros.classification))
    classifications = {
        int(number[0]): tables.classifications[index[0]] for number, index in candidates if len(number)
    }
    return tuple(
        f"{format_international(str(number))} ({KINDS[classification.kind]}, {classification.region})"
        for number, classification in classifications.items()
        if classification
    )


def _check_numbers(numbers: object) -> None:
    if not isinstance(numbers, pd.Series):
        raise wrong(
            numbers, subject="clean_numbers", needs="one column of a table (a Series)",
            write='contacts["Phone"], or pd.Series(numbers)',
        )  # fmt: skip


def check_kinds(kinds: object) -> frozenset[str]:
    """The kinds of numbers to send to; one text counts as a list of one."""
    if isinstance(kinds, str):
        check_choice(kinds, KINDS, subject="kinds")
        return frozenset([kinds])
    if not isinstance(kinds, Collection) or isinstance(kinds, (bytes, bytearray, pd.DataFrame)):
        write = 'kinds=["mobile", "fixed_or_mobile"]'
        raise wrong(kinds, subject="kinds", needs="a list of kinds of numbers", write=write)
    if not len(kinds):
        raise UsageError(
            "wrong_value",
            argument="kinds",
            needs="a kind or more",
            given="an empty list",
            write='kinds=["mobile"]',
        )
    for kind in kinds:
        check_choice(kind, KINDS, subject="One of kinds")
    return frozenset(kinds)


def _text_chunks(series: "pd.Series[Any]") -> TextChunks:
    """The column as text, missing values included."""
    if pd.api.types.is_integer_dtype(series.dtype):
        series = series.astype("str")
    elif str(series.dtype).lower() in ("float16", "float32"):
        floats = series.to_numpy(str(series.dtype).lower(), na_value=np.nan)
        return pa.chunked_array([float_texts(floats)], TEXT)
    elif not isinstance(series.dtype, pd.StringDtype):
        objects = series.astype("object")
        series = objects.map(lambda value: _without_surrogates(str(value)), na_action="ignore").astype("str")
    return pa.chunked_array(series_to_chunks(series, missing=None), TEXT)


def _without_surrogates(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which no column of text can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _region_indexes(region: "str | pd.Series[Any] | None", size: int) -> Int16s:
    """For each number the index of its region in the metadata tables."""
    if region is None:
        return np.full(size, NO_REGION, np.int16)
    if isinstance(region, str):
        return np.full(size, _region_index(region), np.int16)
    if not isinstance(region, pd.Series):
        raise wrong(region, subject="region", needs="a code, or a column of codes", write='region="UG"')
    if len(region) != size:
        needs, given = f"a code for each of {size} numbers", f"{len(region)} codes"
        raise UsageError("wrong_value", argument="region", needs=needs, given=given)
    codes, positions = unique_texts(fill_missing(combine_chunks(_text_chunks(region))))
    invalid = (i for i, code in enumerate(codes) if code.strip() and not is_region(code.strip().upper()))
    if (first_invalid := next(invalid, None)) is not None:
        row = region.index[int(np.argmax(positions == first_invalid))]
        check_region(codes[first_invalid], row)
    indexes = [_region_index(code) if code.strip() else NO_REGION for code in codes]
    by_row: Int16s = np.array(indexes, np.int16)[positions]
    return by_row


def _region_index(region: str) -> int:
    code = check_region(region)
    return _WORLD_INDEX if code == WORLD else metadata_tables().index(code)


def _decide_texts(texts: TextChunks, regions: Int16s, kinds: frozenset[str]) -> Decisions:
    """The decisions about some rows, made chunk by chunk."""
    tables, chunks = metadata_tables(), []
    for start in range(0, max(len(texts), 1), CHUNK):
        chunk = fill_missing(combine_chunks(texts.slice(start, CHUNK)))  # a copy only of two arrays
        chunks.append(decide(_extract(chunk, regions[start : start + CHUNK]), chunk, tables, kinds))
    return Decisions(
        number=np.concatenate([chunk.number for chunk in chunks]),
        classification=np.concatenate([chunk.classification for chunk in chunks]),
        repairs=np.concatenate([chunk.repairs for chunk in chunks]),
        problem=np.concatenate([chunk.problem for chunk in chunks]),
    )


def _decide_several(
    decisions: Decisions, texts: TextChunks, regions: Int16s, kinds: frozenset[str], *, use_first: bool
) -> None:
    """0049 151/23456789 is one number: what stands before the slash is none, and the whole is."""
    rows = np.flatnonzero(decisions.problem == PROBLEM_INDEXES["several"])
    if not rows.size:
        return
    texts, regions = texts.take(rows), regions[rows]
    first = _decide_texts(pa.chunked_array([first_numbers(combine_chunks(texts))]), regions, kinds)
    whole = _decide_texts(pc.replace_substring(texts, "/", " "), regions, kinds)
    is_one = mask_to_numpy(pc.match_substring_regex(combine_chunks(texts), _ONLY_SLASHES))
    is_one &= np.isin(first.problem, [PROBLEM_INDEXES[name] for name in _NO_NUMBER])
    is_one &= (whole.classification > 0) | (whole.problem == PROBLEM_INDEXES["ambiguous"])
    is_one &= whole.repairs & REPAIR_BITS["country_code"] == 0  # which may be a coincidence
    decisions.replace(rows[is_one], whole.filter(is_one))
    if use_first:
        decisions.replace(rows[~is_one], first.filter(~is_one), REPAIR_BITS["first_of_several"])


def _extract(texts: TextArray, regions: Int16s) -> ExtractedDigits:
    """The digits of texts. Without a region, 00 counts as a plus; with region="001", no plus is needed."""
    world = regions == _WORLD_INDEX
    extracted = extract_digits(texts, np.where(world, NO_REGION, regions).astype(np.int64))
    digits = extracted.digits
    rows = np.flatnonzero((digits.region == NO_REGION) & ~digits.plus)
    zeros = digits.take(rows).leading_zeros
    zeros[zeros == 1] = 0
    digits.start[rows] += zeros
    digits.length[rows] -= zeros
    digits.plus[rows] = (zeros > 0) | world[rows]
    extracted.repairs[rows[zeros > 0]] |= REPAIR_BITS["international_prefix"]
    extracted.repairs[rows[(zeros == 0) & world[rows]]] |= REPAIR_BITS["country_code"]
    return extracted


def _as_columns(decisions: Decisions, tables: MetadataTables) -> dict[str, TextArray]:
    number = pc.if_else(pa.array(decisions.problem == 0), integers_to_array(decisions.number), None)
    kinds = text_array(entry.kind if entry else "" for entry in tables.classifications)
    positions, combinations = pd.factorize(decisions.repairs)
    repairs = text_array(repair_names(int(bits)) for bits in combinations)
    return {
        "number": number,
        "repair": repairs.take(positions),
        "problem": text_array(["", *PROBLEMS]).take(decisions.problem),
        "kind": kinds.take(decisions.classification),
        "region": countries_of(decisions),
    }
