"""Imports go one way: the direction that DESIGN.md states, checked on every file."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import palaver

SOURCE = Path(palaver.__file__).parent

# Left may import right; packages of one layer do not import each other.
LAYERS: list[set[str]] = [
    {"cli"},
    {"web"},
    {"reports"},
    {"studies"},
    {"collection", "annotation", "evaluation"},
    {"storage", "crowds", "games", "systems", "engines", "models", "formats"},
    {"metrics", "analysis", "client"},
    {"core"},
]
LAYER = {package: n for n, layer in enumerate(LAYERS) for package in layer}

# What may be imported inside a function: packages that are optional, or that most runs never need
# and that take long to load.
OPTIONAL = {
    "alembic",
    "argon2",
    "bm25s",
    "dask",
    "distributed",
    "fastapi",
    "numpy",
    "obstore",
    "polars",
    "psycopg",
    "ray",
    "sacrebleu",
    "segno",
    "sentencepiece",
    "uvloop",
    "vl_convert",
    "xllamacpp",
}

FILES = sorted(SOURCE.rglob("*.py"))


def package_of(file: Path) -> str:
    """The package a file belongs to; empty for the files at the top."""
    inside = file.relative_to(SOURCE).parts
    return inside[0] if len(inside) > 1 else ""


def imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every module that is imported, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in line {node.lineno}"
            yield from (
                (f"{node.module}.{alias.name}", node.lineno)
                for alias in node.names
                if node.module is not None
            )


def hidden_imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The imports that stand inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in node.body:
                yield from imports(statement)


def test_every_package_has_its_place() -> None:
    packages = {package_of(file) for file in FILES} - {""}

    assert packages <= LAYER.keys()


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_imports_go_one_way(file: Path) -> None:
    here = package_of(file)
    if not here:
        return
    for name, line in imports(ast.parse(file.read_text(encoding="utf-8"))):
        parts = name.split(".")
        if parts[0] != "palaver" or len(parts) < 2 or parts[1] not in LAYER or parts[1] == here:
            continue
        assert LAYER[parts[1]] > LAYER[here], f"{file}:{line}: {here} imports {parts[1]}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_an_import_inside_a_function_marks_an_optional_dependency(file: Path) -> None:
    for name, line in hidden_imports(ast.parse(file.read_text(encoding="utf-8"))):
        assert name.split(".")[0] in OPTIONAL, f"{file}:{line}: {name} inside a function"


@pytest.mark.parametrize(
    "file",
    [file for file in FILES if file.name == "__init__.py"],
    ids=lambda file: str(file.relative_to(SOURCE)),
)
def test_init_files_only_re_export(file: Path) -> None:
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_constant = isinstance(node, ast.Assign) and all(
            isinstance(target, ast.Name) and target.id in {"__all__", "__version__"}
            for target in node.targets
        )
        is_import = isinstance(node, ast.Import | ast.ImportFrom)
        assert is_docstring or is_constant or is_import, f"{file}:{node.lineno}"


# Looks into the file of a bundle before it is opened as a store.
READS_A_FILE = {Path("reports/bundle.py")}


def test_sql_stands_only_in_the_store() -> None:
    """Other packages may name a Connection, and nothing else of SQLAlchemy."""
    strangers = {
        f"{file.relative_to(SOURCE)}: {name}"
        for file in FILES
        if package_of(file) != "storage" and file.relative_to(SOURCE) not in READS_A_FILE
        for name, _ in imports(ast.parse(file.read_text(encoding="utf-8")))
        if name.startswith("sqlalchemy") and name != "sqlalchemy.Connection"
    }
    assert not strangers
