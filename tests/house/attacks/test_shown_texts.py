"""What contacts and the service wrote is shown as text, and numbers in it are masked."""

import logging
import re
import traceback
from pathlib import Path

import pandas as pd
import pytest
from support.fixed_answers import failing_with
from support.hostile_texts import ESCAPES, IMAGE
from support.small_campaigns import contacts_of, people, plan_for
from support.widget_tree import html_of

import campaign
from campaign.cli.main import main
from campaign.notebook.dashboard import Dashboard

# What moves a terminal's cursor or turns the text that follows it.
UNSEEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_markup_is_escaped_wherever_it_is_shown(tmp_path):
    """In a header, a cell, the text, the folder and what the service says."""
    header = f'"{IMAGE}",name,phone'
    contacts = contacts_of(
        f"{IMAGE},{IMAGE},0772000001", f"x,{IMAGE},{IMAGE}", "y,Ben,0772000003", header=header
    )
    plan = plan_for(contacts, message=f"Hi {{name}} {IMAGE}", as_written=True)

    def act(account):
        run = campaign.start(plan, account=account, folder=tmp_path / IMAGE, batch_size=1)
        result = run.wait()
        yield from (html_of(Dashboard(run)), html_of(campaign.summary(result)))  # as the run is held
        run.stop()
        page = campaign.write_report(result, "report.html").read_text("utf-8")
        tried = campaign.try_out(plan, account, number="+256 772 000 999", folder="tried")
        frames = [contacts, plan.messages, plan.issues, result.batches, result.follow_up()]
        for one in (plan, plan.preview(), result, tried, *frames):
            yield one._repr_html_()
        yield page

    shown = failing_with(IMAGE, lambda account: list(act(account)))
    assert len(shown) == 12
    for one in shown:
        assert "<img" not in one
    assert [place for place, one in enumerate(shown) if "&lt;img" not in one] == []


def test_no_escape_of_the_service_reaches_a_terminal(plan, monkeypatch, caplog, capfd):
    """Neither in a repr, a sentence, a table, an error or a log, nor in what the commands print."""
    said = f"Refused{ESCAPES}\r\ncampaign: all was accepted \u202eand ask 256772000012"
    caplog.set_level(logging.DEBUG)

    def act(account):
        run = campaign.start(plan, account=account, folder="visits", batch_size=1)
        result = run.wait()
        run.stop()
        tried = campaign.try_out(plan, account, number="+256 772 000 999", folder="tried")
        for name, value in (("URL", account.url), ("USERNAME", "clinic"), ("PASSWORD", "made up")):
            monkeypatch.setenv(f"CAMPAIGN_SANDBOX_{name}", value)
        Path("visits.csv").write_text("name,phone\nAisha,0772000001\n")
        send = ["visits.csv", "--message", "Hi", "--sender", "CLINIC", "--region", "UG"]
        main(["send", *send, "--environment", "sandbox", "--folder", "by-command"])
        main(["status", "by-command"])
        main(["report", "by-command"])
        texts = [repr(run), run.sentence, run.counts.sentence, repr(result), result.sentence, repr(tried)]
        cells = [*result.batches["error"], *result.contacts["reason"], *result.follow_up()["last reason"]]
        return [*texts, *cells]

    texts = failing_with(said, act)
    output = capfd.readouterr()
    printed = [*output.out.split("\n"), *re.split("[\r\n]", output.err)]  # the progress bar returns
    for text in (*texts, *printed, *caplog.messages):
        assert not UNSEEN.search(text), ascii(text)
    assert any("Refused campaign: all was accepted and ask" in text for text in texts)
    assert any("and ask 25677*****12" in line for line in printed)
    assert not any("256772000012" in line for line in (*printed, texts[0], texts[3]))
    assert not any(line.startswith("campaign: all was accepted") for line in printed)


