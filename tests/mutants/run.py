"""Mutants are run: tests are collected once, each mutant is put into its function in a fork of that process.

`tried` forks a process that imports and collects. It looks at each test once, to know which statements it passes, then
tries each mutant on the tests that pass its statement: those first that noticed a neighbour, then the quickest. No file
is written. What a fork cannot tell is tried in a process that imports the mutant, see `_anew`.
"""

import ast
import builtins
import functools
import gc
import json
import os
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from mmap import mmap
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FunctionType
from typing import Final, NamedTuple
from unittest.mock import patch

import pytest
from _pytest.runner import runtestprotocol

from tests.mutants import mutate
from tests.mutants.mutate import ROOT, Mutant

NOTICED, SURVIVED, UNTESTED, UNDECIDED, LEFT = "noticed", "survived", "untested", "undecided", "left"
_SURVIVED, _NOTICED, _UNFIT = 0, 1, 2  # exit statuses of forks; killed ones have noticed, too
_NOT_NOTICED: Final = {_SURVIVED: SURVIVED, _UNFIT: "unfit"}
_LOOKING: Final = 0.4  # the share of the time for a look at the tests, before the first mutant is tried
_PYTEST: Final = ("-q", "-p", "no:cacheprovider", "-p", "no:schemathesis", "--timeout=0", "--no-header", "--no-summary")
LAWS: Final = "andon/testing/laws/"
_PASSED: Final = "__passed__"  # a name among the builtins, called with a statement's number


class Verdict(NamedTuple):
    """Of a trial. by: the test that noticed, or what it says instead."""

    verdict: str
    by: str = ""


def tried(mutants: Sequence[Mutant], tests: Sequence[str], within_s: float = float("inf")) -> Iterator[Verdict]:
    """Yield a verdict for each mutant, tried on tests (files, folders) as long as there is time.

    Where a fork cannot tell, a new process has the last word.
    """
    until = time.monotonic() + within_s
    if not mutants:
        return
    with TemporaryDirectory(prefix="mutants-") as home:
        yield from _tried(mutants, (f"--basetemp={home}/tests", *tests), until)


def _tried(mutants: Sequence[Mutant], tests: Sequence[str], until: float) -> Iterator[Verdict]:
    lines = iter([*_in_fork(lambda write: _session(mutants, tests, until, write))])
    for mutant in mutants:
        if not (line := next(lines, "")):
            yield Verdict(LEFT, "pytest collected nothing, or ended")
            continue
        said, again, longest_s = json.loads(line)
        longest_s = min(longest_s, until - time.monotonic())
        yield _anew(mutant, [tests[0], *again], Verdict(*said), longest_s) if again else Verdict(*said)


def _in_fork(work: Callable[[int], None]) -> Iterator[str]:
    """Yield the lines that a fork of this process writes into the descriptor that it gets."""
    read, write = os.pipe()
    sys.stdout.flush()
    if not (pid := os.fork()):
        os.close(read)
        with suppress(BaseException):
            work(write)
        os._exit(3)
    os.close(write)
    with os.fdopen(read) as pipe:
        yield from pipe
    os.waitpid(pid, 0)


def _session(mutants: Sequence[Mutant], tests: Sequence[str], until: float, write: int) -> None:
    watched = {one.file for one in mutants if not one.tests}
    marks = Marks({file: ast.parse((ROOT / file).read_text()) for file in watched})
    _silence()
    pytest.main([*_PYTEST, *_settings(tests), *tests], plugins=[Session(mutants, marks, until, write)])


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for into in (1, 2):  # not by another sys.stdout: a file that is not closed is an error in tests
        os.dup2(nowhere, into)


def _import_as(trees: Mapping[str, ast.Module]) -> None:
    """Have this process import some files as other trees."""
    at, as_it_is = {str(ROOT / file): tree for file, tree in trees.items()}, SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        tree = at.get(str(loader.path))
        return compile(tree, loader.path, "exec") if tree else as_it_is(loader, name)

    patch.object(SourceFileLoader, "get_code", get_code).start()


class Marks:
    """Numbers of statements, which code that is imported by these trees adds to `passed`."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self.passed: set[int] = set()
        self.at: dict[tuple[str, int], int] = {}
        setattr(builtins, _PASSED, self.passed.add)
        for file, tree in trees.items():
            for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
                self._mark(file, function)
        _import_as(trees)

    def of(self, mutant: Mutant) -> set[int]:
        """Return the numbers of a mutant's statement, or of its file."""
        if mutant.in_function:
            return {self.at[mutant.file, mutant.line]} if (mutant.file, mutant.line) in self.at else set()
        return {number for (file, _), number in self.at.items() if file == mutant.file}

    def _mark(self, file: str, function: ast.FunctionDef) -> None:
        for node in [*ast.walk(function)]:
            for field in ("body", "orelse", "finalbody"):
                if isinstance(body := getattr(node, field, None), list):
                    setattr(node, field, [new for old in body for new in self._marked(file, old)])

    def _marked(self, file: str, statement: ast.stmt) -> Iterator[ast.stmt]:
        is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not is_docstring and (file, statement.lineno) not in self.at:
            number = self.at[file, statement.lineno] = len(self.at)
            call = ast.Call(ast.Name(_PASSED, ast.Load()), [ast.Constant(number)], [])
            yield ast.fix_missing_locations(ast.copy_location(ast.Expr(call), statement))
        yield statement


