"""The codes of kinds, repairs and problems of numbers; what each means stands in `words.codes`."""

from campaign.words.codes import KINDS_OF_NUMBERS

KINDS = KINDS_OF_NUMBERS

MOBILE_KINDS = ("mobile", "fixed_or_mobile")  # some countries have one range for both
REPAIRS = (
    "invisible", "quotes", "link", "digits", "decimal", "first_of_several", "international_prefix",
    "country_code", "trunk_zero", "lost_zero", "renumbered", "fictitious",
)  # fmt: skip
CHANGES = frozenset(REPAIRS) - {"fictitious"}  # nothing was changed in a number that is only remarked on
PROBLEMS = (
    "blank", "no_digits", "scientific", "letters", "symbols", "several", "extension", "ambiguous",
    "plus_missing", "no_region", "unknown_country", "too_short", "too_long", "no_such_number", "short_code",
    "emergency", *KINDS,
)  # fmt: skip

REPAIR_BITS = {name: 1 << position for position, name in enumerate(REPAIRS)}
PROBLEM_INDEXES = {name: index for index, name in enumerate(["", *PROBLEMS])}


def repair_names(bits: int) -> str:
    """The names of the repairs in these bits, as in the column `repair`."""
    return ", ".join(name for name, bit in REPAIR_BITS.items() if bits & bit)
