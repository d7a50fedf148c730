"""The light service with a record of every number that it was sent: recording_service.py PORT_FILE RECORD.

A request answers OK; the record is a file of 64-bit integers, one for each message, in the order of arrival.
"""

import asyncio
import re
import sys
from array import array
from pathlib import Path

import light_service

NUMBER = re.compile(rb'"number":"([0-9]+)"')


class Recording(light_service.Light):
    """Writes the numbers of a request down before it is answered."""

    record = None

    def connection_made(self, transport):
        super().connection_made(transport)
        self.body = bytearray()

    def data_received(self, data):
        self.body += data
        if self.wanted is None or self.received + len(data) >= self.wanted:
            head, _, rest = bytes(self.body).partition(b"\r\n\r\n")
            length = re.search(rb"content-length: *(\d+)", head.lower())
            if length and len(rest) >= int(length[1]):
                numbers = array("q", map(int, NUMBER.findall(rest)))
                self.record.write(numbers.tobytes())
                self.record.flush()
        super().data_received(data)


if __name__ == "__main__":
    with Path(sys.argv[2]).open("wb") as Recording.record:
        light_service.Light = Recording
        asyncio.run(light_service.main(Path(sys.argv[1])))
