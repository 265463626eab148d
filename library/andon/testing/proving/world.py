"""The world of a prover: what may go wrong in it, what hosts of others answer, and what may be asked of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Final, NamedTuple, Protocol

from andon.dynamodb.attribute_values import Item
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.testing.loop import Answer


class Faults(NamedTuple):
    """Faults, as shares of their occasions.

    kill: the worker dies, before a call does anything or behind it. lose: the answer of a call, all retries included.
    twice: a message comes twice. late: up to `late_s` seconds later. slow_ms: so long a call may take, while others go
    on. roles: of the handlers that are hit; none: all.
    """

    kill: float = 0
    lose: float = 0
    twice: float = 0
    late: float = 0
    late_s: int = 120
    slow_ms: int = 0
    roles: frozenset[str] = frozenset()

    def hits(self, role: str) -> bool:
        """Return True if the handlers of a role are hit."""
        return not self.roles or role in self.roles

    def shares(self) -> dict[str, float]:
        """Return the share of each fault that is declared, by its name."""
        shares = {"kill": self.kill, "lose": self.lose, "twice": self.twice, "late": self.late}
        return {name: share for name, share in shares.items() if share}


NO_FAULTS: Final = Faults()


class Post(NamedTuple):
    """A request to a host of somebody else's. at_ms: when it came."""

    at_ms: int
    url: str
    body: bytes


class HostReply(NamedTuple):
    """The answer to a request, after so many seconds; status 0: nobody listens there, so that nothing was sent."""

    status: int = 200
    body: bytes = b""
    location: str = ""
    late_s: float = 0


Outside = Callable[[Post], HostReply]
"""The hosts of others."""


def nobody(post: Post) -> HostReply:  # noqa: ARG001
    """Answer as where nobody listens."""
    return HostReply(status=0)


class Faultless:
    """A world that makes no fault: what the runner asks of each."""

    makes: ClassVar[frozenset[str]] = frozenset()
    counts: ClassVar[Counter[str]] = Counter()
    occasions: ClassVar[Counter[str]] = Counter()


class LivingWorld(Protocol):
    """A system that lives, with its clock, its faults and the hosts of others around it.

    now_ms: by its clock. outside: what the prover gave it. counts: faults that there were, by their names. occasions:
    how often there could have been one.
    """

    outside: Outside
    counts: Counter[str]
    occasions: Counter[str]

    @property
    def now_ms(self) -> int:
        """Epoch milliseconds."""
        ...

    @property
    def makes(self) -> frozenset[str]:
        """The names of the faults that it can make."""
        ...

    def request(
        self,
        route: str,
        *,
        path: Mapping[str, str] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        groups: Iterable[str] = ...,
    ) -> Answer:
        """Call a route by its key (`GET /things/{id}`), with arguments of `http_event`."""
        ...

    def publish(self, source: str, events: Iterable[JsonMapping]) -> None:
        """Put facts on the bus, as their service does."""
        ...

    def facts(self, *types: str) -> Sequence[JsonObject]:
        """Return the facts of some types that the bus took by now, each once."""
        ...

    def put(self, table: str, rows: Iterable[Item]) -> None:
        """Put rows into a table, by its variable."""
        ...

    def rows(self, table: str) -> list[Item]:
        """Return all rows of a table."""
        ...

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield all that it keeps and logs, with the place: a table's variable, `objects` or `log`."""
        ...

    def secret(self, variable: str) -> str:
        """Return the value of a secret."""
        ...

    def rotate(self, variable: str, value: str) -> None:
        """Give a secret another value, which counts when this returns; the one before it goes on to count."""
        ...

    def calm(self) -> None:
        """Make no fault any more."""
        ...

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        ...

    def until(self, done: Callable[[], object], *, within_s: float) -> bool:
        """Let time pass until something is so; return False if it was not in time."""
        ...
