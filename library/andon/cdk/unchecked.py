"""Calls of the CDK without the check of each argument's type at run time: a sixth of the CPU of a synth.

mypy asks it before, and the CDK's own code, behind, refuses a wrong value. With a jsii that keeps it elsewhere, a synth
is only slower.
"""

from typing import Any, Final

from jsii import _type_checking


class _AnyType(dict[str, Any]):
    """Type hints of the arguments of a call, none of which is looked at."""

    def __missing__(self, argument: str) -> None:
        return None


class _Hints(dict[Any, dict[str, Any]]):
    """Type hints of each call: reading them would take longer than checking them."""

    def get(self, *_: object) -> _AnyType:
        return _ANY_TYPE


_ANY_TYPE: Final = _AnyType()


def skip_type_checks() -> None:
    """Let jsii check no types in this process, from here on."""
    _type_checking._type_hints_cache = _Hints()  # noqa: SLF001  no setting but -O, by which assert means nothing
    _type_checking._resolved_check = lambda **_: None  # noqa: SLF001
