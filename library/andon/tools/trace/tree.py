"""The tree of a trace: each fact below its cause, the same whichever of its facts is asked for. Pure.

A fact that has several causes stands below the newest of those that the lake has, and names the others. Causes that the
lake has not are named as missing; a fact of which all are missing stands below the newest of them.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final, NamedTuple

from andon.project import NamedBy
from andon.tools.trace.causes import Cause, Subject, causes_of, subjects_in, subjects_of
from andon.tools.trace.facts import TracedFact, TracedFacts

Identity = tuple[str, str]
"""Source and id of a fact; of a missing one the source is not known."""

UNKNOWN: Final = ""


class Node(NamedTuple):
    """A fact, or a missing one, with all that followed from it.

    cause: what is known of a fact that is missing. by_subject: the fact names its cause by fields, not by its id.
    others: further causes. missing: those of them that the lake has not. in_circle: it names what followed from it.
    """

    fact: TracedFact | None
    children: tuple["Node", ...] = ()
    cause: Cause | None = None
    by_subject: bool = False
    others: tuple[Cause, ...] = ()
    missing: tuple[Cause, ...] = ()
    in_circle: bool = False

    @property
    def identity(self) -> Identity:
        """Source and id."""
        if self.fact is not None:
            return self.fact.source, self.fact.id
        return UNKNOWN, self.cause.id if self.cause else ""

    @property
    def size(self) -> int:
        """The number of facts, a missing one among them."""
        return 1 + sum(child.size for child in self.children)


class _Link(NamedTuple):
    """The place of a fact: below `parent`, which may be missing, or nowhere."""

    parent: Identity | None = None
    by_subject: bool = False
    causes: tuple[Cause, ...] = ()


class Forest:
    """The places of facts: each below its cause."""

    def __init__(self, facts: TracedFacts, named_by: NamedBy) -> None:
        self._facts, self._named_by = facts, named_by
        self._fact = {(fact.source, fact.id): fact for fact in facts}
        self._owners = self._owners_of_subjects()
        self._links = {identity: self._link_of(fact) for identity, fact in self._fact.items()}
        self._children: dict[Identity, list[Identity]] = defaultdict(list)
        self._missing: dict[Identity, Cause] = {}
        self._circles = self._cut_circles()
        for identity, link in self._links.items():
            if link.parent is not None:
                self._children[link.parent].append(identity)
                if link.parent not in self._fact:
                    self._missing[link.parent] = next(one for one in link.causes if one.id == link.parent[1])

    def root_of(self, identity: Identity) -> Identity:
        """Return the fact that all began with, which may be missing."""
        link = self._links.get(identity)
        while link is not None and link.parent is not None:
            identity = link.parent
            link = self._links.get(identity)
        return identity

    def tree(self, root: Identity) -> Node:
        """Return a fact with all that followed from it, in order."""
        link = self._links.get(root, _Link())
        children = sorted(self._children.get(root, ()), key=lambda one: self._fact[one].order)
        others = tuple(one for one in link.causes if link.parent is None or one.id != link.parent[1])
        return Node(
            self._fact.get(root),
            tuple(map(self.tree, children)),
            cause=self._missing.get(root),
            by_subject=link.by_subject,
            others=others,
            missing=tuple(one for one in others if self._facts.named(one.id, one.type) is None),
            in_circle=root in self._circles,
        )

    def _owners_of_subjects(self) -> Mapping[Subject, Identity]:
        owners: dict[Subject, Identity] = {}
        for identity, fact in sorted(self._fact.items(), key=lambda one: one[1].order):
            for subject in subjects_of(fact, self._named_by):
                owners.setdefault(subject, identity)
        return owners

    def _link_of(self, fact: TracedFact) -> _Link:
        causes = tuple(causes_of(fact.event))
        present = [found for one in causes if (found := self._facts.named(one.id, one.type)) is not None]
        if present:
            newest = max(present, key=lambda one: (one.event.timestamp_ms, one.source, one.id))
            return _Link((newest.source, newest.id), causes=causes)
        if causes:
            return _Link((UNKNOWN, causes[-1].id), causes=causes)
        owners = [self._owners.get(subject) for subject in subjects_in(fact, self._named_by)]
        named = [owner for owner in owners if owner is not None]
        if not named or (fact.source, fact.id) in named:
            return _Link()
        return _Link(max(named, key=lambda one: self._fact[one].order), by_subject=True)

    def _cut_circles(self) -> set[Identity]:
        """Let the first fact of each circle stand below nothing; return these facts."""
        begun, cut = set[Identity](), set[Identity]()
        for start in sorted(self._links):
            path: dict[Identity, None] = {}
            identity: Identity | None = start
            while identity in self._links and identity not in begun and identity not in path:
                path[identity] = None
                identity = self._links[identity].parent
            if identity in path:
                circle = [*path][[*path].index(identity) :]
                first = min(circle, key=lambda one: self._fact[one].order)
                self._links[first] = self._links[first]._replace(parent=None)
                cut.add(first)
            begun |= path.keys()
        return cut
