"""`andon docs`: the library's pages, in a terminal.

Without a name it lists them. A page is named as `rules`, a section of one as `how-do-i#count`, a module of the library
as `andon.rules.timing`; other words find the sections that have them. A wheel has the pages beside this file;
its source has them in docs/.
"""

import argparse
import posixpath
import pydoc
import re
import sys
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import pairwise
from math import log
from typing import Final

from andon.project import library_folder
from andon.tools.docs_index import LINK, Section, listed_in, section_with_those_below, sections_of
from andon.tools.stack.errors import ToolFailed

SHIPPED: Final = library_folder() / "tools" / "pages"
SOURCE: Final = library_folder().parent.parent / "docs"
INDEX: Final = "README"
_MOST_FOUND: Final = 12
NEAR: Final = 0.5
"""Of the weight of the likeliest section: what others need."""

_IN_TITLE: Final = 10
"""A word in a title counts as much as so many in the text."""

_NEAREST: Final = 5
ALIKE: Final = 0.4
"""From this ratio on, the name of a section is like another one; 1 is the same."""

RULE: Final = re.compile(r" +\|  -+")
_INHERITED: Final = re.compile(r"\|  [\w ]+ inherited from (?:builtins|typing|enum)\.\w+:")

CODE: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)

Pages = Mapping[str, str]
"""Name of a page, as `rules` or `patterns/fault` -> its text."""


def pages() -> Pages:
    """Read all pages.

    Raises:
        ToolFailed: there are none: the library is neither installed nor in its repository.

    """
    folder = next((one for one in (SHIPPED, SOURCE) if (one / f"{INDEX}.md").is_file()), None)
    if folder is None:
        raise ToolFailed(f"there are no pages in {SHIPPED}")
    return {str(file.relative_to(folder).with_suffix("")): file.read_text() for file in sorted(folder.rglob("*.md"))}


def listed(of: Pages) -> str:
    """Return a line for each page, below the parts of the index."""
    lines, part = list[str](), ""
    for one in listed_in(of[INDEX]):
        if one.part != part:
            part = one.part
            lines += ["", part]
        lines.append(f"  {_name(one.path, INDEX):32} {one.says}")
    return "\n".join([*lines, "", "One of them: andon docs PAGE; sections with some words: andon docs WORD …"]).strip()


def shown(of: Pages, name: str) -> str | None:
    """Return a page, or a section of it, as `rules#time`; None: there is none of that name."""
    page, _, anchor = name.partition("#")
    page = next((one for one in (page, f"{page}/{INDEX}") if one in of), "")
    if not page:
        return None
    text = section_with_those_below(sections_of(of[page]), anchor) if anchor else of[page]
    return None if text is None else _with_names(text, page, of)


def module(name: str) -> str | None:
    """Return the documentation of a module of the library, or of a class of one; None: there is none of that name."""
    if not name.startswith(f"{library_folder().name}."):
        return None
    try:
        return _own(pydoc.plain(pydoc.render_doc(name, title="%s")))
    except (ImportError, pydoc.ErrorDuringImport):  # it is not there, or asks for a project
        return None


def _own(text: str) -> str:
    """Return the documentation of classes without what they inherit from Python's own, as from a tuple."""
    kept, is_own = list[str](), True
    lines = text.splitlines()
    for line, after in pairwise([*lines, ""]):
        if not line.lstrip().startswith("|"):
            is_own = True
        elif RULE.fullmatch(line):
            is_own = _INHERITED.search(after) is None
        if is_own:
            kept.append(line)
    return "\n".join(kept)


def _near(of: Pages, name: str) -> str | None:
    """Return which sections a page has, the nearest first, of a section that it has not; None: there is no page."""
    page, _, anchor = name.partition("#")
    page = next((one for one in (page, f"{page}/{INDEX}") if one in of), "")
    if not (page and anchor):
        return None
    anchors = [one.anchor for one in sections_of(of[page]) if one.anchor]
    near = get_close_matches(anchor, anchors, n=_NEAREST, cutoff=ALIKE) or anchors
    return f"{page} has no section {anchor!r}; it has {', '.join(f'{page}#{one}' for one in near[:_MOST_FOUND])}"


