"""Words of the sample, which stand nowhere in the library."""

import re

from andon.testing.layers import LIBRARY, Finding, Sources

FACTORY_WORDS = frozenset(
    [
        "audit",
        "auditor",
        "device",
        "equipment",
        "escalation",
        "factories",
        "factory",
        "operator",
        "press",
        "roster",
        "supervisor",
    ]
)
OF_THE_SAMPLE = re.compile(r"\b(equipment|factory|factories|dispatch|crew|board)\b", re.IGNORECASE)
"""Words that stand nowhere in the library, its constructs, tools and comments included."""

NOT_OF_A_FACTORY = ("default_factory",)  # a parameter of dataclasses.field

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def factory_words(sources: Sources) -> set[Finding]:
    """Find words of the domain in the identifiers, strings and comments of the library."""
    return {
        (module, word)
        for module, source in sources.items()
        if module.partition(".")[0] == LIBRARY
        for word in _words(source) & FACTORY_WORDS
    }


def sample_words(sources: Sources) -> set[Finding]:
    """Find whole words of the sample anywhere in files."""
    return {(name, word) for name, text in sources.items() for word in OF_THE_SAMPLE.findall(text)}


def _words(source: str) -> set[str]:
    for name in NOT_OF_A_FACTORY:
        source = source.replace(name, "")
    words = {word.lower() for word in _WORD.findall(source)}
    return words | {word.removesuffix("s") for word in words} | {word.removesuffix("es") for word in words}
