"""Additions to a new view whose rows are counted by one of its fields: an index, a route and a test."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from andon.tools.new import template
from andon.tools.new.edits import first_function, merged
from andon.tools.new.known import require_no_sample
from andon.tools.new.words import Name, Words


class CountedText(NamedTuple):
    """A text of rows: its attribute, the member of an entity that it is of, and a type of events that says it so."""

    attribute: str
    member: str
    event_type: str
    example: str


def with_counting(
    texts: Mapping[PurePosixPath, str], by: CountedText, *, view: Name, subject: Name
) -> dict[PurePosixPath, str]:
    """Return the files of a view, whose rows are counted by a text of theirs.

    Raises:
        NotNew: its route has the name of another one.

    """
    place = Name.only(by.attribute)
    words = Words([(template.INVENTORY, view), (template.PLACE, place), (template.THINGS, subject)])
    require_no_sample(words("http/get-inventory-by-place"))
    instead = {
        '{**entity, "place"': f'{{**entity, "{by.member}"',
        '"thing-moved"': f'"{by.event_type}"',
        '"place"': f'"{by.attribute}"',
        '"north"': repr(by.example),
        '"south"': repr(f"{by.example} 2"),
    }
    found = dict(texts)
    for file, part in template.part_of("views", template.INVENTORY, "counted").items():
        path, more = PurePosixPath(words(str(file))), words.fitted(part, instead)
        before = first_function(found[path])[0] if file.name == "view.py" else None
        found[path] = merged(found[path], more, before=before) if path in found else more
    return found
