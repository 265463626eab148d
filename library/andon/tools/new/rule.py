"""`andon new rule SERVICE NAME --of SOURCE/TYPE`: a rule over three of some fact within a minute, to be changed.

With `--due-at FIELD` it decides when a date has come that the fact says. A service that there is not is written with
it: a control service, with a query of its decisions.
"""

import inspect
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple, Self

from andon.packages.discovery import services
from andon.packages.package import Package
from andon.project import project
from andon.rules.rule import Rule
from andon.runtime.strict_json import is_whole
from andon.tools.called import as_called
from andon.tools.new import template
from andon.tools.new.changes import Changes, made
from andon.tools.new.edits import (
    first_function,
    merged,
    renamed,
    with_aggregate,
    with_entry,
    with_fact,
    with_imports,
    with_package,
    with_rule,
    with_type,
    without,
)
from andon.tools.new.known import Heard, is_time, lifting, only_fact, require_free, require_no_sample
from andon.tools.new.service import STACK
from andon.tools.new.words import HUMP, Name, NotNew, Words, member_name

# The fact that a new rule decides upon, in the place of the template's own.

_OF_TEXT: Final = """.optional_text("due")
    return None if date is None else times.to_ms(date)
"""
_OF_NUMBER: Final = """.get("due")
    return date if isinstance(date, int) else None
"""
_IN_NUMBERS: Final = {
    _OF_TEXT: _OF_NUMBER,
    "from andon.runtime import times\n": "",
    '"2026-01-02T00:00:00.000Z"': "1_767_312_000_000",
    "times.to_utc(NOW_MS + date * DAY_MS)": "NOW_MS + date * DAY_MS",
}
"""What a rule and its test say of a text that is a time -> of epoch milliseconds."""


class RuleAnchor(NamedTuple):
    """A fact, and the member of its entity with the date at which a rule is due; None: it waits for no date."""

    heard: Heard
    due_at: str | None

    @classmethod
    def of(cls, fact: str | None, due_at: str | None) -> Self:
        """Return the fact that somebody typed, by default the only one that there is.

        Raises:
            NotNew: nobody publishes it, or it says no such date.

        """
        heard = Heard.of(fact or only_fact()[0])
        if due_at is not None and due_at not in heard.entity and member_name(due_at) in heard.entity:
            due_at = member_name(due_at)
        found = cls(heard, due_at)
        if due_at is not None and not found.is_in_text and not is_whole(found.heard.entity.get(due_at)):
            members = ", ".join(name for name in found.heard.entity if name != "id")
            raise NotNew(f"{due_at!r} is no date of {'/'.join(found.heard.topic)}, a time in UTC: it says {members}")
        return found

    @property
    def subject(self) -> Name:
        """The subject of the fact, as `thing`."""
        named = self.heard.entity_name if self.heard.shares_partition else self.heard.subject
        snake = HUMP.sub("_", named).lower()
        return Name(snake, snake)

    @property
    def is_in_text(self) -> bool:
        """True if the date is a text, and not a number of milliseconds."""
        return is_time(self.heard.entity.get(self.due_at or ""))

    def named(self, name: Name) -> list[tuple[Name, Name]]:
        """Return the words of the template's rules, and those of one that is called otherwise."""
        return [(template.RESTLESS, name), (template.OVERDUE, name), (template.THINGS, self.subject)]

    def slice(self, part: str) -> dict[PurePosixPath, str]:
        """Return the template's control service with the one of its rules; part: `first`, or `beside` others."""
        return template.control(template.RESTLESS if self.due_at is None else template.OVERDUE, part)

    def fitted(self, words: Words, text: str) -> str:
        """Return a file of the template with other words, and with this fact in the place of its own."""
        if self.due_at is not None and not self.is_in_text:
            for old, new in _IN_NUMBERS.items():
                text = text.replace(old, new)
        return words.fitted(text, self._instead)

    @property
    def _id(self) -> str:
        """The id of what the sample is about: of what shares a partition, with an id of its own."""
        key = self.heard.event.partition_key
        return f"{key}:{self.heard.entity['id']}" if self.heard.shares_partition else key

    @property
    def _shared(self) -> Mapping[str, str]:
        """The ids of what events are about, where their partition keys are those of several."""
        if not self.heard.shares_partition:
            return {}
        own = f'.entity("{self.heard.entity_name}").text("id")'
        found = ("history.anchor", "anchor", "event")
        return {f"{one}.partition_key": f'":".join(({one}.partition_key, {one}{own}))' for one in found}

    @property
    def _instead(self) -> Mapping[str, str]:
        source, event_type = self.heard.topic
        return {
            **self._shared,
            '("things", "thing-moved")': f'("{source}", "{event_type}")',
            'source="things"': f'source="{source}"',
            '"thing-moved"': f'"{event_type}"',
            '"thing-1"': repr(self._id),
            "on_thing_moved": f"on_{event_type.replace('-', '_')}",
            'event.entity("thing")': f'event.entity("{self.heard.entity_name}")',
            '"due"': f'"{self.due_at}"',
            "due=DATE": f"{self.due_at}=DATE",
            "of the first of them": "of the first of them" if self.due_at is None else "of the date",
        }


