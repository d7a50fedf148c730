"""The words about numbers: their kinds, what was repaired, and what is wrong and how to put it right."""

KINDS = {
    "mobile": "a mobile phone",
    "fixed_or_mobile": "a landline or a mobile phone, which the country does not tell apart",
    "fixed": "a landline",
    "toll_free": "a freephone number",
    "premium": "a premium-rate number",
    "shared_cost": "a shared-cost number",
    "voip": "an internet phone number",
    "personal": "a personal number, which rings other phones",
    "pager": "a pager",
    "uan": "a company's nationwide number",
    "voicemail": "a voice mailbox",
    "short_code": "a short code",
    "emergency": "an emergency number",
}

REPAIRS = {
    "invisible": "Invisible characters, which come along when a number is copied from a chat or a page, "
    "were taken out.",
    "quotes": "Quotation marks around the number were taken off.",
    "digits": "Digits of another script were written as 0 to 9.",
    "decimal": "The .0 that a spreadsheet puts behind amounts was taken off.",
    "first_of_several": "There are several numbers in the cell; the first was taken.",
    "international_prefix": "The zeros in front of the country code were read as +.",
    "stray_plus": "The + in front was left out, because no country code followed it.",
    "country_code": "The + in front of the country code was missing.",
    "trunk_zero": "The 0 behind the country code, which is only dialled inside the country, was left out.",
    "lost_zero": "The 0 in front was missing, as it is when a spreadsheet takes the number for an amount.",
    "fictitious": "The number is from a range that is kept for films and examples. Nobody has it.",
}

PROBLEMS = {
    "blank": "The cell is empty. Fill in the number, or leave the row out.",
    "no_digits": "There is no number in this cell. Fill it in, or empty the cell.",
    "scientific": "The spreadsheet shortened the number, as in 2.56E+11, and its last digits are lost. "
    "Format the column as text, then type or import the number again.",
    "letters": "There are letters in the cell, perhaps O for 0 or I for 1. Keep only the number.",
    "symbols": "There are signs in the cell that do not belong in a phone number. Keep only the number.",
    "several": 'There are several numbers in the cell. Keep one, or ask for the first with several="first".',
    "extension": "The number has an extension, which no SMS can reach. Give the number of a mobile phone.",
    "ambiguous": "The number can be read in two ways, and the wrong one may be a stranger. "
    "Write it with + and its country code.",
    "plus_missing": "The country has no such number, but another country has it if a + stands in front. "
    "Write the + if that is meant, otherwise correct the number.",
    "no_region": "The number has no country code, and it was not said where it is from. Write it with + and "
    'its country code, or give the country with region=, for example region="UG".',
    "unknown_country": "No country has the code behind the +. Correct the country code.",
    "too_short": "Digits are missing. Compare the number with its source and complete it.",
    "too_long": "There are too many digits. Compare the number with its source and correct it.",
    "no_such_number": "The country has no number like this. Compare it with its source. If it is from "
    "another country, write it with + and its country code.",
} | {
    kind: f"This is {words}, which cannot be relied on to receive SMS. Give a mobile number, or allow "
    f'this kind by naming "{kind}" in kinds=.'
    for kind, words in KINDS.items()
}

REPAIR_BITS = {name: 1 << place for place, name in enumerate(REPAIRS)}
PROBLEM_PLACES = {name: place for place, name in enumerate(["", *PROBLEMS])}


def repairs_of(bits: int) -> str:
    """The names of repairs that are given as bits, as the column `repair` has them."""
    return ", ".join(name for name, bit in REPAIR_BITS.items() if bits & bit)
