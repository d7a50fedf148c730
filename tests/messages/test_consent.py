"""Columns that tell who wants messages, in the words of the tools that export them, and nobody uses them."""

import re

import pandas as pd
import pytest

import campaign

# A header, the cells below it, and of whom it is clear that they are to be texted: as many letters as rows.
TOLD = """
Consent | ?/ | ..
OK to text? | ask first/ | ..
Opted out | maybe/ | .y
Status | SUBSCRIBED/UNSUBSCRIBED/CLEANED/PENDING/ | y....
status | subscribed/unsubscribed/non-subscribed | y..
Email Marketing Status | Subscribed/Unsubscribed/Non-Subscribed | y..
SMS Marketing Status | SUBSCRIBED/NOT_SUBSCRIBED/PENDING/REDACTED | y...
Status | Active/Unsubscribed/Bounced | y..
Tags | VIP/Unsubscribed/ | y.y
Phone Blacklisted | true/false/ | .yy
SMS Blacklisted | Yes/No | .y
Blacklisted? | x/ | .y
UNSUB_TIME | 2025-03-01 10:11:12//null | .yy
Unsubscribe date | /03.11.2025/12 Nov 2025/2025-11-12T08:00:00Z/Mar 3, 2025 10:15 AM | y....
Unsubscribed at | /1731400000/45321 | y..
OPT_OUT_AT | 0000-00-00 00:00:00/2025-03-01/- | y.y
Unsubscribed | 2025-01-02/ | .y
Opt-out reason | moved away/ | .y
Opt-out | opted_in/opted_out/ | y.y
Opt In/Opt Out | Opted In/Opted Out/ | y..
sms_opt | opted_in/opted_out/ | y..
Consent | granted/withdrawn/denied/ | y...
ad_storage consent | granted/denied | y.
Accepts SMS Marketing | yes/no/NO | y..
SMS Consent | TRUE/FALSE/ | y..
Consent Timestamp | 2025-03-01T10:11:12+00:00/2025-03-02T10:11:12+00:00/ | yy.
Opted out of email | true/false/ | .yy
Unsubscribed from all email | true/false | .y
HasOptedOutOfEmail | TRUE/FALSE | .y
SMS_Opt_Out__c | true/false | .y
DoNotCall | 1/0 | .y
smsOptIn | True/False | y.
WhatsApp opt-in | yes/no/pending | y..
DND | TRUE//DND/Full DND/1 | .y...
OptOutType | STOP//START | .yy
Do Not Contact | x// | .yy
Do not phone | Allow/Do Not Allow | y.
Suppressed | 1/0 | .y
GDPR consent | given/not given/revoked/? | y...
Marketing consent withdrawn | TRUE/FALSE | .y
Consent withdrawn on | 2025-01-01/ | .y
Consent (Y/N) | Y/N/ | y..
Agreed to receive SMS? Y/N | Y/N/ | y..
Accord SMS | oui/non/Oui/peut-être | y.y.
Désabonné | oui/non/Oui | .y.
Date de désabonnement | 12.03.2025/ | .y
Einwilligung | erteilt/widerrufen/nicht erteilt/ausstehend | y...
Einwilligung widerrufen am | 01.02.2025/ | .y
Consentimiento | sí/no/SI/pendiente | y.y.
Estado | Suscrito/Dado de baja | y.
Consentimento | Sim/Não/não | y..
Ridhaa | Ndiyo/Hapana/ | y..
consent | 1/0/99 | y..
Consent to SMS | yes/refused/don't know | y..
Consent | yes//? | y..
Consent | yes/yes?/maybe/call her/pending/asked/99 | y......
Consent | no/no | ..
person%consent_sms | yes/no/n%a | y..
No SMS | x//call her | .y.
SMS | yes/no//? | y...
Preference | Do not contact/Call/SMS | .yy
Mobile opt-in | t/f | y.
""".strip().splitlines()
# Columns of something else, or from which nobody has to be left out.
SILENT = """
SMS | 0/1/2/3
SMS | 12/4/1/0
No. of texts | 1/0
No of SMS | 1/0
Nombre de SMS | 1/0
No. of opt-outs | 1/0
Status | active/closed
Order status | active/cancelled/refused
Loan status | granted/denied
Message status | delivered/failed
SMS sent | yes/no
Has WhatsApp | yes/no
Promo code | X/NO
Contact person | yes/no
Call notes | do not call/no answer/yes
Next call date | 2025-01-01/
Last contacted | 2025-01-01/
Stop date | 2025-01-01/
Bus stop | Kampala Road/x
Email subscribed | yes/no
Subscription plan | basic/premium
Subscription status | active/cancelled
Blocked card | yes/no
Opt-out deadline | 2025-01-01/2025-01-02
Unsubscribe URL | example.org 1/example.org 2
Consent form no. | 1/2/3
Consent | yes/Yes
Consent | /
Consent date | 2025-01-01/2025-01-05
Optional | yes/no
Given name | Ann/Ben
""".strip().splitlines()


