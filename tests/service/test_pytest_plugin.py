"""The fixture that this package offers to other people's tests."""

import os
import subprocess
import sys

TESTS_OF_SOMEBODY = '''
import json
import urllib.request

import pytest


def remind(service, numbers):
    """Somebody's program: it knows nothing but the contract."""
    account = service.account
    messages = [{"number": number, "message": "Hi", "senderid": "CLINIC"} for number in numbers]
    login = {"username": "sandbox", "password": "sesame"}
    body = {"method": "SendSms", "userdata": login, "msgdata": messages}
    with urllib.request.urlopen(account.endpoint, json.dumps(body).encode()) as response:
        return json.load(response)


@pytest.mark.sms_sandbox(password="sesame")
def test_reminders(sms_sandbox):
    assert remind(sms_sandbox, ["447700900123"])["Status"] == "OK"
    assert sms_sandbox.inbox["number"].tolist() == ["447700900123"]


@pytest.mark.sms_sandbox(password="sesame", balance=70)
@pytest.mark.parametrize("people", [2, 3])
def test_each_test_has_a_service_of_its_own(sms_sandbox, people):
    said = remind(sms_sandbox, ["447700900123"] * people)
    assert said["Status"] == ("OK" if people == 2 else "Failed")


def test_no_marker_is_needed(sms_sandbox):
    assert len(sms_sandbox.inbox) == 0
    assert sms_sandbox.account.environment == "local"


@pytest.mark.sms_sandbox(balanse=70)
def test_a_misspelled_option_is_an_error(sms_sandbox):
    pass
'''


def test_somebody_elses_tests_get_a_service(tmp_path):
    (tmp_path / "test_reminders.py").write_text(TESTS_OF_SOMEBODY)
    command = [sys.executable, "-m", "pytest", "-p", "campaign.pytest_plugin", "--strict-markers", "-q"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert "4 passed, 1 error" in done.stdout
    assert "Sandbox has no argument balanse. Did you mean balance=?" in done.stdout


def test_a_run_without_the_fixture_loads_nothing_of_it(tmp_path):
    """It is loaded by every test run of its environment."""
    (tmp_path / "test_other.py").write_text(
        "import sys\n\n\ndef test_nothing_is_loaded():\n"
        "    assert 'campaign.pytest_plugin' in sys.modules\n"
        "    assert not {'pandas', 'pyarrow', 'aiohttp', 'cryptography'} & {*sys.modules}\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_other.py"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
