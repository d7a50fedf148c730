"""Countries that changed all their mobile numbers: how to write an old number today.

A list that is older has the old numbers, at which nobody can be reached any more. `renumberings.txt` has
only changes that a regulator announced for every number of a range. The new number is used if the old one is
not valid any more. Where `phonenumbers` still accepts the old one, it is refused as ambiguous, because it can
be a new number with a digit missing.
"""

from pathlib import Path

import numpy as np

from campaign.contacts.phone_numbers.digit_patterns import Symbols

_FILE = Path(__file__).with_suffix(".txt")
STAYS = 254  # a digit that is the same in both forms: the dot, as a byte less that of "0"


def _symbols(form: str) -> Symbols:
    return np.frombuffer(form.encode(), np.uint8) - np.uint8(ord("0"))


_RULES = [line.split() for line in _FILE.read_text(encoding="utf-8").splitlines() if line[:1].isupper()]
# By region, pairs of an old and a new form.
RENUMBERED = {
    name: [(_symbols(old), _symbols(new)) for region, old, new in _RULES if region == name]
    for name, _, _ in _RULES
}
