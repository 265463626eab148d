"""`andon new view NAME --of SOURCE/TYPE …`: a view with a row for each subject of some facts, and a query of it.

With `--objects` the rows of a day are one object of S3.
"""

import ast
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from andon.events.topic import Topic
from andon.project import project
from andon.tools.new import template
from andon.tools.new.arguments import BY_ANOTHER_KEY, PER_DAY
from andon.tools.new.changes import Changes, made
from andon.tools.new.edits import first_function, merged, with_imports, with_members, with_package
from andon.tools.new.known import Heard, is_time, lifting, only_fact, require_free, require_no_sample
from andon.tools.new.service import STACK
from andon.tools.new.words import HUMP, Name, NotNew, Words, member_name
from andon.views.view_updates import GONE

# Additions to a new view whose rows are counted by one of its fields: an index, a route and a test.


class CountedText(NamedTuple):
    """A text of rows: its attribute, the member of an entity that it is of, and a type of events that says it so."""

    attribute: str
    member: str
    event_type: str
    example: str


def _with_counting(
    texts: Mapping[PurePosixPath, str], by: CountedText, *, view: Name, subject: Name
) -> dict[PurePosixPath, str]:
    """Return the files of a view, whose rows are counted by a text of theirs.

    Raises:
        NotNew: its route has the name of another one.

    """
    place = Name.only(by.attribute)
    words = Words([(template.INVENTORY, view), (template.PLACE, place), (template.THINGS, subject)])
    require_no_sample(words("http/get-inventory-by-place"))
    member_of = {place.one: by.attribute}
    instead = {
        '{**entity, "place"': f'{{**entity, "{by.member}"',
        '"thing-moved"': f'"{by.event_type}"',
        '"place"': f'"{by.attribute}"',
        '"place-1"': repr(by.example),
        '"place-2"': repr(f"{by.example} 2"),
    }
    found = dict(texts)
    for file, part in template.part_of("views", template.INVENTORY, "counted").items():
        path, more = PurePosixPath(words(str(file))), with_members(words.fitted(part, instead), member_of)
        before = first_function(found[path])[0] if file.name == "view.py" else None
        found[path] = merged(found[path], more, before=before) if path in found else more
    return found


# Form of a new view's rows, in a table or in objects of S3: its files, and the key of a row.


class Form(NamedTuple):
    """A form of views: the view of the template that has it, what that is of, and the values of a row's key.

    sample: of its request, by the template's words. example: the subject in the query's text, if one is asked for.
    taken: names of attributes that rows have in any case.
    """

    view: Name
    of: Name
    key: str
    sample: str
    example: str | None = None
    taken: frozenset[str] = frozenset()
    next: tuple[str, ...] = ()


TABLE: Final = Form(
    template.INVENTORY, template.THINGS, "event.partition_key", "http/get-thing-in-inventory", example='"thing-1"'
)
LISTED: Final = Form(
    template.CATALOGUE,
    template.BOOKS,
    'event.partition_key, told.text("id")',
    "http/get-catalogue",
    example='"shelf-1"',
    next=("it is a list: its facts share a partition, and each of their entities has a row in it",),
)
OBJECTS: Final = Form(
    template.DIARY,
    template.THINGS,
    "times.date_of(event.timestamp_ms), event.partition_key",
    "http/get-diary-of-day",
    taken=frozenset({"saidOn", GONE}),
    next=(
        "choose in its KEYS what names an object, now the day of the events; how: andon docs patterns/view-as-objects",
    ),
)


SCALARS: Final[Mapping[type, str]] = {bool: "bool", int: "int", float: "float", str: "str"}
_NOT_FIELDS: Final = frozenset({"ttl", "id", "version"})

# Parts of the template's files, in whose place stand those of other facts.
PLACE: Final = "    place: str\n"
SHOWN: Final = (', "place": row["place"]}', ", **KEPT.said_in(row)}")
SHARED: Final = "entities of {} share a partition: its rows have what the newest of them says. Their own ids are lost"

_NO_INDEX: Final = (
    "--count-by and --objects do not go together, for objects have no index to count by: leave out --objects; or leave "
    "out --count-by, and count the items of a day where it is read"
)


def make(asked: Namespace) -> str:
    """Make a view; return what was written.

    Raises:
        NotNew: see `changes`.

    """
    root, count_by = project().root, asked.count_by
    return made(root, changes(root, asked.name, asked.of, count_by=count_by, as_objects=asked.objects))


