"""Fields of frozen dataclasses for mutable values, such as DataFrames."""

from collections.abc import Callable
from typing import Generic, TypeVar, overload

Value = TypeVar("Value")


class CopiedField(Generic[Value]):
    """A field that takes a value, or a function that makes it when first needed, and returns copies of it.

    A descriptor, used as `messages: CopiedField[pd.DataFrame] = CopiedField(copy_frame)` in the body
    of a frozen dataclass. Without `copy` it returns the value itself: use that for immutable values.
    """

    def __init__(self, copy: Callable[[Value], Value] | None = None) -> None:
        self._copy = copy

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "CopiedField[Value]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(self, instance: object | None, owner: type) -> "CopiedField[Value] | Value":
        if instance is None:
            raise AttributeError(f"{owner.__name__}.{self._name} has no default")  # dataclass asks for one
        value = vars(instance)[self._name]
        if callable(value):
            value = vars(instance)[self._name] = value()
        copied: Value = self._copy(value) if self._copy else value
        return copied

    def __set__(self, instance: object, value: Value | Callable[[], Value]) -> None:
        vars(instance)[self._name] = value
