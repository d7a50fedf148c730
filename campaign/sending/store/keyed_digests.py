"""Digests that stand for numbers and texts once a campaign is erased: equal ones can still be found.

They are pseudonymous, not anonymous: whoever has the key can try numbers until one fits. So the key is not in
the campaign's folder but in the user's state directory.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np

from campaign.arrow_text import Ints, TextArray, text_array
from campaign.errors import FolderError
from campaign.sending.store.user_state import erasure_key, made_erasure_key, state_directory
from campaign.text import clean

_HASH = "sha256"


@dataclass(frozen=True)
class KeyedDigests:
    """HMAC-SHA-256 with a key of one campaign: the user's key, and a `salt` that its folder keeps."""

    user_key: bytes = field(repr=False)
    salt: str

    @classmethod
    def new(cls) -> KeyedDigests:
        """Those of a campaign that is erased for the first time."""
        return cls(made_erasure_key(), secrets.token_hex(16))

    @classmethod
    def of(cls, mark: Mapping[str, str]) -> KeyedDigests:
        """Those that an erased round was made with; raises `FolderError` if the key is another one now."""
        digests = cls(erasure_key(), mark.get("salt", ""))
        if digests.mark != mark:
            raise FolderError(
                "This campaign was erased, and whom it reached can only be determined with the key that it "
                f"was erased with. That key is not in {clean(state_directory())}: copy the file erasure_key "
                "there from the machine or the backup that has it. Nothing was sent."
            )
        return digests

    @cached_property
    def _key(self) -> bytes:
        return hmac.digest(self.user_key, self.salt.encode(), _HASH)

    @property
    def mark(self) -> dict[str, str]:
        """What the manifest of an erased round keeps, to know the key again."""
        return {"salt": self.salt, "key": self.of_text("the key of this campaign")[:16]}

    def of_text(self, text: str) -> str:
        """The digest of a text, as 64 hexadecimal digits."""
        return hmac.digest(self._key, text.encode(), _HASH).hex()

    def of_texts(self, texts: TextArray) -> TextArray:
        """The digest of each text; equal texts are computed once. Takes 1 us for each that differs."""
        encoded = texts.dictionary_encode()
        distinct = cast("list[str]", encoded.dictionary.to_pylist())
        return text_array(map(self.of_text, distinct)).take(encoded.indices)

    def of_numbers(self, numbers: Ints) -> Ints:
        """A 63-bit digest of each number; 0, which stands for none, stays 0."""
        distinct, places = np.unique(numbers, return_inverse=True)
        digests = np.fromiter(map(self._of_number, distinct.tolist()), np.int64, len(distinct))
        return np.where(numbers == 0, 0, digests[places])

    def _of_number(self, number: int) -> int:
        digest = hmac.digest(self._key, str(number).encode(), _HASH)
        return int.from_bytes(digest[:8], "big") >> 1
