"""Writes the index of docs/decisions.md: a line for each part, with a link to each decision.

python -m andon.tools.docs_index
"""

import re
from pathlib import Path
from typing import Final

PAGE: Final = Path("docs/decisions.md")
INDEX: Final = re.compile(r"(?<=<!-- index -->\n).*?(?=<!-- /index -->)", re.DOTALL)
HEADING: Final = re.compile(r"^(#{2,3}) (.+)$", re.MULTILINE)


def anchor_of(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def indexed(text: str) -> str:
    """Return the page with the index that its headings make: parts are `##`, decisions `###`."""
    lines: list[str] = []
    for level, heading in HEADING.findall(text):
        link = f"[{heading}](#{anchor_of(heading)})"
        if level == "##":
            lines.append(f"- **{link}**")
        else:
            lines[-1] += f" · {link}"
    return INDEX.sub(lambda _: "\n".join(lines) + "\n", text)


def main() -> None:
    """Write the index anew."""
    PAGE.write_text(indexed(PAGE.read_text()))


if __name__ == "__main__":
    main()
