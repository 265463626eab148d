"""Mutants of Python: each is one small change of one function's tree, or of a condition at module level."""

import ast
import copy
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from tests.mutants import conditions

ROOT: Final = Path(__file__).parents[2]
LONGEST_TEXT: Final = 120

Owner: TypeAlias = tuple[str, ...]
Unit = ast.FunctionDef | ast.Assign | ast.AnnAssign
Change: TypeAlias = tuple[str, ast.AST]
"""An operator, and what it puts in a node's place."""

# Each word is a class of `ast`: the first becomes each of the others.
_COMPARED: Final = (
    "Lt LtE GtE",
    "LtE Lt Gt",
    "Gt GtE LtE",
    "GtE Gt Lt",
    "Eq NotEq",
    "NotEq Eq",
    "Is IsNot",
    "IsNot Is",
)
_COMPUTED: Final = ("Add Sub", "Sub Add", "Mult FloorDiv", "FloorDiv Mult", "Div Mult", "Mod FloorDiv", "BitOr BitAnd")
_SWAPPED: Final = {
    one: others
    for one, *others in map(str.split, (*_COMPARED, *_COMPUTED, "In NotIn", "NotIn In", "BitAnd BitOr", "BitXor BitOr"))
}
_CALLED: Final = {
    one: other
    for pair in ("min max", "any all", "startswith endswith")
    for one, other in (pair.split(), pair.split()[::-1])
}
_OF_SEVERAL: Final = {"min", "max", "_both", "chain"}
_OF_TEXT: Final = {"removeprefix", "removesuffix", "strip", "lower", "rstrip", "replace", "encode", "casefold"}
# A tuple does as a list does, and a length is never its list.
_NEVER_LEFT_OUT: Final = re.compile(
    "bool|cast|dict|frozenset|isinstance|iter|len|list|print|range|repr|str|super|tuple|type"
)
_UNCONDITIONAL: Final = "__import__('andon.dynamodb.expressions', fromlist=['']).UNCONDITIONAL"
_UNVISITED: Final = {"annotation", "returns", "decorator_list", "bases", "defaults", "kw_defaults", "type_params"}


class Place(NamedTuple):
    """A field of a node, or an element of it, and the line of the statement that it is in."""

    parent: ast.AST
    field: str
    at: int | None
    line: int

    @property
    def node(self) -> ast.AST:
        """The node that stands here."""
        held = getattr(self.parent, self.field)
        found: ast.AST = held if self.at is None else held[self.at]
        return found

    def put(self, new: ast.AST) -> None:
        """Put another node here."""
        if self.at is None:
            setattr(self.parent, self.field, new)
        else:
            getattr(self.parent, self.field)[self.at] = new


class Mutant(NamedTuple):
    """A change of one unit of a file; `said`: before -> after.

    tests: the beginnings of the ids of those that shall notice; none: all that pass its statement.
    """

    file: str
    owner: Owner
    operator: str
    said: str
    tree: ast.Module
    place: Place
    new: ast.AST
    in_function: bool
    tests: tuple[str, ...] = ()

    @property
    def line(self) -> int:
        """The line of the changed statement."""
        return self.place.line

    @property
    def of(self) -> str:
        """The changed function, as module:function."""
        return f"{module_of(self.file)}:{'.'.join(self.owner)}"

    def __str__(self) -> str:
        """Return a line for a person."""
        line = getattr(self.place.node, "lineno", self.line)
        return f"{self.file}:{line} {'.'.join(self.owner)} [{self.operator}] {self.said}"

    @contextmanager
    def applied(self) -> Iterator[ast.Module]:
        """Yield the tree of the file with the change in it."""
        old = self.place.node
        self.place.put(self.new)
        try:
            yield self.tree
        finally:
            self.place.put(old)


def mutants_of(file: str, source: str | None = None, owners: Container[Owner] | None = None) -> Iterator[Mutant]:
    """Yield the mutants of a file of the tree, or of some functions in it, in the order of its text."""
    tree = ast.parse((ROOT / file).read_text() if source is None else source)
    members = _members(tree)
    for owner, unit in units(tree.body):
        for place in places(unit) if owners is None or owner in owners else ():
            old = place.node
            if isinstance(unit, ast.FunctionDef) or conditions.IS_CONDITION.search(ast.unparse(old)):
                for operator, new in _changes(old, members):
                    if operator != "call" or not isinstance(place.parent, ast.Expr):  # that is a statement's mutant
                        yield _mutant(file, owner, operator, tree, place, new, unit)