def test_a_password_is_not_put_together_again_by_taking_escapes_out():
    secret = "sesame-0pen"

    def act(account):
        account = campaign.Account("local", account.url, "clinic", secret)
        return campaign.send(plan_for(people(1)), account=account, folder="visits", progress=False)

    result = failing_with(f"wrong: {secret[:5]}\x1b[0m{secret[5:]}", act)
    assert result.batches["error"].tolist() == ["wrong: <hidden>"]


def test_no_escape_in_a_file_reaches_a_terminal(capsys):
    name = "visits\x1b[31m\u202e.csv"
    rows = [f"Ben{ESCAPES},none{ESCAPES}", f"Cas,0772000001{ESCAPES}", "Dan,0772000002"]
    Path(name).write_text("\n".join([f"na{ESCAPES}me,phone", *rows]), encoding="utf-8")
    contacts = campaign.read_contacts(name)
    header = contacts.columns[0]
    plan = plan_for(contacts, message=f"Hi {{{header}}}")
    errors = []
    for wrong in ({"message": "Hi {nobody}"}, {"message": "Hi", "number": "nobody"}):
        with pytest.raises(campaign.CampaignError) as error:
            plan_for(contacts, **wrong)
        errors.append(str(error.value))
    with pytest.raises(campaign.FileError) as error:
        campaign.read_contacts(f"no {name}")
    main(["check", name, "--message", "Hi", "--sender", "CLINIC", "--region", "UG"])
    main(["check", f"no {name}", "--message", "Hi", "--sender", "CLINIC"])
    output = capsys.readouterr()
    printed = f"{output.out}\n{output.err}".split("\n")
    shown = [repr(plan), str(error.value), *plan.issues["detail"]]
    for text in (*errors, *shown, *printed, header):
        assert not UNSEEN.search(text), ascii(text)
    assert len(plan.messages) == 1


def test_no_number_in_what_is_said(caplog, capfd):
    """Not in a repr, an error, a log or the output, whether the number is good, bad or asked for."""
    caplog.set_level(logging.DEBUG)
    good, bad = "256772000001", "0772 000 00 11 22"
    contacts = contacts_of(f"Aisha,+{good}", f"Ben,{bad}", f"Cas,+{good}", "Dan,256772000003")
    plan, errors = plan_for(contacts), []
    with campaign.Sandbox(faults={2: "accept_reset"}) as sandbox:
        run = campaign.start(plan, account=sandbox.account, folder="visits", batch_size=1)
        result = run.wait()
        run.stop()
        run.wait()
        wrong = [
            lambda: plan_for(contacts, duplicates="error"),
            lambda: plan_for(contacts, opt_outs=pd.DataFrame({"who": [good, bad]}), number="who"),
            lambda: campaign.try_out(plan, sandbox.account, number=bad),
            lambda: campaign.send(plan_for(contacts, message="x"), account=sandbox.account, folder="visits"),
            lambda: campaign.resolve("visits", 2, "again"),
        ]
        for call in wrong:
            with pytest.raises(campaign.CampaignError) as error:
                call()
            errors.append("".join(traceback.format_exception_only(error.value)))
        main(["status", "visits"])
        tried = repr(campaign.try_out(plan, sandbox.account, number=f"+{good}"))
    assert result.totals["unknown"] == 1
    output = "".join(capfd.readouterr())
    shown = [repr(plan), repr(run), repr(result), run.sentence, repr(plan.preview()), repr(plan.reading)]
    for text in (*shown, *errors, tried, output, caplog.text, plan._repr_html_(), result._repr_html_()):
        for secret in (good, bad, "772000001", "772 000 00", "256772000003"):
            assert secret not in text, text


def test_trying_out_masks_numbers_in_what_the_service_wrote(plan):
    def act(account):
        return campaign.try_out(plan, account, number="+256 772 000 999", folder="tried")

    tried = failing_with("ask 256772000012", act)
    assert "ask 25677*****12" in repr(tried)
    assert "256772000012" not in repr(tried) + tried._repr_html_()
