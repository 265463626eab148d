"""`make prove`: a prover of the project, or a view's two versions, see `andon.tools.views.prove`; a name is either's."""

import importlib
import sys
from typing import Final

from andon.packages.discovery import versions_of
from andon.project import project
from andon.tools.called import as_called
from andon.tools.views import prove as of_view

LAB: Final = "lab"
"""The folder of provers, at the project's root: `lab/NAME.py`, or a folder of that name."""


def main() -> int:
    """Entry point. Exit status: 0 if all held, 1 if something did not, 2 if it could not be told."""
    name = next(iter(sys.argv[1:]), "")
    place = project().root / LAB / name
    is_module = name.isidentifier() and (place.with_suffix(".py").is_file() or (place / "__init__.py").is_file())
    module = importlib.import_module(f"{LAB}.{name}") if is_module else None
    if module is None or not hasattr(module, "PARTS"):
        return of_view.main()
    if versions_of(name):
        print(f"{as_called('prove')}: {name} is a view and a prover in {LAB}/; rename the prover", file=sys.stderr)
        return 2
    from andon.testing.proving import prover  # noqa: PLC0415  a view's versions need no world

    return prover.main(name, module, sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