def _mutant(file: str, owner: Owner, operator: str, tree: ast.Module, place: Place, new: ast.AST, unit: Unit) -> Mutant:
    old = place.node
    ast.copy_location(new, old if hasattr(old, "lineno") else ast.Pass(lineno=place.line, col_offset=0))
    ast.fix_missing_locations(new)
    shown = place.parent if isinstance(old, ast.Constant | ast.Name | ast.Attribute) else old
    if not isinstance(shown, ast.expr | ast.keyword):  # a statement alone says no more than its part
        shown = old
    before = _text(shown)
    place.put(new)
    after = _text(shown if shown is place.parent else new)
    place.put(old)
    return Mutant(file, owner, operator, said(before, after), tree, place, new, isinstance(unit, ast.FunctionDef))


def said(before: str, after: str) -> str:
    """Return `before -> after`, of long ones what is around the difference."""
    if max(len(before), len(after)) <= LONGEST_TEXT:
        return f"{before} -> {after}"
    start, end = (max(0, _same(*pair) - 40) for pair in ((before, after), (before[::-1], after[::-1])))
    return " -> ".join(text[start : len(text) - end][: 2 * LONGEST_TEXT] for text in (before, after))


def _same(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _text(node: ast.AST) -> str:
    shown = copy.copy(node)
    if isinstance(shown, ast.If | ast.While | ast.For):
        shown.body, shown.orelse = [ast.Expr(ast.Constant(...))], []
    if isinstance(shown, ast.ExceptHandler) and not isinstance(shown.body[0], ast.Raise):
        shown.body = [ast.Expr(ast.Constant(...))]
    return " ".join(ast.unparse(shown).split()).replace(_UNCONDITIONAL, "UNCONDITIONAL")


def module_of(file: str) -> str:
    """Return the name that a file is imported by."""
    parts = Path(file).with_suffix("").parts
    return ".".join(parts[parts[0] in {"library", "functions", "gateway"} :]).removesuffix(".__init__")


def file_of(module: str) -> str:
    """Return the file of a module; Raises: StopIteration: there is none."""
    names = [f"{module.replace('.', '/')}{end}" for end in (".py", "/__init__.py")]
    found = (Path(root, name) for root in ("library", "functions", "gateway", ".") for name in names)
    return next(path.as_posix() for path in found if (ROOT / path).exists())


def units(body: Iterable[ast.stmt], of: Owner = ()) -> Iterator[tuple[Owner, Unit]]:
    """Yield functions and methods with the names that lead to them, and what modules and classes assign."""
    for one in body:
        match one:
            case ast.FunctionDef(name=name):
                yield (*of, name), one
            case ast.ClassDef(name=name, body=body_of_class):
                yield from units(body_of_class, (*of, name))
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                yield (*of, name), one


def places(node: ast.AST, line: int = 0, *, every: bool = False) -> Iterator[Place]:
    """Yield each place below a node; but for `every` none in annotations, defaults, docstrings and parts of texts."""
    line = node.lineno if isinstance(node, ast.stmt) else line
    for field, value in ast.iter_fields(node):
        if field in _UNVISITED and not every:
            continue
        for at, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and (every or not _is_noise(node, child, at)):
                yield Place(node, field, at, child.lineno if isinstance(child, ast.stmt) else line)
                yield from places(child, line, every=every)


def _is_noise(parent: ast.AST, child: ast.AST, at: int | None) -> bool:
    match parent, child:
        case _, ast.Expr(ast.Constant()):  # a docstring
            return True
        case ast.JoinedStr() | ast.FormattedValue(), ast.Constant() | ast.JoinedStr():
            return True
        case ast.Call(ast.Name("cast")), _:
            return at == 0
        case ast.Raise(), ast.Call():  # an error's words; that it is raised is a statement's mutant
            return True
        case ast.BoolOp(ast.Or(), [*_, last]), _:
            return child is last and _is_empty(last)
    return False


def _is_empty(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=value):
            return not value
        case ast.Dict(keys=[]) | ast.List(elts=[]) | ast.Tuple(elts=[]):
            return True
    return False


def _members(tree: ast.Module) -> Mapping[str, set[str]]:
    """Return the members of each enum that a file names: {"Outcome": {"STALE", "APPLIED"}}."""
    members = defaultdict[str, set[str]](set)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr.isupper():
            members[node.value.id].add(node.attr)
    return members


def _changes(node: ast.AST, members: Mapping[str, set[str]]) -> Iterator[Change]:
    """Yield what may stand in a node's place."""
    if change := _OPERATORS.get(type(node)):
        yield from change(node)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
        others = members.get(node.value.id, set()) if node.attr.isupper() else set()
        for other in sorted(others - {node.attr}):
            yield "member", ast.Attribute(node.value, other, ast.Load())


def _without(things: list[ast.expr], at: int) -> list[ast.expr]:
    return things[:at] + things[at + 1 :]


def _swapped(operator: ast.AST) -> list[Any]:
    return [getattr(ast, name)() for name in _SWAPPED.get(type(operator).__name__, ())]


def _compare(node: ast.Compare) -> Iterator[Change]:
    for at, op in enumerate(node.ops):
        for other in _swapped(op):
            yield "compare", ast.Compare(node.left, [*node.ops[:at], other, *node.ops[at + 1 :]], node.comparators)
    if len(node.ops) > 1:
        yield "operand", ast.Compare(node.left, node.ops[:-1], node.comparators[:-1])
        yield "operand", ast.Compare(node.comparators[0], node.ops[1:], node.comparators[1:])
    elif isinstance(node.comparators[0], ast.Constant):
        yield "left side", node.left


def _and_or(node: ast.BoolOp) -> Iterator[Change]:
    if isinstance(node.op, ast.Or) and _is_empty(node.values[-1]):
        return
    yield "and-or", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for at in range(len(node.values)):
        rest = _without(node.values, at)
        yield "operand", rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)


