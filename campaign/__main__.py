"""`python -m campaign` is the same as `campaign`."""

import gc
from typing import NoReturn


def run() -> NoReturn:
    """Run the command that the shell names, and end the process."""
    gc.disable()  # as `main` does, which takes long enough to load itself
    from campaign.cli.leaving import leave
    from campaign.cli.main import main

    leave(main())


if __name__ == "__main__":
    run()
