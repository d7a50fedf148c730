"""How many digits phone numbers can have: what tells them from amounts."""

import functools

import numpy as np

from campaign.arrow_text import Ints
from campaign.contacts.phone_numbers.libphonenumber import metadata, regions_by_code

# The kinds that belong to people. Companies have shorter ones: in Britain a free number has seven digits.
_KINDS_OF_PEOPLE = ("mobile", "fixed_line", "voip", "personal_number", "pager")
_POWERS = 10 ** np.arange(19, dtype=np.int64)


def number_lengths(numbers: Ints) -> frozenset[int]:
    """How many digits people's numbers can have in the countries of these, with and without country code.

    Empty where there are no numbers: then nothing is known. A 0 stands for no number.
    """
    numbers = numbers[numbers > 0]
    digits = np.searchsorted(_POWERS, numbers, side="right")
    beginnings = np.unique(numbers // _POWERS[np.maximum(digits - 3, 0)])
    codes = {_calling_code(str(beginning)) for beginning in beginnings.tolist()} - {0}
    return frozenset().union(*map(_lengths, codes))


def _calling_code(beginning: str) -> int:
    """The calling code with which a number begins, 0 if there is none; no code begins with another one."""
    codes = (int(beginning[:width]) for width in (1, 2, 3))
    return next((code for code in codes if code in regions_by_code()), 0)


@functools.cache
def _lengths(code: int) -> frozenset[int]:
    regions = [metadata(code, region) for region in regions_by_code()[code]]
    kinds = [getattr(region, name) for region in regions for name in _KINDS_OF_PEOPLE if region is not None]
    national = {length for kind in kinds if kind is not None for length in kind.possible_length if length > 0}
    return frozenset(national | {len(str(code)) + length for length in national})
