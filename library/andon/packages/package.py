"""One package of `functions/`: what it declares, and its handlers.

The infrastructure, the loop in one process, replay and the tests all read it here. It needs neither AWS nor CDK.
No handler imports `andon.packages`.

| file | declares | in |
|---|---|---|
| `routes.py` | ROUTES: route -> groups that may call it; SHARED, STREAM_FIRST, see `Package` | every package |
| `tables.py` | TABLES: environment variable -> schema; BUCKETS: environment variables, if any | services, some stores |
| `facts.py` | TYPES: the types of events that it publishes | services |
| `subscriptions.py` | ON: topic -> what is kept of the event, or a `Crossing` | services with a listener |
| `view.py` | see ViewDeclaration | views |
| `store.py` | see StoreDeclaration | stores |
| `restored.py` | ON: topic -> what comes back of a replayed event | views, and services with a `restore.py` |
| `grants.py` | GRANTS: what its roles call, where that is less than the infrastructure grants | any package |
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args

from andon.dynamodb.schema import TableSchema
from andon.events.topic import Topic, is_included
from andon.packages import serving
from andon.packages.declarations import Grants, StoreDeclaration, ViewDeclaration
from andon.sync.crossing import Crossing

FUNCTIONS: Final = Path(__file__).parents[2]

Side = Literal["services", "views", "stores", "pages"]
SIDES: Final[tuple[Side, ...]] = get_args(Side)

ROLES: Final = ("command", "query", "trigger", "listener", "push", "sweep", "restore", "recompute")
"""The handler files that a package may have; each is one Lambda function."""

Handler = Callable[[dict[str, Any], Any], Any]


@dataclass(frozen=True, slots=True)
class Package:
    """A service, a view, a store or a page, named by its folder."""

    side: Side
    name: str

    @property
    def routes(self) -> Mapping[str, frozenset[str]]:
        """The groups that may call each route, as `GET /things/{id}`; a view's version that does not serve has none."""
        if not self.serves:
            return {}
        return cast("Mapping[str, frozenset[str]]", self.load("routes").ROUTES)

    @property
    def shared(self) -> frozenset[str]:
        """The routes of a service of which each caller has a share, beyond which it is refused."""
        return cast("frozenset[str]", getattr(self.load("routes"), "SHARED", frozenset()))

    @property
    def stream_first(self) -> Mapping[str, tuple[str, int]]:
        """The routes whose command publishes without a row: route -> the type, and how many events at most at once."""
        return cast("Mapping[str, tuple[str, int]]", getattr(self.load("routes"), "STREAM_FIRST", {}))

    @property
    def tables(self) -> Mapping[str, TableSchema]:
        """The tables that it owns, by environment variable; a page has none, and few stores have."""
        if self.side != "views":
            return cast("Mapping[str, TableSchema]", self.load("tables").TABLES) if self.has("tables") else {}
        indexes = getattr(self.view, "INDEXES", {})
        expires = self.view.TTL_DAYS is not None or getattr(self.view, "ANCHOR", None) is not None
        # Else DynamoDB would delete a row that is being rebuilt before its later facts come.
        expires = expires and serving.has_served(self.name, first=self.replaces or self.name)
        # While a version is being filled, it is written as fast as the replay goes.
        steady = getattr(self.view, "STEADY", False) and self.serves
        schema = TableSchema(self.view.KEYS, indexes, stream=self.has("push"), expires=expires, steady=steady)
        return {self.view.TABLE.variable: schema}

    @property
    def replaces(self) -> str | None:
        """The view of which this is the next version; None: it is a view's only version, or its first."""
        return getattr(self.view, "REPLACES", None) if self.side == "views" else None

    @property
    def serves(self) -> bool:
        """Whether callers get its answers: of a view's two versions one serves."""
        return self.side != "views" or serving.serves(self.name, first=self.replaces or self.name)

    @property
    def buckets(self) -> tuple[str, ...]:
        """The environment variables with the names of the buckets that it reads or writes."""
        if self.side == "stores":
            return (self.store.BUCKET,)
        return tuple(getattr(self.load("tables"), "BUCKETS", ())) if self.side == "services" else ()

    @property
    def grants(self) -> Grants:
        """What some of its roles call of its tables, exactly; the infrastructure decides for the others."""
        return cast("Grants", self.load("grants").GRANTS) if self.has("grants") else {}

    @property
    def types(self) -> frozenset[str]:
        """The types of events that it publishes, faults aside."""
        return cast("frozenset[str]", self.load("facts").TYPES) if self.has("facts") else frozenset()

    @property
    def subscriptions(self) -> frozenset[Topic]:
        """What it subscribes to."""
        if self.side == "views":
            return frozenset(self.view.ON)
        if self.side == "stores":
            return self.store.SUBSCRIPTIONS
        return frozenset(self.load("subscriptions").ON) if self.has("subscriptions") else frozenset()

    def subscribes_to(self, source: str, event_type: str) -> bool:
        """Return whether it gets the events of a source and type."""
        return any(is_included((source, event_type), topic) for topic in self.subscriptions)

    @property
    def latched(self) -> frozenset[Topic]:
        """What it subscribes to behind a latch: the edits that cross into it from another version of the service."""
        if self.side != "services" or not self.has("subscriptions"):
            return frozenset()
        on = self.load("subscriptions").ON
        return frozenset(topic for topic, decide in on.items() if isinstance(decide, Crossing))

    @property
    def restored(self) -> frozenset[Topic]:
        """The events that bring back what it kept of them."""
        return frozenset(self.load("restored").ON) if self.has("restored") else frozenset()

    @property
    def restore_queue(self) -> str:
        """The environment variable with the address of the queue for those: of a view its own, else one beside."""
        return f"{self.name.upper()}_{'' if self.side == 'views' else 'RESTORE_'}QUEUE_URL"

    @property
    def view(self) -> ViewDeclaration:
        """What a view declares."""
        return cast("ViewDeclaration", self.load("view"))

    @property
    def store(self) -> StoreDeclaration:
        """What a store declares."""
        return cast("StoreDeclaration", self.load("store"))

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of its handler files, in the order of ROLES; a version that does not serve is not audited."""
        return tuple(role for role in ROLES if self.has(role) and (self.serves or role != "recompute"))

    def has(self, file: str) -> bool:
        """Return whether it has a Python file of that name; a process looks once."""
        return file in _files(self.side, self.name)

    def path(self, role: str) -> str:
        """Path of a handler file below `functions/`, as `views/board/query.py`."""
        return f"{self.side}/{self.name}/{role}.py"

    def handler_name(self, role: str) -> str:
        """Name of a handler as Lambda wants it, as `views.board.query.handler`."""
        return f"{self.side}.{self.name}.{role}.handler"

    def handler(self, role: str) -> Handler:
        """Load a handler."""
        return cast("Handler", self.load(role).handler)

    def load(self, file: str) -> Any:  # noqa: ANN401  a module
        """Import one of its files."""
        return importlib.import_module(f"{self.side}.{self.name}.{file}")


@cache
def _files(side: Side, name: str) -> frozenset[str]:
    return frozenset(file.stem for file in (FUNCTIONS / side / name).glob("*.py"))
