"""The light service over TLS and at a distance: distant_service.py PORT_FILE SECONDS.

SECONDS is one round trip, and a request takes three: for the connection, for TLS, and for itself. All are
waited for before the answer. The certificate to trust is beside the port file.
"""

import asyncio
import sys
from pathlib import Path

import light_service

from campaign.service.sandbox.certificate import certify_this_machine, server_context

ROUND_TRIPS = 3


class Distant(light_service.Light):
    """Answers as late as if it were far away."""

    round_trip = 0.0

    def answer(self):
        asyncio.get_running_loop().call_later(ROUND_TRIPS * self.round_trip, super().answer)


if __name__ == "__main__":
    port_file, Distant.round_trip = Path(sys.argv[1]), float(sys.argv[2])
    key_and_certificate, authority = certify_this_machine()
    port_file.with_suffix(".pem").write_bytes(authority)
    light_service.Light = Distant
    asyncio.run(light_service.main(port_file, server_context(key_and_certificate)))
