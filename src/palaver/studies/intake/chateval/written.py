"""The study file of an import, as text that one can read on."""

import io
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedSeq
from ruamel.yaml.scalarstring import LiteralScalarString

# Lines are not folded: a text that runs on is easier to search for than one with breaks.
WIDTH = 10_000


def study_text(head: list[str], parts: list[tuple[str, Any, list[str]]]) -> str:
    """A file of top-level keys, each under the lines that explain it; empty parts are left out."""
    blocks = ["\n".join(f"# {line}".rstrip() for line in head)]
    for key, value, remarks in parts:
        if value in (None, {}, [], ""):
            continue
        lines = [f"# {remark}".rstrip() for remark in remarks]
        blocks.append("\n".join([*lines, _dumped({key: value})]))
    return "\n\n".join(blocks) + "\n"


def _dumped(data: dict[str, Any]) -> str:
    yaml = YAML()
    yaml.width = WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    yaml.dump(_readable(data), out)
    return out.getvalue().rstrip()


def _readable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _readable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        made = CommentedSeq(_readable(inner) for inner in value)
        if not any(isinstance(inner, dict | list) for inner in value):
            made.fa.set_flow_style()
        return made
    if isinstance(value, str) and "\n" in value:
        return LiteralScalarString("\n".join(line.rstrip() for line in value.splitlines()) + "\n")
    return value