class Session:
    """A plugin of pytest, which runs the tests once, and then the mutants."""

    def __init__(self, mutants: Sequence[Mutant], marks: Marks, until: float, write: int) -> None:
        self._mutants, self._marks, self._until, self._write = mutants, marks, until, write
        self._began = time.monotonic()
        self._took: dict[pytest.Item, float] = {}
        self._through = defaultdict[int, set[pytest.Item]](set)
        self._before_tests = defaultdict[Path, set[int]](set)
        self._noticed = Counter[tuple[mutate.Owner, pytest.Item]]()  # who noticed a neighbour is asked first
        self._controlled: dict[pytest.Item, bool] = {}
        self._at_import: set[int] = set()
        self._is_complete = True
        self._number = mmap(-1, 4)  # of the test that a fork is at

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """Note what is passed before a test for all of its file: a fixture may be theirs, too."""
        yield
        self._before_tests[item.path] |= self._marks.passed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Look at the tests, then try the mutants."""
        gc.unfreeze()  # the root conftest.py freezes what is there when all is collected
        self._at_import = {*self._marks.passed}
        caches = [one for one in gc.get_objects() if isinstance(one, functools._lru_cache_wrapper)]  # noqa: SLF001
        self._caches = [one for one in caches if _is_ours(one)]
        if self._marks.at:
            self._look([item for item in session.items if self._is_about(item)])
        self._functions = _functions_of({one.file for one in self._mutants})
        for mutant in self._mutants:
            os.write(self._write, f"{json.dumps(self._verdict(mutant, session.items))}\n".encode())
        return True

    def _is_about(self, item: pytest.Item) -> bool:
        """Return False for a law that is tried on another package than the mutants'."""
        packages = {one.file.split("/")[2] for one in self._mutants if one.file.startswith("functions/")}
        _, _, parameters = item.nodeid.partition("[")
        return LAWS not in item.nodeid or not packages or any(name in parameters for name in packages)

    def _look(self, items: list[pytest.Item]) -> None:
        until = self._began + _LOOKING * (self._until - self._began)
        for item, following in zip(items, [*items[1:], None], strict=True):
            if time.monotonic() > until:
                self._is_complete = False
                break
            self._clear_caches()  # an answer from before would hide the way to it
            self._marks.passed.clear()
            started = time.monotonic()
            passes = not _failure(item, following)
            self._took[item] = time.monotonic() - started
            for number in self._marks.passed if passes else ():
                self._through[number].add(item)
        for item in self._took:
            for number in self._before_tests[item.path]:
                self._through[number].add(item)

    def _clear_caches(self) -> None:
        for cache in self._caches:
            cache.cache_clear()

    def _verdict(self, mutant: Mutant, items: Sequence[pytest.Item]) -> tuple[Verdict, list[str], float]:
        """Return a verdict, and the tests that a new process is to ask, with the seconds after which they never end."""
        if time.monotonic() > self._until:
            return Verdict(LEFT), [], 0
        numbers = self._marks.of(mutant)
        tests = {item for number in numbers for item in self._through[number]}
        if not tests and numbers & self._at_import:
            tests = {*self._took}
        if mutant.tests:
            tests = {item for item in items if item.nodeid.startswith(mutant.tests)}
        if not tests:
            return Verdict(UNTESTED if self._is_complete else UNDECIDED, "no test comes there"), [], 0
        ordered = sorted(tests, key=lambda one: (-self._noticed[mutant.owner, one], self._took.get(one, 0)))
        verdict, by = self._tried(mutant, ordered)
        if time.monotonic() > self._until:
            return Verdict(LEFT), [], 0
        again = [item for item in ordered if self._controlled.get(item) is False]
        if verdict == _NOT_NOTICED[_UNFIT] or not mutant.in_function or mutant.tests or numbers & self._at_import:
            again = ordered
        if verdict == SURVIVED and not self._is_complete:
            verdict = UNDECIDED
        names = [item.nodeid for item in again if verdict != NOTICED]
        longest_s = 60 + sum(10 * self._took.get(item, 30) for item in again)
        return Verdict(verdict, by), names, longest_s

    def _tried(self, mutant: Mutant, tests: list[pytest.Item]) -> tuple[str, str]:
        """Try a mutant on tests until one notices that passes in a fork without it."""
        while tests := [item for item in tests if self._controlled.get(item, True)]:
            status, by = self._forked(tests, mutant)
            if status in _NOT_NOTICED:
                return _NOT_NOTICED[status], ""
            if by not in self._controlled:
                self._controlled[by] = self._forked([by], None)[0] == _SURVIVED
            if self._controlled[by]:
                self._noticed[mutant.owner, by] += 1
                return NOTICED, by.nodeid
        return SURVIVED, "its tests fail in a fork"

    def _forked(self, tests: Sequence[pytest.Item], mutant: Mutant | None) -> tuple[int, pytest.Item]:
        """Return the exit status of a fork that runs tests until one fails, and the test that it was at."""
        if not (pid := os.fork()):
            os.setpgid(0, 0)  # what a test starts ends with it
            status = _NOTICED
            with suppress(BaseException):
                status = self._status(tests, mutant)
            os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        return status, tests[int.from_bytes(self._number[:])]

    def _status(self, tests: Sequence[pytest.Item], mutant: Mutant | None) -> int:
        self._number[:] = bytes(4)
        self._clear_caches()
        try:
            if mutant:
                self._install(mutant)
        except Exception:  # noqa: BLE001  no function that lives has its place
            return _UNFIT
        for number, (item, following) in enumerate(zip(tests, [*tests[1:], None], strict=True)):
            self._number[:] = number.to_bytes(4)
            _end_after(10 * self._took.get(item, 30), self._until)
            if _failure(item, following):
                return _NOTICED
        return _SURVIVED

    def _install(self, mutant: Mutant) -> None:
        """Put the mutated code into each function that has it; a constant, wherever it was imported to."""
        if not mutant.in_function:
            _assign(mutant)
            return
        with mutant.applied() as tree:
            codes = _codes_of(compile(tree, str(ROOT / mutant.file), "exec"))
        name = ".".join(mutant.owner)
        installed = 0
        for (file, qualified, line), functions in self._functions.items():
            if file == mutant.file and (qualified == name or qualified.startswith(f"{name}.")):
                for function in functions:
                    function.__code__ = codes[qualified, line]
                installed += qualified == name
        if not installed:
            raise LookupError(name)