def _compute(node: ast.BinOp) -> Iterator[Change]:
    for other in _swapped(node.op):
        yield "compute", ast.BinOp(node.left, other, node.right)
    yield "operand", node.left
    yield "operand", node.right


def _constant(node: ast.Constant) -> Iterator[Change]:
    match node.value:
        case bool() as value:
            yield "constant", ast.Constant(not value)
        case int() | float() as value:
            yield "constant", ast.Constant(value + 1)
            if value:
                yield "constant", ast.Constant(value - 1)
        case str() as value:
            for other in conditions.changed([node]):
                yield "text", ast.Constant("".join(str(part.value) for part in other if isinstance(part, ast.Constant)))
            if value.count(" ") < 3 and not conditions.IS_CONDITION.search(value):  # prose is no law
                yield "text", ast.Constant(f"{value}~")


def _f_string(node: ast.JoinedStr) -> Iterator[Change]:
    for other in conditions.changed(node.values):
        yield "text", ast.JoinedStr(other)
    words = "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
    for at, part in enumerate(node.values):
        if isinstance(part, ast.FormattedValue) and words.count(" ") < 4:  # a message
            yield "text", ast.JoinedStr(_without(node.values, at))
            if part.format_spec:
                plain = ast.FormattedValue(part.value, part.conversion)
                yield "text", ast.JoinedStr([*node.values[:at], plain, *node.values[at + 1 :]])


def _call(node: ast.Call) -> Iterator[Change]:
    function = node.func
    called = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    if called in {"cast", "TypeVar"}:
        return
    if called in _CALLED:
        other = ast.parse(ast.unparse(function)[: -len(called)] + _CALLED[called], mode="eval").body
        yield "call", ast.Call(other, node.args, node.keywords)
    if called in _OF_SEVERAL and len(node.args) > 1:
        yield from (("operand", one) for one in node.args)
    elif len(node.args) == 1 and not node.keywords and not _NEVER_LEFT_OUT.fullmatch(called):
        yield "call", node.args[0]
    if isinstance(function, ast.Attribute) and called in _OF_TEXT:
        yield "call", function.value
    yield from _arguments(node)


