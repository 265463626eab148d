"""One package of `functions/`: its declarations, and the handlers that follow from them.

The infrastructure, the loop in one process, replay and the tests all read it here. It needs neither AWS nor CDK.
No handler imports `andon.packages`.

The handlers of `command.py` and `query.py` are the package's own. Those of other roles are the library's, see
`andon/handlers`, unless the package has a file of the role's name.

| file | declares | in |
|---|---|---|
| `command.py`, `query.py` | `app`, an `HttpApi`: its routes; of a page ROUTES, which ask for no token. Or `api`, a \
`PowertoolsApi`, beside an `app` of Powertools | any package |
| `resources.py` | RESOURCES: what it keeps by versions; the next four follow from it where it lacks them | services |
| `facts.py` | FACTS: the facts that it publishes of its rows; hence it has a trigger | services |
| `tables.py` | TABLES: environment variable -> schema; BUCKETS, GRANTS: if any | services |
| `revisions.py` | REVISIONS: discriminator -> the revision that a row is, for when a region is lost | services |
| `versioning.py` | AGGREGATES: discriminator -> how its rows are versioned, see `andon.versions.aggregate` | services |
| `contents.py` | CONTENTS: where it keeps contents of users, see `andon.content.contents` | services |
| `subscriptions.py` | ON: topic -> what is kept of the event, or a `Crossing`; hence it has a listener | services |
| `control.py` | CONTROL: the rules that it decides by; hence it has a sweep | control services |
| `view.py` | see ViewDeclaration; a view has a listener, and is recomputed | views |
| `changes.py` | `messages_of`: a changed row -> what screens show of it; hence it has a push | views |
| `store.py` | see StoreDeclaration | stores |
| `restored.py` | ON: topic -> what comes back of a replayed event; hence it has a `restore` | services |
| `ingress.py` | INGRESS: what it takes over MQTT, see `andon.ingress.ingress`; hence `ingest`, `provision` | services |
| `outbound.py` | GATEWAY: what wakes its sender, see `andon.outbound.delivery`; hence it has a sender | services |
"""

import ast
import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, get_args

from andon.content.contents import Contents
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema
from andon.events.fact import Facts
from andon.events.topic import Topic, is_included
from andon.events.upcast import NONE, Upcasters
from andon.handlers.declared import DERIVED, RESOURCES, ROOM, Handler, load, publishing_trigger
from andon.packages import serving
from andon.project import library_folder, project
from andon.sync.crossing import Crossing
from andon.versions.aggregate import FROM_STREAM, Aggregates
from andon.views.object_table import ObjectTable
from andon.wire import queue

if TYPE_CHECKING:
    from andon.http.http_api import HttpApi, Route
    from andon.http.limits import At
    from andon.ingress.ingress import Ingress
    from andon.outbound.delivery import Gateway

# Declarations in the modules of a package, by name.

Grants = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Role -> table, by its environment variable, or index, as `THINGS_TABLE/ByOwner` -> DynamoDB's actions on it."""


class ViewDeclaration(Protocol):
    """A `view.py`. It may also declare INDEXES, UPCASTERS, GRANTS and RESTORED; without them there are none.

    Where updates say `expires_at`, EXPIRES_WITHIN_DAYS is how far behind its event a date lies.
    With an ANCHOR, rows of slow data without it expire, see `andon.views.view_update`.
    A view whose rows lie in objects declares OBJECTS in place of TABLE, see `andon.views.object_table`; then its KEYS
    are `ObjectKeys`.
    The next version of a view declares REPLACES, the name of the view, and `as_before`, see `Version`.
    """

    KEYS: Keys
    TABLE: Table
    TTL_DAYS: int | None
    ON: Mapping[Topic, object]


class Version(ViewDeclaration, Protocol):
    """The `view.py` of a view's next version."""

    REPLACES: str

    @staticmethod
    def as_before(row: Item) -> Item | None:
        """Return a row as the version before would have it; None: it has no such row. Pure."""


class StoreDeclaration(Protocol):
    """A `store.py`; BUCKET is the environment variable with the name of the store's bucket.

    KEEPS_DAYS is when an object expires; None is never. It may also declare TABLES, as a service does.
    """

    BUCKET: str
    KEEPS_DAYS: int | None
    SUBSCRIPTIONS: frozenset[Topic]


POWERTOOLS: Final = ("aws_lambda_powertools", "andon.http.powertools")
"""Modules that are loaded from the layer of Powertools."""

Side = Literal["services", "views", "stores", "pages"]
SIDES: Final[tuple[Side, ...]] = get_args(Side)

