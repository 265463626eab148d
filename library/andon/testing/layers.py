"""The rooms of the library in their order, and the imports of modules, read from the source itself."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

LAYERS = (
    ("runtime",),
    ("wire",),
    ("dynamodb",),
    ("events",),
    ("versions",),
    ("views",),
    ("drift",),
    ("content", "http", "ingress", "live", "outbound", "rules", "sync"),
    ("recorded",),
    ("handlers",),
    ("stores",),
    ("packages",),
)
"""The rooms of the library from bottom to top. A room imports itself and rooms below, not its neighbour."""

LEVELS = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}

LIBRARY = "andon"
DOMAIN = {"contract", "services", "views", "pages"}
_AROUND = {"infra", "demo", "lab", "tests", "local"}
_NO_ROOM = {LIBRARY, "andon.project"}

_VENDOR = {"boto3", "botocore"}
_CALLS_THE_VENDOR = ("andon.wire", "andon.dynamodb", "andon.events.publish")

Sources = Mapping[str, str]
"""Module -> its source."""

Finding = tuple[str, str]
"""A module, and an import or a word in it that may not be there."""


def read_sources(files: Iterable[tuple[Path, Path]]) -> Sources:
    """Read every module among files with their places."""
    return {_module(place): file.read_text() for file, place in files if file.suffix == ".py"}


def upward_imports(sources: Sources) -> set[Finding]:
    """Find imports of rooms of the library from above, or from a neighbour."""
    return {(module, name) for module, name in _imports(sources) if _is_upward(module, name)}


def outward_imports(sources: Sources) -> set[Finding]:
    """Find imports of the domain in the library, and in `functions/` of the folders around it."""
    return {
        (module, name)
        for module, name in _imports(sources)
        if _root(name) in _AROUND or (_root(module) == LIBRARY and _root(name) in DOMAIN)
    }


def circles(sources: Sources) -> set[frozenset[str]]:
    """Find modules that import each other, by way of others, too, and also if only while types are checked."""
    imports = {module: _modules_in(source, sources) - {module} for module, source in sources.items()}
    while leaves := [module for module, imported in imports.items() if not imported & imports.keys()]:
        for leaf in leaves:
            del imports[leaf]
    return {_circle_from(module, imports) for module in imports} - {frozenset()}


def _modules_in(source: str, sources: Sources) -> set[str]:
    return {name for full in imports_of(source) for name in (full, full.rpartition(".")[0]) if name in sources}


def _circle_from(module: str, imports: Mapping[str, set[str]]) -> frozenset[str]:
    """Return the modules that a module reaches and that reach it."""
    return frozenset(other for other in reached(module, imports) if module in reached(other, imports))


def reached(start: str, imports: Mapping[str, set[str]]) -> set[str]:
    """Return all that something imports, over others, too."""
    found, waiting = set[str](), [start]
    while waiting:
        for imported in imports.get(waiting.pop(), set()) - found:
            found.add(imported)
            waiting.append(imported)
    return found


def vendor_imports(sources: Sources) -> set[Finding]:
    """Find imports of the vendor's library where others are to call it."""
    return {
        (module, name)
        for module, name in _imports(sources)
        if _root(name) in _VENDOR and not any(_is_within(module, room) for room in _CALLS_THE_VENDOR)
    }


def users_of_packages(sources: Sources) -> set[Finding]:
    """Find imports of the description of packages, which only infrastructure, the local loop and tests read."""
    return {
        (module, name)
        for module, name in _imports(sources)
        if _is_within(name, "andon.packages") and not _is_within(module, "andon.packages")
    }


def outside_of_rooms(sources: Sources) -> set[str]:
    """Find modules of the library in no room."""
    return {module for module in sources if _root(module) == LIBRARY and _room(module) not in LEVELS} - _NO_ROOM


def rooms_imported(sources: Sources) -> set[tuple[str, str]]:
    """Find the pairs of rooms of functions of which the first imports the second."""
    pairs = {(_room(module), _room(name)) for module, name in _imports(sources)}
    return {(here, there) for here, there in pairs if here != there and {here, there} <= LEVELS.keys()}


@cache  # several laws ask for the same modules, and parsing one takes a millisecond
def imports_of(source: str) -> tuple[str, ...]:
    """Find every name that a module imports, inside functions, too: `from a.b import c` is `a.b.c`."""
    return tuple(_imports_in(source))


def _imports_in(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=module, names=names, level=0):
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.ImportFrom():
                raise ValueError("imports are absolute")
            case ast.Call(
                func=ast.Attribute(attr="import_module") | ast.Name(id="import_module" | "__import__"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield name


def _imports(sources: Sources) -> Iterator[Finding]:
    for module, source in sources.items():
        yield from ((module, name) for name in imports_of(source))


def _is_upward(module: str, name: str) -> bool:
    here, there = LEVELS.get(_room(module)), LEVELS.get(_room(name))
    return here is not None and there is not None and _room(module) != _room(name) and there >= here


def _room(name: str) -> str:
    root, _, rest = name.partition(".")
    return rest.partition(".")[0] if root == LIBRARY else ""


def _root(name: str) -> str:
    return name.partition(".")[0]


def _is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def _module(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
