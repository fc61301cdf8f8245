"""The rules of the house, checked on every file: each is parsed once, all offenders are listed."""

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import palaver
from palaver.models.registry import MODELS

SOURCE = Path(palaver.__file__).parent

# Left may import right; packages of one layer do not import each other.
LAYERS: list[set[str]] = [
    {"cli"},
    {"web"},
    {"reports"},
    {"studies"},
    {"accounts", "collection", "annotation", "evaluation", "mail"},
    {"models"},
    {"storage", "crowds", "games", "systems", "engines"},
    {"formats"},
    {"metrics", "analysis", "client"},
    {"core"},
]
LAYER = {package: n for n, layer in enumerate(LAYERS) for package in layer}

# What may be imported inside a function: packages that are optional, or that most runs never need
# and that take long to load.
OPTIONAL = {
    "aiohttp",
    "alembic",
    "argon2",
    "bm25s",
    "dask",
    "distributed",
    "fastapi",
    "huggingface_hub",
    "jwt",
    "numpy",
    "obstore",
    "openpyxl",
    "peft",
    "polars",
    "psycopg",
    "ray",
    "ruamel",
    "sacrebleu",
    "safetensors",
    "segno",
    "sentencepiece",
    "spacy",
    "tokenizers",
    "torch",
    "transformers",
    "uvloop",
    "vl_convert",
    "xllamacpp",
    "yaml",
    "zstandard",
}
# What the extra `torch` brings: only `models` imports it, and what knows models by name does without.
TORCH = {"torch", "safetensors"}
WITHOUT_TORCH = (
    *("settings", "learner", "registry", "faces", "recipe", "vocabulary", "checkpoints.folder"),
    *("connectors.checkpoint", "connectors.loading"),
)
# Commands import these when they are called, after they have looked whether the extra is there.
ON_CALL = {f"palaver.cli.evaluation.{name}_run" for name in ("training", "diagnosis", "prediction")}
# Where training begins, and all it needs beside the standard library.
TRAINING = ("__main__", "train", "training")
BARE = {"torch", "numpy", "safetensors"}
# Fine-tuning reads dialogues as games do: it needs all that Palaver installs.
NOT_BARE = "palaver.models.language."
# Looks into the file of a bundle before it is opened as a store.
READS_A_FILE = {"reports/bundle.py", "reports/opened_bundle.py"}
# What changes a row.
STATEMENTS = {"insert", "update", "delete"}


@dataclass(frozen=True)
class Imported:
    """A name that is imported, and where."""

    name: str
    line: int
    in_function: bool
    relative: bool
    # Whether it is there for the type checker alone.
    for_types: bool


@dataclass(frozen=True)
class File:
    """A file of the product, parsed."""

    path: Path

    def parse(self) -> ast.Module:
        return ast.parse(self.path.read_text(encoding="utf-8"))

    @property
    def name(self) -> str:
        return self.path.relative_to(SOURCE).as_posix()

    @property
    def module(self) -> str:
        inside = self.path.relative_to(SOURCE).with_suffix("").parts
        return ".".join(("palaver", *(part for part in inside if part != "__init__")))

    @property
    def package(self) -> str:
        """The package a file belongs to; empty for the files at the top."""
        inside = self.path.relative_to(SOURCE).parts
        return inside[0] if len(inside) > 1 else ""

    @property
    def folder(self) -> str:
        """The folder of that package, as "package.folder"; empty for files that lie in none."""
        inside = self.path.relative_to(SOURCE).parts
        return ".".join(inside[:2]) if len(inside) > 2 else ""

    @cached_property
    def imported(self) -> list[Imported]:
        """Every name that is imported. The tree is not kept: all of them are a gigabyte."""
        return list(imports(self.parse().body))

    @property
    def imports(self) -> list[tuple[str, int]]:
        """Every name that is imported, with its line."""
        return [(each.name, each.line) for each in self.imported]


FILES = [File(path) for path in sorted(SOURCE.rglob("*.py"))]


def imports(
    block: Sequence[ast.AST], *, inside: bool = False, for_types: bool = False
) -> Iterator[Imported]:
    """The imports of a block of statements and of the blocks in it."""
    for node in block:
        if isinstance(node, ast.Import | ast.ImportFrom):
            relative = isinstance(node, ast.ImportFrom) and bool(node.level)
            module = f"{node.module or '(relative)'}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                yield Imported(f"{module}{alias.name}", node.lineno, inside, relative, for_types)
        within = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        typing = for_types or (
            isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        )
        for name in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from imports(getattr(node, name, None) or (), inside=within, for_types=typing)


def test_every_package_has_its_place() -> None:
    assert {file.package for file in FILES} - {""} <= LAYER.keys()


def test_imports_go_one_way() -> None:
    offenders = [
        f"{file.name}:{line}: {file.package} imports {parts[1]}"
        for file in FILES
        if file.package
        for name, line in file.imports
        if (parts := name.split("."))[0] == "palaver"
        and len(parts) > 1
        and parts[1] in LAYER
        and parts[1] != file.package
        and LAYER[parts[1]] <= LAYER[file.package]
    ]
    assert not offenders


def test_no_import_is_relative() -> None:
    offenders = [
        f"{file.name}:{each.line}" for file in FILES for each in file.imported if each.relative
    ]
    assert not offenders


def test_an_import_inside_a_function_marks_an_optional_dependency() -> None:
    offenders = [
        f"{file.name}:{each.line}: {each.name}"
        for file in FILES
        for each in file.imported
        if each.in_function and each.name.split(".")[0] not in OPTIONAL
    ]
    assert not offenders


