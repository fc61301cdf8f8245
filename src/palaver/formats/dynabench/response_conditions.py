"""The conditions that a `verify_response` asserts, read as what the parts of an answer hold.

    assert "label" in response and response["label"] in {"yes", "no"}
    if "prob" in response:
        assert self._verify_prob(response["prob"])

says that a label is one of two, and that there may be probabilities, of which a method of the class
says more. What is compared with the question's own id, what is signed, and how many keys there are is
checked here anyway. Everything else is listed as it is written, by its line.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from palaver.core.words import shortened
from palaver.formats.dynabench.plain_values import value_of
from palaver.formats.dynabench.response_parts import ResponsePart, Scope, constant, without_keys

# Keys that every answer is checked for.
ANYWAY = frozenset({"id", "uid", "signed", "signature"})
# What says nothing of an answer by itself: counters, and that all was well.
SILENT = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Pass)
SHOWN = 90
# How deep methods that call methods are followed.
DEEP = 4


@dataclass(slots=True)
class Conditions:
    """The parts in the order of their first condition, and what no field stands for."""

    parts: dict[str, ResponsePart] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)


def read_conditions(
    method: ast.FunctionDef, owner: ast.ClassDef, names: Mapping[str, Any]
) -> Conditions:
    """What a method asserts of its first argument, the answer, and of the question, its second."""
    arguments = [each.arg for each in method.args.args[1:]] + ["", ""]
    reader = _Reader(_methods(owner), names, Conditions())
    reader.read(method.body, Scope(response=arguments[0], question=arguments[1]))
    return reader.found


def _methods(owner: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {each.name: each for each in owner.body if isinstance(each, ast.FunctionDef)}


@dataclass(frozen=True, slots=True)
class _Reader:
    methods: Mapping[str, ast.FunctionDef]
    names: Mapping[str, Any]
    found: Conditions

    def read(self, body: list[ast.stmt], scope: Scope) -> None:
        """Take in what every statement demands."""
        for statement in body:
            if isinstance(statement, ast.Assert):
                self._demand(statement.test, scope)
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                self._demand(statement.value, scope)
            elif isinstance(statement, ast.If) and not statement.orelse:
                self._guarded(statement, scope)
            elif isinstance(statement, ast.For):
                self._each(statement, scope)
            elif not isinstance(statement, (*SILENT, ast.Expr)):
                self._leave(statement, scope)

    def _guarded(self, statement: ast.If, scope: Scope) -> None:
        """`if "prob" in response:`, after which things are said of something that may be missing."""
        name = scope.part_asked_for(statement.test)
        if name is None:
            self._leave(statement, scope)
            return
        self.found.parts.setdefault(name, ResponsePart(name, optional=True))
        self.read(statement.body, replace(scope, optional=scope.optional | {name}))

    def _each(self, statement: ast.For, scope: Scope) -> None:
        """`for key in prob:`, after which things are said of every key or element."""
        name = scope.part(without_keys(statement.iter))
        if name is None or not isinstance(statement.target, ast.Name):
            self._leave(statement, scope)
            return
        self.read(statement.body, _within(scope, statement.target.id, name))

    def _demand(self, test: ast.expr, scope: Scope) -> None:
        """Take in a condition, part by part."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            for each in test.values:
                self._demand(each, scope)
        elif not self._is_understood(test, scope):
            self._leave(test, scope)

    def _is_understood(self, test: ast.expr, scope: Scope) -> bool:
        if isinstance(test, ast.Compare):
            read = (self._member, self._equal) if len(test.ops) == 1 else ()
            return any(each(test, scope) for each in (*read, self._share))
        if isinstance(test, ast.Call):
            return any(each(test, scope) for each in (self._typed, self._all, self._told))
        return False

    def _member(self, test: ast.Compare, scope: Scope) -> bool:
        """`x in y`: that something is there, is a label, stands in the question."""
        if not isinstance(test.ops[0], ast.In):
            return False
        asked, right = scope.part_asked_for(test), test.comparators[0]
        part, source = scope.part(test.left), scope.field_of_question(right)
        whole, key, labels = scope.part(right), constant(test.left), self._texts(right)
        element = scope.part_of_element(test.left)
        if asked is not None:
            self._at(asked, scope)
        elif part is not None and source is not None:
            self._at(part, scope).reference = source
        elif part is not None and labels:
            self._at(part, scope).labels = labels
        elif element is not None and labels:
            self._at(element, scope).add(labels)
        elif whole is not None and isinstance(key, str):
            self._at(whole, scope).add([key])
        else:
            return False
        return True

    def _equal(self, test: ast.Compare, scope: Scope) -> bool:
        """`x == y`: the id and the signature, which keys there are, and how many."""
        if not isinstance(test.ops[0], ast.Eq):
            return False
        sides = (test.left, test.comparators[0])
        if any(scope.part(side) in ANYWAY for side in sides):
            return True
        if any(self._is_counted(side, scope) for side in sides):
            return True
        whole, keys = without_keys(test.left), self._texts(test.comparators[0])
        if whole is test.left or not keys:
            return False
        if scope.is_response(whole):
            for key in keys:
                self._at(key, scope)
            return True
        part = scope.part(whole)
        if part is not None:
            self._at(part, scope).add(keys)
            self._at(part, scope).types.add("dict")
        return part is not None

    def _is_counted(self, side: ast.expr, scope: Scope) -> bool:
        """Whether this is how many keys an answer has, or a part of it whose keys are named."""
        if not isinstance(side, ast.Call) or ast.unparse(side.func) != "len" or not side.args:
            return False
        whole = without_keys(side.args[0])
        part = scope.part(whole)
        return scope.is_response(whole) or (
            part is not None and "dict" in self._at(part, scope).types
        )

    def _share(self, test: ast.Compare, scope: Scope) -> bool:
        """`prob[key] >= 0`, `response["conf"] <= 1`, `0 <= response["conf"] <= 1`."""
        sides = [test.left, *test.comparators]
        about = [side for side in sides if constant(side) is None]
        bounds = [constant(side) for side in sides if constant(side) is not None]
        orders = all(isinstance(op, ast.LtE | ast.GtE) for op in test.ops)
        if len(about) != 1 or not orders or any(bound not in (0, 1) for bound in bounds):
            return False
        name = scope.part(about[0]) or scope.part_of_element(about[0])
        if name is not None:
            self._at(name, scope).is_share = True
        return name is not None

    def _typed(self, test: ast.Call, scope: Scope) -> bool:
        """`isinstance(response["answer"], str)`."""
        if ast.unparse(test.func) != "isinstance" or len(test.args) != 2:
            return False
        name = scope.part(test.args[0])
        kinds = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else [test.args[1]]
        if name is not None:
            self._at(name, scope).types |= {ast.unparse(kind) for kind in kinds}
        return name is not None or scope.part_of_element(test.args[0]) is not None

    def _all(self, test: ast.Call, scope: Scope) -> bool:
        """`all(each in {"a", "b"} for each in response["labels"])`."""
        made = test.args[0] if ast.unparse(test.func) == "all" and test.args else None
        if not isinstance(made, ast.GeneratorExp | ast.ListComp) or len(made.generators) != 1:
            return False
        loop = made.generators[0]
        name = scope.part(without_keys(loop.iter))
        if name is None or loop.ifs or not isinstance(loop.target, ast.Name):
            return False
        inner = _within(scope, loop.target.id, name)
        conditions = made.elt.values if isinstance(made.elt, ast.BoolOp) else [made.elt]
        return all(self._is_understood(each, inner) for each in conditions)

    def _told(self, test: ast.Call, scope: Scope) -> bool:
        """`self._verify_prob(response["prob"])`: what that method says of its arguments."""
        own = isinstance(test.func, ast.Attribute) and ast.unparse(test.func.value) == "self"
        method = self.methods.get(test.func.attr) if own else None  # type: ignore[attr-defined]
        if method is None or scope.depth >= DEEP:
            return False
        given = dict(zip((each.arg for each in method.args.args[1:]), test.args, strict=False))
        values = {name: part for name, node in given.items() if (part := scope.part(node))}
        inner = replace(
            scope,
            response=next((name for name, node in given.items() if scope.is_response(node)), ""),
            question=next((name for name, node in given.items() if scope.is_question(node)), ""),
            values=values,
            elements={},
            depth=scope.depth + 1,
        )
        for part in values.values():
            self._at(part, scope)
        if values or inner.response:
            self.read(method.body, inner)
        return bool(values or inner.response)

    def _at(self, name: str, scope: Scope) -> ResponsePart:
        """A part that something is said of: it must be there, unless it was asked for."""
        found = self.found.parts.setdefault(name, ResponsePart(name, name in scope.optional))
        found.optional = found.optional and name in scope.optional
        return found

    def _texts(self, node: ast.expr) -> list[str]:
        """A collection of texts: written out, or by the name of one above."""
        try:
            values = value_of(node, self.names)
        except ValueError:
            return []
        listed = list(values) if isinstance(values, dict | list) else []
        return listed if all(isinstance(each, str) for each in listed) else []

    def _leave(self, node: ast.stmt | ast.expr, scope: Scope) -> None:
        """List what no field stands for; the parts that it speaks of are there all the same."""
        for inner in ast.walk(node):
            part = scope.part(inner) if isinstance(inner, ast.Subscript) else None
            if part is not None:
                self._at(part, scope)
        text = shortened(" ".join(ast.unparse(node).split()), SHOWN)
        self.found.unread.append(f"line {node.lineno}: {text}")


def _within(scope: Scope, name: str, part: str) -> Scope:
    """The scope of a loop over a part."""
    return replace(scope, elements={**scope.elements, name: part})
