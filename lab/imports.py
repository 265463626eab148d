"""Cold starts: the CPU to import each handler, over that of boto3 and a client."""

import os
import shutil
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, cast

from andon.handlers.declared import PACKAGE
from andon.packages.discovery import packages, source
from andon.packages.package import Package, Side
from lab.figure import OF_ONE, Figure, Goal, median_ratio

ROLES: Final = ("listener", "trigger", "push", "sweep", "command", "query")
LIGHT, WHOLE = Goal("≤", 0.35), Goal("≤", 0.8)
BEHIND: Final = "listener, trigger, push or sweep"
CALLED: Final = "command or query"
BROUGHT: Final = "command or query with Powertools"
GOALS: Final = {BEHIND: LIGHT, CALLED: WHOLE, BROUGHT: Goal("≤", 1.2)}
ROUNDS: Final = {"listener": 9, "trigger": 9, "push": 9, "sweep": 9, "command": 5, "query": 5}
RESOLVER: Final = (
    "from aws_lambda_powertools.event_handler import APIGatewayHttpResolver as R; R(enable_validation=True)"
)
BARE: Final = 'import boto3; boto3.client("dynamodb")'

# The interpreter's own start is nobody's doing.
MEASURED: Final = "import time; started = time.process_time(); {}; print(time.process_time() - started)"


def figures() -> list[Figure]:
    """Import each in processes of its own, in turn, from what functions get; they make their client, as on Lambda."""
    with TemporaryDirectory() as folder:
        lay_out(Path(folder))
        return _figures(partial(imported, root=folder))


def _figures(imported: Callable[[str], float]) -> list[Figure]:
    code = {"bare": BARE, "peer": f"{RESOLVER}; {BARE}"} | {name: init_of(name) for name in handlers()}
    seconds: dict[str, list[float]] = {name: [] for name in code}
    for statement in code.values():
        imported(statement)  # so that everything is compiled
    for number in range(max(ROUNDS.values())):
        for name, statement in code.items():
            if number < ROUNDS.get(_role(name), number + 1):
                seconds[name].append(imported(statement))
    bare, peer = seconds.pop("bare"), seconds.pop("peer")
    ratios = {name: median_ratio(measured, bare) for name, measured in seconds.items()}
    each = [
        Figure(f"{OF_ONE}{name.replace('/', '.')}", ratio, "x", GOALS[_kind(name)]) for name, ratio in ratios.items()
    ]
    compared = Figure("cold import of Powertools' resolver and boto3 / boto3's", median_ratio(peer, bare), "x")
    return [*each, Figure(f"cold {BARE}", statistics.median(bare) * 1000, "ms"), *dearest(ratios), compared]


def dearest(ratios: Mapping[str, float]) -> list[Figure]:
    """Return the dearest import behind the bus, and of what the API calls: by these they are judged."""
    of_kind = defaultdict[str, list[float]](list)
    for name, ratio in ratios.items():
        of_kind[_kind(name)].append(ratio)
    return [
        Figure(f"cold import of a {kind} / boto3's, dearest of {len(some)}", max(some), "x", GOALS[kind])
        for kind, some in of_kind.items()
    ]


def handlers() -> list[str]:
    """Name every handler, listeners first."""
    return [package.path(role) for role in ROLES for package in packages() if package.plays(role)]


def init_of(path: str) -> str:
    """Return the statement by which Lambda initialises a handler, as `views/board/listener`."""
    side, name, role = path.split("/")
    package = Package(cast("Side", side), name)
    module = package.handler_name(role).removesuffix(".handler")
    return f"import os; os.environ['{PACKAGE}'] = '{package.folder}'; import {module}"


def lay_out(folder: Path) -> None:
    """Copy what functions get into one folder, as in an asset: two more on the path would make every import dearer."""
    for file, place in source().files():
        copied = folder / place
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copied)


def imported(statement: str, *, root: str) -> float:
    """Run a statement in a new process, which imports from `root`; return its CPU in seconds."""
    environment = os.environ | {"PYTHONPATH": root, "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is compiled is kept, as in a deployed asset
    command = [sys.executable, "-c", MEASURED.format(statement)]
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def _kind(name: str) -> str:
    side, package, role = name.split("/")
    if role not in CALLED.split():
        return BEHIND
    return BROUGHT if role in Package(cast("Side", side), package).powertools else CALLED


def _role(name: str) -> str:
    return name.rpartition("/")[2]