def reached() -> dict[str, set[str]]:
    """What loads together with each module of ours: our modules, and the packages they import."""
    modules = {file.module for file in FILES}
    loads: dict[str, set[str]] = {}
    for file in FILES:
        named = {each.name for each in file.imported if not (each.in_function or each.for_types)}
        own = {module for name in named for module in _ours(name, modules)}
        foreign = {name.partition(".")[0] for name in named} - {"palaver"}
        loads[file.module] = {*own, *foreign, *_ours(file.module, modules)} - {file.module}
    return {module: _all_of(module, loads) for module in loads}


def _ours(name: str, modules: set[str]) -> Iterator[str]:
    """The modules that are imported by a name: the packages it lies in come first."""
    parts = name.split(".")
    yield from (path for n in range(len(parts)) if (path := ".".join(parts[: n + 1])) in modules)


def _all_of(module: str, loads: dict[str, set[str]]) -> set[str]:
    found, waiting = set(), [module]
    while waiting:
        new = loads.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def in_models(names: Iterable[str], modules: Iterable[str]) -> list[str]:
    """The modules of `models` that these names mean, a package by all that lies in it."""
    tops = tuple(f"palaver.models.{name}" for name in names)
    found = [each for each in modules if each.startswith(tops)]
    assert all(any(each.startswith(top) for each in found) for top in tops)
    return found


def test_torch_loads_only_with_a_model() -> None:
    """At the top of a module it is imported in `models` alone, and nothing outside loads such a one.

    In `models` this holds for what knows kinds of models by name, and for their connectors.
    """
    loaded = reached()
    outside = [
        module
        for module in loaded
        if not module.startswith("palaver.models") and module not in ON_CALL
    ]
    named = in_models(WITHOUT_TORCH, loaded)
    offenders = [module for module in (*outside, *named) if loaded[module] & TORCH]
    assert not offenders
    assert loaded["palaver.models.training.trainer"] & TORCH


def test_training_needs_only_torch_and_numpy() -> None:
    """A recipe runs in a bare PyTorch environment: nothing else that Palaver installs is loaded.

    What fine-tunes language models alone needs more.
    """
    loaded = reached()
    targets = {target.partition(":")[0] for target in MODELS._targets.values()}
    kinds = {each for each in targets if not each.startswith(NOT_BARE)}
    offenders = [
        f"{module} loads {sorted(foreign)}"
        for module in (*in_models(TRAINING, loaded), *sorted(kinds))
        if (foreign := _foreign(loaded[module]) - BARE)
    ]
    assert not offenders


def _foreign(names: Iterable[str]) -> set[str]:
    own = {name for name in names if name.partition(".")[0] == "palaver"}
    return set(names) - own - set(sys.stdlib_module_names)


def test_init_files_only_re_export() -> None:
    offenders = [
        f"{file.name}:{node.lineno}"
        for file in FILES
        if file.path.name == "__init__.py"
        for node in file.parse().body
        if not _re_exports(node)
    ]
    assert not offenders


def _re_exports(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        return names <= {"__all__", "__version__"} and len(names) == len(node.targets)
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_docstring or isinstance(node, ast.Import | ast.ImportFrom)


def test_sql_stands_only_in_the_store() -> None:
    """Other packages may name a Connection, and nothing else of SQLAlchemy."""
    offenders = [
        f"{file.name}:{line}: {name}"
        for file in FILES
        if file.package != "storage" and file.name not in READS_A_FILE
        for name, line in file.imports
        if name.startswith("sqlalchemy") and name != "sqlalchemy.Connection"
    ]
    assert not offenders


def writers() -> set[str]:
    """The functions of the store that change rows, by themselves or through one another."""
    calls: dict[str, set[str]] = {}
    for file in FILES:
        if file.package != "storage":
            continue
        known = {name.rpartition(".")[2]: name for name, _ in file.imports}
        own = [node for node in file.parse().body if isinstance(node, ast.FunctionDef)]
        known |= {node.name: f"{file.module}.{node.name}" for node in own}
        for node in own:
            called = {
                each.id
                for each in ast.walk(node)
                if isinstance(each, ast.Name) and each.id in known
            }
            calls[f"{file.module}.{node.name}"] = {known[name] for name in called}
    changing = {
        name
        for name, called in calls.items()
        if any(
            each.startswith("sqlalchemy") and each.rpartition(".")[2] in STATEMENTS
            for each in called
        )
    }
    while more := {name for name, called in calls.items() if called & changing} - changing:
        changing |= more
    return changing


def test_pages_and_commands_change_nothing_themselves() -> None:
    """What changes a row is an action of a service; `web` and `cli` call that."""
    changing = writers()
    modules = {name.rpartition(".")[0] for name in changing}
    assert "palaver.storage.evaluation.models.set_model" in changing
    offenders = [
        f"{file.name}:{line}: {name}"
        for file in FILES
        if file.package in ("web", "cli")
        for name, line in file.imports
        if name in changing or name in modules
    ]
    assert not offenders


def test_folders_of_a_package_do_not_import_each_other_in_circles() -> None:
    folders = {file.folder for file in FILES if file.folder}
    reached: dict[str, set[str]] = {folder: set() for folder in folders}
    for file in FILES:
        if file.folder:
            imported = {".".join(name.split(".")[1:3]) for name, _ in file.imports}
            reached[file.folder] |= imported & folders - {file.folder}
    for _ in folders:
        for others in reached.values():
            others |= {further for other in others for further in reached[other]}
    assert sorted(folder for folder, others in reached.items() if folder in others) == []
