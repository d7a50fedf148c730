"""Small frozen values: what the Structs of msgspec and the dataclasses of the package have in common.

Most values are Structs, which take 0.01 ms to define where a frozen dataclass takes 0.4: all modules together
define 170 of them before anything happens. A dataclass is what people make or get themselves, and what has
fields that a Struct cannot have. The process that opens workbooks loads neither.
"""

import dataclasses
from typing import Any, TypeVar, cast

from msgspec import Struct, structs

Value = TypeVar("Value")


def replace(value: Value, /, **fields: Any) -> Value:
    """A copy of the value with other fields. From Python 3.13 on, `copy.replace` does this."""
    if isinstance(value, Struct):
        return structs.replace(value, **fields)
    return cast(Value, dataclasses.replace(cast(Any, value), **fields))
