"""The parts of an answer that a `verify_response` speaks of, and what is known of each."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class ResponsePart:
    """A part of an answer: what the conditions say of it."""

    name: str
    optional: bool = False
    labels: list[str] = field(default_factory=list)
    # What it is made of, if it is a list or a dictionary: the labels, or the keys.
    members: list[str] = field(default_factory=list)
    # The field of the question that it must stand in.
    reference: str = ""
    types: set[str] = field(default_factory=set)
    # Whether it, or each number in it, lies between 0 and 1.
    is_share: bool = False

    def add(self, members: Iterable[str]) -> None:
        self.members += [each for each in members if each not in self.members]


@dataclass(frozen=True, slots=True)
class Scope:
    """What the names in a method stand for.

    `values` maps a name to the part that it holds, `elements` to the part that it is a key or an
    element of. `optional` are parts that are known to be there, because it was asked for.
    """

    response: str
    question: str
    values: Mapping[str, str] = field(default_factory=dict)
    elements: Mapping[str, str] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    depth: int = 0

    def part(self, node: ast.expr) -> str | None:
        """The part that an expression is the value of: `response["label"]`."""
        if isinstance(node, ast.Name):
            return self.values.get(node.id)
        if isinstance(node, ast.Subscript) and self.is_response(node.value):
            key = constant(node.slice)
            return key if isinstance(key, str) else None
        return None

    def part_of_element(self, node: ast.expr) -> str | None:
        """The part that an expression is a key, an element or a value in: `prob[key]`."""
        if isinstance(node, ast.Name):
            return self.elements.get(node.id)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
            name = self.part(node.value)
            return name if name == self.elements.get(node.slice.id) else None
        return None

    def part_asked_for(self, test: ast.expr) -> str | None:
        """The part whose presence is asked for: `"prob" in response`."""
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.In):
            return None
        key = constant(test.left)
        there = self.is_response(without_keys(test.comparators[0]))
        return key if there and isinstance(key, str) and len(test.ops) == 1 else None

    def field_of_question(self, node: ast.expr) -> str | None:
        """The field that an expression is the value of: `data["context"]`."""
        if isinstance(node, ast.Subscript) and self.is_question(node.value):
            key = constant(node.slice)
            return key if isinstance(key, str) else None
        return None

    def is_response(self, node: ast.expr) -> bool:
        return bool(self.response) and ast.unparse(node) == self.response

    def is_question(self, node: ast.expr) -> bool:
        # Methods of older modules find the question in the object.
        return ast.unparse(node) in (self.question or "self.data", "self.data")


def constant(node: ast.expr) -> Any:
    """The value of a constant; None of anything else."""
    return node.value if isinstance(node, ast.Constant) else None


def without_keys(node: ast.expr) -> ast.expr:
    """What `x.keys()`, `set(x)` and `set(x.keys())` are about; anything else is itself."""
    if not isinstance(node, ast.Call):
        return node
    if isinstance(node.func, ast.Attribute) and node.func.attr == "keys" and not node.args:
        return node.func.value
    if ast.unparse(node.func) in ("set", "list", "sorted") and len(node.args) == 1:
        return without_keys(node.args[0])
    return node
