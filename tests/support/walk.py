"""A project of its own, made and changed by the verbs that a person types, in an environment of its own.

Its `.venv` has the library as a wheel, installed by the line of its Makefile; what else it needs is that of this
repository, and so are the emulator, the CDK's command line and the layer, so that nothing is fetched.
"""

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from andon.project import project
from andon.testing.installed import WITHOUT_PLUGINS, python
from andon.tools.stack.api import ApiClient, ApiConnection
from andon.tools.stack.emulator import Emulator
from andon.tools.stack.outputs import of_running_stack

OWN: Final = ("MAKE", "PYTHON", "VIRTUAL_ENV", "ANDON_", "PYTEST_")
"""Beginnings of variables of whoever runs this, which are not the project's."""
LINKED: Final = ("layer", "code")
QUICK: Final = "not test_permissions and not test_imports"
"""Laws that synthesise the project, and import each handler: `make test` tries them, once."""
PASSED: Final = re.compile(r"^\d{2,} passed(?:, \d+ deselected)? in ", re.MULTILINE)
AUDITED: Final = re.compile(r"^(\w+): (\d+) rows compared, (\d+) differed, (\d+) repaired$", re.MULTILINE)
COMMITTED: Final = ("-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "--quiet", "--message=m")

SWEPT: Final = """
import json, os, sys, traceback
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from andon.tools import cli

def said(line):
    before, words = dict(os.environ), StringIO()
    sys.argv = ["andon", *line]
    with redirect_stdout(words), redirect_stderr(words):
        try:
            status = cli.main()
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
            print("" if isinstance(ended.code, int) else ended.code)
        except BaseException:
            traceback.print_exc()
            status = -1
    os.environ.clear()
    os.environ.update(before)
    return status, words.getvalue()

print("\\n" + json.dumps([said(line) for line in json.loads(sys.argv[1])]))
"""
"""Runs verbs one after the other in one process; the last line it prints has a status and the words of each."""


OF_BEFORE: Final = '''

def of_before(entities: JsonMapping) -> JsonMapping:
    """Return the shape of today of one that said `{member}` instead of `{renamed}`."""
    said = entities.get("{one}")
    if not isinstance(said, dict) or "{member}" not in said:
        return entities
    others = {{name: value for name, value in said.items() if name != "{member}"}}
    return {{**entities, "{one}": {{**others, "{renamed}": said["{member}"]}}}}
'''
"""An upcaster, in the file of the entity."""


NOWHERE: Final[Mapping[str, str]] = {}


class Domain(NamedTuple):
    """Words of a project, none of them the template's, and what is made in it by `andon new`.

    service: a service of its own, of whose facts a view tells. member: what it says of each, later called `renamed`.
    more: what else each of its things says. view, second: of its facts, the second one once there are some. persons:
    the service of names. project: options of the project itself. person: what else is said of a person.
    """

    name: str
    first: str
    service: str
    one: str
    member: str
    renamed: str
    flags: str
    view: str
    second: str
    more: dict[str, str]
    new: tuple[str, ...]
    persons: str
    project: str = ""
    person: Mapping[str, str] = NOWHERE

    @property
    def fact(self) -> str:
        """The type of the facts of its service."""
        return f"{self.one}-moved"

    @property
    def made(self) -> Iterator[str]:
        """All that is made by `andon new`, in this order."""
        yield f"service {self.service} --field {self.member} {self.flags}"
        yield f"view {self.view} --of {self.service}/{self.fact}"
        yield f"rule watch busy --of {self.service}/{self.fact}"
        yield from self.new


CHARGE: Final = Domain(
    *("Charge", "stations", "sessions", "session", "plug", "socket", "", "used", "seats"),
    more={},
    new=("fact sessions reading",),
    persons="drivers",
    project="--person drivers",
)
GROVE: Final = Domain(
    *("Grove", "boats", "trees", "tree", "grove", "wood", "--unique tag_no --date felled_at", "register", "felling"),
    more={"tagNo": "t-{}", "felledAt": "2026-12-01T09:00:00.000Z"},
    new=(
        "fact trees inspection",
        "view crowds --of trees/tree-moved --count-by grove",
        "view both --of trees/tree-moved --of trees/inspection-recorded --objects",
        "rule watch often --of boats/boat-moved",
        "rule watch felled --of trees/tree-moved --due-at felledAt",
        "rule patrol tired --of trees/tree-moved --due-at felled_at",
        "service wardens --person --partition hut",
        "view posts --of wardens/warden-placed --of wardens/warden-erased",
    ),
    persons="wardens",
    person={"hutId": "hut-1"},
)
"""With every option that `andon new` has."""


class Walk:
    """A project of a domain, made in an empty folder. said, more: what is said of each of its things by now."""

    def __init__(self, domain: Domain, below: Path, wheel_file: Path, wheel: Path) -> None:
        self.domain, self.said, self.root = domain, domain.member, below / domain.name.lower()
        self.more = dict(domain.more)
        self.emulators = list[Emulator]()
        words = ["new", "project", str(self.root), domain.name, "--service", domain.first, "--wheel", str(wheel_file)]
        words += domain.project.split()
        python("-m", "andon.tools.cli", *words, imports=(wheel,), cwd=below)
        self._link()
        self.install()
        self.git("init")

    def _link(self) -> None:
        """Let it have the tools of this repository."""
        here, packages = project().root, Path(sysconfig.get_path("purelib"))
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=self.root, check=True)
        own = next((self.root / ".venv" / "lib").glob("python*")) / "site-packages"
        (own / "tools.pth").write_text(f"{packages}\n")
        programs = self.root / ".venv" / "bin"
        (programs / "ruff").symlink_to(Path(sysconfig.get_path("scripts")) / "ruff")
        _write_script(programs / "mypy", f"exec {programs}/python -m mypy")
        for name in ("pip", "uv"):
            _write_script(programs / name, "exit 1")  # what has to fetch something is a mistake
        (self.root / "node_modules").mkdir()
        (self.root / "node_modules" / ".bin").symlink_to(here / "node_modules" / ".bin")
        (self.home / "emulator-venv").mkdir(parents=True)
        for name in LINKED:
            (project().local / name).mkdir(parents=True, exist_ok=True)
            (self.home / name).symlink_to(project().local / name)
        shutil.copyfile(here / "requirements" / "runtime.txt", self.root / "requirements" / "runtime.txt")

    def install(self, *needed: str) -> None:
        """Install the library, as `make install` does it; or what is needed in its place."""
        quietly = ("--disable-pip-version-check", "install", "--quiet", "--no-compile", "--no-deps")
        self.ended(".venv/bin/python", "-m", "pip", *quietly, *(needed or ("--requirement", "requirements/andon.txt")))
        for folder in (".venv", "node_modules", ".local/emulator-venv"):
            (self.root / folder / ".installed").touch()

    @property
    def home(self) -> Path:
        """The folder of its stack."""
        return self.root / ".local"

    @property
    def api(self) -> ApiClient:
        """The API of its running system, as its one group of people sees it."""
        return ApiClient(of_running_stack(self.home)["ApiUrl"], self.andon("token", "user").strip())

    def ended(self, *command: str, status: int = 0) -> str:
        """Run a command in it to its end; return what it said."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
        done = subprocess.run(  # noqa: S603  our own commands
            command,
            cwd=self.root,
            env=environment | {"PYTEST_ADDOPTS": WITHOUT_PLUGINS},
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
        assert done.returncode == status, said
        return done.stdout if status == 0 else said

    def andon(self, *words: str, status: int = 0) -> str:
        """Run a verb of the library's command."""
        return self.ended(".venv/bin/andon", *words, status=status)

    def make(self, *words: str) -> str:
        """Run a verb of its Makefile."""
        return self.ended("make", "--silent", *words)

    def git(self, *words: str) -> str:
        """Run git in it."""
        return self.ended("git", *words)

    def commit(self) -> None:
        """Commit all of it."""
        self.git("add", "--all")
        self.git(*COMMITTED)

    def require_green(self, which: str = QUICK) -> None:
        """Check that its lint is green, and so are its tests and the laws, or some of them."""
        self.ended(".venv/bin/ruff", "check", "--quiet", ".")
        self.ended(".venv/bin/ruff", "format", "--quiet", "--check", ".")
        said = self.ended(".venv/bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", which)
        assert PASSED.search(said), said

    def audited(self) -> dict[str, int]:
        """Audit its running system, in which nothing differs; return the number of rows of each view."""
        said = AUDITED.findall(self.make("audit"))
        assert {(differed, repaired) for _, _, differed, repaired in said} == {("0", "0")}, said
        return {view: int(rows) for view, rows, _, _ in said}

    def file(self, path: str) -> Path:
        """Return one of its files."""
        return self.root / path

    def edit(self, path: str, before: str, after: str) -> None:
        """Change a text in one of its files, wherever it stands there."""
        text = self.file(path).read_text()
        assert before in text, f"{path} does not say {before}"
        self.file(path).write_text(text.replace(before, after))

    def rename(self) -> list[str]:
        """Give the member of its service another name; return the files that read its facts, and lift none yet."""
        one, entity = self.domain, f"functions/contract/entities/{self.domain.service}.py"
        samples = self.file("events/domain")
        (samples / f"{one.fact}.v1.json").write_bytes((samples / f"{one.fact}.json").read_bytes())
        renamed = f'{one.renamed}: Annotated[Line, Gained("unknown", formerly="{one.member}"), '
        self.edit(entity, f"{one.member}: Annotated[Line, ", renamed)
        self.edit(entity, "import Annotated, ", "import Annotated, Gained, ")
        self.edit(entity, "from typing import", "from andon.runtime.json_types import JsonMapping\nfrom typing import")
        text = self.file(entity).read_text()
        self.file(entity).write_text(text + OF_BEFORE.format(**one._asdict()))
        for test in self.file(f"tests/services/{one.service}").glob("*.py"):
            test.write_text(test.read_text().replace(f'"{one.member}":', f'"{one.renamed}":'))
        views, services = self.file("functions/views"), self.file("functions/services")
        found = (*views.glob("*/view.py"), *services.glob("*/subscriptions.py"))
        reading = [file for file in sorted(found) if f'("{one.service}", "{one.fact}")' in file.read_text()]
        for file in reading:
            file.write_text(file.read_text().replace(f'.text("{one.member}")', f'.text("{one.renamed}")'))
        self.said = one.renamed
        return [file.relative_to(self.root).as_posix() for file in reading]

    def lift(self, path: str) -> None:
        """Let a package read the facts of its service in the shape of before."""
        of = f'UPCASTERS: Upcasters = {{("{self.domain.service}", "{self.domain.fact}"): (of_before,)}}'
        text, count = re.subn(r"^UPCASTERS: Upcasters = \{\}.*$", of, self.file(path).read_text(), flags=re.MULTILINE)
        assert count == 1
        imported = f"from contract.entities.{self.domain.service} import of_before\n"
        self.file(path).write_text(text.replace("\nfrom andon", f"\n{imported}from andon", 1))

    def put(self, connection: ApiConnection, name: str, value: str, version: int) -> None:
        """Say something of one of its things, of which so many versions are there."""
        body = {self.said: value, **{one: text.format(name) for one, text in self.more.items()}}
        match = {"if-match": f'"{version}"'} if version else {}
        answer = connection.request("PUT", f"/{self.domain.service}/{name}", body, match)
        assert answer.status == (200 if version else 201), answer

    def swept(self, lines: Sequence[Sequence[str]]) -> list[tuple[int, str]]:
        """Run verbs one after the other, in one process; return the status and the words of each."""
        said = self.ended(".venv/bin/python", "-c", SWEPT, json.dumps(lines))
        found: list[tuple[int, str]] = json.loads(said.splitlines()[-1])
        return found


