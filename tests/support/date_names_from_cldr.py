"""The names of months and days from CLDR: run as a script, it writes `date_names.json` of the templates.

For each language: its name, also in English, the names of months and days as texts have them, how it writes
a day, and every way in which spreadsheets may have these names. Babel is needed here only.
"""

import json
import re
import unicodedata
from pathlib import Path

from babel import Locale

PLACE = Path(__file__).parents[2] / "campaign" / "messages" / "templates" / "date_names.json"
LANGUAGES = (
    *("en", "fr", "es", "pt", "sw", "de", "it", "lg", "am", "ar", "ha", "so", "hi", "rw", "yo", "ig", "zu"),
    *("om", "ti", "bn", "ur", "id", "vi", "tr", "pl", "ru", "uk", "nl", "cs", "hr", "sk", "ny", "sn", "xh"),
    *("af", "mg", "ln", "rn", "ro", "hu", "el", "sv", "da", "nb", "fi", "bg", "ms", "fil", "ta", "te", "mr"),
    *("gu", "pa", "ne", "th"),
)
OTHER_COUNTRIES = {  # with names of their own for months or days
    "en": ["en_GB"],
    "fr": ["fr_CA"],
    "es": ["es_MX"],
    "pt": ["pt_PT"],
    "de": ["de_AT"],
    "ar": ["ar_SY", "ar_MA", "ar_DZ", "ar_TN", "ar_SA", "ar_MR"],
    "sw": ["sw_KE"],
    "so": ["so_KE"],
    "ur": ["ur_IN"],
    "ro": ["ro_MD"],
}
# Eritrea and Ethiopia give these names to months of two calendars, so they are written, and never read.
OF_TWO_CALENDARS = ("ti", "om")
# What CLDR says of days in a text of its own, and not of days inside one, or for another country only.
DAYS = {"en": ("%-d %B", "%A %-d %B"), "es": ("%-d de %B", "%A %-d de %B"), "sw": ("%-d %B", "%A %-d %B")}
FIRST = {"fr": "1er"}  # the first of a month
SHORT = {  # what people write, and CLDR has not
    "en": {9: ["sept"]},
    "fr": {2: ["fev", "févr"], 7: ["juil", "jul"], 8: ["aou"], 12: ["dec"]},
    "es": {1: ["en"], 9: ["setiembre", "set", "sep"]},
    "de": {1: ["Jänner"], 3: ["Mrz", "Maerz"], 5: ["Mai"]},
    "id": {8: ["Agu", "Agt"], 11: ["Nop", "Nopember"]},
    "pl": {11: ["listopad"]},
}
DIRECTIVES = {"d": "%-d", "MMMM": "%B", "EEEE": "%A"}


def date_names():
    """The whole table, as the file has it."""
    return {code: of_language(code) for code in LANGUAGES}


def of_language(code):
    main = Locale.parse("en_GB" if code == "en" else code)
    read = [Locale.parse(name) for name in (code, *OTHER_COUNTRIES.get(code, []))]
    day, weekday = DAYS.get(code) or (pattern(main.datetime_skeletons["MMMMd"]), of_weekday(main))
    months = [spellings(read, "months", number) for number in range(1, 13)]
    for number, more in SHORT.get(code, {}).items():
        months[number - 1] = sorted({*months[number - 1], *more})
    days = [spellings(read, "days", number) for number in range(7)]
    is_read = code not in OF_TWO_CALENDARS
    return {
        "name": main.get_language_name(),
        "english": main.get_language_name("en"),
        "months": [written(main.months["format"]["wide"][number]) for number in range(1, 13)],
        "days": [written(main.days["format"]["wide"][number]) for number in range(7)],
        "day": day,
        "weekday": weekday,
        "first": FIRST.get(code, "1"),
        "months_read": months if is_read else [],
        "days_read": days,
    }


def of_weekday(locale):
    """How a language writes the name of a day, the day and the month: its full date without the year."""
    skeleton = locale.datetime_skeletons.get("MMMMEEEEd")
    if skeleton is not None:
        return pattern(skeleton)
    short = pattern(locale.datetime_skeletons["MMMMd"])
    full = locale.date_formats["full"].pattern
    between = re.match(r"EEEE((?:[^A-Za-z']|'[^']*')+)", full)
    return "%A" + (between[1].replace("'", "") if between else ", ") + short


def pattern(skeleton):
    """A pattern of CLDR, d 'de' MMMM, as a format of this package: %-d de %B."""
    pieces = re.findall(r"'([^']*)'|([A-Za-z]+)|([^A-Za-z']+)", skeleton.pattern)
    return "".join(quoted or DIRECTIVES.get(letters, "") or between for quoted, letters, between in pieces)


def spellings(locales, kind, number):
    """Each way in which a language writes a month or a day, alone and in a date, in full and cut."""
    found = set()
    for locale in locales:
        names = getattr(locale, kind)
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                found.add(written(names[context][width][number]))
    # English "Sat" is a day everywhere, and no month, which Hausa cuts to three letters, too.
    days = {*Locale("en").days["format"]["abbreviated"].values()} if kind == "months" else set()
    return sorted(name for name in found if not re.fullmatch(r"[\W\d]*", name) and name not in days)


def written(name):
    return unicodedata.normalize("NFC", name)


def as_file():
    """The table as the file has it: a language in a few lines, so that changes can be read."""
    lines = []
    for code, names in date_names().items():
        fields = ",\n  ".join(
            f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in names.items()
        )
        lines.append(f"{json.dumps(code)}: {{\n  {fields}\n}}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    PLACE.write_text(as_file(), encoding="utf-8", newline="\n")