def changes(
    root: Path, text: str, of: Sequence[str], *, count_by: str | None = None, as_objects: bool = False
) -> Changes:
    """Return the changes for a new view of some facts; without any, it is of the only fact that there is.

    count_by: a text of its rows by which they are counted; only those of a table can be.

    Raises:
        NotNew: the name cannot be one, or is taken; nobody publishes such a fact; none says such a text; or rows of
            this form cannot be counted.

    """
    if count_by is not None and as_objects:
        raise NotNew(_NO_INDEX)
    name = Name.only(text)
    require_free(name.many)
    heard = [Heard.of(one) for one in dict.fromkeys(of or only_fact())]
    form = OBJECTS if as_objects else form_of(heard)
    kept = KeptMembers(heard, form)
    words = Words([(form.view, name), (form.of, kept.subject), (template.SHELF, kept.partition)])
    require_no_sample(words(form.sample))
    texts = template.slice_of("views", form.view, "row")
    new = {PurePosixPath(words(str(file))): kept.fitted(file, one, words) for file, one in texts.items()}
    if count_by is not None:
        new = _with_counting(new, kept.said(count_by), view=name, subject=kept.subject)
    stack = with_package((root / STACK).read_text(), "View", name.many)
    return Changes(new, {STACK: stack}, (*_next(name, heard, form, kept, is_counted=count_by is not None),))


def _next(name: Name, heard: Sequence[Heard], form: Form, kept: "KeptMembers", *, is_counted: bool) -> Iterator[str]:
    said = ", ".join(kept.shown)
    yield f"choose in functions/views/{name.many}/view.py what it keeps, now {said}; and in query.py what it answers"
    yield from form.next
    sharing = ["/".join(one.topic) for one in heard if one.shares_partition]
    if sharing and form is not LISTED:
        yield SHARED.format(", ".join(sharing))
    if form is not OBJECTS and not is_counted:
        yield "(made with --count-by FIELD it counts its rows by one of them)"
    if form is TABLE:
        yield f"a list of its rows by another key: {BY_ANOTHER_KEY}"


def form_of(heard: Sequence[Heard]) -> Form:
    """Return the form of rows: a list, if all facts are of one entity, of which several share a partition."""
    entities = {(one.topic[0], one.entity_name) for one in heard}
    return LISTED if len(entities) == 1 and all(one.shares_partition for one in heard) else TABLE