def _write_script(file: Path, line: str) -> None:
    file.write_text(f"#!/bin/sh\n{line}\n")
    file.chmod(0o755)


def newer(wheel: Path, folder: Path, version: str) -> Path:
    """Return the wheel as it would be called in another version."""
    before = wheel.name.split("-")[1]
    made = folder / wheel.name.replace(before, version, 1)
    names = f"andon-{before}.dist-info", f"andon-{version}.dist-info"
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name.startswith(names[0]):
                content = content.replace(names[0].encode(), names[1].encode())
                content = content.replace(f"\nVersion: {before}\n".encode(), f"\nVersion: {version}\n".encode())
            new.writestr(name.replace(*names), content)
    return made


@dataclass
class SteadyReads:
    """Reads of a view that go on: nothing may fail, and nothing get older. A row's member counts up, in fixed width."""

    api: ApiClient
    paths: Sequence[str]
    member: str
    reads: int = 0
    errors: list[str] = field(default_factory=list)
    older: list[str] = field(default_factory=list)
    seen: dict[str, str] = field(default_factory=dict)

    def read(self, connection: ApiConnection, path: str) -> None:
        """Read a row, and compare it with what was there before."""
        self.reads += 1
        try:
            answer = connection.request("GET", path)
        except (OSError, http.client.HTTPException) as error:
            self.errors.append(f"{path}: {error!r}")
            return
        if answer.status != http.HTTPStatus.OK:
            self.errors.append(f"{path}: {answer.status} {answer.json}")
            return
        value = answer.json[self.member]
        if value < self.seen.get(path, ""):
            self.older.append(f"{path}: {value} after {self.seen[path]}")
        self.seen[path] = value


