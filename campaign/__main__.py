"""`python -m campaign` is the same as `campaign`."""

from typing import NoReturn

from campaign.cli.leaving import leave
from campaign.cli.main import main


def run() -> NoReturn:
    """Run the command that the shell names, and end the process."""
    leave(main())


if __name__ == "__main__":
    run()
