"""Names and facts that a project has already: something new has to fit to them."""

from collections.abc import Iterable
from typing import NamedTuple

from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.events.upcast import Upcasters
from andon.packages.discovery import packages, services
from andon.packages.package import Package
from andon.project import project
from andon.runtime import times
from andon.runtime.json_types import JsonMapping
from andon.runtime.tried import Failed, tried
from andon.testing.samples import is_of_old, paths, read, type_of
from andon.tools.new.edits import with_entry, with_imports
from andon.tools.new.words import NotNew


class Heard(NamedTuple):
    """A fact that somebody subscribes to: its topic, its sample, and its entity in all of its samples."""

    topic: Topic
    event: DomainEvent
    entity_name: str
    entity: JsonMapping
    entities: tuple[JsonMapping, ...]

    @classmethod
    def of(cls, text: str) -> "Heard":
        """Return the fact that somebody typed, as `things/thing-moved`.

        Raises:
            NotNew: no service publishes it, or it has no sample.

        """
        source, _, event_type = text.partition("/")
        published = _published()
        if text not in published:
            there = f"there is {', '.join(published)}" if published else "no service publishes any"
            raise NotNew(f"no fact {text!r}: {there}")
        file = project().events / "domain" / f"{event_type}.json"
        if not file.is_file():
            raise NotNew(f"events/domain/{event_type}.json is missing: a sample shows what {text} says")
        event = DomainEvent.from_wire(read(file))
        name = next(iter(event.entities))
        others = (path for path in paths("domain") if type_of(path) == event_type and not is_of_old(path))
        entities = tuple(DomainEvent.from_wire(read(path)).entities[name] for path in others)
        return cls((source, event_type), event, name, event.entities[name], entities)

    @property
    def subject(self) -> str:
        """The subject in its partition key, as `thing`: the member of the entity without `Id`, of `id` the entity."""
        keys = [name for name, value in self.entity.items() if value == self.event.partition_key]
        named = [name.removesuffix("Id") for name in keys if name.endswith("Id") and name != "Id"]
        return named[0] if named else self.entity_name

    @property
    def shares_partition(self) -> bool:
        """True if its entities have ids of their own, so that several of them have one partition key."""
        return bool(self.entity.get("id", self.event.partition_key) != self.event.partition_key)


def is_time(value: object) -> bool:
    """Return True of a text that is a time, as 2026-01-31T00:00:00.000Z."""
    try:
        times.to_ms(str(value))
    except ValueError:
        return False
    return True


def only_fact() -> list[str]:
    """Return the only fact that is published.

    Raises:
        NotNew: there is none, or more than one.

    """
    published = _published()
    if len(published) != 1:
        raise NotNew(f"say what it is of: --of {' --of '.join(published) or 'SOURCE/TYPE'}")
    return published


def _published() -> list[str]:
    """Return all facts, but those of a service that is not finished."""
    told = ((one.name, tried(_types_of, one)) for one in services())
    return sorted(f"{name}/{type_}" for name, types in told if not isinstance(types, Failed) for type_ in types)


def _types_of(service: Package) -> frozenset[str]:
    return service.types


def lifting(text: str, topics: Iterable[Topic]) -> str:
    """Return a file with UPCASTERS that lifts old shapes of facts, as other packages lift them."""
    for topic in topics:
        for steps in [upcasters[topic] for upcasters in _upcasters() if topic in upcasters][:1]:
            names = ", ".join(step.__name__ for step in steps)
            text = with_imports(text, [f"from {step.__module__} import {step.__name__}" for step in steps])
            text = with_entry(text, "UPCASTERS", f'("{topic[0]}", "{topic[1]}"): ({names},)')
    return text


def _upcasters() -> list[Upcasters]:
    files = [(one, file) for one in packages() for file in ("view", "subscriptions") if one.has(file)]
    loaded = [tried(one.load, file) for one, file in files]
    return [getattr(one, "UPCASTERS", {}) for one in loaded if not isinstance(one, Failed)]


def require_free(name: str) -> None:
    """Check that no package has a name.

    Raises:
        NotNew: one has it.

    """
    for package in packages():
        if package.name == name:
            raise NotNew(f"{name} is there already: {package.folder}")


def require_no_sample(*names: str) -> None:
    """Check that no sample has a name, as `domain/thing-moved`: two would be one file.

    Raises:
        NotNew: one has it.

    """
    for name in names:
        if (project().events / f"{name}.json").is_file():
            raise NotNew(f"events/{name}.json is there already: choose a name of which there is nothing yet")


def service_of(name: str) -> Package:
    """Return a service by its name.

    Raises:
        NotNew: there is none.

    """
    there = [one.name for one in services()]
    if name not in there:
        raise NotNew(f"no service {name!r}: there is {', '.join(there) or 'none yet'}")
    return Package("services", name)
