"""Andon. On Lambda, whatever is imported from it first makes the collector of cycles run seldom."""

import gc
import os
import sys
from importlib.machinery import ModuleSpec

# Modules stay alive, and a batch has some thousand objects, none of them in a cycle: what is no longer used is freed
# without a collection. It runs before all other imports, for those of a handler would lead to a hundred collections.
if "AWS_LAMBDA_INITIALIZATION_TYPE" in os.environ:
    gc.set_threshold(20_000)


class _Moved:  # finds a module that moved by its old name, when nothing else has found it
    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        if fullname.startswith(f"{__name__}."):
            from andon.runtime.moved import moved  # noqa: PLC0415  nothing is asked for in vain, but by old names

            return moved(fullname)
        return None


sys.meta_path.append(_Moved())
