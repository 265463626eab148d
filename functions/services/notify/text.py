"""The text of a message, made when it is sent, from the notices that wait by then. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from andon.outbound.delivery import Notice
from andon.runtime.json_types import JsonMapping
from services.notify.notices import request_in

Said = TypeVar("Said")

NAMED: Final = 5
"""So many are named; the others are counted."""


class Phrases(NamedTuple):
    """The words of a language; each is filled in by `format`."""

    one: str
    many: str
    line: str
    others: str


WORDS: Final = {
    "en": Phrases("{name} needs help", "{of} machines need help", "{name}: {what} since {since} UTC", "and {of} more"),
    "es": Phrases(
        "{name} necesita ayuda", "{of} máquinas necesitan ayuda", "{name}: {what} desde {since} UTC", "y {of} más"
    ),
}


class Text(NamedTuple):
    """A subject, of one line, and a text."""

    subject: str
    text: str


def text_of(notices: Sequence[Notice], language: str) -> Text:
    """Return the text about some notices: each subject once, the oldest first."""
    words = in_language(WORDS, language)
    asked = [request_in(one).help for one in _distinct(notices)]
    names = [one.text("name") for one in asked]
    subject = words.one.format(name=names[0]) if len(asked) == 1 else words.many.format(of=len(asked))
    lines = [
        words.line.format(name=one.text("name"), what=one.text("what"), since=one.text("since")[11:16])
        for one in asked[:NAMED]
    ]
    others = [words.others.format(of=len(asked) - NAMED)] if len(asked) > NAMED else []
    return Text(" ".join(subject.split()), "\n".join([*lines, *others]))


def subjects_of(notices: Sequence[Notice]) -> list[JsonMapping]:
    """Return the subjects of some notices, each once, in the order of the text."""
    return [one.about for one in _distinct(notices)]


def in_language(words: Mapping[str, Said], language: str) -> Said:
    """Return the words of a language, as `es` or `es-MX`; English ones of a language that has none."""
    return words.get(language.partition("-")[0], words["en"])


def _distinct(notices: Sequence[Notice]) -> list[Notice]:
    found: list[Notice] = []
    for notice in notices:
        if all(notice.about != other.about for other in found):
            found.append(notice)
    return found