ROLES: Final = (
    "command", "query", "ingest", "provision", "trigger", "listener", "push", "sweep", "sender", "restore", "recompute",
)  # fmt: skip
"""The handlers that a package may have; each is one Lambda function."""

PROVISION: Final = "provision"
"""That of a service whose things may be provisioned by a claim, where a stage lets them."""

_DECLARED_BY: Final[Mapping[tuple[Side, str], str]] = {
    ("services", "ingest"): "ingress",
    ("services", "provision"): "ingress",
    ("services", "trigger"): "facts",
    ("services", "listener"): "subscriptions",
    ("services", "sweep"): "control",
    ("services", "sender"): "outbound",
    ("services", "restore"): "restored",
    ("views", "listener"): "view",
    ("views", "push"): "changes",
    ("views", "recompute"): "view",
}
"""Role of a handler of the library's -> the file from whose declarations it follows."""


@dataclass(frozen=True, slots=True)
class Package:
    """A service, a view, a store or a page, named by its folder."""

    side: Side
    name: str

    @property
    def folder(self) -> str:
        """Folder below `functions/`, as `views/things`; a function is told by it which package it belongs to."""
        return f"{self.side}/{self.name}"

    @property
    def routes(self) -> Mapping[str, frozenset[str]]:
        """The groups that may call each route, as `GET /things/{id}`; a view's version that does not serve has none."""
        if not self.serves:
            return {}
        if self.side == "pages":
            return dict.fromkeys(self.load("query").ROUTES, frozenset[str]())
        return {route: declared.groups for route, declared in self._declared.items()}

    @property
    def public(self) -> frozenset[str]:
        """The routes that ask for no token: the files of a page, and those that say so."""
        if self.side == "pages":
            return frozenset(self.routes)
        return frozenset(route for route, declared in self._declared.items() if declared.is_public)

    @property
    def limits(self) -> "Mapping[str, At | None]":
        """The limit of each route to its caller's places; None: only callers from everywhere may call it."""
        return {route: declared.at for route, declared in self._declared.items()}

    @property
    def shared(self) -> frozenset[str]:
        """The routes of which each caller has a share, beyond which it is refused."""
        return frozenset(route for route, declared in self._declared.items() if declared.is_shared)

    @property
    def stream_first(self) -> Mapping[str, tuple[str, int]]:
        """The routes that publish without saving a row: route -> type of event, and the most events at once."""
        return {route: declared.publishes for route, declared in self._declared.items() if declared.publishes}

    @property
    def tables(self) -> Mapping[str, TableSchema]:
        """The tables that it owns, by environment variable; a page has none, and few stores have."""
        if self.side != "views":
            declared = self.store if self.side == "stores" else self.load("tables") if self._owns_tables else None
            owned: Mapping[str, TableSchema] = getattr(declared, "TABLES", {})
            return owned
        if self.objects is not None:
            return {}
        indexes = getattr(self.view, "INDEXES", {})
        expires = self.view.TTL_DAYS is not None or getattr(self.view, "ANCHOR", None) is not None
        # Else DynamoDB would delete a row that is being rebuilt before its later facts come.
        expires = expires and serving.has_served(self.name, first=self.replaces or self.name)
        # While a version is being filled, it is written as fast as the replay goes.
        steady = getattr(self.view, "STEADY", False) and self.serves
        schema = TableSchema(self.view.KEYS, indexes, stream=self.plays("push"), expires=expires, steady=steady)
        return {self.view.TABLE.variable: schema}

    @property
    def objects(self) -> ObjectTable | None:
        """The objects that a view's rows lie in; None: it has a table, or is no view."""
        found: ObjectTable | None = getattr(self.view, "OBJECTS", None) if self.side == "views" else None
        return found

    @property
    def replaces(self) -> str | None:
        """The view of which this is the next version; None: it is a view's only version, or its first."""
        return getattr(self.view, "REPLACES", None) if self.side == "views" else None

    @property
    def serves(self) -> bool:
        """True if its routes are served: of a view's two versions one serves."""
        return self.side != "views" or serving.serves(self.name, first=self.replaces or self.name)

    @property
    def buckets(self) -> tuple[str, ...]:
        """The environment variables with the names of the buckets that it reads or writes."""
        if self.side == "stores":
            return (self.store.BUCKET,)
        if self.objects is not None:
            return (self.objects.variable,)
        return (*self.models, *((self.contents.variable,) if self.contents else ()))

    @property
    def models(self) -> tuple[str, ...]:
        """The environment variables with the names of the buckets of models of a service."""
        return tuple(getattr(self.load("tables"), "BUCKETS", ())) if self.side == "services" else ()

    @property
    def secrets(self) -> Mapping[str, tuple[str, ...]]:
        """The roles of a service that read a secret of the stack, by the environment variable that names it."""
        declares = self.side == "services" and self.has("tables")
        found: Mapping[str, tuple[str, ...]] = getattr(self.load("tables"), "SECRETS", {}) if declares else {}
        return found

    @property
    def contents(self) -> Contents | None:
        """The store of a service's contents of users; None: it keeps none."""
        found: Contents | None = self.load("contents").CONTENTS if self._keeps_contents else None
        return found

    @property
    def grants(self) -> Grants:
        """The exact actions of some of its roles on its tables; the infrastructure decides for the others."""
        declared = self.load("view" if self.side == "views" else "tables") if self._owns_tables else None
        grants: Grants = getattr(declared, "GRANTS", {})
        return grants

    @property
    def facts(self) -> Facts:
        """The facts that a service publishes of its rows: none, if it declares none."""
        facts: Facts = self.load("facts").FACTS if self.has("facts") else Facts(self.name, frozenset(), {})
        return facts

    @property
    def aggregates(self) -> Aggregates:
        """The designs by which a service versions its aggregates, as far as it declares them."""
        aggregates: Aggregates = self.load("versioning").AGGREGATES if self.has("versioning") else {}
        return aggregates

    @property
    def keeps_from_stream(self) -> bool:
        """True if its trigger keeps the revisions of an aggregate."""
        return self.side == "services" and any(one.design is FROM_STREAM for one in self.aggregates.values())

    @property
    def types(self) -> frozenset[str]:
        """The types of events that it publishes, faults aside."""
        return self.facts.types

    @property
    def subscriptions(self) -> frozenset[Topic]:
        """Topics that it subscribes to."""
        if self.side == "views":
            return frozenset(self.view.ON)
        if self.side == "stores":
            return self.store.SUBSCRIPTIONS
        return frozenset(self.load("subscriptions").ON) if self.has("subscriptions") else frozenset()

    @property
    def reads_in(self) -> str:
        """The file that declares its projection of events and its upcasts."""
        return "view" if self.side == "views" else "subscriptions"

    @property
    def upcasters(self) -> Upcasters:
        """The steps by which it lifts old shapes of events, by topic."""
        if self.side == "stores" or not self.has(self.reads_in):
            return NONE
        upcasters: Upcasters = getattr(self.load(self.reads_in), "UPCASTERS", NONE)
        return upcasters

    def subscribes_to(self, source: str, event_type: str) -> bool:
        """Return True if it subscribes to the events of a source and type."""
        return any(is_included((source, event_type), topic) for topic in self.subscriptions)

    @property
    def gateway(self) -> "Gateway":
        """The gateway of a service that has a sender."""
        gateway: Gateway = self.load("outbound").GATEWAY
        return gateway

    @property
    def sender_queue(self) -> str:
        """The name of the sender's queue."""
        return queue.name_of(self.name, queue.SEND)

    @property
    def ingress(self) -> "Ingress":
        """The declaration of the messages that things publish to a service."""
        ingress: Ingress = self.load("ingress").INGRESS
        return ingress

    @property
    def ingest_queue(self) -> str:
        """The name of the queue for that."""
        return queue.name_of(self.name, queue.INGEST)

    @property
    def latched(self) -> frozenset[Topic]:
        """Topics behind a latch: the edits that cross into it from another version of the service."""
        if self.side != "services" or not self.has("subscriptions"):
            return frozenset()
        on = self.load("subscriptions").ON
        return frozenset(topic for topic, decide in on.items() if isinstance(decide, Crossing))

    @property
    def restored(self) -> frozenset[Topic]:
        """Topics that rehydrate its expired rows."""
        if self.side == "views":
            return frozenset(getattr(self.view, "RESTORED", ()))
        return frozenset(self.load("restored").ON) if self.has("restored") else frozenset()

    @property
    def restore_queue(self) -> str:
        """The name of the queue for those: of a view its own, else one beside."""
        return queue.name_of(self.name, queue.WORK if self.side == "views" else queue.RESTORE)

    @property
    def view(self) -> ViewDeclaration:
        """Declarations of a view."""
        view: ViewDeclaration = self.load("view")
        return view

    @property
    def store(self) -> StoreDeclaration:
        """Declarations of a store."""
        store: StoreDeclaration = self.load("store")
        return store

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of its handlers, in the order of ROLES."""
        return tuple(role for role in ROLES if self.plays(role))

    @property
    def powertools(self) -> frozenset[str]:
        """The roles that import Powertools, in their handlers or through modules of the project."""
        return _roles_with_powertools(self.side, self.name)

    def plays(self, role: str) -> bool:
        """Return True if it has a handler of a role; a version that does not serve is not audited."""
        if role == "recompute" and not self.serves:
            return False
        return self.has(role) or self._declares(role)

    def has(self, file: str) -> bool:
        """Return True if it has a Python file of that name, or derives it; a process looks once."""
        files = _files(self.side, self.name)
        return file in files or (file in DERIVED and RESOURCES in files)

    def path(self, role: str) -> str:
        """Path of a handler, which also describes its function on AWS, as `views/things/query`."""
        return f"{self.folder}/{role}"

    def handler_name(self, role: str) -> str:
        """Name of a handler as Lambda wants it: its own, as `views.log.query.handler`, or the library's."""
        own = f"{_module_of(self.side, self.name)}.{role}"
        return f"{own if self.has(role) else self._shared(role)}.handler"

    def handler(self, role: str) -> Handler:
        """Return a handler: its own, or one that the library makes for it."""
        if self.has(role):
            handler: Handler = self.load(role).handler
        else:
            handler = importlib.import_module(self._shared(role)).handler_of(self.folder)
        return handler

    def load(self, file: str) -> Any:  # noqa: ANN401  a module
        """Import one of its files, or return the module that its RESOURCES derive in place of it."""
        return load(_module_of(self.side, self.name), file)

    def api(self, role: str) -> "HttpApi":
        """Return the API of its commands or queries: its `api`, if `app` is Powertools' resolver, else its `app`."""
        module = self.load(role)
        api: HttpApi = getattr(module, "api", None) or module.app
        return api

    @property
    def _keeps_contents(self) -> bool:
        return self.side == "services" and self.has("contents")

    @property
    def _owns_tables(self) -> bool:
        return self.side == "views" or self.has("tables")

    @property
    def _declared(self) -> "Mapping[str, Route]":
        """The routes that its handlers declare. To read them loads the handlers, as no function does for another."""
        roles = () if self.side == "pages" else ("command", "query")
        apis = (self.api(role) for role in roles if self.has(role))
        return dict(chain.from_iterable(api.declared.items() for api in apis))

    def _declares(self, role: str) -> bool:
        file = _DECLARED_BY.get((self.side, role))
        if file is None or not self.has(file):
            return False
        return role != PROVISION or self.ingress.provisioning is not None

    def _shared(self, role: str) -> str:
        """Name the library's module for a role: a trigger may also keep revisions, decide, delete contents."""
        if role != "trigger":
            return f"{ROOM}.{role}"
        return f"{ROOM}.{'keeping_trigger' if self.keeps_from_stream else publishing_trigger(self.has)}"


