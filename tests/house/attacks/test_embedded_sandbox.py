"""The embedded sandbox, asked by browsers and when something in it fails."""

import asyncio
import http.client
import json

from support.fixed_answers import post

import campaign


def ask(service, method="POST", body=b"", headers=None):
    connection = http.client.HTTPConnection(service.account.url.split("/")[2], timeout=10)
    connection.request(method, "/api/v1/json/", body, headers or {})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def test_a_browser_that_asks_first_gets_no_leave():
    asking = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    with campaign.Sandbox() as service:
        response, _ = ask(service, "OPTIONS", headers=asking)
        assert response.status in (403, 405)
        assert not [name for name in response.headers if name.lower().startswith("access-control")]
        assert service.requests == 0


def test_a_fault_of_the_sandbox_is_no_traceback(monkeypatch):
    """Also while asyncio is debugged, when aiohttp would show one."""
    monkeypatch.setenv("PYTHONASYNCIODEBUG", "1")
    with campaign.Sandbox(username="clinic", password="sesame-0pen") as service:
        service._behaviour._accepted.close()  # as when a disk fails
        message = {"number": "256772000012", "message": "Hello", "senderid": "CLINIC"}
        userdata = {"username": "clinic", "password": "sesame-0pen"}
        request = {"method": "SendSms", "userdata": userdata, "msgdata": [message]}
        response, content = ask(service, body=json.dumps(request).encode())
        assert (response.status, content) == (500, b"SANDBOX: internal error (ValueError).")
        assert asyncio.run(post(service.account)).status == "unknown"


def test_the_sandbox_keeps_no_password_on_disk():
    with campaign.Sandbox(password="sesame-0pen") as service:
        assert asyncio.run(post(service.account)).status == "accepted"
        kept = service._behaviour._accepted
        kept.seek(0)
        content = kept.read()
        assert b"256772000012" in content
        assert b"sesame" not in content
        assert b"userdata" not in content
