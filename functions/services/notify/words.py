"""Words of messages to people: one file a language in `languages`, of which the sender imports those it needs. Pure."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final, NamedTuple

ROOM: Final = "services.notify.languages"

ENGLISH: Final = "en"
"""The language of a contact that names none, or one that has no file."""

Forms = Mapping[str, str]
"""A text by the form that a language has for a number, such as `one` and `other`: https://cldr.unicode.org/index/cldr-spec/plural-rules"""


class Text(NamedTuple):
    """A subject, of one line, and a text."""

    subject: str
    text: str


def one_or_other(count: int) -> str:
    """Return the form for a number in English, German and Spanish, up to a million."""
    return "one" if count == 1 else "other"


class Phrases(NamedTuple):
    """The words of a language, each filled in by `format`.

    one: the subject about one machine. many: about several. line: of each. others: behind the last line. what: states
    and categories that this system itself names; those of machines and catalogs stay as they are. code, test: messages
    that somebody asked for; `minutes` is how long a code counts. form: the form for a number.
    """

    one: str
    many: Forms
    line: str
    others: Forms
    what: Mapping[str, str]
    code: Text
    minutes: Forms
    test: Text
    form: Callable[[int], str] = one_or_other

    def counted(self, forms: Forms, count: int) -> str:
        """Return a text about a number."""
        return forms.get(self.form(count), forms["other"]).format(count=count)


@cache
def languages() -> tuple[str, ...]:
    """Return the languages that have a file, as `es`."""
    from importlib import import_module  # noqa: PLC0415  the sender alone has words
    from pkgutil import iter_modules  # noqa: PLC0415  the same

    return tuple(sorted(found.name for found in iter_modules(import_module(ROOM).__path__)))


@cache
def in_language(language: str) -> Phrases:
    """Return the words of a language, as `es` or `es-MX`; English ones of a language that has none."""
    from importlib import import_module  # noqa: PLC0415  the sender alone has words

    tag = language.partition("-")[0].lower()
    found: Phrases = import_module(f"{ROOM}.{tag if tag in languages() else ENGLISH}").WORDS
    return found
