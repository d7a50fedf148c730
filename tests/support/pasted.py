"""Lines of Python that a card shows, run as a person who copies them would run them."""

from typing import Any

import campaign


def pasted(lines: str, **names: Any) -> Any:
    """The result that the lines leave; `names` are what the person has given names to."""
    names["campaign"] = campaign
    exec(lines, names)
    return names["result"]
