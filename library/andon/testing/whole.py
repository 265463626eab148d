"""Completeness of a project's packages, read from the files alone: nothing is imported.

`missing_in(root)` returns a sentence for each file that is missing, or that nothing belongs to any more.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Final

from andon.project import library_folder
from andon.testing.imports import imports_that

SIDES: Final = ("services", "views")
_CONSTRUCTS: Final = {"services": "Service", "views": "View", "pages": "Page"}
LINE: Final = re.compile(r"\b(Service|View|Page)\(\s*self,\s*\"(\w+)\"")
OLD: Final = re.compile(r"\.v\d+$")
ROUTE: Final = re.compile(r"\"((?:DELETE|GET|PATCH|POST|PUT) /[^\"]*)\"")
_OF_RESOLVER: Final = re.compile(r"^@\w+\.(delete|get|patch|post|put)\(\s*\"(/[^\"]*)\"", re.MULTILINE)
"""Routes of Powertools' resolver, as `@app.get("/things/<id>")`."""
_OF_RESOURCE: Final = re.compile(r"^(\w+): Final = ResourceApi\(\s*\w+,\s*\"([^\"]+)\"", re.MULTILINE)
_OF_PERSONS: Final = re.compile(r"^(\w+): Final = PersonApi\(\s*\w+,\s*\"([^\"]+)/\{id\}\"", re.MULTILINE)
_BELOW: Final = r"(?:/rollback|/(?:versions|revisions)(?:/\{n\})?)?"
_ON_RESOURCE: Final = re.compile(rf"(DELETE|GET|PUT|POST(?=.*/rollback$)) (.+?){_BELOW}")
"""Routes that a declared thing may have, at its path; which of them, the design of its versions says."""
LISTED: Final = re.compile(r"\.reads_(?:all|place)\(\w+, \"([^\"]+)\"")
HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
CALLS: Final = ("writes", "reads")
RECORDED: Final = re.compile(r"^def record_(\w+)\(", re.MULTILINE)
CLAIMED: Final = re.compile(r"(?:unique=\{\s*\"|\"(?=\w+\": Claim\())(\w+)")
REFUSED: Final = re.compile(r"\b409\b|\bCONFLICT\b")
REPLACES: Final = re.compile(r"^REPLACES(?:: Final)? = \"(\w+)\"", re.MULTILINE)
PART: Final = re.compile(r"/(\w+)")
OF_STORES: Final = [[folder.name] for folder in (library_folder() / "stores").glob("*/")]
OWN: Final = ("contract", "services", "views", "pages", "tests")
"""Roots of modules of which each must have its file."""


def missing_in(root: Path) -> list[str]:
    """Return the gaps of a project in lines, each with its file below the root."""
    return [*_Files(root).missing()]


