"""`make prove`: runs a prover of the project, or compares a view's two versions, see `andon.tools.views.prove`."""

import argparse
import importlib
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from types import ModuleType
from typing import Final

from andon.packages.discovery import versions_of
from andon.project import project
from andon.tools.called import as_called
from andon.tools.views import prove as of_view

_LAB: Final = "lab"
"""The folder of provers, at the project's root: `lab/NAME.py`, or a folder of that name, with `PARTS`."""

_MISUSED: Final = 2


def main() -> int:
    """Entry point. Exit status: 0 if all held, 1 if something did not, 2 if it could not be told."""
    name = next(iter(sys.argv[1:]), "")
    place = project().root / _LAB / name
    is_module = name.isidentifier() and (place.with_suffix(".py").is_file() or (place / "__init__.py").is_file())
    module = importlib.import_module(f"{_LAB}.{name}") if is_module else None
    is_prover, is_view = hasattr(module, "PARTS"), bool(versions_of(name))
    if module and is_prover and not is_view:
        return _prove(name, module, sys.argv[2:])
    if is_prover == is_view and name.isidentifier():
        why = (
            f"is a view, and a prover in {_LAB}/; rename the prover"
            if is_view
            else f"is no view and no prover in {_LAB}/"
        )
        print(f"{as_called('prove')}: {name} {why}", file=sys.stderr)
        return _MISUSED
    return of_view.main()


def _prove(name: str, module: ModuleType, arguments: Sequence[str]) -> int:
    """Run a prover, and print what it found."""
    from andon.testing.proving.prover import Prover, prove  # noqa: PLC0415  a view's versions need no world

    prover = Prover.of(module)
    options, began, cpu = _options(name, module, [*prover.parts], arguments), time.monotonic(), time.process_time()
    with ExitStack() as stack:
        opened = None
        if options.deployed:
            from andon.testing.proving.deployed import deployed  # noqa: PLC0415  it needs the emulator's tools

            opened = stack.enter_context(deployed())
        seeds = range(options.seed, options.seed + options.seeds)
        record = prove(prover, seeds=seeds, only=options.only, deployed=opened)
    took = f"{time.monotonic() - began:.0f} s, {time.process_time() - cpu:.0f} s of CPU"
    print(f"{record.text()}\nseeds {options.seed} to {seeds.stop - 1}: {took}")
    return int(bool(record.broken))


def _options(name: str, module: ModuleType, parts: Sequence[str], arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=as_called("prove", NAME=name), description=module.__doc__)
    parser.add_argument("--seeds", type=int, default=1, help="so many, from --seed on (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the dice (default: %(default)s)")
    parser.add_argument("--only", nargs="+", choices=parts, default=[], metavar="PART")
    parser.add_argument("--deployed", action="store_true", help="in a stack of its own, not in memory")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