def _is_ours(cache: object) -> bool:
    code = getattr(getattr(cache, "__wrapped__", None), "__code__", None)
    return code is not None and not code.co_filename.startswith((sys.prefix, sys.base_prefix))


def _functions_of(files: Iterable[str]) -> Mapping[tuple[str, str, int], list[FunctionType]]:
    """Return the functions that live, by file, qualified name and line."""
    wanted = {str(ROOT / file): file for file in files}
    functions = defaultdict[tuple[str, str, int], list[FunctionType]](list)
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and (file := wanted.get(one.__code__.co_filename)):
            functions[file, one.__code__.co_qualname, one.__code__.co_firstlineno].append(one)
    return functions


def _codes_of(code: CodeType) -> dict[tuple[str, int], CodeType]:
    found: dict[tuple[str, int], CodeType] = {}
    for one in code.co_consts:
        if isinstance(one, CodeType):
            found |= {(one.co_qualname, one.co_firstlineno): one, **_codes_of(one)}
    return found


def _assign(mutant: Mutant) -> None:
    (name,) = mutant.owner  # a class has done with its fields
    module = vars(sys.modules[mutate.module_of(mutant.file)])
    old = module[name]
    with mutant.applied() as tree:
        value = next(
            unit.value
            for owner, unit in mutate.units(tree.body)
            if not isinstance(unit, ast.FunctionDef) and owner == (name,)
        )
        new = eval(compile(ast.Expression(value or ast.Constant(None)), mutant.file, "eval"), module)  # noqa: S307  our own
    for other in [*sys.modules.values()]:
        if getattr(other, "__dict__", {}).get(name) is old:
            setattr(other, name, new)


def _end_after(seconds: float, until: float) -> None:
    """End this process if it computes, or waits, for so much longer than it should: what never ends is noticed, too."""
    for timer, number, spare in ((signal.ITIMER_PROF, signal.SIGPROF, 1), (signal.ITIMER_REAL, signal.SIGALRM, 20)):
        signal.signal(number, signal.SIG_DFL)
        signal.setitimer(timer, min(seconds + spare, max(1, until - time.monotonic())))


def _settings(tests: Sequence[str]) -> tuple[str, ...]:
    """Name the settings: where all tests are the library's, pytest takes those of the library, in another project."""
    return () if Path(tests[-1]).is_absolute() else ("-c", str(ROOT / "pyproject.toml"))


def _failure(item: pytest.Item, following: pytest.Item | None) -> bool:
    return any(report.failed for report in runtestprotocol(item, nextitem=following, log=False))


def _anew(mutant: Mutant, tests: Sequence[str], so_far: Verdict, longest_s: float) -> Verdict:
    """Try a mutant in a process that imports it."""
    if longest_s <= 0:
        return Verdict(UNDECIDED)

    def work(write: int) -> None:
        signal.setitimer(signal.ITIMER_REAL, longest_s)
        _silence()
        with mutant.applied() as tree:
            _import_as({mutant.file: tree})
            status = pytest.main([*_PYTEST, *_settings(tests), "-x", *tests])
        os.write(write, b"passed" if status == pytest.ExitCode.OK else b"failed")

    said = "".join(_in_fork(work))
    unnoticed = UNDECIDED if so_far.verdict == UNDECIDED or not said else SURVIVED
    return Verdict(NOTICED if said == "failed" else unnoticed, "in a new process")
