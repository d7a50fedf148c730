"""Written phone numbers in the form the service takes: digits, country code first, no plus.

What a number is, and whether there is such a number, is decided by `phonenumbers` and by nothing else. Above
it stand the repairs of what spreadsheets and people do to numbers, each with a name (`REPAIRS`), and the
refusals, each with a sentence for the person who has to put the cell right (`PROBLEMS`).
"""

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.contacts.phone_numbers.corrections import OtherReadings
from campaign.contacts.phone_numbers.decisions import settle
from campaign.contacts.phone_numbers.digit_patterns import Short
from campaign.contacts.phone_numbers.libphonenumber import WORLD, spaced
from campaign.contacts.phone_numbers.metadata import NO_PLAN, numbering_plans
from campaign.contacts.phone_numbers.normalising import Column, spell
from campaign.contacts.phone_numbers.parsing import ask, dial
from campaign.contacts.phone_numbers.regions import check_region, described
from campaign.contacts.phone_numbers.wording import KINDS, PROBLEMS, REPAIR_BITS, REPAIRS, repairs_of
from campaign.errors import UsageError
from campaign.text import clean

__all__ = ["KINDS", "PROBLEMS", "REPAIRS", "WORLD", "clean_numbers", "readings"]

CHUNK = 32_768  # rows looked at together: small enough for the cache, large enough that a step costs nothing
_WORLD_PLAN = -2
_TEXT = pa.large_string()


def clean_numbers(
    numbers: "pd.Series[Any]",
    *,
    region: "str | pd.Series[Any] | None",
    several: str = "refuse",
    kinds: Collection[str] = ("mobile", "fixed_or_mobile"),
) -> pd.DataFrame:
    """Bring written phone numbers into the form the service takes, and say what was done to each.

    `region` says where numbers without a country code are from: an ISO code such as "UG", or a column of
    codes beside the numbers. With None, and where the column is blank, only numbers with + or 00 and a
    country code can be read; with "001", the world, every number begins with its country code, whether +
    stands there or not. `several="first"` takes the first of several numbers in a cell. `kinds` are those
    that may be sent to, names from `KINDS`. Not among them unless named are landlines, freephone and premium
    numbers, but also internet, personal and company-wide numbers and pagers: some of them take an SMS, none
    can be relied on to. Short codes and emergency numbers, if they are named, come back as they are dialled,
    without a country code.

    Returns a table with the index of `numbers`, every column text:

    - `number`: digits, country code first, no plus; missing where there is none that can be sent to
    - `repair`: names from `REPAIRS` joined by ", ", empty where nothing was done
    - `problem`: a name from `PROBLEMS`, empty exactly where there is a number
    - `kind`: a name from `KINDS`, empty where it is not known
    - `region`: where the number is from, "001" for numbers of no country, empty where it is not known

    A number that `phonenumbers` calls valid as it is written comes back as that number or not at all.
    Cleaning a cleaned number again changes nothing with region="001"; under its own region it may be refused
    as ambiguous where the country has landlines that begin with the digits of its calling code (Germany,
    Indonesia, Kosovo).

    No text raises. Missing cells are blank. Half characters, which come from broken files and which no text
    column can hold, become U+FFFD and are refused as signs. Raises `UsageError` for an unknown region, kind
    or `several`.
    """
    _check_numbers(numbers)
    if not isinstance(several, str) or several not in ("refuse", "first"):
        raise UsageError(f'several={several!r} is not known. Choose "refuse" or "first".')
    allowed = _known_kinds(kinds)
    plans = _plans(region, len(numbers))
    texts = _texts(numbers)
    parts = [
        _cleaned(_part(texts, start, CHUNK), plans[start : start + CHUNK], several == "first", allowed)
        for start in range(0, max(len(texts), 1), CHUNK)
    ]
    columns = {
        name: pd.Series(pa.chunked_array([part[name] for part in parts]), index=numbers.index, dtype="str")
        for name in parts[0]
    }
    return pd.DataFrame(columns)


def readings(text: str, *, region: str | None) -> tuple[str, ...]:
    """All numbers that a text can be read as, in words, to show why it was refused as ambiguous.

    Such as "+39 347 123 4567 (a mobile phone, IT)". Empty where it cannot be read as any.
    """
    plans = numbering_plans()
    column = _spelled(_part(_texts(pd.Series([text])), 0, 1), _plans(region, 1))
    it = dial(column.digits, plans)
    ask(it, plans, column.unusual)
    every = np.ones(1, bool)
    found = [(it.number, it.outcome), *OtherReadings(it, plans, every, every).every]
    zeros = dial(column.with_zeros, plans)
    found.append((zeros.number, zeros.outcome))
    known = {int(number[0]): plans.outcomes[outcome[0]] for number, outcome in found if len(outcome)}
    return tuple(f"{spaced(str(n))} ({KINDS[what.kind]}, {what.region})" for n, what in known.items() if what)


def _check_numbers(numbers: object) -> None:
    if isinstance(numbers, pd.Series):
        return
    if isinstance(numbers, pd.DataFrame):
        names = ", ".join(f'"{clean(name)}"' for name in numbers.columns[:10])
        advice = (
            f'Name the column that holds the numbers, such as contacts["Phone"]. The columns are: {names}.'
        )
    elif isinstance(numbers, str):
        advice = "Write pd.Series([number])."
    elif numbers is None:
        advice = 'Give a column of a table, such as contacts["Phone"].'
    else:
        advice = "Write pd.Series(numbers)."
    raise UsageError(
        f"clean_numbers takes one column of a table (a Series), not {described(numbers)}. {advice}"
    )