def _arguments(node: ast.Call) -> Iterator[Change]:
    for at, one in enumerate(node.keywords):
        others = node.keywords[:at] + node.keywords[at + 1 :]
        yield "argument", ast.Call(node.func, node.args, others)
        if one.arg == "condition" and "UNCONDITIONAL" not in ast.unparse(one):
            always = ast.keyword("condition", ast.parse(_UNCONDITIONAL, mode="eval").body)
            yield "argument", ast.Call(node.func, node.args, [*others, always])


def _elements(node: ast.List | ast.Tuple | ast.Set) -> Iterator[Change]:
    if isinstance(node, ast.Set):
        yield from (
            ("element", ast.Set(_without(node.elts, at))) for at in range(len(node.elts) if node.elts[1:] else 0)
        )
    elif isinstance(node.ctx, ast.Load):
        yield from (("element", type(node)(_without(node.elts, at), node.ctx)) for at in range(len(node.elts)))


def _items(node: ast.Dict) -> Iterator[Change]:
    for at in range(len(node.keys)):
        yield "element", ast.Dict(node.keys[:at] + node.keys[at + 1 :], _without(node.values, at))


def _expression(node: ast.expr) -> Iterator[Change]:
    match node:
        case ast.UnaryOp(operand=operand):
            yield "not", operand
        case ast.IfExp(body=body, orelse=orelse):
            yield "branch", body
            yield "branch", orelse
        case ast.Subscript(value=value, slice=ast.Slice(), ctx=ast.Load()):
            yield "slice", value


def _block(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.If(_, body, orelse):
            yield "condition", ast.If(ast.Constant(value=False), body, orelse)
            yield "condition", ast.If(ast.Constant(value=True), body, orelse)
        case ast.While(_, body, orelse):
            yield "condition", ast.While(ast.Constant(value=False), body, orelse)
        case ast.For(target, _, body, orelse):
            yield "iterate", ast.For(target, ast.Tuple([], ast.Load()), body, orelse)
        case ast.comprehension(target, iterated, ifs, is_async):
            for at in range(len(ifs)):
                yield "condition", ast.comprehension(target, iterated, _without(ifs, at), is_async)
            yield "iterate", ast.comprehension(target, ast.Tuple([], ast.Load()), ifs, is_async)
        case ast.ExceptHandler(kind, name, [first, *_]) if not (isinstance(first, ast.Raise) and first.exc is None):
            yield "handler", ast.ExceptHandler(kind, name, [ast.Raise()])


def _statement(node: ast.stmt) -> Iterator[Change]:
    match node:
        case ast.Continue():
            yield "statement", ast.Break()
        case ast.Break():
            yield "statement", ast.Continue()
        case ast.Expr(ast.Call() | ast.Yield() | ast.YieldFrom()) | ast.Raise() | ast.AugAssign() | ast.Delete():
            yield "statement", ast.Pass()
        case ast.Assign([ast.Subscript() | ast.Attribute()]):
            yield "statement", ast.Pass()
        case ast.Return(value) if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
            yield "return", ast.Return(ast.Constant(value=None))


_OPERATORS: Final[Mapping[type[ast.AST], Callable[..., Iterator[Change]]]] = {
    ast.Compare: _compare,
    ast.BoolOp: _and_or,
    ast.BinOp: _compute,
    ast.Constant: _constant,
    ast.JoinedStr: _f_string,
    ast.Call: _call,
    ast.Dict: _items,
    **dict.fromkeys((ast.List, ast.Tuple, ast.Set), _elements),
    **dict.fromkeys((ast.UnaryOp, ast.IfExp, ast.Subscript), _expression),
    **dict.fromkeys((ast.If, ast.While, ast.For, ast.comprehension, ast.ExceptHandler), _block),
    **dict.fromkeys((ast.Continue, ast.Break, ast.Expr, ast.Raise), _statement),
    **dict.fromkeys((ast.AugAssign, ast.Delete, ast.Assign, ast.Return), _statement),
}
