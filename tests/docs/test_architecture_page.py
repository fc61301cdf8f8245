"""Imports go the way that docs/architecture.md says: left may import right, braces are apart."""

import ast
import re
from pathlib import Path

import pytest

import palaver

from .reading import page, section

SOURCE = Path(palaver.__file__).parent
PACKAGES = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))
# The style sheets are no package: nothing is imported from there.
FOLDERS = sorted([*PACKAGES, "look"])


def _groups() -> list[set[str]]:
    """The packages in the order of the rule; those of one pair of braces together."""
    rule = re.search(r"^`(cli → .*)`$", page("architecture.md"), re.MULTILINE)
    assert rule is not None
    return [set(re.findall(r"\w+", group)) for group in rule.group(1).split("→")]


def _imported(file: Path) -> set[str]:
    """The packages of ours that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{a.name}" for a in node.names)]
        found |= {name.split(".")[1] for name in names if name.startswith("palaver.")}
    return found & set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_one_way(package: str) -> None:
    groups = _groups()
    own = next(n for n, group in enumerate(groups) if package in group)
    allowed = {package}.union(*groups[own + 1 :])
    for file in sorted((SOURCE / package).rglob("*.py")):
        wrong = _imported(file) - allowed
        assert not wrong, f"{file.relative_to(SOURCE)} imports {sorted(wrong)}"


def test_the_rule_names_every_package() -> None:
    assert set().union(*_groups()) == set(PACKAGES)


def test_the_layout_names_every_folder() -> None:
    listed = re.findall(r"^  (\w+)/ ", page("architecture.md"), re.MULTILINE)
    assert sorted(listed) == FOLDERS
    assert section(page("architecture.md"), "Two walks")
