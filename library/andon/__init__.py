"""Andon. On Lambda, whatever is imported from it first makes the collector of cycles run seldom."""

import gc
import os
import sys

TYPE_CHECKING = False  # checkers know it by its name; `typing` would be loaded before the collector is told
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

# Modules stay alive, and a batch has some thousand objects, none of them in a cycle: what is no longer used is freed
# without a collection. It runs before all other imports, for those of a handler would lead to a hundred collections.
if "AWS_LAMBDA_INITIALIZATION_TYPE" in os.environ:
    gc.set_threshold(20_000)


class _Moved:
    """Finds a module that moved by its old name, when nothing else has found it."""

    def find_spec(self, fullname: str, _: object = None, __: object = None) -> "ModuleSpec | None":
        if not fullname.startswith(f"{__name__}."):
            return None
        from andon.runtime.moved import spec_of  # noqa: PLC0415  nothing is asked for in vain, but by old names

        return spec_of(fullname)


sys.meta_path.append(_Moved())
