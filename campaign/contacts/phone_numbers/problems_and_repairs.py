"""The codes of kinds, repairs and problems, each with the words that explain it to the user."""

KINDS = {
    "mobile": "a mobile phone",
    "fixed_or_mobile": "a landline or a mobile phone",
    "fixed": "a landline",
    "toll_free": "a freephone number",
    "premium": "a premium-rate number",
    "shared_cost": "a shared-cost number",
    "voip": "an internet phone number",
    "personal": "a personal number that forwards calls",
    "pager": "a pager",
    "uan": "a company-wide number",
    "voicemail": "a voicemail number",
}
MOBILE_KINDS = ("mobile", "fixed_or_mobile")  # some countries have one range for both

REPAIRS = {
    "invisible": "Invisible characters, often copied from a chat or a web page, were removed.",
    "quotes": "Quotation marks or equals signs around the number were removed.",
    "link": "What an app or a link adds to the number, such as tel:, p:, whatsapp: or wa.me/, was removed.",
    "digits": "Digits of another script were changed to 0 to 9.",
    "decimal": "The .0 that a spreadsheet adds to amounts was removed.",
    "first_of_several": "The cell contains several numbers. The first one was used.",
    "international_prefix": "The zeros before the country code were read as +.",
    "country_code": "The + before the country code was missing. The number was read with it.",
    "trunk_zero": "The 0 after the country code was removed. It is only dialled inside the country.",
    "lost_zero": "The 0 at the start was missing. Spreadsheets remove it when they store the number as an "
    "amount.",
    "renumbered": "The number was written as before its country changed all numbers. The new form was used.",
    "fictitious": "The number is reserved for films and examples. Nobody has it.",
}
CHANGES = frozenset(REPAIRS) - {"fictitious"}  # nothing was changed in a number that is only remarked on

PROBLEMS = {
    "blank": "The cell is empty. Enter the number, or delete the row.",
    "no_digits": "There is no number in the cell. Enter it, or remove the row.",
    "scientific": "The number was shortened, as in 2.56E+11 or by a type such as float32, and its last "
    'digits are lost. Format the column as text (in pandas: dtype="str"), then enter or import it again.',
    "letters": "The cell contains letters, such as a word beside the number, O for 0 or I for 1. Keep only "
    "the number.",
    "symbols": "The cell contains characters that do not belong in a phone number. Keep only the number.",
    "several": 'The cell contains several numbers. Keep one, or use the first with several="first".',
    "extension": "The number seems to have an extension (x5, ext 5), which SMS cannot reach, or an x that "
    "was typed by mistake. Enter a mobile number, in digits only.",
    "ambiguous": "The number can be read in two ways, and the wrong one may belong to a stranger. "
    "Write it with + and its country code, as it is dialled today.",
    "plus_missing": "The country has no such number, but another country has it if you add a + in front. "
    "Add the + if that is right. Otherwise correct the number.",
    "no_region": "The number does not begin with + and a country code, and no country was given. Write it "
    'with both, or give the country with region=, for example region="UG".',
    "unknown_country": "No country has the code after the +. Correct the country code.",
    "too_short": "The number has too few digits. Compare it with its source and complete it.",
    "too_long": "The number has too many digits, or the cell contains two numbers. Compare it with its "
    "source and correct it.",
    "no_such_number": "The country has no number like this. Compare it with its source and correct it. If it "
    "is from another country, write it with + and its country code.",
    "short_code": "This is a short code, to which no SMS can be sent. Enter a mobile number.",
    "emergency": "This is an emergency number, to which no SMS can be sent. Enter a mobile number.",
} | {
    kind: f'This is {words}, a kind that was left out. To send to it, add "{kind}" to kinds=.'
    if kind in MOBILE_KINDS
    else f"This is {words}, which may not receive SMS. Enter a mobile number. To send to it anyway, add "
    f'"{kind}" to kinds=.'
    for kind, words in KINDS.items()
}

REPAIR_BITS = {name: 1 << position for position, name in enumerate(REPAIRS)}
PROBLEM_INDEXES = {name: index for index, name in enumerate(["", *PROBLEMS])}


def repair_names(bits: int) -> str:
    """The names of the repairs in these bits, as in the column `repair`."""
    return ", ".join(name for name, bit in REPAIR_BITS.items() if bits & bit)
