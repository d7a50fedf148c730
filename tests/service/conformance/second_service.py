"""The contract a second time, written from its text alone: it shares nothing with the package.

It answers what the contract describes. `None` means that the contract does not say.
"""

import json
from urllib.parse import unquote


class SecondService:
    """One account with a balance; answers are as the contract's sections say."""

    def __init__(self, username, password, balance, price):
        self.username, self.password, self.balance, self.price = username, password, balance, price
        self.accepted = []

    def answer(self, body):
        try:
            request = json.loads(body, parse_constant=lambda name: 1 / 0)
        except (ValueError, ZeroDivisionError):
            return self._failed("Wrong JSON Passed")  # 7
        if not isinstance(request, dict):
            return None
        userdata = request.get("userdata", {})
        if not isinstance(userdata, dict):
            return None
        user, word = userdata.get("username", ""), userdata.get("password", "")
        if not user or not word:
            return self._failed("Either Username or Password Not Set")  # 5.3
        if user != self.username:
            return self._failed("That user does not exist or user not active")  # 5.5
        if self.password not in (word, unquote(word)):  # 2.2, 2.3
            return self._failed("Wrong Username or Password")  # 5.4
        messages = request.get("msgdata")
        if request.get("method") != "SendSms" or not messages or not all(map(self._described, messages)):
            return None
        if len(messages) * self.price > self.balance:
            return self._failed("Money Not Enough To Send This Batch of Msgs")  # 4.1, rule 4
        self.balance -= len(messages) * self.price
        self.accepted += [unquote(message["message"]) for message in messages]
        return {"Status": "OK", "Cost": str(len(messages) * self.price), "MsgFollowUpUniqueCode": "any"}

    def _failed(self, text):
        return {"Status": "Failed", "Message": text}

    def _described(self, message):
        """Section 2.3 and 8."""
        return (
            isinstance(message, dict)
            and all(isinstance(message.get(name), str) for name in ("number", "message", "senderid"))
            and message["number"].isdecimal()
            and message["number"].isascii()
            and len(unquote(message["message"])) <= 160
            and 1 <= len(unquote(message["senderid"])) <= 11
            and message.get("priority", "0") in ["0", "1", "2", "3", "4"]
        )
