"""`andon new rule SERVICE NAME --of SOURCE/TYPE`: a rule over three of some fact within a minute, to be changed.

With `--due-at FIELD` it decides when a date has come that the fact says. A service that there is not is written with
it: a control service, with a query of its decisions.
"""

from argparse import Namespace
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from andon.packages.discovery import services
from andon.packages.package import Package
from andon.project import project
from andon.rules.rule import Rule
from andon.tools.called import as_called
from andon.tools.new import template
from andon.tools.new.anchor import RuleAnchor
from andon.tools.new.changes import Changes, made
from andon.tools.new.edits import (
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
from andon.tools.new.errors import NotNew
from andon.tools.new.known import Heard, require_free, require_no_sample
from andon.tools.new.service import STACK
from andon.tools.new.words import Name, Words

OWN: Final = {"ONE": "PATH", "FACT": "TYPE", "DATE": "DATE"}
"""Names of constants in the template's test -> the ends of those of a rule beside others."""

TTL_DAYS: Final = "TTL_DAYS"


class Declared(NamedTuple):
    """The fact that a rule decides, as its service's files name it: its type, its meaning, and its entity."""

    constant: str
    meaning: str
    entity: str


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
    stack = with_package((root / STACK).read_text(), "Service", service.many)
    return Changes(new, {STACK: stack}, _next(service.many, name, anchor))


def _in_service(root: Path, service: Package, name: Name, anchor: RuleAnchor) -> Changes:
    if not service.has("control"):
        raise NotNew(f"{service.folder} has no control.py: name a service that there is not, and it is written, too")
    rules = service.load("control").CONTROL.rules.all
    if name.many in {rule.id for rule in rules} | {rule.id.replace("-", "_") for rule in rules}:
        raise NotNew(f"{service.folder} has a rule {name.many} already")
    subject = anchor.subject
    require_no_sample(_sample(subject, name))
    words = Words([(template.WATCH, Name(service.name, service.name)), *anchor.named(name)])
    functions, tests = PurePosixPath("functions", service.folder), PurePosixPath("tests", service.folder)
    texts = {PurePosixPath(words(str(file))): anchor.fitted(words, one) for file, one in anchor.slice("beside").items()}
    rule, test = functions / "rules" / f"{name.many}.py", tests / f"test_{name.many}.py"
    own = {one: f"{name.many.upper()}_{end}" for one, end in OWN.items()}
    return _changed(
        root,
        service,
        name,
        anchor,
        new={rule: _fit_to(service, rules, anchor.heard, texts[rule]), test: renamed(texts[test], own)},
        samples=renamed(texts[tests / "samples.py"], own),
        fact=Declared(
            f"{name.many}.{subject.one.upper()}_{name.many.upper()}",
            f"{name.many}.{subject.one}_{name.many}",
            words("restless.RestlessEntity"),
        ),
    )


def _changed(
    root: Path,
    service: Package,
    name: Name,
    anchor: RuleAnchor,
    *,
    new: dict[PurePosixPath, str],
    samples: str,
    fact: Declared,
) -> Changes:
    folder, tests = PurePosixPath("functions", service.folder), PurePosixPath("tests", service.folder)
    imports = [f"from services.{service.name}.rules import {name.many}"]
    control = with_rule(_text(root, folder / "control.py"), f"{name.many}.RULE")
    facts = _text(root, folder / "facts.py")
    facts = with_fact(facts, fact.constant, fact.entity, kind=fact.constant, meaning=fact.meaning)
    edited = {
        folder / "control.py": with_imports(with_type(control, "Rules", fact.constant), imports),
        folder / "facts.py": with_imports(facts, imports),
    }
    versioning = folder / "versioning.py"
    if (root / versioning).is_file():
        edited[versioning] = with_aggregate(
            _text(root, versioning), fact.constant, "DECISION", f"services.{service.name}.rules.{name.many}"
        )
    if not service.subscribes_to(*anchor.heard.topic):
        edited[folder / "subscriptions.py"] = _with_subscription(root, service, anchor)
    if (root / tests / "samples.py").is_file():
        edited[tests / "samples.py"] = merged(_text(root, tests / "samples.py"), samples)
    else:
        new[tests / "samples.py"] = samples
    return Changes(new, edited, _next(service.name, name, anchor))


def _with_subscription(root: Path, service: Package, anchor: RuleAnchor) -> str:
    file = PurePosixPath("functions", service.folder, "subscriptions.py")
    words = Words([(template.WATCH, Name(service.name, service.name)), (template.THINGS, Name("subject", "subject"))])
    addition = anchor.fitted(words, template.text_of(PurePosixPath("functions/services/watch/subscriptions.py")))
    heard = anchor.heard
    entry = f'("{heard.topic[0]}", "{heard.topic[1]}"): on_{heard.topic[1].replace("-", "_")}'
    return with_entry(merged(_text(root, file), addition, before="ON"), "ON", entry)


def _fit_to(service: Package, rules: tuple[Rule, ...], heard: Heard, text: str) -> str:
    """Return a rule with the key by which its service stores such events, and with the days that it keeps them."""
    stored = [rule.key for rule in rules if heard.topic in rule.on]
    tables = service.load("tables")
    own = (TTL_DAYS,) if stored else (TTL_DAYS, "partition_of")
    wanted = ["KEYS", *(name for name in own if hasattr(tables, name))]
    line = f"from services.{service.name}.tables import"
    text = text.replace(f"{line} KEYS, TTL_DAYS, partition_of", f"{line} {', '.join(wanted)}")
    if not hasattr(tables, TTL_DAYS):
        days = f"{TTL_DAYS}: Final = {service.load('control').CONTROL.ttl_days}"
        text = text.replace("\n\n\nclass ", f"\n{days}\n\n\nclass ", 1)
    if stored:
        key = stored[0]
        text = with_imports(without(text, "key_of"), [f"from {key.__module__} import {key.__name__}"])
        text = renamed(text, {"key_of": key.__name__})
    return text


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
