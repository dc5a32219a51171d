"""Defects of the product: a function that is replaced, or that is compiled again without a call, a condition or a value.

Places are found by what the code does (the name of a call, an argument, an attribute in a condition), not by how its lines are
written. A defect whose place does not exist, or exists twice, raises LookupError.
"""

import ast
import inspect
import sys
from collections.abc import Callable, Iterable
from textwrap import dedent
from types import CodeType, ModuleType
from typing import Any

import pytest

Function = Callable[..., Any]
Defect = Callable[[pytest.MonkeyPatch], None]
"""Breaks the product until the patches are undone."""
Change = Callable[[ast.AST], ast.AST | None]
"""The new node in place of a node; None if the node stays as it is."""


def replace_function(function: Function, faulty: Function) -> Defect:
    """Put `faulty` in place of the function in every module that has imported it."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        for name, module in list(sys.modules.items()):
            if name.startswith("agency_site.") and getattr(module, function.__name__, None) is function:
                patch.setattr(module, function.__name__, faulty)

    return apply


def replace_name(module: ModuleType, name: str, faulty: object) -> Defect:
    """Put `faulty` in place of a function or constant in one module."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        if not hasattr(module, name):
            raise LookupError(f"{module.__name__} has no {name}")
        patch.setattr(module, name, faulty)

    return apply


def replace_entry(mapping: Any, key: object, value: object) -> Defect:
    """Change one entry of a table."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        if mapping[key] == value:
            raise LookupError(f"{key} has the value {value} already")
        patch.setitem(mapping, key, value)

    return apply


def rewrite(function: Function, change: Change) -> Defect:
    """Compile the function again with one changed place."""

    def apply(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(function, "__code__", _compile_changed(function, change))

    return apply


def skip_call(name: str) -> Change:
    """Remove the statement that consists of a call of that name."""

    def change(node: ast.AST) -> ast.AST | None:
        return ast.Pass() if isinstance(node, ast.Expr) and _called_name(node.value) == name else None

    return change


def skip_assignment(target: str) -> Change:
    """Remove the statement that sets this attribute."""

    def change(node: ast.AST) -> ast.AST | None:
        sets = isinstance(node, ast.Assign) and [_last_name(part) for part in node.targets] == [target]
        return ast.Pass() if sets else None

    return change


def set_attribute(target: str, value: str) -> Change:
    """Give this attribute another value where it is set, alone or with others at once."""

    def change(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Assign):
            return None
        first = node.targets[0]
        if _last_name(first) == target:
            return ast.Assign([first], _expression(value))
        if not (isinstance(first, ast.Tuple) and isinstance(node.value, ast.Tuple)):
            return None
        names = [_last_name(part) for part in first.elts]
        if target not in names:
            return None
        values = list(node.value.elts)
        values[names.index(target)] = _expression(value)
        return ast.Assign([first], ast.Tuple(values, ast.Load()))

    return change


def replace_call(name: str, value: str) -> Change:
    """Put an expression in place of a call of that name, together with its `await`."""

    def change(node: ast.AST) -> ast.AST | None:
        return _expression(value) if _called_name(node) == name else None

    return change


def set_argument(call: str, keyword: str, value: str) -> Change:
    """Give a call of that name another value of a keyword argument."""

    def change(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.Call) or _last_name(node.func) != call:
            return None
        if not any(part.arg == keyword and ast.unparse(part.value) != value for part in node.keywords):
            return None
        others = [part for part in node.keywords if part.arg != keyword]
        return ast.Call(node.func, node.args, [*others, ast.keyword(keyword, _expression(value))])

    return change


def replace_expression(old: str, new: str) -> Change:
    """Put one expression in place of another."""

    def change(node: ast.AST) -> ast.AST | None:
        return _expression(new) if isinstance(node, ast.expr) and ast.unparse(node) == old else None

    return change


def decide(mention: str, value: str) -> Change:
    """Give the condition of an `if` that mentions this name or call a fixed result."""

    def change(node: ast.AST) -> ast.AST | None:
        if isinstance(node, ast.If) and _mentions(node.test, mention):
            return ast.If(_expression(value), node.body, node.orelse)
        return None

    return change


def compare(operator: type[ast.cmpop], value: str) -> Change:
    """Put an expression in place of the comparison with this operator."""

    def change(node: ast.AST) -> ast.AST | None:
        fits = isinstance(node, ast.Compare) and [type(part) for part in node.ops] == [operator]
        return _expression(value) if fits else None

    return change


def drop_operand(mention: str) -> Change:
    """Remove the operand of an `and` or `or` that mentions this name or call."""

    def change(node: ast.AST) -> ast.AST | None:
        if not isinstance(node, ast.BoolOp):
            return None
        remaining = [operand for operand in node.values if not _mentions(operand, mention)]
        if len(remaining) != len(node.values) - 1:
            return None
        return remaining[0] if len(remaining) == 1 else ast.BoolOp(node.op, remaining)

    return change


class _Changing(ast.NodeTransformer):
    def __init__(self, change: Change) -> None:
        self._change = change
        self.places = 0

    def visit(self, node: ast.AST) -> ast.AST:
        changed = self._change(node)
        if changed is None:
            return self.generic_visit(node)
        self.places += 1
        return ast.copy_location(changed, node)


def _compile_changed(function: Function, change: Change) -> CodeType:
    tree, changing = ast.parse(dedent(inspect.getsource(function))), _Changing(change)
    changing.visit(tree)
    if changing.places != 1:
        raise LookupError(f"{changing.places} places of {function.__qualname__} fit the defect")
    ast.increment_lineno(ast.fix_missing_locations(tree), function.__code__.co_firstlineno - 1)
    compiled = compile(tree, function.__code__.co_filename, "exec")
    return next(code for code in _code_objects(compiled.co_consts) if code.co_name == function.__name__)


def _code_objects(constants: Iterable[object]) -> Iterable[CodeType]:
    return (constant for constant in constants if isinstance(constant, CodeType))


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _called_name(node: ast.AST) -> str:
    """The name of the called function, awaited or not; empty if the node is no call."""
    call = node.value if isinstance(node, ast.Await) else node
    return _last_name(call.func) if isinstance(call, ast.Call) else ""


def _last_name(node: ast.AST) -> str:
    """The last part of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _mentions(node: ast.AST, mention: str) -> bool:
    """Return whether the name, as an attribute with or without its object, is part of the expression."""
    return any(
        mention in (_last_name(part), ast.unparse(part))
        for part in ast.walk(node)
        if isinstance(part, ast.expr)
    )
