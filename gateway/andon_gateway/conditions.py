"""Conditions on values: Python's expressions with an allow-list, and a third truth, unknown. Pure.

Names, numbers, texts, `True`, `False`, `and or not`, comparisons, `in (…)`, `+ - * /`. What cannot be computed is
unknown: a value of bad quality, a text beside a number, a division by zero, what is not finite. `and` and `or` are
Kleene's: False and unknown is False.
"""

import ast
import math
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

Value = bool | int | float | str | None
"""A value of a machine; None: of bad quality, or not there yet."""

MAX_TEXT: Final = 500

ARITHMETIC: Final[Mapping[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
COMPARISONS: Final[Mapping[type[ast.cmpop], Callable[[float | str, float | str], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class Malformed(ValueError):
    """A condition, or a text with values in it, that cannot be used; it says why."""


class _Unknown(Exception):
    """A value cannot be computed."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that was checked; make it by `parse`."""

    text: str
    tree: ast.expr

    @classmethod
    def parse(cls, text: str, names: Collection[str]) -> "Condition":
        """Return a condition on values of some names.

        Raises:
            Malformed: it is no expression, says more than the allow-list, or a name that is not among `names`.

        """
        if len(text) > MAX_TEXT:
            raise Malformed(f"a condition has at most {MAX_TEXT} characters")
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Malformed(f"{text!r} is no expression") from error
        _check_truth(tree, names)
        return cls(text, tree)

    def holds(self, values: Mapping[str, Value]) -> bool | None:
        """Return True if it holds, False if not; None: that is unknown."""
        return _truth(self.tree, values)

    def kinds(self) -> Iterator[tuple[str, type]]:
        """Yield names, each with the kind of value that its place wants: `str`, or `float` for anything else."""
        if isinstance(self.tree, ast.Name):
            yield self.tree.id, float
        for node in ast.walk(self.tree):
            match node:
                case ast.Compare(left=left, ops=ops, comparators=operands):
                    for one, op, other in zip((left, *operands), ops, operands, strict=False):
                        yield from _kinds_beside(one, op, other)
                case ast.BoolOp(values=operands):
                    yield from _names(operands)
                case ast.UnaryOp(operand=operand):
                    yield from _names([operand])
                case ast.BinOp(left=left, right=right):
                    yield from _names([left, right])


def _kinds_beside(one: ast.expr, op: ast.cmpop, other: ast.expr) -> Iterator[tuple[str, type]]:
    """Yield the names of a comparison with the kind of their opposites; of two names numbers have an order."""
    for right in other.elts if isinstance(other, ast.Tuple | ast.List) else [other]:
        for name, beside in ((one, right), (right, one)):
            match name, beside:
                case ast.Name(id=id_), ast.Constant(value=str()):
                    yield id_, str
                case ast.Name(), ast.Name() if isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn):
                    continue
                case ast.Name(id=id_), _:
                    yield id_, float


def _names(operands: Iterable[ast.expr]) -> Iterator[tuple[str, type]]:
    return ((one.id, float) for one in operands if isinstance(one, ast.Name))


def _check_truth(node: ast.expr, names: Collection[str]) -> None:
    match node:
        case ast.BoolOp(values=operands):
            for one in operands:
                _check_truth(one, names)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            _check_truth(operand, names)
        case ast.Compare(left=left, ops=kinds, comparators=operands):
            _check_value(left, names)
            for kind, operand in zip(kinds, operands, strict=True):
                _check_compared(kind, operand, names)
        case _:
            _check_value(node, names)


def _check_compared(kind: ast.cmpop, operand: ast.expr, names: Collection[str]) -> None:
    if isinstance(kind, ast.In | ast.NotIn):
        if not isinstance(operand, ast.Tuple | ast.List):
            raise Malformed(f"behind `in` stands a list, such as (8, 9): {ast.unparse(operand)}")
        for one in operand.elts:
            _check_value(one, names)
    elif type(kind) in COMPARISONS:
        _check_value(operand, names)
    else:
        raise Malformed("`is` is not allowed: write ==")


def _check_value(node: ast.expr, names: Collection[str]) -> None:
    match node:
        case ast.Constant(value=bool() | int() | float() | str()):
            return
        case ast.Name(id=name) if name in names:
            return
        case ast.Name(id=name):
            raise Malformed(f"{name} is no value of this machine: {', '.join(sorted(names)) or 'it has none'}")
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            _check_value(operand, names)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
            _check_value(left, names)
            _check_value(right, names)
        case _:
            raise Malformed(f"not allowed in a condition: {ast.unparse(node)}")


def _truth(node: ast.expr, values: Mapping[str, Value]) -> bool | None:
    match node:
        case ast.BoolOp(op=ast.And(), values=operands):
            return _all(_truth(one, values) for one in operands)
        case ast.BoolOp(values=operands):
            return _not(_all(_not(_truth(one, values)) for one in operands))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _not(_truth(operand, values))
        case ast.Compare(left=left, ops=kinds, comparators=operands):
            pairs = zip((left, *operands), kinds, operands, strict=False)
            return _all(_compared(one, kind, other, values) for one, kind, other in pairs)
        case _:
            try:
                found = _value(node, values)
            except _Unknown:
                return None
            return None if isinstance(found, str) else bool(found)


def _compared(one: ast.expr, kind: ast.cmpop, other: ast.expr, values: Mapping[str, Value]) -> bool | None:
    if isinstance(kind, ast.In | ast.NotIn) and isinstance(other, ast.Tuple | ast.List):
        absent = _all(_compared(one, ast.NotEq(), element, values) for element in other.elts)
        return absent if isinstance(kind, ast.NotIn) else _not(absent)
    try:
        left, right = _value(one, values), _value(other, values)
    except _Unknown:
        return None
    if isinstance(left, str) != isinstance(right, str):
        return None
    return COMPARISONS[type(kind)](left, right)


def _value(node: ast.expr, values: Mapping[str, Value]) -> float | str:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as constant):
            return _known(constant)
        case ast.Name(id=name):
            return _known(values.get(name))
        case ast.UnaryOp(op=op, operand=operand):
            number = _number(operand, values)
            return -number if isinstance(op, ast.USub) else number
        case ast.BinOp(left=left, op=op, right=right):
            try:
                return _known(ARITHMETIC[type(op)](_number(left, values), _number(right, values)))
            except (ZeroDivisionError, OverflowError) as error:
                raise _Unknown from error
    raise _Unknown


def _number(node: ast.expr, values: Mapping[str, Value]) -> float:
    found = _value(node, values)
    if isinstance(found, str):
        raise _Unknown
    return found


def _known(value: Value) -> float | str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        raise _Unknown
    return value


def _all(truths: Iterable[bool | None]) -> bool | None:
    found = set(truths)
    return False if False in found else None if None in found else True


def _not(truth: bool | None) -> bool | None:  # noqa: FBT001  a truth is what it is about
    return None if truth is None else not truth