class _Files:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._functions = root / "functions"
        self._looked_for: dict[str, str | None] = {}

    def missing(self) -> Iterator[str]:
        """Yield all that is missing."""
        yield from self._of_the_stack()
        for folder in self._packages:
            yield from self._of_package(folder)
            yield from self._of_tests(folder)
        yield from self._imported()
        yield from self._of_samples()

    @cached_property
    def _packages(self) -> list[Path]:
        folders = (folder for side in SIDES for folder in sorted((self._functions / side).glob("*/")))
        return [folder for folder in folders if any(folder.rglob("*.py"))]

    @cached_property
    def _declares_versions(self) -> bool:
        """True if any service does: projects of before 0.2.0 do not."""
        return any((folder / "versioning.py").is_file() for folder in self._packages)

    def _of_the_stack(self) -> Iterator[str]:
        stack = self._root / "infra" / "stack.py"
        lines = set(LINE.findall(stack.read_text()))
        found = {(_CONSTRUCTS[folder.parent.name], folder.name): folder for folder in self._packages}
        found |= {("Page", folder.name): folder for folder in (self._functions / "pages").glob("[!_.]*/")}
        for (construct, name), folder in found.items():
            if (construct, name) not in lines:
                yield f'{self._at(stack)} has no line {construct}(self, "{name}", hub, api), for {self._at(folder)}'
        for construct, name in sorted(lines - found.keys()):
            yield f'{self._at(stack)} has a line {construct}(self, "{name}", …), of which there is no package'

    def _of_package(self, folder: Path) -> Iterator[str]:
        if folder.parent.name == "views":
            yield from self._need(folder / "view.py", "it is a view")
            return
        if not (folder / "resources.py").is_file():
            yield from self._of_rows(folder)
        if (folder / "rules").is_dir():
            yield from self._need(folder / "control.py", "it has rules")
        if (folder / "control.py").is_file():
            yield from self._need(folder / "subscriptions.py", "rules decide over events")

    def _of_rows(self, folder: Path) -> Iterator[str]:
        tables = folder / "tables.py"
        if tables.is_file() and "stream=True" in tables.read_text():
            yield from self._need(folder / "facts.py", f"the stream of {self._at(tables)} is followed")
        if (folder / "facts.py").is_file() and self._declares_versions:
            yield from self._need(folder / "versioning.py", "it says how what it publishes is versioned")

    def _of_tests(self, folder: Path) -> Iterator[str]:
        tests = self._root / "tests" / folder.relative_to(self._functions)
        samples = tests / "samples.py"
        recorded = RECORDED.findall(samples.read_text()) if samples.is_file() else []
        claiming = [file for name in ("claims", "resources") if (file := folder / f"{name}.py").is_file()]
        claimed = {name: file for file in claiming for name in CLAIMED.findall(file.read_text())}
        tried = {file.name: file.read_text() for file in tests.glob("test_*.py")}
        if not tried.keys() - {
            f"test_{HUMP.sub('_', name).lower()}.py" for name in (*recorded, *claimed)
        } and not self._is_next_version(folder):
            yield f"{self._at(tests)} has no test of {self._at(folder)}"
        for name in recorded:
            yield from self._need(tests / f"test_{name}.py", f"samples.py has record_{name}")
        yield from (
            f"{self._at(tests)} has no test_*.py that says {name} and 409: {self._at(file)} claims it"
            for name, file in claimed.items()
            if not any(re.search(rf"\b{name}\b", text) and REFUSED.search(text) for text in tried.values())
        )

    def _is_next_version(self, folder: Path) -> bool:
        """Return True of the next version of a view that is there, with tests that ask whichever of them serves."""
        declared = folder / "view.py"
        before = REPLACES.search(declared.read_text()) if declared.is_file() else None
        return before is not None and (folder.parent / before[1]).is_dir()

    def _need(self, file: Path, why: str) -> Iterator[str]:
        if not file.is_file():
            yield f"{self._at(file)} is missing: {why}"

    def _imported(self) -> Iterator[str]:
        """Yield modules that are imported and have no file."""
        code = chain(self._functions.rglob("*.py"), (self._root / "tests").rglob("*.py"))
        for file in sorted(code):
            for name in sorted(imports_that(self._is_missing, file.read_text())):
                module = self._missing_of(name) or name
                yield f"{self._at(self._path_of(module))}.py is missing: {self._at(file)} imports it"

    def _is_missing(self, name: str) -> bool:
        return self._missing_of(name) is not None

    def _missing_of(self, name: str) -> str | None:
        """Return the module of an import that has no file: of `a.b.c` it is `a.b`, or `a.b.c` if `a.b` is a folder."""
        if name not in self._looked_for:
            self._looked_for[name] = self._look_for(name) if name.partition(".")[0] in OWN else None
        return self._looked_for[name]

    def _look_for(self, name: str) -> str | None:
        parts = name.split(".")
        for number in range(1, len(parts) + 1):
            path = self._path_of(".".join(parts[:number]))
            if path.with_suffix(".py").is_file():
                return None
            if not path.is_dir():
                return None if self._defines(path.parent, path.name) else ".".join(parts[:number])
        return None

    def _defines(self, package: Path, name: str) -> bool:
        file = package / "__init__.py"
        return file.is_file() and re.search(rf"\b{name}\b", file.read_text()) is not None

    def _path_of(self, name: str) -> Path:
        return (self._root if name.startswith("tests") else self._functions).joinpath(*name.split("."))

    def _of_samples(self) -> Iterator[str]:
        events = self._root / "events"
        routes = {route: file for folder in self._packages for file, route in self._routes(folder)}
        sampled = {json.loads(file.read_text())["routeKey"]: file for file in (events / "http").glob("*.json")}
        for route in sorted(routes.keys() - sampled):
            yield f"events/http/ has no sample of {route}, which {self._at(routes[route])} answers"
        for kind, other in (("stream", "domain"), ("domain", "stream")):
            for file in sorted((events / kind).glob("*.json")):
                twin = events / other / file.name
                if not OLD.search(file.stem) and not twin.is_file() and not self._is_of_no_row(file):
                    yield f"{self._at(twin)} is missing: there is {self._at(file)}"
        yield from self._unanswered(routes, sampled)

    def _unanswered(self, routes: dict[str, Path], sampled: dict[str, Path]) -> Iterator[str]:
        """Yield samples that nothing answers; the routes of stores are not in the project's files."""
        of_pages = {route for file in (self._functions / "pages").rglob("*.py") for route in _routes_in(file)}
        for route in sorted(sampled.keys() - routes.keys() - of_pages):
            found = _ON_RESOURCE.fullmatch(route)
            if found is not None and f"{'GET' if found[1] == 'GET' else 'PUT'} {found[2]}" in routes:
                continue
            if PART.findall(route)[:1] not in OF_STORES:
                yield f"{self._at(sampled[route])} is of {route}, which nothing answers"

    def _is_of_no_row(self, sample: Path) -> bool:
        """Return True of what is no fact of a row: it says of a message or of a row that it is wrong."""
        return sample.stem.partition(".")[0] in {"fault", "drift-detected"}

    def _routes(self, folder: Path) -> Iterator[tuple[Path, str]]:
        files = sorted(folder.glob("*.py"))
        text = "".join(file.read_text() for file in files)
        for file in files:
            yield from ((file, route) for route in _routes_in(file))
            for name, path, verbs in _declared_in(file):
                named = "|".join((name, *re.findall(rf"\b{name} as (\w+)", text)))
                called = {call for call in CALLS if re.search(rf"\b(?:{named})\.{call}\(", text)}
                yield from ((file, f"{verb} {path}") for verb, call in verbs.items() if call in called)
            yield from ((file, f"GET {path}") for path in LISTED.findall(file.read_text()))

    def _at(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()


def _routes_in(file: Path) -> list[str]:
    text = file.read_text()
    braces = str.maketrans("<>", "{}")
    resolved = [f"{method.upper()} {path.translate(braces)}" for method, path in _OF_RESOLVER.findall(text)]
    return ROUTE.findall(text) + resolved


def _declared_in(file: Path) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yield what routes are declared by: its name, a path, and the verbs there by the call that serves them."""
    text = file.read_text()
    yield from ((name, path, {"PUT": "writes", "GET": "reads"}) for name, path in _OF_RESOURCE.findall(text))
    for name, path in _OF_PERSONS.findall(text):
        yield name, f"{path}/{{id}}", {"PUT": "writes", "DELETE": "writes", "GET": "reads"}
        yield name, path, {"GET": "reads"}
