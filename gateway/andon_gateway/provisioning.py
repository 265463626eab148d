"""A certificate of the gateway's own, by a claim. Ended at any step and begun again it ends with one that works.

The key is made here and stays here. Key, certificate and the token by which AWS knows it again wait in one file until
AWS has made a thing of them; who has lost the answer to that finds out by connecting.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from andon_gateway import private_files

TOKEN: Final = "token "  # noqa: S105  the beginning of a line
BEGIN: Final = "-----BEGIN CERTIFICATE-----"


class Refused(Exception):
    """AWS does not do it; it says why."""


class Expired(Refused):
    """The token does not count any more: it does so for an hour."""


class Requested(NamedTuple):
    """A private key, and the request for a certificate, both in PEM."""

    key: str
    request: str


class Signed(NamedTuple):
    """A certificate in PEM, which counts from its registration on; token: by which AWS knows it then."""

    certificate: str
    token: str


class Door(Protocol):
    """AWS IoT, as the holder of a claim sees it."""

    def sign(self, request: str) -> Signed:
        """Have a certificate signed. Raises: Refused."""

    def register(self, token: str) -> None:
        """Become the thing, with the certificate of a token. Raises: Refused, Expired."""

    def lets_in(self, file: Path) -> bool:
        """Return True if the thing can connect with the certificate and the key in a file."""


class Kept(NamedTuple):
    """The files of a certificate and its key."""

    certificate: Path
    key: Path

    @property
    def waiting(self) -> Path:
        """The file of those that AWS has made no thing of yet, or so it seems."""
        return self.certificate.with_name(f"{self.certificate.name}.waiting")

    @property
    def is_whole(self) -> bool:
        """True if both are there, and nothing waits."""
        return self.certificate.exists() and self.key.exists() and not self.waiting.exists()


def provision(kept: Kept, door: Door, request: Callable[[], Requested]) -> bool:
    """Get a certificate, and keep it; return False if there was one.

    Raises:
        Refused: AWS makes no thing of it. What waits goes on waiting, for the next time.

    """
    if kept.is_whole:
        return False
    is_new = not kept.waiting.exists()
    if is_new:
        _ask(kept.waiting, door, request)
    if not _is_registered(kept.waiting, door, is_new=is_new):
        _ask(kept.waiting, door, request)
        door.register(_token_in(kept.waiting))
    _take(kept)
    return True


def _ask(waiting: Path, door: Door, request: Callable[[], Requested]) -> None:
    made = request()
    signed = door.sign(made.request)
    private_files.write(waiting, f"{TOKEN}{signed.token}\n{made.key}{signed.certificate}")


def _is_registered(waiting: Path, door: Door, *, is_new: bool) -> bool:
    """Register with the waiting certificate; return False if that is too late, and was not done before."""
    if not is_new and door.lets_in(waiting):
        return True
    try:
        door.register(_token_in(waiting))
    except Expired:
        return door.lets_in(waiting)
    return True


def _token_in(waiting: Path) -> str:
    first = waiting.read_text().partition("\n")[0]
    if not first.startswith(TOKEN):
        raise Refused(f"{waiting} is not what this gateway wrote: delete it")
    return first.removeprefix(TOKEN)


def _take(kept: Kept) -> None:
    """Put key and certificate where they belong."""
    key, begin, certificate = kept.waiting.read_text().partition("\n")[2].partition(BEGIN)
    private_files.write(kept.key, key)
    private_files.write(kept.certificate, begin + certificate)
    private_files.remove(kept.waiting)