def found(of: Pages, words: Iterable[str]) -> list[tuple[str, Section]]:
    """Return the sections that have some of the words, the likeliest first; each with the name of its page.

    A word counts where another one begins with it, too, more in a title, in a short section, and if few sections have
    it: Okapi BM25, https://en.wikipedia.org/wiki/Okapi_BM25.
    """
    sections = [(page, one) for page, text in of.items() if page != INDEX for one in sections_of(text)]
    texts = [f"{f'{one.title} ' * _IN_TITLE}{one.text}".lower() for _, one in sections]
    usual = sum(map(len, texts)) / max(1, len(texts))
    weights = [0.0] * len(texts)
    for word in {word.lower() for word in words}:
        times = [len(re.findall(rf"\b{re.escape(word)}", text)) for text in texts]
        having = sum(map(bool, times))
        rarity = log(1 + (len(texts) - having + 0.5) / (having + 0.5))
        for number, (count, text) in enumerate(zip(times, texts, strict=True)):
            weights[number] += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(text) / usual))
    least = max(weights, default=0) * NEAR
    likely = sorted((-weight, number) for number, weight in enumerate(weights) if 0 < weight >= least)
    return [sections[number] for _, number in likely]


def answer(of: Pages, asked: list[str]) -> str:
    """Return the page, the section or the module that was asked for, or a list of those that have the words.

    Raises:
        ToolFailed: no page has it.

    """
    if not asked:
        return listed(of)
    named = (shown(of, asked[0]) or module(asked[0])) if len(asked) == 1 else None
    if named is not None:
        return named
    if len(asked) == 1 and (near := _near(of, asked[0])):
        raise ToolFailed(near)
    sections = found(of, [word for one in asked for word in one.split()])
    if not sections:
        raise ToolFailed(f"no page has {' and '.join(asked)}; alone it lists all pages")
    if len(sections) == 1:
        [(page, section)] = sections
        return shown(of, f"{page}#{section.anchor}") or ""
    lines = [f"  {f'{page}#{one.anchor}':60} {one.title}" for page, one in sections[:_MOST_FOUND]]
    more = [f"  and {len(sections) - _MOST_FOUND} more"] if sections[_MOST_FOUND:] else []
    return "\n".join([*lines, *more, "", "One of them: andon docs PAGE#SECTION"])


def _with_names(text: str, page: str, of: Pages) -> str:
    """Return a text whose links name pages as this command does, in brackets; one to no page is only its words."""

    def named(link: re.Match[str]) -> str:
        words, target = link.groups()
        if target.startswith(("https:", "http:")):
            return f"{words} ({target})"
        path, _, anchor = target.partition("#")
        name = _name(path, page) if path else page
        if name not in of:
            return words
        return f"{words} [{name}#{anchor}]" if anchor else f"{words} [{name}]"

    blocks = CODE.findall(text)
    parts = [LINK.sub(named, prose) for prose in CODE.split(text)]
    return "".join(prose + block for prose, block in zip(parts, [*blocks, ""], strict=True))


def _name(path: str, page: str) -> str:
    """Return the name of the page that a path leads to, from another page; without `.md`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path)).removesuffix(".md")


def main() -> None:
    """Print it; in a terminal, page by page."""
    parser = argparse.ArgumentParser(prog="andon docs", description="Show the library's pages.")
    parser.add_argument(
        "asked", nargs="*", metavar="PAGE|WORD", help="as rules, how-do-i#count, andon.rules.timing, or: unique name"
    )
    said = answer(pages(), parser.parse_args().asked)
    if sys.stdout.isatty():
        pydoc.pager(said)
    else:
        print(said)


if __name__ == "__main__":
    main()
