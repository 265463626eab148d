"""Edits of Python source that keep all else as it is: an element more in a call's argument, in a dictionary, in a file.

Each takes the text of a file and returns it with the edit. Formatting and the order of imports are left to
`template.tidied`.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from andon.tools.new.words import NotNew

FACTS, RULES, FACTS_OF = "Facts", "Rules", "facts_of"
_POSITIONS: Final = {
    FACTS: ("source", "types", "of", "expired"),
    FACTS_OF: ("source",),
    RULES: ("source", "types", "all"),
}
"""Call -> its parameters, as it may be given them by position."""


def with_package(stack: str, construct: str, name: str) -> str:
    """Return the text of the stack with a line for a package, below those of its kind.

    Raises:
        NotNew: no package has a line in it, which would show how the new one is written.

    """
    found = [
        (node.lineno, node) for node in ast.walk(ast.parse(stack)) if isinstance(node, ast.Call) and _is_line(node)
    ]
    if not found:
        raise NotNew(f'infra/stack.py has no line of a package, as: {construct}(self, "{name}", hub, api)')
    line, like = max(found, key=lambda one: (ast.unparse(one[1].func) == construct, one[0]))
    scope, _, *more = map(ast.unparse, like.args)
    lines = stack.splitlines()
    lines.insert(line, f'{" " * like.col_offset}{construct}({scope}, "{name}", {", ".join(more[:2])})')
    return with_imports("\n".join(lines) + "\n", [f"from andon.cdk.{construct.lower()} import {construct}"])


def with_part(stack: str, construct: str) -> str:
    """Return the text of the stack with a line for a part of every project, as `Eraser(self, hub, api)`."""
    calls = [node for node in ast.walk(ast.parse(stack)) if isinstance(node, ast.Call)]
    if any(ast.unparse(node.func) == construct for node in calls):
        return stack
    like = max((node for node in calls if _is_line(node) or _is_part(node)), key=lambda node: node.lineno)
    *_, hub, api = (ast.unparse(one) for one in like.args if isinstance(one, ast.Name))
    lines = stack.splitlines()
    lines.insert(like.lineno, f"{' ' * like.col_offset}{construct}({ast.unparse(like.args[0])}, {hub}, {api})")
    return with_imports("\n".join(lines) + "\n", [f"from andon.cdk.{construct.lower()} import {construct}"])


def _is_part(node: ast.Call) -> bool:
    """Return True if it is the line of a part, as `Lake(self, hub, api)`."""
    return isinstance(node.func, ast.Name) and [type(one) for one in node.args] == [ast.Name] * 3


def _is_line(node: ast.Call) -> bool:
    """Return True if it is the line of a package, as `View(self, "latest", hub, api)`."""
    match node:
        case ast.Call(func=ast.Name(), args=[ast.Name(), ast.Constant(value=str()), ast.Name(), ast.Name(), *_]):
            return True
        case _:
            return False


def with_imports(text: str, imports: Iterable[str]) -> str:
    """Return a file with imports that it lacks, before its first one, or behind its docstring."""
    tree = ast.parse(text)
    missing = [line for line in imports if not _imported(ast.parse(line)) <= _imported(tree)]
    at = next((node.lineno - 1 for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)), None)
    if at is None:
        at = tree.body[0].end_lineno or 0 if tree.body and ast.get_docstring(tree) else 0
    lines = text.splitlines()
    return "\n".join([*lines[:at], *missing, *lines[at:]]) + "\n"


def merged(text: str, addition: str, *, before: str | None = None) -> str:
    """Return a file with the imports, constants, functions, classes and calls of another one that it has not.

    They stand at the end, or before the statement that defines the name `before`.
    """
    tree, more = ast.parse(text), ast.parse(addition)
    known = {name for node in tree.body for name in _added(node)}
    chosen = [node for node in more.body if (names := _added(node)) and not known & names]
    lines = addition.splitlines()
    parts: list[str] = []
    for node in chosen:
        part = "\n".join(lines[_first_line(node) - 1 : node.end_lineno])
        if parts and isinstance(node, ast.Assign | ast.AnnAssign):
            parts[-1] += f"\n{part}"
        else:
            parts.append(part)
    at = next((_first_line(node) - 1 for node in tree.body if before in _defined(node)), None)
    own = text.splitlines()
    around = ["\n".join(own[:at]), *parts, *(["\n".join(own[at:])] if at is not None else [])]
    return with_imports("\n\n\n".join(part.strip("\n") for part in around) + "\n", _used(more, chosen))


def _used(tree: ast.Module, chosen: Iterable[ast.stmt]) -> Iterator[str]:
    """Yield the imports of a file that some of its statements need."""
    names = {node.id for one in chosen for node in ast.walk(one) if isinstance(node, ast.Name)}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            yield from (f"from {node.module} import {one.name}" for one in node.names if one.name in names)


def first_function(text: str) -> tuple[str, str]:
    """Return the name and the source of the first function of a file."""
    node = next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    return node.name, _source(text, node)


def without(text: str, name: str) -> str:
    """Return a file without the statement that defines a name."""
    found = (node for node in ast.parse(text).body if name in _defined(node))
    return next((_replaced(text, node, "") for node in found), text)


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a file in which names of constants, functions and imports are others."""
    found = (
        (node, node.name if isinstance(node, ast.alias) else node.id)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name | ast.alias)
    )
    places = ((*place_of(text, node), names[name]) for node, name in found if name in names)
    for start, end, name in sorted(places, reverse=True):
        text = f"{text[:start]}{name}{text[end:]}"
    return text


