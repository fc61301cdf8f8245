"""A task as the YAML text of its file."""

import io
import re
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

WIDTH = 96
# A list or mapping of plain values up to this length stands in one line.
LINE = 72
# Words that need no quotes anywhere, and those that some readers take for true, false or nothing.
PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./'()-]*( [A-Za-z0-9_./'()-]+)*[.]?")
TRUTHS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


def task_yaml(data: Mapping[str, Any]) -> str:
    """The file that says `data`, in the order of its keys."""
    writer = YAML()
    writer.width = WIDTH
    writer.indent(mapping=2, sequence=4, offset=2)
    out = io.StringIO()
    top = CommentedMap({key: _part(value) for key, value in data.items()})
    writer.dump(top, out)
    return out.getvalue()


def _part(value: Any) -> Any:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        found = CommentedMap({_text(key): _part(each) for key, each in value.items()})
        return _in_line(found, value)
    if isinstance(value, list | tuple):
        return _in_line(CommentedSeq([_part(each) for each in value]), value)
    return value


def _text(text: str) -> Any:
    """Lines as they are, plain words bare, everything else in quotes."""
    if "\n" in text:
        lines = text.replace("\r\n", "\n").replace("\t", "    ").split("\n")
        kept = "\n".join(line.rstrip() for line in lines).strip("\n")
        return LiteralScalarString(kept + "\n")
    if PLAIN.fullmatch(text) and text.lower() not in TRUTHS:
        return text
    return DoubleQuotedScalarString(text)


def _in_line(found: Any, value: Any) -> Any:
    """In one line, if it is short and no list of mappings."""
    nested = isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in value)
    if len(repr(value)) <= LINE and not nested:
        found.fa.set_flow_style()
    return found
