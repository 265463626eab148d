"""Changes of the factory's code, as `breaking.toml`, `harmless.toml` and `of_consumers.toml` have them."""

import tomllib
from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = Path(__file__).parent


class Edit(NamedTuple):
    """`before`, which stands exactly once in `file`, becomes `after`."""

    file: str
    before: str
    after: str


class Change(NamedTuple):
    """A change; names: whoever breaks or loses something by it, and a service that says what its type does not."""

    name: str
    edits: tuple[Edit, ...]
    names: frozenset[str]

    def misfit(self, root: Path) -> str | None:
        """Return why it does not fit a tree, if so."""
        for file, before, _ in self.edits:
            found = (root / file).read_text().count(before) if (root / file).is_file() else 0
            if found != 1:
                return f"{file} has {found} times: {before}"
        return None

    def apply(self, root: Path) -> dict[Path, str]:
        """Change a tree; return what its files had, to be written back."""
        kept = {root / edit.file: (root / edit.file).read_text() for edit in self.edits}
        for file, before, after in self.edits:
            path = root / file
            path.write_text(path.read_text().replace(before, after))
        return kept


def changes(kind: str) -> list[Change]:
    """Read the changes of a kind: `breaking`, `harmless`, `of_consumers`."""
    read = tomllib.loads((FOLDER / f"{kind}.toml").read_text())["change"]
    return [
        Change(one["name"], tuple(Edit(**edit) for edit in one["edit"]), frozenset(one.get("names", ())))
        for one in read
    ]