def with_members(text: str, names: Mapping[str, str]) -> str:
    """Return a file in which members have other names: in texts, in declarations of classes, and as `keep` has them."""
    edits = sorted({edit for node in ast.walk(ast.parse(text)) for edit in _members_in(text, node, names)})
    for start, end, name in reversed(edits):
        text = f"{text[:start]}{name}{text[end:]}"
    return text


def _members_in(text: str, node: ast.AST, names: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    match node:
        case ast.Constant(value=str(said)) if said in names:
            start, end = place_of(text, node)
            if text[start:end] == f'"{said}"':  # and not a part of an f-string
                yield start + 1, end - 1, names[said]
        case ast.ClassDef(body=body):
            for one in body:
                if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id in names:
                    yield *place_of(text, one.target), names[one.target.id]
        case ast.Call(func=ast.Name(id="keep"), keywords=keywords):
            for keyword in keywords:
                if keyword.arg is not None and keyword.arg in names:
                    start, _ = place_of(text, keyword)
                    yield start, start + len(keyword.arg), names[keyword.arg]


def with_type(text: str, call: str, constant: str) -> str:
    """Return a file whose call of `Facts` or `Rules` has a type more; one that takes those of FACTS has it already."""
    value = _argument(text, call, "types")
    source = _source(text, value)
    if source == "FACTS.types":
        return text
    if isinstance(value, ast.Call) and len(value.args) == 1 and isinstance(value.args[0], ast.Set):
        return _with_element(text, value.args[0], value.args[0].elts, constant)
    return _replaced(text, value, f"{source} | {{{constant}}}")


def with_fact(text: str, type_: str, entity: str, *, kind: str, meaning: str) -> str:
    """Return a `facts.py` whose call of `Facts` or `facts_of` has a type and the meaning of a kind of rows more."""
    call = _facts_in(text)
    if call == FACTS:
        text = with_type(text, FACTS, type_)
    for argument, entry in (("of", f"{kind}: {meaning}"), ("entities", f"{type_}: {entity}")):
        try:
            text = _with_entry(text, _argument(text, call, argument), entry)
        except NotNew:  # nothing says it yet
            text = with_argument(text, call, f"{argument}={{{entry}}}")
    return text


def _facts_in(text: str) -> str:
    called = {ast.unparse(node.func) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)}
    return FACTS_OF if FACTS_OF in called else FACTS


def with_rule(text: str, rule: str) -> str:
    """Return a file whose call of `Rules` has a rule more.

    Raises:
        NotNew: they are no tuple in it.

    """
    value = _argument(text, RULES, "all")
    if not isinstance(value, ast.Tuple):
        raise NotNew(f"the rules are no tuple in the call of {RULES}, but {_source(text, value)}")
    return _with_element(text, value, value.elts, rule)