def table_of(line):
    """A table with that column beside names and phones; the cells of a csv."""
    header, cells, *wanted = [part.strip() for part in line.split(" | ")]
    cells = [cell.strip().replace("%", "/") for cell in cells.split("/")]
    people = {
        "Name": [f"P{n}" for n in range(len(cells))],
        "Phone": [f"0772 000 {n:03}" for n in range(len(cells))],
    }
    return pd.DataFrame(people | {header.replace("%", "/"): cells}, dtype="str"), *wanted


def prepare(contacts, **options):
    return campaign.prepare(contacts, message="Come on Monday.", sender="CLINIC", region="UG", **options)


def unused(plan):
    return plan.issues.query("code == 'unused_marks'")


@pytest.mark.parametrize("line", TOLD)
def test_a_column_that_nobody_uses_is_named_and_the_line_leaves_out_whoever_has_no_clear_yes(line):
    table, wanted = table_of(line)
    contacts = campaign.read_contacts(table.to_csv(index=False).encode())
    plan = prepare(contacts)
    assert plan.addressing.columns == ("Phone",)
    (issue,) = unused(plan).to_dict("records")
    assert (issue["column"], issue["severity"]) == (table.columns[-1], "warning")
    python = re.search(r"~?contacts\[.*\)(?=\.$)", issue["detail"])[0]
    left_out = prepare(contacts, opt_outs=eval(python, {"contacts": contacts}))
    reached = ["." if status == "opted_out" else "y" for status in left_out.contacts["status"]]
    assert "".join(reached) == wanted
    assert unused(left_out).empty


@pytest.mark.parametrize("line", SILENT)
def test_a_column_of_something_else_is_no_alarm(line):
    table, *_ = table_of(line)
    assert unused(prepare(campaign.read_contacts(table.to_csv(index=False).encode()))).empty


@pytest.mark.parametrize("ending", ["csv", "xlsx", "ods", "parquet"])
def test_it_is_named_in_every_kind_of_file_streamed_or_not(ending, tmp_path):
    path = tmp_path / f"people.{ending}"
    table = pd.DataFrame(
        {"Phone": ["0772000001", "0772000002", "0772000003"], "Opted out": [True, False, None]}
    )
    if ending == "csv":
        table.to_csv(path, index=False)
    elif ending == "parquet":
        table.to_parquet(path)
    else:
        table.to_excel(path, index=False)
    for stream in (False, True):
        assert unused(prepare(path, stream=stream))["column"].tolist() == ["Opted out"]
    assert unused(prepare(table))["column"].tolist() == ["Opted out"]


def test_a_blank_row_and_a_line_of_totals_have_not_refused():
    lines = "Name,Phone,Consent\nAnn,0772000001,yes\n,,\nBen,0772000002,Yes\nTotal,2,\n"
    assert unused(prepare(campaign.read_contacts(lines.encode()))).empty
    assert len(unused(prepare(campaign.read_contacts(f"{lines}Cas,0772000003,\n".encode())))) == 1


def test_many_dates_are_told_by_a_line_that_names_none():
    rows = "".join(f"P{n},0772000{n:03},{f'2025-01-01 10:{n:02}' if n % 2 else ''}\n" for n in range(60))
    for header, wanted in (("Unsubscribed at", 0), ("SMS opt-in date", 1)):
        contacts = campaign.read_contacts(f"Name,Phone,{header}\n{rows}".encode())
        (issue,) = unused(prepare(contacts)).to_dict("records")
        python = re.search(r"~contacts\[.*\)(?=\.$)", issue["detail"])[0]
        assert len(python) < 80
        status = prepare(contacts, opt_outs=eval(python, {"contacts": contacts})).contacts["status"]
        assert set(status[wanted::2]) == {"not_sent"}
        assert set(status[1 - wanted :: 2]) == {"opted_out"}
