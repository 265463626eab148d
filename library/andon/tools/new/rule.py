"""`andon new rule SERVICE NAME --of SOURCE/TYPE`: a rule over three of some fact within a minute, to be changed.

With `--due-at FIELD` it decides when a date has come that the fact says. A service that there is not is written with
it: a control service, with a query of its decisions.
"""

import inspect
from argparse import Namespace
from pathlib import Path, PurePosixPath
from typing import Final

from andon.packages.discovery import services
from andon.packages.package import Package
from andon.project import project
from andon.rules.rule import Rule
from andon.tools.called import as_called
from andon.tools.new import template
from andon.tools.new.anchor import RuleAnchor
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
from andon.tools.new.errors import NotNew
from andon.tools.new.known import require_free, require_no_sample
from andon.tools.new.service import STACK
from andon.tools.new.words import Name, Words

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
    return with_entry(merged(_text(root, file), _correlated(service, anchor, addition), before="ON"), "ON", entry)


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
