"""Made-up phone numbers as people write them: the examples of phonenumbers, varied, formatted and damaged."""

import random
import re

import phonenumbers
from phonenumbers import PhoneMetadata

TYPES = (
    "fixed_line",
    "mobile",
    "toll_free",
    "premium_rate",
    "shared_cost",
    "voip",
    "personal_number",
    "pager",
    "uan",
    "voicemail",
)
REGIONS = sorted(phonenumbers.SUPPORTED_REGIONS)
CHARACTERS = " -.()/+~[]*#'\"\u200b\u200e\u00a0\u3000،,;:xX+٠٣７０²&oOlI\t\n–−＋=$?_%^<>{}|\\eE"


def examples():
    """(region, calling code, national and international prefix, number) for every type of every region."""
    rows = []
    for region in REGIONS:
        metadata = PhoneMetadata.metadata_for_region(region)
        code, prefix = str(metadata.country_code), metadata.national_prefix or ""
        abroad = re.match(r"\d*", metadata.international_prefix or "00")[0]
        for kind in TYPES:
            description = getattr(metadata, kind)
            if description is not None and description.example_number:
                rows.append((region, code, prefix, abroad, description.example_number))
    return rows


EXAMPLES = examples()


def mutated(rng, number):
    """The number, often with some digits changed and sometimes with one added or removed."""
    digits = list(number)
    chance = rng.random()
    if chance < 0.4:
        return number
    for _ in range(rng.randint(1, 6)):
        digits[rng.randrange(len(digits))] = rng.choice("0123456789")
    if chance < 0.6:
        digits.insert(rng.randrange(len(digits)), rng.choice("0123456789"))
    elif chance < 0.7:
        digits.pop(rng.randrange(len(digits)))
    return "".join(digits)


def formats(code, prefix, abroad, number):
    """One number in nine formats."""
    grouped = " ".join((number[:3], number[3:6], number[6:])).strip()
    return (
        number,
        prefix + number,
        f"{prefix}{number[:3]}-{number[3:]}",
        f"({prefix}{number[:2]}) {number[2:]}",
        f"+{code}{number}",
        f"+{code} {grouped}",
        f"+{code}{prefix}{number}",
        f"{abroad}{code}{number}",
        f"{code}{number}",
    )


def generated(seed, size):
    """Numbers of all regions and types in nine formats, read mostly in their own region."""
    rng = random.Random(seed)
    rows = []
    for _ in range(size):
        region, code, prefix, abroad, number = rng.choice(EXAMPLES)
        text = rng.choice(formats(code, prefix, abroad, mutated(rng, number)))
        rows.append((text, region if rng.random() < 0.8 else rng.choice(REGIONS)))
    return rows


def mixed(seed, size):
    """What contact lists of five countries contain: five in six can be read, the others are damaged."""
    rng = random.Random(seed)
    return [_contact(rng, *rng.choice(LISTS)) for _ in range(size)]


# Region, calling code, national prefix, first digits of mobile numbers, digits after them, first digits of a
# landline.
LISTS = (
    ("UG", "256", "0", ("77", "78", "70", "75"), 7, "0414"),
    ("KE", "254", "0", ("71", "72", "79"), 7, "020"),
    ("GB", "44", "0", ("74", "77", "78"), 8, "020"),
    ("IN", "91", "0", ("98", "99", "70", "91"), 8, "011"),
    ("US", "1", "", ("415", "202", "212"), 7, "800"),
)


def _contact(rng, region, code, prefix, mobile_starts, more, landline_start):
    number = rng.choice(mobile_starts) + "".join(rng.choices("0123456789", k=more))
    grouped = f"{number[:3]} {number[3:6]} {number[6:]}"
    usual = (
        (28, prefix + number),
        (16, f"+{code}{number}"),
        (10, f"+{code} {grouped}"),
        (10, prefix + grouped),
        (10, code + number),
        (8, number),
        (5, f"{prefix}{number[:3]}-{number[3:6]}-{number[6:]}"),
    )
    damaged = (
        (2.5, f"00{code}{number}"),
        (1.5, f"+{code} (0){number}"),
        (2, f"{code}{number}.0"),
        (1.5, number[:-1]),
        (1.5, f"{prefix}{number}1"),
        (1, ""),
        (1, landline_start + number[:7]),
        (0.4, f"'{prefix}{number}"),
        (0.6, f"\u200e+{code}{number}"),
        (0.4, f"{prefix}{number} ext 5"),
        (0.3, f"{prefix}{number} / {prefix}{number}"),
        (0.2, f"O{number}"),
        (0.1, "2.56772E+11"),
    )
    weights, texts = zip(*usual, *damaged, strict=True)
    return rng.choices(texts, weights)[0], region


def fuzzed(seed, size):
    """Random punctuation, plus signs, letters, digits of other scripts and stray prefixes."""
    rng = random.Random(seed)
    rows = []
    for _ in range(size):
        region, code, prefix, abroad, number = rng.choice(EXAMPLES)
        stray = rng.choice(("", "", "", "0", "00", "+", "(0)", abroad, code, prefix))
        text = stray + rng.choice(formats(code, prefix, abroad, mutated(rng, number)))
        characters = rng.choice((CHARACTERS, CHARACTERS, " -.()/", "~[]*-–−　​", "+,;#'\"<>?"))
        for _ in range(rng.randint(0, 4)):
            position = rng.choice((0, len(text), rng.randint(0, len(text))))
            text = text[:position] + rng.choice(characters) * rng.choice((1, 1, 1, 2)) + text[position:]
        if rng.random() < 0.15:
            text = "".join(rng.choices("0123456789" + CHARACTERS, k=rng.randint(0, 24)))
        rows.append((text, region if rng.random() < 0.7 else rng.choice(REGIONS)))
    return rows