@cache
def _files(side: Side, name: str) -> frozenset[str]:
    return frozenset(file.stem for file in (folder_of(side) / name).glob("*.py"))


@cache
def _naming_powertools(functions: Path) -> list[tuple[str, ...]]:
    files = (file for file in functions.rglob("*.py") if "powertools" in file.read_text())
    return [file.relative_to(functions).parts for file in files]


@cache
def _roles_with_powertools(side: Side, name: str) -> frozenset[str]:
    # To parse what each handler imports takes a second; few packages name it, and none imports another one.
    if not any(place[:2] == (side, name) or place[0] not in SIDES for place in _naming_powertools(project().functions)):
        return frozenset()
    own = [role for role in ("command", "query") if role in _files(side, name)]
    return frozenset(role for role in own if _reaches_powertools(f"{_module_of(side, name)}.{role}"))


def _reaches_powertools(module: str) -> bool:
    """Return True if a module imports Powertools, itself or by others of the project; none of them is loaded."""
    left, seen = [module], set[str]()
    while left:
        name = left.pop()
        if name.startswith(POWERTOOLS):
            return True
        file = project().functions.joinpath(*name.split(".")).with_suffix(".py")
        if name not in seen and file.is_file():
            left += _imports_in(file.read_text())
        seen.add(name)
    return False


def _imports_in(source: str) -> Iterator[str]:
    """Yield the modules that a source imports; `from a.b import c` may be two of them."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def folder_of(side: Side) -> Path:
    """Return the folder of the packages of a side: the library has the stores, a project all others."""
    return library_folder() / side if side == "stores" else project().functions / side


def _module_of(side: Side, name: str) -> str:
    return f"andon.{side}.{name}" if side == "stores" else f"{side}.{name}"
