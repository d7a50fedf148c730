"""The names of months and days in the languages that texts may write dates in: `{visit_date:%-d %B@fr}`.

They are here, and not taken from the machine, so that a spreadsheet gives the same texts everywhere.
"""

from typing import NamedTuple


class DateNames(NamedTuple):
    """A language by its own name, its months from January on and its days from Monday on.

    `day` and `weekday` are how it writes a day of the year, without and with the name of the day, and
    `first` is how it writes the number of the first of a month before the name of that month.
    """

    name: str
    months: tuple[str, ...]
    days: tuple[str, ...]
    day: str = "%-d %B"
    weekday: str = "%A %-d %B"
    first: str = "1"


ENGLISH = DateNames(
    "English",
    (
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ),
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
)  # fmt: skip
DATE_NAMES = {
    "en": ENGLISH,
    "fr": DateNames(
        "français",
        (
            "janvier", "février", "mars", "avril", "mai", "juin",
            "juillet", "août", "septembre", "octobre", "novembre", "décembre",
        ),
        ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
        first="1er",
    ),
    "es": DateNames(
        "español",
        (
            "enero", "febrero", "marzo", "abril", "mayo", "junio",
            "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
        ),
        ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
        "%-d de %B",
        "%A %-d de %B",
    ),
    "pt": DateNames(
        "português",
        (
            "janeiro", "fevereiro", "março", "abril", "maio", "junho",
            "julho", "agosto", "setembro", "outubro", "novembro", "dezembro",
        ),
        (
            "segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado",
            "domingo",
        ),
        "%-d de %B",
        "%A, %-d de %B",
    ),
    "sw": DateNames(
        "Kiswahili",
        (
            "Januari", "Februari", "Machi", "Aprili", "Mei", "Juni",
            "Julai", "Agosti", "Septemba", "Oktoba", "Novemba", "Desemba",
        ),
        ("Jumatatu", "Jumanne", "Jumatano", "Alhamisi", "Ijumaa", "Jumamosi", "Jumapili"),
    ),
    "de": DateNames(
        "Deutsch",
        (
            "Januar", "Februar", "März", "April", "Mai", "Juni",
            "Juli", "August", "September", "Oktober", "November", "Dezember",
        ),
        ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
        "%-d. %B",
        "%A, %-d. %B",
    ),
    "it": DateNames(
        "italiano",
        (
            "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno",
            "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre",
        ),
        ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"),
    ),
}  # fmt: skip
