"""The archive's objects: their names, by content, and their bytes; see also `andon.recorded.archive`. Pure."""

import gzip
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from andon.recorded.archive import Place, data_folder

DIGITS: Final = 24  # 96 bits, as the lake's


def digest_of(texts: Iterable[str]) -> str:
    """Return the digest of some texts, whatever their order."""
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()[:DIGITS]


def data_key(kind: str, day: str, shard: int, body: bytes) -> str:
    """Return the key of data."""
    return f"{data_folder(kind, day)}{shard:02}-{hashlib.sha256(body).hexdigest()[:DIGITS]}.ndjson.gz"


def to_data(lines: Mapping[str, Sequence[str]]) -> tuple[bytes, dict[str, Place]]:
    """Return the data of actors with their lines, and where each lies. Equal lines are equal bytes."""
    members, places, offset = list[bytes](), dict[str, Place](), 0
    for actor in sorted(lines):
        text = "".join(f"{line}\n" for line in lines[actor])
        members.append(gzip.compress(text.encode(), mtime=0))  # by default it writes the time of day into the header
        places[actor] = [offset, len(members[-1]), len(lines[actor])]
        offset += len(members[-1])
    return b"".join(members), places