OWN: Final = {"ONE": "PATH", "FACT": "TYPE", "DATE": "DATE"}
"""Names of constants in the template's test -> the ends of those of a rule beside others."""

TTL_DAYS, PARTITION_OF = "TTL_DAYS", "partition_of"
"""Names in `tables.py` that a rule imports."""


def make(asked: Namespace) -> str:
    """Make a rule; return what was written.

    Raises:
        NotNew: see `changes`.

    """
    return made(project().root, changes(project().root, asked.service, asked.name, asked.of, due_at=asked.due_at))


def changes(root: Path, service: str, text: str, of: str | None, *, due_at: str | None = None) -> Changes:
    """Return the changes for a new rule.

    of: the fact that it decides upon, by default the only one that there is. due_at: the date of that at which it does.

    Raises:
        NotNew: a name cannot be one, or is taken; the service has no rules; nobody publishes such a fact, or it says no
            such date.

    """
    name, anchor = Name.only(text), RuleAnchor.of(of, due_at)
    there = next((one for one in services() if one.name == service), None)
    if there is None:
        return _with_service(root, Name.only(service), name, anchor)
    return _in_service(root, there, name, anchor)


def _with_service(root: Path, service: Name, name: Name, anchor: RuleAnchor) -> Changes:
    require_free(service.many)
    require_no_sample(f"http/get-{service.many.replace('_', '-')}", _sample(anchor.subject, name))
    words = Words([(template.WATCH, service), *anchor.named(name)])
    new = {PurePosixPath(words(str(file))): anchor.fitted(words, one) for file, one in anchor.slice("first").items()}
    subscriptions = PurePosixPath("functions", "services", service.many, "subscriptions.py")
    new[subscriptions] = lifting(new[subscriptions], [anchor.heard.topic])
    stack = with_package((root / STACK).read_text(), "Service", service.many)
    return Changes(new, {STACK: stack}, _next(service.many, name, anchor))


def _in_service(root: Path, service: Package, name: Name, anchor: RuleAnchor) -> Changes:
    if not service.has("control"):
        raise NotNew(f"{service.folder} has no control.py: name a service that there is not, and it is written, too")
    rules = service.load("control").CONTROL.rules.all
    if name.many in {rule.id.replace("-", "_") for rule in rules}:
        raise NotNew(f"{service.folder} has a rule {name.many} already")
    require_no_sample(_sample(anchor.subject, name))
    stored = next((one for one in rules if anchor.heard.topic in one.on), None)
    return _beside(root, service, name, anchor, stored)


def _beside(root: Path, service: Package, name: Name, anchor: RuleAnchor, stored: Rule | None) -> Changes:
    """Return the changes for a rule beside others; stored: one of them that decides upon the same fact."""
    words = Words([(template.WATCH, Name(service.name, service.name)), *anchor.named(name)])
    texts = {PurePosixPath(words(str(file))): anchor.fitted(words, one) for file, one in anchor.slice("beside").items()}
    functions, tests = PurePosixPath("functions", service.folder), PurePosixPath("tests", service.folder)
    rule, test, samples = functions / "rules" / f"{name.many}.py", tests / f"test_{name.many}.py", tests / "samples.py"
    own = {one: f"{name.many.upper()}_{end}" for one, end in OWN.items()}
    new = {
        rule: _correlated(service, anchor, texts[rule]) if stored is None else _stored_as(stored, texts[rule]),
        test: renamed(texts[test], own),
    }
    edited = {
        functions / "tables.py": _with_tables(root, service, anchor, texts[functions / "tables.py"], stored),
        **_declared(root, service, name, anchor, words("restless.RestlessEntity")),
    }
    asked = renamed(texts[samples], own)
    if (root / samples).is_file():
        edited[samples] = merged(_text(root, samples), asked)
    else:
        new[samples] = asked
    return Changes(new, edited, _next(service.name, name, anchor))


