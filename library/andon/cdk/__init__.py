"""The build of a project by the CDK. Modules that moved are found by their old names, too, with a warning."""

import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

MOVED: Final = {
    "archive": "stores",
    "bucket": "buckets",
    "drift": "stores",
    "fault_store": "stores",
    "replays": "stores",
    "root_stack": "part",
}
"""Modules whose names stand in another one now; `andon upgrade` writes the new names into a project."""


class _Moved(MetaPathFinder, Loader):
    """Finds a module by its old name: one that has the names of the module of today."""

    def find_spec(
        self, fullname: str, _: Sequence[str] | None = None, __: ModuleType | None = None
    ) -> ModuleSpec | None:
        is_old = fullname.startswith(f"{__name__}.") and fullname.removeprefix(f"{__name__}.") in MOVED
        return ModuleSpec(fullname, self) if is_old else None

    def exec_module(self, module: ModuleType) -> None:
        now = f"{__name__}.{MOVED[module.__name__.removeprefix(f'{__name__}.')]}"
        warnings.warn(f"{module.__name__} is now {now}: andon upgrade", DeprecationWarning, stacklevel=2)
        module.__dict__["__getattr__"] = partial(getattr, import_module(now))


sys.meta_path.append(_Moved())
