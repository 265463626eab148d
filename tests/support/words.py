"""Counts of the words that code is written in: casts, bags, names of classes, beginnings of docstrings."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

FOLDERS = ("functions", "library/andon", "infra", "demo", "lab", "gateway")
"""The code whose docstrings are counted; types and names count in the first two alone, without templates."""

_CAST = re.compile(r"\bcast\(")
_CLASS = re.compile(r"^ *class (\w+)", re.MULTILINE)
_WHAT = re.compile(r'^ *"""(Return w|W)hat ', re.MULTILINE)
_HOW = re.compile(r'^ *"""(Return )?(how|where|who|whom|whose|whether|give|tell|say) ', re.MULTILINE | re.IGNORECASE)
_KEPT_WHOLE = re.compile(r"# noqa: .*\bPLR0915\b")

Sources = Mapping[str, str]
"""Path below the root -> source."""


def counts_of(sources: Sources) -> Mapping[str, int]:
    """Return the counts by name, see `tests/test_words.py`."""
    typed = [text for path, text in sources.items() if _is_typed(path)]
    return {
        "casts": _found(_CAST, typed),
        "bags": sum(text.count("[str, Any]") for text in typed),
        "names of several classes": sum(files > 1 for files in _files_by_class(typed).values()),
        "docstrings that begin with What": _found(_WHAT, sources.values()),
        "docstrings that begin with How": _found(_HOW, sources.values()),
        "long functions": _found(_KEPT_WHOLE, sources.values()),
    }


def _is_typed(path: str) -> bool:
    return path.startswith(FOLDERS[:2]) and "/templates/" not in path


def _found(pattern: re.Pattern[str], texts: Iterable[str]) -> int:
    return sum(1 for text in texts for _ in pattern.finditer(text))


def _files_by_class(texts: Iterable[str]) -> Counter[str]:
    return Counter(chain.from_iterable({*_CLASS.findall(text)} for text in texts))
