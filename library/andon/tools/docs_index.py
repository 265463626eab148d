"""Writes the index of docs/decisions.md: a link to each part.

python -m andon.tools.docs_index
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

PAGE: Final = Path("docs/decisions.md")
PART: Final = re.compile(r"^## (.+)$", re.MULTILINE)
INDEX: Final = re.compile(r"(?<=<!-- index -->\n).*?(?=<!-- /index -->)", re.DOTALL)


def anchor_of(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def indexed(text: str) -> str:
    """Return the page with the index that its headings make: a link to each part, which is a `##`."""
    links = (f"[{heading}](#{anchor_of(heading)})" for heading in PART.findall(text))
    return INDEX.sub(lambda _: " · ".join(links) + "\n", text)


def main() -> None:
    """Write the index anew."""
    PAGE.write_text(indexed(PAGE.read_text()))


if __name__ == "__main__":
    main()


# Pages of docs: the index that lists them, and the sections of which each consists. Pure.

ROW: Final = re.compile(r"^\|[^\n]*?\[([^\]]+)\]\(([^)]+\.md)\) \| ([^\n]+) \|$", re.MULTILINE)
LINK: Final = re.compile(r"!?\[([^\]]+)\]\(([^)]+)\)")
"""A link, or a picture: its words, its target."""

_ANY_HEADING: Final = re.compile(r"(#{1,6}) (.+)")
FENCE: Final = "```"


class Listed(NamedTuple):
    """A page as an index lists it; `says` is a line about it, `path` is below the folder of the index."""

    part: str
    title: str
    path: str
    says: str


def listed_in(index: str) -> list[Listed]:
    """Return the pages that an index lists, in its order."""
    first, *rest = PART.split(index)
    parts = [("Pages", first), *zip(rest[::2], rest[1::2], strict=True)]
    return [
        Listed(part, title, path, LINK.sub(r"\1", says))
        for part, text in parts
        for title, path, says in ROW.findall(text)
    ]


class Section(NamedTuple):
    """A heading and what stands below it, up to the next one. level: 1 is that of a page's title."""

    level: int
    title: str
    text: str

    @property
    def anchor(self) -> str:
        """The name of the section in a link."""
        return anchor_of(self.title)


def sections_of(page: str) -> list[Section]:
    """Return the sections of a page, in order; a line in a block of code is no heading."""
    return [*_sections(page)]


def _sections(page: str) -> Iterator[Section]:
    heading, lines, in_code = None, list[str](), False
    for line in page.splitlines():
        in_code ^= line.startswith(FENCE)
        found = None if in_code else _ANY_HEADING.fullmatch(line)
        if found is None:
            lines.append(line)
            continue
        if heading is not None:
            yield Section(len(heading[1]), heading[2], "\n".join(lines).strip())
        heading, lines = found, []
    if heading is not None:
        yield Section(len(heading[1]), heading[2], "\n".join(lines).strip())


def section_with_those_below(sections: list[Section], anchor: str) -> str | None:
    """Return the text of a section and of the sections below it; None: no section has that anchor."""
    number = next((number for number, one in enumerate(sections) if one.anchor == anchor), None)
    if number is None:
        return None
    first, *others = sections[number:]
    below = next((end for end, one in enumerate(others) if one.level <= first.level), len(others))
    return "\n\n".join(f"{'#' * one.level} {one.title}\n\n{one.text}".strip() for one in (first, *others[:below]))