def _declared(root: Path, service: Package, name: Name, anchor: RuleAnchor, entity: str) -> dict[PurePosixPath, str]:
    """Return the files of a service that say its rules, their facts, and what it subscribes to."""
    folder, module = PurePosixPath("functions", service.folder), f"services.{service.name}.rules"
    subject, imports = anchor.subject.one, [f"from {module} import {name.many}"]
    constant, meaning = f"{name.many}.{subject.upper()}_{name.many.upper()}", f"{name.many}.{subject}_{name.many}"
    control = with_rule(_text(root, folder / "control.py"), f"{name.many}.RULE")
    facts = with_fact(_text(root, folder / "facts.py"), constant, entity, kind=constant, meaning=meaning)
    edited = {
        folder / "control.py": with_imports(with_type(control, "Rules", constant), imports),
        folder / "facts.py": with_imports(facts, imports),
    }
    versioning = folder / "versioning.py"
    if (root / versioning).is_file():
        text = _text(root, versioning)
        edited[versioning] = with_aggregate(text, constant, "DECISION", f"{module}.{name.many}")
    if not service.subscribes_to(*anchor.heard.topic):
        edited[folder / "subscriptions.py"] = _with_subscription(root, service, anchor)
    return edited


def _with_subscription(root: Path, service: Package, anchor: RuleAnchor) -> str:
    file = PurePosixPath("functions", service.folder, "subscriptions.py")
    words = Words([(template.WATCH, Name(service.name, service.name)), (template.THINGS, Name("subject", "subject"))])
    addition = anchor.fitted(words, template.text_of(PurePosixPath("functions/services/watch/subscriptions.py")))
    heard = anchor.heard
    entry = f'("{heard.topic[0]}", "{heard.topic[1]}"): on_{heard.topic[1].replace("-", "_")}'
    text = with_entry(merged(_text(root, file), _correlated(service, anchor, addition), before="ON"), "ON", entry)
    return lifting(text, [heard.topic])


def _stored_as(rule: Rule, text: str) -> str:
    """Return a rule with the key by which its service stores the events of another one."""
    key = rule.key
    text = with_imports(without(text, "key_of"), [f"from {key.__module__} import {key.__name__}"])
    return renamed(text, {"key_of": key.__name__})


def _correlated(service: Package, anchor: RuleAnchor, text: str) -> str:
    """Return a file whose events lie in the partitions of their noun: another one's things may have the same ids."""
    return renamed(text, {PARTITION_OF: _partition_of(service, anchor)})


def _partition_of(service: Package, anchor: RuleAnchor) -> str:
    """Return the function of a service's tables for its subject; that of another noun is known by its parameter."""
    there = getattr(service.load("tables"), PARTITION_OF, None)
    if there is None or f"{anchor.subject.one}_id" in inspect.signature(there).parameters:
        return PARTITION_OF
    return f"{PARTITION_OF}_{anchor.subject.one}"


def _with_tables(root: Path, service: Package, anchor: RuleAnchor, like: str, stored: Rule | None) -> str:
    """Return the tables of a service, with what its new rule imports of them."""
    _, function = first_function(like)
    more = f"{TTL_DAYS} = {service.load('control').CONTROL.ttl_days}\n"
    if stored is None:
        more += f"\n\n{function.replace(PARTITION_OF, _partition_of(service, anchor), 1)}\n"
    return merged(_text(root, PurePosixPath("functions", service.folder, "tables.py")), more, before=PARTITION_OF)


def _sample(subject: Name, name: Name) -> str:
    return f"domain/{_dashed(subject)}-{_dashed(name)}"


def _next(service: str, name: Name, anchor: RuleAnchor) -> tuple[str, ...]:
    return (
        f"say in functions/services/{service}/rules/{name.many}.py when it decides",
        *(["(made with --due-at FIELD it decides when a date of the fact has come)"] if anchor.due_at is None else ()),
        f"and in tests/services/{service}/test_{name.many}.py when not",
        f"then write its samples anew: {as_called('samples')}",
    )


def _dashed(name: Name) -> str:
    return name.one.replace("_", "-")


def _text(root: Path, file: PurePosixPath) -> str:
    return (root / file).read_text()
