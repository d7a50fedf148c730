"""The library's sentences in the words of the shell."""

import inspect
import json
import re
import shlex

import pytest
from support.sentences import sentences

import campaign
from campaign.cli.arguments import commands_of, parser
from campaign.cli.commands import COMMANDS
from campaign.cli.shell_words import ShellWords

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
# Sentences for whoever has a Plan, a Result or an Account in hand.
IN_PYTHON_ONLY = (
    "campaign.prepare(",
    "not_again=result",
    "campaign.Sandbox()",
    "password=<hidden>",
    ", account=account",
    "The Dask cluster",
    "contacts = campaign.read_contacts(",
    "campaign.read_contacts(7",  # behind "or in Python"
)
PARAMETERS = {
    name
    for functions in FUNCTIONS.values()
    for function in functions
    for name in inspect.signature(function).parameters
} - WITHOUT_AN_OPTION


def words(command):
    return ShellWords(parser(), command)


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


PYTHON = re.compile(
    rf"(?<![\w.?&/-])(?:{'|'.join(sorted(PARAMETERS, key=len, reverse=True))})="
    r"|\bcampaign\.(?!cli|sending|service|contacts|messages|results|notebook)[a-z_]+\("
    r"|\b(?:Budget|Account)\([^)]*="
)


@pytest.fixture(scope="module")
def sentences_in_python():
    """Every text of the package that names a parameter of these functions, or calls one of them."""
    return {
        place: text
        for place, text in sentences(without=("cli", "notebook"))
        if PYTHON.search(text) and not any(words in text for words in IN_PYTHON_ONLY)
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_no_sentence_speaks_python(command, sentences_in_python):
    assert len(sentences_in_python) > 100
    to_shell = words(command)
    said = {place: to_shell(text) for place, text in sentences_in_python.items()}
    assert {place: text for place, text in said.items() if PYTHON.search(text)} == {}


@pytest.mark.parametrize(
    ("command", "python", "shell"),
    [
        ("send", 'give confirm="send 3 messages live 4e1d".', 'give --confirm "send 3 messages live 4e1d".'),
        ("send", 'Give changed="skip" to let them', "Give --changed skip to let them"),
        ("send", "or use as_written=True to send", "or use --as-written to send"),
        ("send", 'hidden="include" reads it.', "--include-hidden reads it."),
        ("send", "or give header=False for a table", "or give --no-header for a table"),
        ("send", "give header=.", "give --header."),
        ("send", "more than max_parts=2 allows.", "more than --max-parts 2 allows."),
        ("send", 'number=["Phone", "Mobile no."].', '--number Phone --number "Mobile no.".'),
        ("send", 'Write kinds=["mobile", "fixed"].', "Write --kinds mobile,fixed."),
        ("send", "for example Budget(messages=1000).", "for example --budget-messages 1000."),
        ("send", 'with Account(..., encoding="plain") and', "with --account-encoding plain and"),
        ("check", "Use environment='sandbox' or", "Use --account sandbox or"),
        ("resume", 'account=campaign.Account.from_environment("live").', "--account live."),
        ("status", "new campaign with not_again= and", "new campaign with --not-again and"),
        ("resume", "not_again=campaign.load_result(folder).", "--not-again FOLDER."),
        ("status", "use campaign.resume(result.folder).", "use campaign resume FOLDER."),
        ("send", 'campaign.send(plan, …, name="visits").', "campaign send FILE --name visits."),
        ("send", 'write campaign.resume("campaigns/visits", …).', "write campaign resume campaigns/visits."),
        (
            "send",
            'campaign.resume("my visits", account=account)',
            'campaign resume "my visits" --account local|sandbox|live',
        ),
        ("send", "look at it with load_result, then", "look at it with campaign status, then"),
        ("send", "batch_size needs a whole number from 1", "--batch-size needs a whole number from 1"),
        ("send", 'message={"en": "…", "fr": "…"}', "--message-file en=FILE --message-file fr=FILE"),
        ("send", 'message=Path(...).read_text(encoding="utf-8"), or', "--message-file FILE, or"),
        ("follow-up", "status is 'waiting'; it can be", "--status is 'waiting'; it can be"),
        (
            "resolve",
            'all: campaign.load_result("campaigns/visits").messages.query("batch == 18")',
            "all: campaign report campaigns/visits messages.xlsx --reveal, sheet Messages",
        ),
    ],
)
def test_a_remedy_is_what_a_person_types(command, python, shell):
    assert words(command)(python) == shell


@pytest.mark.parametrize(
    "sentence",
    [
        'row 3: “region="UG"” is now “confirm="x"”',
        "see https://example.org/?name=7&region=UG",
        "Reply with name=Aisha, or call.",
        "The columns are: first_name, phone.",
        "The name is taken.",
        "1 + 1 = 2",
        "number=[a, b] and region={x and name=f(",
        "number=[1 2] kinds=[x] message=Path(.)",
    ],
)
def test_what_is_no_remedy_stays_as_it_is(sentence):
    assert words("send")(sentence) == sentence


@pytest.mark.parametrize("phrase", ["take over C:\\sms at 3 moves", 'erase 3 of "x"', "cost $5", "plain"])
def test_a_phrase_is_quoted_so_that_a_shell_reads_it_back(phrase):
    said = words("send")(f"give takeover={json.dumps(phrase)}.")
    assert shlex.split(said.removesuffix(".")) == ["give", "--takeover", phrase]
    assert words("send").argument(f"give takeover={json.dumps(phrase)}.", "takeover") == phrase