def _known_kinds(kinds: object) -> frozenset[str]:
    if isinstance(kinds, str):
        kinds = [kinds]
    if not isinstance(kinds, Collection):
        raise UsageError(
            f"kinds= takes a list of kinds, not {described(kinds)}. Choose from {', '.join(KINDS)}."
        )
    if unknown := [kind for kind in kinds if not isinstance(kind, str) or kind not in KINDS]:
        raise UsageError(f"kinds= does not know {unknown[0]!r}. Choose from {', '.join(KINDS)}.")
    return frozenset(kinds)


def _texts(column: "pd.Series[Any]") -> pa.ChunkedArray:
    """The column as text."""
    if not isinstance(column.dtype, pd.StringDtype) and not pd.api.types.is_integer_dtype(column.dtype):
        column = (
            column.astype("object").map(lambda value: _whole(str(value)), na_action="ignore").astype("str")
        )
    array = pa.array(column, from_pandas=True)
    return (array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])).cast(_TEXT)


def _part(texts: pa.ChunkedArray, start: int, rows: int) -> pa.LargeStringArray:
    """Some of the texts in one array, copied only where they lie in two; missing ones are blank."""
    part = texts.slice(start, rows).combine_chunks()
    return pc.fill_null(part, "") if part.null_count else part


def _whole(text: str) -> str:
    """The text with a mark in place of each half character, which no column of text can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _plans(region: "str | pd.Series[Any] | None", size: int) -> Short:
    """For each number the place of its region's plan."""
    if not isinstance(region, pd.Series | str | None):
        raise UsageError(
            'region= takes the two-letter code of a country, such as "UG", a column of codes (a Series) or '
            f"None, not {described(region)}."
        )
    if not isinstance(region, pd.Series):
        return np.full(size, NO_PLAN if region is None else _plan(region, "region"), np.int16)
    if len(region) != size:
        raise UsageError(f"region= has {len(region)} rows, but there are {size} numbers. Give one for each.")
    codes = _part(_texts(region), 0, size).dictionary_encode()
    names, which = codes.dictionary.to_pylist(), codes.indices.to_numpy()
    firsts = dict(zip(*(values.tolist() for values in np.unique(which, return_index=True)), strict=True))
    places = [
        _plan(name, f"Row {region.index[firsts[place]]}: region") if name.strip() else NO_PLAN
        for place, name in enumerate(names)
    ]
    plans: Short = np.array(places, np.int16)[which]
    return plans


def _plan(region: str, what: str) -> int:
    code = check_region(region, what)
    return _WORLD_PLAN if code == WORLD else numbering_plans().place(code)


def _cleaned(
    texts: pa.LargeStringArray, plan: Short, first: bool, kinds: frozenset[str]
) -> dict[str, pa.LargeStringArray]:
    plans = numbering_plans()
    settled = settle(_spelled(texts, plan), texts, plans, kinds)
    if first and settled.firsts:
        rows = np.array(list(settled.firsts), np.int64)
        pieces = pa.array(settled.firsts.values(), _TEXT)
        settled.replace(rows, settle(_spelled(pieces, plan[rows]), pieces, plans, kinds))
    number = pc.if_else(pa.array(settled.problem == 0), pa.array(settled.number).cast(_TEXT), None)
    if settled.codes:
        coded = np.zeros(len(texts), bool)
        coded[list(settled.codes)] = True
        ordered = [settled.codes[row] for row in sorted(settled.codes)]
        number = pc.replace_with_mask(number, pa.array(coded), pa.array(ordered, _TEXT))
    problems = pa.array(["", *PROBLEMS], _TEXT)
    kind = pa.array([known.kind if known else "" for known in plans.outcomes], _TEXT)
    where = pa.array([known.region if known else "" for known in plans.outcomes], _TEXT)
    bits = np.flatnonzero(np.bincount(settled.repairs))
    place = np.zeros(bits.max(initial=0) + 1, np.int64)
    place[bits] = np.arange(len(bits))
    return {
        "number": number,
        "repair": pa.array([repairs_of(int(each)) for each in bits], _TEXT).take(
            pa.array(place[settled.repairs])
        ),
        "problem": problems.take(pa.array(settled.problem)),
        "kind": kind.take(pa.array(settled.outcome)),
        "region": where.take(pa.array(settled.outcome)),
    }


def _spelled(texts: pa.LargeStringArray, plan: Short) -> Column:
    """The digits of texts. Without a region 00 stands for the plus; in the world nothing needs to."""
    world = plan == _WORLD_PLAN
    column = spell(texts, np.where(world, NO_PLAN, plan).astype(np.int64))
    digits = column.digits
    rows = np.flatnonzero((digits.plan == NO_PLAN) & ~digits.plus)
    zeros = digits.take(rows).leading_zeros
    zeros[zeros == 1] = 0
    digits.start[rows] += zeros
    digits.length[rows] -= zeros
    digits.plus[rows] = (zeros > 0) | world[rows]
    column.repairs[rows[zeros > 0]] |= REPAIR_BITS["international_prefix"]
    column.repairs[rows[(zeros == 0) & world[rows]]] |= REPAIR_BITS["country_code"]
    return column
