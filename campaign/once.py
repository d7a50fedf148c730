"""Values that a process makes when they are first needed, and then only once.

`functools.cache` has no lock: threads that ask first at the same time each make a value of their own. That is
harmless for a value that never changes, such as a text or a mapping. It is not for a table that fills while
it is used: one thread's index would be looked up in the table of another.
"""

import functools
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Once(Generic[Value]):
    """Decorates a function without arguments: it runs once, however many threads need its value first."""

    def __init__(self, make: Callable[[], Value]) -> None:
        self._value = functools.cache(make)
        self._lock = threading.Lock()
        functools.update_wrapper(self, make)

    def __call__(self) -> Value:
        with self._lock:
            return self._value()

    def cache_clear(self) -> None:
        """Make a new value when the next one is needed."""
        self._value.cache_clear()
