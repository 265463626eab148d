"""The values that a project says once: its module `project`, in `functions/`, has a `PROJECT`.

Lambda, the infrastructure, the tools and the tests read it here. It costs no import that a handler does not have.
"""

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

MODULE: Final = "project"


class Groups(NamedTuple):
    """The groups of the user pool, and which of them the library knows.

    admin: runs the system, and may call everything. reviewers: read the whole history. reporting: programs, on whose
    routes a stage plans `reportsPerSecond`.
    """

    all: Sequence[str]
    admin: str
    reviewers: frozenset[str]
    reporting: frozenset[str] = frozenset()

    @property
    def admins(self) -> frozenset[str]:
        """The callers of a route that is for admins only."""
        return frozenset({self.admin})


class Size(NamedTuple):
    """Memory and time of a function. CPU grows with memory, so that more memory makes a cold start shorter."""

    memory_mb: int
    timeout_seconds: int


class Actors(NamedTuple):
    """A kind of actors, of whom the archive keeps days.

    name: of their folder, and in paths. one: the name of one of them. keeps_days: the archive forgets a day after so
    many; the lake keeps it for ever. cold_after_days: then its data move to where keeping costs less and reading more.
    fields: of entities, with the name of an actor or a list of names, or of one entity, as `thing.id`; without any,
    actors are partition keys.
    parameter, example, described: of the path. pattern: of what the path takes, if it is not any identifier. field: in
    responses. lists: what their route returns, in a sentence.
    """

    name: str
    one: str
    keeps_days: int
    cold_after_days: int
    lists: str
    fields: tuple[str, ...] = ()
    parameter: str = "id"
    field: str = "id"
    example: str = ""
    described: str | None = None
    pattern: str = ""


_PERSON_IDS: Final = r"^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:[a-z]{1,3}-?)?[0-9]{2,10})$"
"""Ids of persons: the subject of who signs in, a UUID, or a badge such as `p-1001`; none of them can be a name."""


class People(NamedTuple):
    """Place of people's names: one service. Everywhere else stand their ids.

    table: of names, by its variable. others: tables with more about them, which are its and not swept. path: of a
    person in the API; with `?ids=`, separated by commas, `at_once` at most, it answers `items` of those who are known.
    name: the member of the response with the name; beside it is `id`. pattern: of an id. columns: of answers of the
    lake, in which a terminal shows names in the place of ids.
    """

    table: str
    others: tuple[str, ...] = ()
    path: str = "/people"
    name: str = "name"
    pattern: str = _PERSON_IDS
    columns: frozenset[str] = frozenset()
    at_once: int = 100


class Whereabouts(NamedTuple):
    """Places of subjects, as rows of a view have them; callers who are limited to places are let in by them.

    table: the view's, by its variable. key: the attribute with the subject's id, the partition key. paths: the places
    that a subject is at, each by the attributes with the parts of its name, see `andon.http.places`. since: the
    attribute with the time (fixed-width UTC) since when it is its present owner's; what is older is not for callers
    who are limited to places.
    """

    table: str
    key: str
    paths: tuple[tuple[str, ...], ...]
    since: str = ""


NamedBy = Mapping[str, tuple[str, ...]]
"""Name of an entity -> the fields by which other facts name the fact that it is in, where they have no id of it."""

NOTHING: Final[NamedBy] = {}


class Project(NamedTuple):
    """A project.

    name: of the first stage's stack, of its metrics and topics; in lower case, of scopes. title: its description.
    file: its module. groups: of its users. subjects: the actors that events are about, by their partition keys.
    actors: other kinds. brings_back: what a rehydration of a subject brings back, and for how many `{days}`, in a
    sentence. sizes: of functions, as `services/things/trigger`, for which that of their role is too small. demo: the
    module with what `andon up` loads and shows, see `andon.tools.stack.demo`. pictures: the module whose `PICTURES`
    draw its saved queries, see `andon.tools.lake.plots`. description: of its API, in Markdown, or what returns it;
    license: of it, by its SPDX name. people: where their names are, None if nowhere. whereabouts: of subjects; without
    them nobody who is limited to places may deal with any. example_view: the view that examples name. named_by: how
    facts name one of which they have no id, the facts of people's answers above all, see `andon.tools.trace`; `andon
    trace` takes the values of the first, too. grouped: facts share entries of the bus, see `andon.events.group`; once
    all that reads the bus was deployed with a version that knows groups.
    """

    name: str
    title: str
    file: str
    groups: Groups
    subjects: Actors
    actors: tuple[Actors, ...] = ()
    brings_back: str = "Bring back the expired rows of a subject, for {days} days."
    sizes: Mapping[str, Size] = {}
    demo: str | None = None
    pictures: str | None = None
    description: str | Callable[[], str] = ""
    license: str | None = None
    people: People | None = None
    whereabouts: Whereabouts | None = None
    example_view: str = "things"
    named_by: NamedBy = NOTHING
    grouped: bool = False

    @property
    def root(self) -> "Path":
        """Its folder: `functions/`, `events/`, `infra/` are below it."""
        return _path(self.file).parent.parent

    @property
    def functions(self) -> "Path":
        """The import root of its handlers."""
        return self.root / "functions"

    @property
    def imports(self) -> str:
        """`PYTHONPATH` of a process in which everything of the project can be imported."""
        return os.pathsep.join(map(str, (self.functions, library_folder().parent, self.root)))

    @property
    def events(self) -> "Path":
        """A sample of every message."""
        return self.root / "events"

    @property
    def local(self) -> "Path":
        """The folder for files that tools build and keep, which git ignores."""
        return self.root / ".local"


@cache
def project() -> Project:
    """Return the project whose `functions/` this process imports from.

    Raises:
        ModuleNotFoundError: there is none.

    """
    found: Project = importlib.import_module(MODULE).PROJECT
    return found


@cache
def library_folder() -> "Path":
    """Return the folder of the library's own code."""
    return _path(__file__).parent


def _path(file: str) -> "Path":
    from pathlib import Path  # noqa: PLC0415  a handler that reads the project would load it, and uses no file

    return Path(file)
