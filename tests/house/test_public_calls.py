"""Arguments that a public function does not have are answered in a sentence, and nothing else changes."""

import inspect
import traceback

import pytest
from house.test_wrong_arguments import FUNCTIONS

import campaign
from campaign.errors import UsageError
from campaign.public_calls import public_call


def refusal(call, *args, **kwargs):
    with pytest.raises(UsageError) as caught:
        call(*args, **kwargs)
    return str(caught.value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_answers_a_name_that_it_does_not_have(name):
    function = FUNCTIONS[name]
    owner = [object()] if inspect.isfunction(function) and "." in name else []
    if inspect.iscoroutinefunction(function):
        call = lambda *args, **kwargs: function(*args, **kwargs).send(None)  # noqa: E731
    else:
        call = function
    sentence = refusal(call, *owner, zzz=1)
    assert sentence.startswith(name)
    assert "has no argument zzz=. It has " in sentence or "takes no arguments." in sentence


@pytest.mark.parametrize("name", ["prepare", "asend", "Account", "Sandbox", "Budget", "Run.wait"])
def test_the_signature_is_that_of_the_function(name):
    signature = inspect.signature(FUNCTIONS[name])
    assert not {"args", "kwargs"} & set(signature.parameters)
    assert inspect.getdoc(FUNCTIONS[name])
    assert inspect.iscoroutinefunction(FUNCTIONS["asend"])


def test_near_misses_unnamed_and_missing_arguments():
    plan = campaign.prepare(
        campaign.read_contacts(b"phone\n0772000001\n"), message="Hi", sender="A", region="UG"
    )
    assert refusal(campaign.prepare, [], message="Hi", sendr="A").endswith("sendr=. Did you mean sender=?")
    assert refusal(campaign.send, plan, batchsize=5).endswith("batchsize=. Did you mean batch_size=?")
    assert refusal(campaign.Sandbox, ballance=5).endswith("Did you mean balance=?")
    assert refusal(campaign.Budget, costs=5) == "Budget has no argument costs=. Did you mean cost=?"
    assert refusal(campaign.prepare, [], "Hi", "A") == (
        "prepare takes only contacts without a name. Write message=… and so on for the others."
    )
    assert refusal(campaign.prepare, []) == (
        'prepare needs message= and sender= too. Write message="Hi {first_name}, …" (the text) and '
        'sender="CLINIC" (the name that phones show as the sender).'
    )
    assert refusal(campaign.prepare, [], message="Hi") == (
        'prepare needs sender= too. Write sender="CLINIC" (the name that phones show as the sender).'
    )
    assert refusal(campaign.close) == "close needs folder= too."
    assert refusal(campaign.send, plan, plan=plan).startswith("send was given plan twice")
    assert refusal(plan.preview, 2, 3) == "Plan.preview takes only row."
    assert refusal(campaign.send) == "send needs plan= too."


@pytest.mark.parametrize(
    ("call", "argument", "owner"),
    [
        (campaign.prepare, "name", "send: campaign.send(plan, name=…)."),  # and not number=, which is like it
        (campaign.prepare, "sheet", "read_contacts: campaign.read_contacts(source, sheet=…)."),
        (campaign.send, "message", "prepare: campaign.prepare(contacts, message=…)."),
        (campaign.write_follow_up, "reveal", "write_report: campaign.write_report(result, reveal=…)."),
    ],
)
def test_an_argument_of_another_step_is_said_to_belong_there(call, argument, owner):
    sentence = refusal(call, [], **{argument: "december visits"})
    assert sentence == f"{call.__name__} has no argument {argument}=. It belongs to {owner}"


def test_a_class_is_asked_for_its_own_arguments_only():
    """A clinic's user name is no name of a campaign."""
    assert refusal(campaign.Account, "local", name="clinic").endswith("Did you mean username=?")


def test_a_run_says_how_to_resume_with_another_budget():
    sentence = refusal(campaign.Run.resume, object(), budget=5)
    assert sentence.startswith("Run.resume takes no arguments. ")
    assert sentence.endswith("campaign.resume(run.folder, budget=100).")


def test_what_a_function_itself_raises_stays_what_it_is():
    @public_call
    def half(count: int) -> int:
        return count // "2"  # type: ignore[operator]

    with pytest.raises(TypeError, match="unsupported operand"):
        half(3)


def test_no_frame_shows_the_arguments():
    @public_call
    def log_in(password: str) -> None:
        del password
        raise UsageError

    for arguments in ({"password": "opensesame"}, {"password": "opensesame", "zzz": 1}):
        with pytest.raises(UsageError) as caught:
            log_in(**arguments)
        shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
        own = [frame for frame in shown.stack if frame.filename == public_call.__code__.co_filename]
        assert own
        assert not any("opensesame" in value for frame in own for value in frame.locals.values())