def with_argument(text: str, call: str, argument: str) -> str:
    """Return a file whose only call of a name has an argument by name more, as `claims=claims_of`.

    Raises:
        NotNew: there is no such call.

    """
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == call:
            given = [*node.args, *(one.value for one in node.keywords)]
            return _with_element(text, node, sorted(given, key=lambda one: place_of(text, one)), argument)
    raise NotNew(f"there is no call of {call} in it")


def with_aggregate(text: str, kind: str, declared: str, module: str) -> str:
    """Return a `versioning.py` that declares an aggregate more.

    kind: its discriminator, as an expression of `module`. declared: an expression of names of `versions.aggregate`.
    """
    names = ", ".join(sorted({one.id for one in ast.walk(ast.parse(declared)) if isinstance(one, ast.Name)}))
    text = with_entry(text, "AGGREGATES", f"{kind}: {declared}")
    folder, _, name = module.rpartition(".")
    return with_imports(text, [f"from andon.versions.aggregate import {names}", f"from {folder} import {name}"])


def with_resource(text: str, constant: str) -> str:
    """Return a `resources.py` whose RESOURCES have one more.

    Raises:
        NotNew: they are no tuple in it.

    """
    for node in ast.parse(text).body:
        if "RESOURCES" in _defined(node) and isinstance(value := getattr(node, "value", None), ast.Tuple):
            return _with_element(text, value, value.elts, constant)
    raise NotNew("there is no tuple RESOURCES in it")


def with_declared(text: str, constant: str, entity: str) -> str:
    """Return a `facts.py` that has the facts of a declared thing more, by `facts_of` or by `Facts`."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == FACTS_OF:
            return _with_element(text, node, node.args, constant)
    return with_fact(text, f"{constant}.fact", entity, kind=f"{constant}.kind", meaning=f"{constant}.fact_of")


def with_entry(text: str, name: str, entry: str) -> str:
    """Return a file whose dictionary of a name has an entry more, as `"key": value`.

    Raises:
        NotNew: it has no such name.

    """
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and name in _defined(node) and node.value is not None:
            return _with_entry(text, node.value, entry)
    raise NotNew(f"there is no {name} in it")


def _with_entry(text: str, value: ast.expr, entry: str) -> str:
    if not isinstance(value, ast.Dict):
        return _replaced(text, value, f"{{**{_source(text, value)}, {entry}}}")
    return _with_element(text, value, value.values, entry)


def _with_element(text: str, whole: ast.expr, elements: list[ast.expr], element: str) -> str:
    """Return a text with an element more behind the last one of a display."""
    if elements:
        _, end = place_of(text, elements[-1])
        return f"{text[:end]}, {element}{text[end:]}"
    start, end = place_of(text, whole)
    comma = "," if "\n" in text[start:end] else ""
    return f"{text[: end - 1]}{element}{comma}{text[end - 1 :]}"


def _argument(text: str, call: str, name: str) -> ast.expr:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == call:
            given = dict(zip(_POSITIONS[call], node.args, strict=False))
            given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
            if name in given:
                return given[name]
    raise NotNew(f"there is no call of {call} with its {name} in it")


def _replaced(text: str, node: ast.expr | ast.stmt, instead: str) -> str:
    start, end = place_of(text, node)
    return f"{text[:start]}{instead}{text[end:]}"


def _source(text: str, node: ast.expr | ast.stmt) -> str:
    start, end = place_of(text, node)
    return text[start:end]


def place_of(text: str, node: ast.expr | ast.stmt | ast.alias | ast.keyword) -> tuple[int, int]:
    """Return the first character of an expression or a statement, and the one behind it."""
    lines = text.splitlines(keepends=True)

    def at(line: int, column: int) -> int:
        return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())

    return at(node.lineno, node.col_offset), at(node.end_lineno or 0, node.end_col_offset or 0)


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def _defined(node: ast.stmt) -> set[str]:
    """Return the names that a statement defines; none of an import or a docstring."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {target.id for target in targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case _:
            return set()


def _added(node: ast.stmt) -> set[str]:
    """Return the names that a statement defines, or itself if it is a call, as that of a route's declaration."""
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return {ast.unparse(node)} if is_call else _defined(node)


def _imported(tree: ast.Module) -> set[tuple[str, str]]:
    """Return each module, and each name of a module, that is imported at the top."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {(node.module or "", alias.name) for alias in node.names}
    return found
