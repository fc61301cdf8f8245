"""The folder of a study that an import makes: its file with remarks, put in place all at once."""

import io
import shutil
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from palaver.core.errors import InputError, StudyError
from palaver.studies.file.reader import load_study
from palaver.studies.home import DATABASE

REPORT_FILE = "import-report.md"
# Lines are not folded: a text that runs on is easier to search for than one with breaks.
WIDTH = 10_000
# Words that other readers of YAML (1.1, as PyYAML) take for true and false.
TRUE_OR_FALSE = frozenset({"yes", "no", "on", "off", "y", "n"})


def study_text(head: list[str], parts: list[tuple[str, Any, list[str]]]) -> str:
    """A file of top-level keys, each under the lines that explain it; empty parts are left out."""
    blocks = ["\n".join(f"# {line}".rstrip() for line in head)]
    for key, value, remarks in parts:
        if value in (None, {}, [], ""):
            continue
        lines = [f"# {remark}".rstrip() for remark in remarks]
        blocks.append("\n".join([*lines, _dumped({key: value})]))
    return "\n\n".join(blocks) + "\n"


def check_target(target: Path, *, overwrite: bool) -> None:
    """InputError unless a study may be written to this folder."""
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file; choose a folder for the study.")
    if not target.is_dir() or not any(target.iterdir()):
        return
    if (target / DATABASE).exists():
        raise InputError(
            f"{target} contains what a study has collected ({DATABASE}). Choose another folder."
        )
    if not overwrite:
        raise InputError(f"{target} is not empty. Choose another folder, or add --overwrite.")


def put_in_place(files: dict[str, str | bytes], target: Path) -> None:
    """Write the files beside the target, check that they make a study, and swap folders."""
    staging = target.with_name(f".{target.name}.importing")
    old = target.with_name(f".{target.name}.replaced")
    try:
        shutil.rmtree(staging, ignore_errors=True)
        for path, content in files.items():
            place = staging / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        load_study(staging)
        if target.exists():
            shutil.rmtree(old, ignore_errors=True)
            target.rename(old)
        staging.rename(target)
    except StudyError as error:
        raise InputError(
            f"This would not make a valid study, so nothing was written: {error}"
        ) from error
    except OSError as error:
        if old.exists() and not target.exists():
            old.rename(target)
        raise InputError(f"The study cannot be written to {target}: {error.strerror}.") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)


def _dumped(data: dict[str, Any]) -> str:
    yaml = YAML()
    yaml.width = WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    yaml.dump(_readable(data), out)
    return out.getvalue().rstrip()


def _readable(value: Any) -> Any:
    if isinstance(value, dict):
        return {_readable(key): _readable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        made = CommentedSeq(_readable(inner) for inner in value)
        if not any(isinstance(inner, dict | list) for inner in value):
            made.fa.set_flow_style()
        return made
    if isinstance(value, str) and "\n" in value:
        return LiteralScalarString("\n".join(line.rstrip() for line in value.splitlines()) + "\n")
    if isinstance(value, str) and value.lower() in TRUE_OR_FALSE:
        return DoubleQuotedScalarString(value)
    return value
