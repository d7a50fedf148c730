"""Contacts as an export has them, in any number, and the message that goes to them."""

import numpy as np
import pandas as pd

MESSAGE = "Hi {first_name}, your visit to {clinic} is on {visit_date}. Please bring your card and come at 9."
NAMES = np.array(
    ["Grace", "Joseph", "Nakato Sarah", "Okello James", "Mary", "John", "Ibrahim", "Esther", "José", "Zoë",
     "O’Brien", "Achieng", "Mwangi", "Namukasa", "Peter", "Ruth", "Samuel", "Agnes", "Ŋabo", "Hope"]
)  # fmt: skip
CLINICS = np.array(["Mulago", "Nsambya", "Gulu Main", "Kisenyi IV", "Kawempe"])


NETWORKS = ("77", "78", "70", "75", "76", "74")  # so that ten million numbers are different as a rule
PIECE = 500_000  # rows of a large file that are made together


def dirty_rows(count, seed=7):
    """Contacts as an export has them: numbers in six spellings, about one row in five of no use."""
    chance = np.random.default_rng(seed)
    digits = pd.Series(chance.integers(0, 10_000_000, count)).astype("str").str.zfill(7)
    spelling = pd.Series(chance.integers(0, 100, count))
    phone = ("077" + digits).where(spelling < 40, "+25677" + digits)
    phone = phone.where(spelling < 60, "25677" + digits)
    phone = phone.where(spelling < 70, "0772 " + digits.str[:3] + " " + digits.str[3:6])
    phone = phone.where(spelling < 80, "77" + digits)
    phone = phone.where(spelling < 86, "(077) " + digits.str[:3] + "-" + digits.str[3:])
    phone = phone.where(spelling < 88, "O77" + digits)
    phone = phone.where(spelling < 90, "")
    phone = phone.where(spelling < 92, "0414" + digits.str[:6])
    phone = phone.where(spelling < 95, "077" + digits.str[:5])
    phone = phone.where(spelling < 97, "2.56772E+11")
    phone = phone.where(spelling < 98, "077" + digits + " / 0701" + digits.str[:6])
    days = pd.Series(np.datetime64("2026-01-01") + chance.integers(0, 300, count))
    names = pd.Series(NAMES[chance.integers(0, len(NAMES), count)]).where(
        pd.Series(chance.random(count)) > 0.02, ""
    )
    return pd.DataFrame(
        {
            "First name": names,
            "Phone": phone,
            "Visit date": days.dt.strftime("%Y-%m-%d"),
            "Clinic": CLINICS[chance.integers(0, len(CLINICS), count)],
            "Card": "K-" + digits,
            "Remark": "seen by the nurse",
        }
    ).astype("str")


def write_large_csv(path, count):
    """Write as many of these rows to a csv file, piece by piece, of people on all networks."""
    with path.open("w", encoding="utf-8", newline="") as file:
        for number, start in enumerate(range(0, count, PIECE)):
            rows = dirty_rows(min(PIECE, count - start), seed=number)
            chosen = np.random.default_rng([number, 1]).integers(0, len(NETWORKS), len(rows))
            for network, digits in enumerate(NETWORKS):
                other = rows["Phone"].str.replace("77", digits, n=1, regex=False)
                rows["Phone"] = rows["Phone"].where(chosen != network, other)
            rows.to_csv(file, index=False, header=start == 0)
