"""A page whose program dies by kill -9 while its texts are being sent, in a process of its own."""

import os
from pathlib import Path

from support.composer_person import Person
from support.crash_sender import Countdown, arm, begin


def die_while_sending(folder: Path, *, bodies: int) -> None:
    """Compose the spreadsheet `visits.csv` of a folder, and die when so many requests have left.

    They leave one by one, so that only the last one has no answer yet.
    """
    process = begin(_send, str(folder), bodies)
    process.join(60)
    assert process.exitcode == -9, process.exitcode


def _send(folder: str, bodies: int) -> None:
    import campaign

    os.chdir(folder)
    arm(Countdown("a body has left", bodies))
    person = Person(campaign.compose())
    person.compose()
    person.fill("pace", True)
    person.press("send")
    person.composer.desk.run.wait()
