"""The text of a message, made when it is sent, from the notices that wait by then. Pure."""

from collections.abc import Sequence
from typing import Final

from andon.outbound.delivery import Notice
from andon.runtime.json_types import JsonMapping
from services.notify.notices import request_in
from services.notify.words import Text, in_language

NAMED: Final = 5
"""So many are named; the others are counted."""


def text_of(notices: Sequence[Notice], language: str) -> Text:
    """Return the text about some notices: each subject once, the oldest first."""
    words = in_language(language)
    asked = [request_in(one).help for one in _distinct(notices)]
    one_subject = words.one.format(name=asked[0].text("name"))
    subject = one_subject if len(asked) == 1 else words.counted(words.many, len(asked))
    lines = [
        words.line.format(
            name=one.text("name"),
            what=words.what.get(one.text("what"), one.text("what")),
            since=one.text("since")[11:16],
        )
        for one in asked[:NAMED]
    ]
    others = [words.counted(words.others, len(asked) - NAMED)] if len(asked) > NAMED else []
    return Text(" ".join(subject.split()), "\n".join([*lines, *others]))


def subjects_of(notices: Sequence[Notice]) -> list[JsonMapping]:
    """Return the subjects of some notices, each once, in the order of the text."""
    return [one.about for one in _distinct(notices)]


def _distinct(notices: Sequence[Notice]) -> list[Notice]:
    found: list[Notice] = []
    for notice in notices:
        if all(notice.about != other.about for other in found):
            found.append(notice)
    return found
