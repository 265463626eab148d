"""The digests of what a running stack is made of: the code of each package, and all that shapes the infrastructure.

What shapes it is read without the CDK, in a tenth of a synth's time: the declarations of each package, by the
properties that the CDK reads, and the files that no function gets. So a changed line of a handler is told from a new
route.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Final, NamedTuple, Self

from andon.packages.discovery import NOT_FOR_LAMBDA, packages, source, views
from andon.packages.package import Package
from andon.project import library_folder, project
from andon.tools.stack import emulator

FILE: Final = "made_of.json"

_SHAPING: Final = ("app.py", "cdk.json", "infra", "requirements/runtime.txt", "requirements/powertools.txt")
"""Files and folders of a project that shape the infrastructure, and that no function gets."""

DECLARED: Final = tuple(
    name for name, one in vars(Package).items() if isinstance(one, property) and not name.startswith("_")
)
"""The properties of a package: the CDK reads declarations by them."""

_READ_ALONE: Final = {"views": ("view", "TTL_DAYS"), "stores": ("store", "KEEPS_DAYS")}
"""Constants that it reads besides: side -> module and name."""

DEEPEST: Final = 12


class MadeOf(NamedTuple):
    """Digests. shape: of each part of the infrastructure, by its name; code: of each package's functions.

    A package is named by its folder. views: their names. swapped: the packages whose functions got their code past
    CloudFormation.
    """

    shape: Mapping[str, str]
    code: Mapping[str, str]
    views: tuple[str, ...]
    swapped: tuple[str, ...] = ()

    @classmethod
    def now(cls) -> Self:
        """Return the digests of the files as they are."""
        found = packages()
        shape = {name: digest for name, digest in _files_that_shape() if digest}
        shape |= {f"{one.folder}: {name}": digest for one in found for name, digest in _declarations(one)}
        shape["functions/project.py"] = _digest(text_of(project()._replace(file="")))  # wherever it lies
        code = {one.folder: _digest_of_files(source().files_of(one)) for one in found}
        return cls(shape, code, tuple(sorted(view.name for view in views())))

    @classmethod
    def read(cls, home: Path) -> Self | None:
        """Return the digests of what runs; None: nobody knows them."""
        try:
            read = json.loads(_file(home).read_text())
            return cls(read["shape"], read["code"], tuple(read["views"]), tuple(read["swapped"]))
        except (OSError, ValueError, KeyError):
            return None

    def write(self, home: Path) -> None:
        """Keep them beside the emulator, as long as it lives."""
        _file(home).write_text(json.dumps(self._asdict()))

    def reshaped(self, before: Self) -> list[str]:
        """Return the parts of the infrastructure that changed, as `infra`, `views/things: routes`, or a new package."""
        came, went = self.code.keys() - before.code.keys(), before.code.keys() - self.code.keys()
        differ = {name for name in {*self.shape, *before.shape} if self.shape.get(name) != before.shape.get(name)}
        named = {name for name in differ if name.partition(":")[0] not in came | went}
        return sorted({*named, *(f"{folder} is new" for folder in came), *(f"{folder} is gone" for folder in went)})

    def changed(self, before: Self) -> list[Package]:
        """Return the packages whose code changed."""
        return [one for one in packages() if self.code[one.folder] != before.code.get(one.folder)]


def text_of(value: object, depth: int = 0) -> str:
    """Return a declaration as text, the same in each process: a function is its name, an object what is in it."""
    if depth > DEEPEST:
        return type(value).__name__
    return f"{type(value).__name__} {_content_of(value, partial(text_of, depth=depth + 1))}"


def _content_of(value: object, inside: Callable[[object], str]) -> str:
    match value:
        case None | bool() | int() | float() | str() | bytes() | Path():
            return repr(value)
        case Mapping():
            return _listed(sorted(f"{inside(key)}: {inside(one)}" for key, one in value.items()))
        case AbstractSet():
            return _listed(sorted(map(inside, value)))
        case tuple() | list():
            return _listed(map(inside, value))
        case partial():
            return _listed(map(inside, (value.func, value.args, value.keywords)))
    return _content_of_object(value, inside)


def _content_of_object(value: object, inside: Callable[[object], str]) -> str:
    if isinstance(value, ModuleType | FunctionType | type):
        return f"{getattr(value, '__module__', '')}.{value.__name__}"
    if is_dataclass(value):
        return inside({one.name: getattr(value, one.name) for one in fields(value)})
    return inside(getattr(value, "__dict__", {}))


def _declarations(package: Package) -> Iterable[tuple[str, str]]:
    for name in DECLARED:
        try:
            yield name, _digest(text_of(getattr(package, name)))
        except ModuleNotFoundError as missing:  # facts, say, of a package that has none
            if not (missing.name or "").startswith((package.side, f"{library_folder().name}.{package.side}")):
                raise
    if package.side in _READ_ALONE:
        module, name = _READ_ALONE[package.side]
        yield name, _digest(text_of(getattr(package.load(module), name)))


def _files_that_shape() -> Iterable[tuple[str, str]]:
    for name in _SHAPING:
        place = project().root / name
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        yield name, _digest_of_files((file, file.relative_to(project().root)) for file in files if file.is_file())
    # The stack is made by it, and some of its constants stand in templates: a project has it as a wheel.
    rooms = [file for file in sorted(library_folder().rglob("*.py")) if _shapes(file.relative_to(library_folder()))]
    yield "the library", _digest_of_files((file, file.relative_to(library_folder())) for file in rooms)


def _shapes(file: Path) -> bool:
    return file.parts[0] == "cdk" or file.parts[0] not in NOT_FOR_LAMBDA


def _digest_of_files(files: Iterable[tuple[Path, Path]]) -> str:
    return _digest("\n".join(f"{place} {hashlib.sha256(file.read_bytes()).hexdigest()}" for file, place in files))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _listed(texts: Iterable[str]) -> str:
    return f"({', '.join(texts)})"


def _file(home: Path) -> Path:
    return emulator.scratch(home) / FILE
