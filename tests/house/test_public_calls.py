"""Arguments that a public function does not have are answered in a sentence, and nothing else changes."""

import inspect
import traceback

import pytest
from house.test_wrong_arguments import FUNCTIONS
from support.refusals import refused

import campaign
from campaign.errors import CallError, UsageError
from campaign.public_calls import public_call


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_answers_a_name_that_it_does_not_have(name):
    function = FUNCTIONS[name]
    owner = [object()] if inspect.isfunction(function) and "." in name else []
    if inspect.iscoroutinefunction(function):
        call = lambda *args, **kwargs: function(*args, **kwargs).send(None)  # noqa: E731
    else:
        call = function
    with refused("argument_unknown", CallError, function=name, argument="zzz"):
        call(*owner, zzz=1)


@pytest.mark.parametrize("name", ["prepare", "asend", "Account", "Sandbox", "Budget", "Run.wait"])
def test_the_signature_is_that_of_the_function(name):
    signature = inspect.signature(FUNCTIONS[name])
    assert not {"args", "kwargs"} & set(signature.parameters)
    assert inspect.getdoc(FUNCTIONS[name])
    assert inspect.iscoroutinefunction(FUNCTIONS["asend"])


PLAN = object()


@pytest.mark.parametrize(
    ("call", "given", "named", "code", "facts"),
    [
        (campaign.prepare, [[]], {"sendr": "A"}, "argument_unknown", {"suggestion": "sender"}),
        (campaign.send, [PLAN], {"batchsize": 5}, "argument_unknown", {"suggestion": "batch_size"}),
        (campaign.Sandbox, [], {"ballance": 5}, "argument_unknown", {"suggestion": "balance"}),
        (campaign.Budget, [], {"costs": 5}, "argument_unknown", {"suggestion": "cost"}),
        # A clinic's user name is no name of a campaign: a class is asked for its own arguments only.
        (campaign.Account, ["local"], {"name": "clinic"}, "argument_unknown", {"suggestion": "username"}),
        (campaign.prepare, [[], "Hi", "A"], {}, "arguments_unnamed", {"most": 1, "named": ["message"]}),
        (campaign.Plan.preview, [PLAN, 2, 3], {}, "arguments_unnamed", {"most": 1, "given": 2, "named": []}),
        (campaign.prepare, [[]], {}, "argument_missing", {"missing": ["message", "sender"]}),
        (campaign.prepare, [[]], {"message": "Hi"}, "argument_missing", {"write": ['sender="CLINIC"']}),
        (campaign.close, [], {}, "argument_missing", {"missing": ["folder"], "write": []}),
        (campaign.send, [], {}, "argument_missing", {"missing": ["plan"]}),
        (campaign.send, [PLAN], {"plan": PLAN}, "argument_twice", {"argument": "plan"}),
    ],
)
def test_near_misses_unnamed_and_missing_arguments(call, given, named, code, facts):
    with refused(code, CallError, **facts):
        call(*given, **named)


@pytest.mark.parametrize(
    ("call", "argument", "write"),
    [
        (campaign.prepare, "name", "campaign.send(plan, name=…)"),  # and not number=, which is like it
        (campaign.prepare, "sheet", "campaign.read_contacts(source, sheet=…)"),
        (campaign.send, "message", "campaign.prepare(contacts, message=…)"),
        (campaign.write_follow_up, "reveal", "campaign.write_report(result, reveal=…)"),
        (campaign.Run.resume, "budget", "campaign.resume(run.folder, budget=100)"),
    ],
)
def test_an_argument_of_another_step_is_named_with_its_call(call, argument, write):
    with refused("argument_unknown", CallError, argument=argument, write=write):
        call(object(), **{argument: "december visits"})


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
        raise UsageError("wrong_value", argument="password", needs="a better one", given="one")

    for arguments in ({"password": "opensesame"}, {"password": "opensesame", "zzz": 1}):
        with pytest.raises(UsageError) as caught:
            log_in(**arguments)
        shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
        own = [frame for frame in shown.stack if frame.filename == public_call.__code__.co_filename]
        assert own
        assert not any("opensesame" in value for frame in own for value in frame.locals.values())
