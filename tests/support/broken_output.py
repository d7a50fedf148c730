"""Output that cannot be written: a disk that is full, and a reader who has left."""

import os
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from campaign.cli.main import main


@contextmanager
def broken_stream(place):
    """A text stream that leads to a full disk, or to a reader who has left."""
    if place == "full":
        stream = Path("/dev/full").open("w")  # noqa: SIM115 - closed below
    else:
        reader, writer = os.pipe()
        os.close(reader)
        stream = os.fdopen(writer, "w")
    try:
        yield stream
    finally:
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())  # what is left in its buffer can be written there
        stream.close()


def main_into(place, arguments):
    with broken_stream(place) as stream, redirect_stdout(stream):
        return main(arguments)
