"""A service that costs next to nothing, so that benchmarks measure the client: light_service.py PORT_FILE.

It answers every request with the same OK and closes the connection, as the client asks.
"""

import asyncio
import sys
from pathlib import Path

BODY = b'{"Status":"OK","Cost":"35","MsgFollowUpUniqueCode":"ApiJsonSubmit0123456789abc.00000001"}'
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
    % (len(BODY), BODY)
)


class Light(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.received, self.wanted = transport, 0, None
        self.head = b""

    def data_received(self, data):
        self.received += len(data)
        if self.wanted is None:
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return
            at = self.head.lower().index(b"content-length:") + 15
            self.wanted = end + 4 + int(self.head[at : self.head.index(b"\r", at)])
        if self.received >= self.wanted:
            self.answer()

    def answer(self):
        self.transport.write(ANSWER)
        self.transport.close()


async def main(port_file, tls=None):
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Light, "127.0.0.1", 0, backlog=1024, ssl=tls)
    beside = port_file.with_suffix(".new")
    beside.write_text(str(server.sockets[0].getsockname()[1]))
    beside.replace(port_file)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
