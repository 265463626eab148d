"""The packages under `functions/`, found by folder."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from patterns.dynamodb.schema import TableSchema

FUNCTIONS = Path(__file__).parents[2] / "functions"

ANY = "*"  # source

Handler = Callable[[dict[str, Any], Any], Any]


@dataclass(frozen=True, slots=True)
class Package:
    """A service (`side` is `services`), a view (`views`) or a store of messages (`stores`)."""

    side: str
    name: str

    def load(self, file: str) -> Any:  # noqa: ANN401  a module
        """Import one of the package's files."""
        return importlib.import_module(f"{self.side}.{self.name}.{file}")

    def handler(self, role: str) -> Handler:
        """Give the handler of a role: `command`, `query`, `trigger`, `listener`, `sweep`."""
        return cast("Handler", self.load(role).handler)

    @property
    def routes(self) -> Mapping[str, frozenset[str]]:
        """The package's `ROUTES`."""
        return cast("Mapping[str, frozenset[str]]", self.load("routes").ROUTES)

    @property
    def tables(self) -> dict[str, TableSchema]:
        """Its tables, by the environment variable that names each."""
        if self.side == "services":
            return cast("dict[str, TableSchema]", self.load("tables").TABLES)
        if self.side == "stores":
            return {}
        view = self.load("view")
        schema = TableSchema(view.KEYS, indexes=view.INDEXES, expires=view.TTL_DAYS is not None)
        return {f"{self.name.upper()}_TABLE": schema}

    @property
    def bucket(self) -> str:
        """The environment variable that names a store's bucket."""
        return cast("str", self.load("store").BUCKET)

    def hears(self, source: str, event_type: str) -> bool:
        """Tell whether a package subscribes to an event."""
        if self.side == "stores":
            return not {(source, event_type), (ANY, event_type)}.isdisjoint(self.load("store").HEARS)
        return (source, event_type) in self.on

    @property
    def on(self) -> Mapping[tuple[str, str], Any]:
        """What a view or a service subscribes to; a service without a listener hears nothing."""
        if not self.has("listener"):
            return {}
        declared = self.load("view" if self.side == "views" else "subscriptions")
        return cast("Mapping[tuple[str, str], Any]", declared.ON)

    def has(self, role: str) -> bool:
        """Tell whether there is a handler file of that name."""
        return (FUNCTIONS / self.side / self.name / f"{role}.py").is_file()


def services() -> list[Package]:
    """Find every service."""
    return _packages("services")


def views() -> list[Package]:
    """Find every view."""
    return _packages("views")


def stores() -> list[Package]:
    """Find every store of messages."""
    return _packages("stores")


def queued() -> list[Package]:
    """Find every package that hears domain events by a queue, whose messages it may get again."""
    return [package for package in services() + views() if package.has("listener")]


def packages() -> list[Package]:
    """Find every package."""
    return services() + views() + stores()


def _packages(side: str) -> list[Package]:
    return [Package(side, folder.parent.name) for folder in sorted((FUNCTIONS / side).glob("*/routes.py"))]


def owner_of_route(route: str) -> tuple[Package, str]:
    """Find who answers a route, and in which role.

    Raises:
        LookupError: nobody does.

    """
    role = "query" if route.startswith("GET ") else "command"
    for package in packages():
        if route in package.routes:
            return package, role
    raise LookupError(f"no package has the route {route}")


def owner_of_table(table: str) -> Package:
    """Find the service that owns a table, by its variable (`EQUIPMENT_TABLE`) or deployed name (`Andon-equipment…`).

    Raises:
        LookupError: there is none.

    """
    plain = _plain(table)
    for package in services():
        if _plain(package.name) in plain:
            return package
    raise LookupError(f"no service owns {table}")


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def listeners_of(source: str, event_type: str) -> list[Package]:
    """Find the services, views and stores that subscribe to an event."""
    return [package for package in queued() + stores() if package.hears(source, event_type)]
