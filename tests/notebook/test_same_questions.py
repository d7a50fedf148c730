"""The same questions in Python, in the shell and in the form: by the same codes, with the same answers."""

import argparse
import json
from inspect import signature
from typing import get_args, get_type_hints

import pytest
from support.form_person import TEXT, VISITS

import campaign
from campaign.cli.arguments import commands_of, parser
from campaign.cli.main import main
from campaign.notebook.composer.send_page import ANSWERS
from campaign.sending.rounds.decision import QUESTIONS, question
from campaign.words.python import PYTHON

ASKING = {
    name: choices
    for name, hint in get_type_hints(campaign.send).items()
    if (choices := [choice for choice in get_args(hint) if isinstance(choice, str)])[:1] == ["ask"]
}
LEFT_OUT = "leave_out"  # in the form, which names them for `not_again=`
PUPILS = "name,phone,day\n" + "".join(f"Pupil {n},+256 772 000 00{n},Mon\n" for n in range(7))


def test_each_option_that_asks_is_a_question():
    assert set(ASKING) == set(QUESTIONS)


@pytest.mark.parametrize("code", QUESTIONS)
@pytest.mark.parametrize("verb", ["send", "start", "asend", "resume", "release"])
def test_each_verb_takes_the_answers_and_asks_without_one(code, verb):
    function = getattr(campaign, verb)
    assert get_type_hints(function)[code] == get_type_hints(campaign.send)[code]
    assert signature(function).parameters[code].default == "ask"


@pytest.mark.parametrize("code", QUESTIONS)
def test_each_answer_is_named_by_the_question(code):
    for answer in ASKING[code][1:]:
        assert f'{code}="{answer}"' in PYTHON.remedy(question(code, 2))


@pytest.mark.parametrize("code", QUESTIONS)
@pytest.mark.parametrize("command", ["send", "resume", "release"])
def test_the_shell_has_an_option_with_the_answers(code, command):
    actions: list[argparse.Action] = commands_of(parser())[command]._actions
    (option,) = [action for action in actions if f"--{code.replace('_', '-')}" in action.option_strings]
    assert (option.dest, option.default, list(option.choices)) == (code, "ask", ASKING[code])


@pytest.mark.parametrize("code", QUESTIONS)
def test_the_form_has_words_for_the_answers(code):
    assert [answer for answer, _ in ANSWERS[code] if answer != LEFT_OUT] == ASKING[code][1:]


@pytest.mark.parametrize(
    ("content", "message", "sender"),
    [
        (VISITS, "", "CLINIC"),
        (VISITS, "Hi {nme}", "CLINIC"),
        (VISITS, "Hi {name", "CLINIC"),
        (VISITS, TEXT, ""),
        (VISITS, TEXT, "MULAGO HOSPITAL"),
        ("name,name,phone\nA,B,+256772000001\n", "Hi", "CLINIC"),
    ],
)
def test_the_form_refuses_what_python_refuses_for_the_same_reason(person, content, message, sender):
    person.press("new")
    person.upload("source", "visits.csv", content)
    if not person.refused:
        person.write(message, sender)
        person.press("next")
    with pytest.raises(campaign.CampaignError) as error:
        campaign.prepare(content.encode(), message=message, sender=sender, region="UG")
    assert person.refused == error.value.finding.code


def test_all_of_them_ask_about_the_same_people(person, desk, capsys):
    """Two have Monday's text, four wait for it, and the mark of one is gone."""
    table = desk / "uploads" / "visits.csv"
    table.parent.mkdir()
    table.write_text(PUPILS)
    options = {"message": TEXT, "sender": "CLINIC", "region": "UG"}
    pupils = campaign.read_contacts(table)
    first = campaign.prepare(pupils, opt_outs=pupils["name"] == "Pupil 6", **options)
    campaign.send(first, pilot=2, progress=False)
    today = options | {"message": "Hi {name}, do come on {day}."}
    with pytest.raises(campaign.ConfirmationError) as asked:
        campaign.send(campaign.prepare(campaign.read_contacts(table), **today), progress=False)
    questions = asked.value.questions
    assert questions == {"waiting": 4, "changed": 2, "opted_out": 1}
    shell = [f"--{name}={value}" for name, value in today.items()]
    assert main(["send", str(table), *shell, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["questions"] == questions
    assert main(["send", str(table), *shell]) == 2
    told = capsys.readouterr().err
    for code in questions:
        assert f"--{code.replace('_', '-')} {ASKING[code][1]}" in told
    person.choose(table)
    person.press("continue:visits")
    person.write(today["message"])
    person.go_on()
    assert person.questions == {f"local:{code}": "" for code in questions}
    for code in questions:
        assert not person.shows("send:local")
        person.fill(f"answer:local:{code}", ASKING[code][-1])
    person.rehearse()
    assert person.counts == {"accepted": 7}
