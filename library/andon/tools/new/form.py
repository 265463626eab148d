"""Form of a new view's rows, in a table or in objects of S3: its files, and the key of a row."""

from typing import Final, NamedTuple

from andon.tools.new import template
from andon.tools.new.words import Name
from andon.views.view_updates import GONE


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
