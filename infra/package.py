"""A package of `functions/` as infrastructure sees it: what it declares, its handlers, its asset."""

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final, Literal, get_args

from aws_cdk import IgnoreMode
from aws_cdk import aws_lambda as lambda_

from infra.checks.loops import Topic
from patterns.dynamodb.schema import TableSchema

FUNCTIONS: Final = Path(__file__).parents[1] / "functions"
Side = Literal["services", "views", "stores"]
SIDES: Final[tuple[Side, ...]] = get_args(Side)


@dataclass(frozen=True, slots=True)
class Package:
    """A service, a view or a store of messages, by its folder."""

    side: Side
    name: str
    root: Path = FUNCTIONS

    def routes(self) -> Iterable[str]:
        """List the routes that it answers, as `GET /equipment/{id}`."""
        routes: Mapping[str, frozenset[str]] = self._declared_in("routes").ROUTES
        return routes

    def tables(self) -> Mapping[str, TableSchema]:
        """List a service's tables by their environment variable."""
        tables: Mapping[str, TableSchema] = self._declared_in("tables").TABLES
        return tables

    def types(self) -> frozenset[str]:
        """List the types of facts that a service's trigger publishes; without one there are none."""
        if not self.has("trigger"):
            return frozenset()
        types: frozenset[str] = self._declared_in("facts").TYPES
        return types

    def hears(self) -> frozenset[Topic]:
        """List what the listener of a service or a view hears; without one there is nothing."""
        if not self.has("listener"):
            return frozenset()
        heard: Mapping[Topic, object] = self._declared_in("view" if self.side == "views" else "subscriptions").ON
        return frozenset(heard)

    def view(self) -> ModuleType:
        """Return a view's KEYS, INDEXES, TTL_DAYS and ON."""
        return self._declared_in("view")

    def store(self) -> ModuleType:
        """Return a store's BUCKET, KEEPS_DAYS and HEARS, and its folders."""
        return self._declared_in("store")

    def has(self, role: str) -> bool:
        """Tell whether there is a handler file of that name."""
        return (self.root / self.side / self.name / f"{role}.py").is_file()

    def handler(self, role: str) -> str:
        """Name the handler as Lambda does."""
        return f"{self.side}.{self.name}.{role}.handler"

    def code(self) -> lambda_.AssetCode:
        """Pack `functions/` minus every other package, so that touching one of them changes one asset."""
        return lambda_.Code.from_asset(str(self.root), exclude=self._excluded(), ignore_mode=IgnoreMode.GIT)

    def _excluded(self) -> list[str]:
        # As in a .gitignore, the last line that matches wins.
        others = [line for side in SIDES for line in (f"/{side}/*", f"!/{side}/__init__.py")]
        return [*others, f"!/{self.side}/{self.name}", "__pycache__", "*.pyc", ".*"]

    def _declared_in(self, file: str) -> ModuleType:
        return importlib.import_module(f"{self.side}.{self.name}.{file}")


def pascal(name: str) -> str:
    """Write `state_log` as `StateLog`, `STATE_LOG_TABLE` as `StateLogTable`."""
    return "".join(word.capitalize() for word in name.split("_"))
