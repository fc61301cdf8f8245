"""What models advised, as a folder: a file of lines per model, and a file that says who they are.

`NAME.jsonl` holds a line `{"id": …, "advice": …}` for each situation that the model answered, and
`models.json` what the board says of each. A folder is written anew as a whole, file by file.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from palaver.core.errors import InputError
from palaver.core.situations import AdvisingModel
from palaver.formats.datasets.content import open_content

MODELS_FILE = "models.json"
_models = msgspec.json.Decoder(list[AdvisingModel])


class AdviceLine(msgspec.Struct, frozen=True):
    """One answer of a model."""

    id: str
    advice: str


_line = msgspec.json.Decoder(AdviceLine)


def write_answers(folder: Path, model: str, answers: Mapping[str, str]) -> Path:
    """Write the answers of a model, in their order; its file."""
    lines = (msgspec.json.encode(AdviceLine(id, text)) + b"\n" for id, text in answers.items())
    return _write(folder / f"{model}.jsonl", b"".join(lines))


def remove_answers(folder: Path, model: str) -> None:
    """Take the answers of a model out of the folder, if there are any."""
    (folder / f"{model}.jsonl").unlink(missing_ok=True)


def read_answers(path: Path) -> dict[str, str]:
    """The answers of a model by situation; InputError names the line that is wrong."""
    found: dict[str, str] = {}
    with open_content(path, path.name) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                answer = _line.decode(line)
            except msgspec.DecodeError as error:
                raise InputError(f"{path.name}, line {number}: {error}.") from error
            if found.setdefault(answer.id, answer.advice) != answer.advice:
                raise InputError(f"{path.name}, line {number}: '{answer.id}' is answered twice.")
    return found


def write_models(folder: Path, models: Iterable[AdvisingModel]) -> Path:
    """Write who the models are."""
    return _write(folder / MODELS_FILE, msgspec.json.encode(list(models)))


def read_models(folder: Path) -> dict[str, AdvisingModel]:
    """Who the models of a folder are, by name; nothing where no file says so."""
    path = folder / MODELS_FILE
    if not path.is_file():
        return {}
    try:
        return {each.name: each for each in _models.decode(path.read_bytes())}
    except msgspec.DecodeError as error:
        raise InputError(f"{path.name}: {error}.") from error


def _write(path: Path, content: bytes) -> Path:
    """Put a file in its place as a whole: whoever reads it finds the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    with beside.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)
    return path
