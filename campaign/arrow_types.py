"""The types of text columns in Arrow, apart from `arrow_text` so that a new process can load them quickly."""

from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

TEXT = pa.large_string()

TextArray: TypeAlias = pa.LargeStringArray
TextScalar: TypeAlias = pa.LargeStringScalar
if TYPE_CHECKING:
    TextChunks: TypeAlias = pa.ChunkedArray[pa.LargeStringScalar]
else:  # the stubs make it generic, the class is not
    TextChunks = pa.ChunkedArray
