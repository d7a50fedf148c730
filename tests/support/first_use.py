"""A new program in which eight threads use the package for the first time in the same moment.

Each thread has another country. It prints what differs from what one thread alone would get, nothing if all
is right. Arguments: what to try (see `TRIES`) and a folder.
"""

import sys
import threading
import warnings
from pathlib import Path

import pandas as pd

import campaign

PEOPLE = {  # country: as written there, as sent to
    "UG": ("0772000012", "256772000012"),
    "KE": ("0712 345 678", "254712345678"),
    "GB": ("07400 123456", "447400123456"),
    "DE": ("0151 23456789", "4915123456789"),
    "FR": ("06 12 34 56 78", "33612345678"),
    "TZ": ("0621-234-567", "255621234567"),
    "ZA": ("071 123 4567", "27711234567"),
    "IN": ("08123456789", "918123456789"),
}
LANGUAGES = ("en", "fr")


def table(country):
    written, _ = PEOPLE[country]
    return pd.DataFrame({"phone": [written], "name": ["Zoë"], "day": ["2026-03-05"]})


def plan(country):
    return campaign.prepare(table(country), message="Hi {name} 🙂", sender="CLINIC", region=country)


def cleaned(country, place):
    return campaign.clean_numbers(table(country)["phone"], region=country)["number"].tolist()


def prepared(country, place):
    return plan(country).messages["number"].tolist()


def read(country, place):
    path = place / f"{country}.csv"
    table(country).to_csv(path, index=False)
    contacts = campaign.read_contacts(path)
    return campaign.prepare(contacts, message="Hi", sender="A", region=country).messages["number"].tolist()


def dated(country, place):
    texts = {language: f"{language} {{name}}: {{day:%-d %B %Y@{language}}}" for language in LANGUAGES}
    people = table(country).assign(language=[LANGUAGES[[*PEOPLE].index(country) % 2]])
    made = campaign.prepare(people, message=texts, sender="CLINIC", region=country, language="language")
    month = {"en": "March", "fr": "mars"}[people["language"][0]]
    assert made.messages["message"].tolist() == [f"{people['language'][0]} Zoë: 5 {month} 2026"]
    return made.messages["number"].tolist()


def sent(country, place):
    """Sent, read again and written as a report."""
    result = campaign.send(plan(country), name=f"visits {country}", progress=False)
    assert result.messages["status"].tolist() == ["accepted"]
    page = campaign.write_report(result, place / f"{country}.html").read_text(encoding="utf-8")
    assert "</html>" in page
    again = campaign.load_result(result.folder)
    campaign.write_report(again, place / f"{country}.xlsx")
    assert again.contacts["status"].tolist() == ["accepted"]
    return again.messages["number"].tolist()


def sent_to_one_sandbox(country, place):
    with sandbox_made:
        if not sandboxes:
            sandboxes.append(campaign.Sandbox())
            sandboxes[0].__enter__()
    one = sandboxes[0]
    campaign.Account("local", one.account.url, "sandbox", "none")
    result = campaign.send(plan(country), account=one, name=f"of {country}", progress=False)
    return result.messages["number"].tolist()


TRIES = {one.__name__: one for one in (cleaned, prepared, read, dated, sent, sent_to_one_sandbox)}
sandboxes, sandbox_made = [], threading.Lock()


def main(what, place):
    warnings.simplefilter("error")
    barrier, wrong = threading.Barrier(len(PEOPLE)), []

    def use(country):
        barrier.wait()
        try:
            numbers = TRIES[what](country, place)
        except Exception as error:
            numbers = repr(error)
        if numbers != [PEOPLE[country][1]]:
            wrong.append(f"{country}: {numbers}")

    threads = [threading.Thread(target=use, args=(country,)) for country in PEOPLE]
    sys.setswitchinterval(1e-6)  # seconds: the interpreter turns to another thread as often as it can
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for sandbox in sandboxes:
        sandbox.__exit__(None, None, None)
    print(*wrong, sep="\n", end="")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