class KeptMembers:
    """Fields that a view keeps of some facts: of each entity its plain members, under an oplock of its own."""

    def __init__(self, heard: Iterable[Heard], form: Form = TABLE) -> None:
        self._form = form
        self._entities: dict[tuple[str, str], list[Heard]] = {}
        for one in heard:
            self._entities.setdefault((one.topic[0], one.entity_name), []).append(one)
        self._members = {entity: _members(facts) for entity, facts in self._entities.items()}
        first = next(iter(self._entities.values()))[0]
        self._example = first.event.partition_key
        self.partition = _snake(first.subject)
        self.subject = _snake(first.entity_name) if form is LISTED else self.partition
        self._id = f"{self.subject.dashed}-1" if form is LISTED else self._example
        if not self.shown:
            raise NotNew("the samples of these facts have no text, number or truth value to keep")

    @property
    def shown(self) -> dict[str, object]:
        """Attribute of a row -> what the newest sample says."""
        found: dict[str, object] = {}
        for entity, facts in sorted(self._entities.items(), key=lambda item: _last(item[1]).event.timestamp_ms):
            for member in self._members[entity]:
                found[self._attribute(entity, member)] = _said(facts, member)
        return {name: value for name, value in found.items() if value is not None}

    def said(self, attribute: str) -> CountedText:
        """Return a text of a row that is no time, with a type of facts that say it.

        Raises:
            NotNew: none does.

        """
        texts = [name for name, value in self.shown.items() if isinstance(value, str) and not is_time(value)]
        for entity, facts in self._entities.items():
            for member in self._members[entity]:
                name = self._attribute(entity, member)
                if name in {attribute, member_name(attribute)} & {*texts}:
                    return CountedText(name, member, _last(facts).topic[1], str(_said(facts, member)))
        why = f"no text {attribute!r} to count by: its rows have {', '.join(texts) or 'none'}"
        raise NotNew(f"{why}. A number or a sum per day: {PER_DAY}")

    def fitted(self, file: PurePosixPath, text: str, words: Words) -> str:
        """Return a file of the template with other words, and with these facts in the place of its own."""
        text = text.replace("responses(SHOWN,", "responses(InventoryResponse,")
        match file.name:
            case "view.py":
                return lifting(words.fitted(text, _each_once(text, self._in_view(text))), self._topics)
            case "query.py":
                return self._completed(words.fitted(text, _each_once(text, self._in_query(text))))
            case _:
                return words.fitted(text, self._in_tests())

    def _in_view(self, text: str) -> dict[str, str]:
        functions = "\n\n\n".join(map(self._function, self._entities))
        entries = (f'    ("{topic[0]}", "{topic[1]}"): {function},\n' for topic, function in self._topics.items())
        name, source = first_function(text)
        of = self._form.of
        return {source: functions, f'    ("{of.many}", "{of.one}-moved"): {name},\n': "".join(entries)}

    def _in_query(self, text: str) -> dict[str, str]:
        lines = "".join(f"    {name}: NotRequired[{SCALARS[type(value)]}]\n" for name, value in self.shown.items())
        examples = {} if self._form.example is None else {self._form.example: repr(self._example)}
        shown = next(one for one in SHOWN if one in text)
        return {PLACE: lines, shown: "} | _members_of(row)"} | examples

    def _in_tests(self) -> dict[str, str]:
        names = ", ".join(repr(topic[1]) for topic in self._topics)
        known = {"id": self._id, **self.shown}
        one, group = self._form.of.one, '"shelf-1"' if self._form is LISTED else f'"{self._form.of.one}-1"'
        body = f'{{"id": "{one}-1", "place": "place-1"}}'
        return {f'("{one}-moved",)': f"({names},)", body: repr(known), group: repr(self._example)}

    def _completed(self, query: str) -> str:
        response = next(node.name for node in ast.parse(query).body if isinstance(node, ast.ClassDef))
        imports = ("from typing import NotRequired", "from andon.dynamodb.attribute_values import Item")
        return with_imports(
            query + _MEMBERS_OF.format(response=response), [*imports, "from andon.runtime.json_types import JsonObject"]
        )

    @property
    def _topics(self) -> dict[Topic, str]:
        return {one.topic: self._name_of(entity) for entity, facts in self._entities.items() for one in facts}

    def _name_of(self, entity: tuple[str, str]) -> str:
        """Return the name of the function for an entity: `on_thing_moved` of one fact, of several `on_thing`."""
        facts = self._entities[entity]
        if len(facts) == 1:
            return f"on_{facts[0].topic[1].replace('-', '_')}"
        return f"on_{HUMP.sub('_', entity[1]).lower()}" if self._is_named(entity) else f"on_{entity[0]}_{entity[1]}"

    def _is_named(self, entity: tuple[str, str]) -> bool:
        """Return True if its name tells an entity: no other source has one of that name."""
        return sum(name == entity[1] for _, name in self._entities) == 1

    def _function(self, entity: tuple[str, str]) -> str:
        name = entity[1]
        fields = (
            f'"{self._attribute(entity, member)}": told.{_reader(self._entities[entity], member)}("{member}")'
            for member in self._members[entity]
            if _said(self._entities[entity], member) is not None
        )
        oplock = name if self._is_named(entity) else "-".join(entity)
        update = f'key=KEYS.of({self._form.key}), fields={{{", ".join(fields)}}}, oplock="{oplock}"'
        return (
            f"def {self._name_of(entity)}(event: DomainEvent) -> ViewUpdate:\n"
            f'    """Keep what it says."""\n'
            f'    told = event.entity("{name}")\n'
            f"    return ViewUpdate({update})"
        )

    def _attribute(self, entity: tuple[str, str], member: str) -> str:
        """Return the attribute of a member: its name, behind that of its entity if another one has such a member."""
        shared = sum(member in members for members in self._members.values()) > 1
        if not shared and member not in {self.subject.one, *self._form.taken}:
            return member
        prefix = entity[1] if self._is_named(entity) else entity[0]
        return f"{prefix}{member[:1].upper()}{member[1:]}"


def _snake(name: str) -> Name:
    snake = HUMP.sub("_", name).lower()
    return Name(snake, snake)


_MEMBERS_OF: Final = '''

def _members_of(row: Item) -> JsonObject:
    """Return the members of a response that a row has."""
    return {{name: row[name] for name in {response}.__annotations__ if name in row}}
'''


def _members(facts: Sequence[Heard]) -> list[str]:
    """Return the members of an entity that a row keeps: texts, numbers and truth values, but for its key."""
    found = (
        name
        for one in facts
        for name, value in one.entity.items()
        if type(value) in SCALARS and value != one.event.partition_key and name not in _NOT_FIELDS
    )
    return [*dict.fromkeys(found)]


def _reader(facts: Sequence[Heard], member: str) -> str:
    """Return the code that reads a member: a text that each sample has must be there."""
    if not isinstance(_said(facts, member), str):
        return "get"
    return "text" if all(member in entity for one in facts for entity in one.entities) else "optional_text"


def _last(facts: Sequence[Heard]) -> Heard:
    return max(facts, key=lambda one: one.event.timestamp_ms)


def _said(facts: Sequence[Heard], member: str) -> object:
    return _last(facts).entity.get(member)


def _each_once(text: str, instead: dict[str, str]) -> dict[str, str]:
    """Return the replacements of parts, each of which stands in the template exactly once."""
    for part in instead:
        if text.count(part) != 1:
            raise LookupError(f"the template has {text.count(part)} times: {part}")
    return instead
