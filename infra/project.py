"""What this project says of itself once: its name, and what the constructs cannot read from its packages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from andon.cdk.sizes import Size
from andon.stores.archive import store
from andon.stores.archive.store import ActorKind
from contract import groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The values of a project.

    name: of the first stage's stack, and of the metrics' namespace; in lower case, of scopes and the sign-in page.
    title: the stack's description.
    groups: those of the user pool. reporting: the group whose routes take the stage's `reportsPerSecond`.
    kinds: the kinds of actors of which the archive keeps days. subject: the kind of what an event is about.
    sizes: of functions, by handler file, where the role's is too small.
    """

    name: str
    title: str
    groups: tuple[str, ...]
    reporting: str
    kinds: tuple[ActorKind, ...] = ()
    subject: ActorKind
    sizes: Mapping[str, Size] = field(default_factory=lambda: MappingProxyType({}))


PROJECT: Final = Project(
    name="Andon",
    title="Andon: which machine needs help",
    groups=groups.ALL,
    reporting=groups.DEVICE,
    kinds=store.KINDS,
    subject=store.EQUIPMENT,
    sizes=MappingProxyType({"services/anomalies/trigger.py": Size(1024, 60)}),  # holds a model, as its sweep does
)