READS_A_SECOND: Final = 5


@contextmanager
def steadily(reads: SteadyReads) -> Iterator[SteadyReads]:
    """Read all the time, so many rows a second."""

    def go_on(over: threading.Event) -> None:
        began = time.monotonic()
        with reads.api.connect() as connection:
            while not over.wait(max(0.0, began + reads.reads / READS_A_SECOND - time.monotonic())):
                reads.read(connection, reads.paths[reads.reads % len(reads.paths)])

    with _beside(go_on):
        yield reads


@contextmanager
def live(walk: Walk, names: Sequence[str], versions: dict[str, int]) -> Iterator[None]:
    """Let things go on changing, each to the number of its version; the versions are counted."""
    failed: list[Exception] = []

    def go_on(over: threading.Event) -> None:
        try:
            with walk.api.connect() as connection:
                while not over.wait(1):
                    name = names[sum(versions.values()) % len(names)]
                    walk.put(connection, name, f"{versions[name] + 1:04}", versions[name])
                    versions[name] += 1
        except Exception as error:  # noqa: BLE001  it is raised where the test waits
            failed.append(error)

    with _beside(go_on):
        yield
    assert failed == []


@contextmanager
def _beside(go_on: Callable[[threading.Event], None]) -> Iterator[None]:
    """Run a loop in a thread of its own until the end."""
    over = threading.Event()
    thread = threading.Thread(target=go_on, args=(over,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
