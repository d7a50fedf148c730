"""What the shell says: findings by its own catalogue, with its own options."""

import inspect
import json
import shlex

import pytest
from support.shell import refusal

import campaign
from campaign.cli.arguments import commands_of, parser
from campaign.cli.output import quoted

# The functions that a command calls, and what of them a shell has no word for, with the reason.
FUNCTIONS = {
    "check": (campaign.read_contacts, campaign.prepare, campaign.compare),
    "try-out": (campaign.read_contacts, campaign.prepare, campaign.try_out),
    "send": (campaign.read_contacts, campaign.prepare, campaign.send),
    "resume": (campaign.resume,),
    "status": (campaign.load_result,),
    "resolve": (campaign.resolve,),
    "reconcile": (campaign.reconcile,),
    "close": (campaign.close,),
    "erase": (campaign.erase,),
    "follow-up": (campaign.write_follow_up,),
    "history": (campaign.history,),
    "report": (campaign.write_report,),
}
ELSEWHERE = {
    "source": "file", "contacts": "file", "provider_list": "list", "statuses": "status",
}  # fmt: skip
WITHOUT_AN_OPTION = {
    "client",
    "senders",  # of a Dask cluster, which a program has in hand
    "plan",  # it is made of the file
    "result",  # it is read from the folder
    "progress",  # a bar is drawn on terminals
}


def options_of(command):
    return {action.dest for action in commands_of(parser())[command]._actions}


@pytest.mark.parametrize("command", FUNCTIONS)
def test_a_command_has_an_option_for_every_parameter_of_its_functions(command):
    missing = {
        name
        for function in FUNCTIONS[command]
        for name in inspect.signature(function).parameters
        if name not in WITHOUT_AN_OPTION and ELSEWHERE.get(name, name) not in options_of(command)
    }
    # The number of the shell's try-out is --to, and its campaign has a folder of its own each time.
    # A campaign knows the address of its ledger, and a password is no argument.
    assert missing - {"try-out": {"folder"}, "resume": {"ledger"}}.get(command, set()) == set()


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "facts", "option"),
    [
        (
            ["--batch-size", "0"],
            "wrong_value",
            {"argument": "batch_size", "given": "0"},
            "--batch-size needs",
        ),
        (["--rate", "-1"], "wrong_value", {"argument": "rate"}, "--rate needs"),
        (["--max-unknown", "-1"], "wrong_value", {"argument": "max_unknown"}, "--max-unknown needs"),
    ],
)
def test_an_error_names_the_option_and_keeps_the_facts(arguments, code, facts, option, own_folder, capsys):
    (own_folder / "visits.csv").write_text("name,phone\nAisha,0772 000 001\n")
    error = refusal(
        capsys, "send", "visits.csv", "--message", "Hi", "--sender", "CLINIC", "--region", "UG", *arguments
    )
    assert error["code"] == code
    assert {name: error["facts"][name] for name in facts} == facts
    assert error["message"].startswith(option)
    json.dumps(error)


@pytest.mark.parametrize("phrase", ["take over C:\\sms at 3 moves", 'erase 3 of "x"', "cost $5", "plain"])
def test_a_phrase_is_quoted_so_that_a_shell_reads_it_back(phrase):
    assert shlex.split(quoted(phrase)) == [phrase]
