"""A checkpoint is a folder: safetensors and JSON, never a pickle, because a pickle can run code.

    settings.json         format, kind of model, recipe, what was measured
    vocabulary.json       lists of words by what they are for
    weights.safetensors   the network
    README.md             the model card; curve.json and curve.html beside it
    config.json …         of a language model: its make and its tokenizer, as transformers has them
    member-1/ …           of an ensemble instead of weights: a checkpoint each

Each file is written beside its place and moved there, the settings last, so that a full disk or a kill
leaves the checkpoint that was there before.
"""

import contextlib
import errno
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palaver.core.errors import InputError, MissingExtraError
from palaver.core.registry import near

if TYPE_CHECKING:
    from torch import Tensor

FORMAT = 1
SETTINGS, VOCABULARY, WEIGHTS = "settings.json", "vocabulary.json", "weights.safetensors"
CONFIG, TOKENIZER, TOKENIZER_CONFIG = "config.json", "tokenizer.json", "tokenizer_config.json"
# What an unfinished training goes on from; hidden, so that whoever copies a checkpoint leaves it out.
UNFINISHED = ".training"
# Suffixes of files that unpickle when PyTorch or Python load them.
PICKLES = frozenset(
    {".pt", ".pt2", ".pth", ".th", ".t7", ".mar", ".bin", ".ckpt", ".pkl", ".pickle", ".pk"}
    | {".dill", ".joblib", ".npy", ".npz", ".h5", ".keras"}
)
# The first bytes of a pickle of protocol 2 or later, and of a zip file, which PyTorch's pickles are.
_MARKS = (b"\x80", b"PK\x03\x04")
MEMBER = re.compile(r"member-[1-9]\d{0,2}")
# A larger file of JSON is none that a training wrote.
_MOST_BYTES = 256 * 2**20


class CheckpointError(InputError):
    """A folder is no checkpoint that can be used here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What a folder holds, the weights apart, which load when they are asked for."""

    folder: Path
    model: str
    recipe: Mapping[str, Any]
    words: Mapping[str, list[str]] = field(default_factory=dict)
    measured: Mapping[str, Any] = field(default_factory=dict)
    # The digest of each file that was trained on.
    data: Mapping[str, str] = field(default_factory=dict)
    members: tuple["Checkpoint", ...] = ()

    @property
    def all(self) -> tuple["Checkpoint", ...]:
        """The members of an ensemble, or the checkpoint itself."""
        return self.members or (self,)

    def weights(self) -> "dict[str, Tensor]":
        """The network's weights, on the CPU."""
        return read_tensors(self.folder / WEIGHTS)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the weights, which are not read for it."""
        return read_shapes(self.folder / WEIGHTS)


def open_checkpoint(folder: Path) -> Checkpoint:
    """The checkpoint in a folder; CheckpointError says why it cannot be used."""
    if not folder.is_dir():
        raise CheckpointError(f"There is no checkpoint folder {folder}.")
    try:
        _refuse_devices(folder)
        _refuse_pickles(folder)
    except OSError as error:
        raise CheckpointError(f"{folder} cannot be read: {error.strerror}.") from error
    settings = _json(folder / SETTINGS)
    if settings.get("format") != FORMAT:
        raise CheckpointError(
            f"{folder}: a checkpoint of format {settings.get('format')!r}; this Palaver reads "
            f"format {FORMAT}. Train it anew, or use the version that wrote it "
            f"({settings.get('palaver', 'unknown')})."
        )
    model, recipe = settings.get("model"), settings.get("recipe")
    if not isinstance(model, str) or not isinstance(recipe, dict):
        raise CheckpointError(f"{folder / SETTINGS}: 'model' and 'recipe' are missing.")
    measured, data = settings.get("measured", {}), settings.get("data", {})
    if not isinstance(measured, dict) or not isinstance(data, dict):
        raise CheckpointError(f"{folder / SETTINGS}: 'measured' and 'data' hold values by name.")
    members = tuple(_member(folder / name) for name in _members(settings, folder))
    return Checkpoint(
        folder=folder,
        model=model,
        recipe=recipe,
        words={} if members else _vocabulary(folder / VOCABULARY),
        measured=measured,
        data=data,
        members=members,
    )


def check_model(checkpoint: Checkpoint, allowed: Mapping[str, Any] | tuple[str, ...]) -> None:
    """CheckpointError unless the kind of model is one of those that fit."""
    if checkpoint.model not in allowed:
        hint = near(checkpoint.model, allowed) or f" Expected: {', '.join(allowed)}."
        raise CheckpointError(
            f"{checkpoint.folder} holds a model of kind '{checkpoint.model}', which does not fit "
            f"here.{hint}"
        )


def read_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """The shapes of the tensors in a safetensors file, of which nothing else is read."""
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise MissingExtraError("Reading a checkpoint", "torch") from None
    try:
        with path.open("rb") as stream:
            _refuse_pickle(path, stream.read(9))
        with safe_open(path, framework="pt") as file:
            return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}.") from error
    except (SafetensorError, ValueError) as error:
        raise CheckpointError(f"{path} is not a whole safetensors file: {error}.") from error


def read_tensors(path: Path) -> "dict[str, Tensor]":
    """The tensors of a safetensors file, on the CPU."""
    try:
        from safetensors import SafetensorError
        from safetensors.torch import load
    except ImportError:
        raise MissingExtraError("Reading a checkpoint", "torch") from None
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}.") from error
    _refuse_pickle(path, content)
    try:
        return load(content)
    except (SafetensorError, ValueError) as error:
        raise CheckpointError(f"{path} is not a whole safetensors file: {error}.") from error


def tensors_as_bytes(tensors: "Mapping[str, Tensor]") -> bytes:
    """A safetensors file of tensors, wherever they are; those that share memory are written apart."""
    try:
        from safetensors.torch import save
    except ImportError:
        raise MissingExtraError("Writing a checkpoint", "torch") from None
    apart = {name: each.detach().cpu().contiguous().clone() for name, each in tensors.items()}
    return bytes(save(apart))


def write_checkpoint(
    folder: Path,
    *,
    settings: Mapping[str, Any],
    words: Mapping[str, Any] | None = None,
    weights: "Mapping[str, Tensor] | None" = None,
    texts: Mapping[str, str] | None = None,
) -> None:
    """Write a checkpoint whole: all files beside their places first, then each moved there."""
    contents: dict[str, bytes] = {}
    if weights is not None:
        contents[WEIGHTS] = tensors_as_bytes(weights)
    if words is not None:
        contents[VOCABULARY] = as_json(words)
    for name, text in (texts or {}).items():
        contents[name] = text.encode()
    contents[SETTINGS] = as_json({"format": FORMAT, **settings})
    write_together(folder, contents)


def write_together(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write several files; on a full disk none of them is changed, and nothing is left beside them."""
    with _disk(folder):
        folder.mkdir(parents=True, exist_ok=True)
        written: list[tuple[Path, str]] = []
        try:
            for name, content in contents.items():
                written.append((_beside(folder, name, content), name))
            for path, name in written:
                path.replace(folder / name)
        finally:
            for path, _ in written:
                path.unlink(missing_ok=True)


def as_json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def beside(name: str) -> str:
    """What a file is called while it is written: after a kill the next one takes its place."""
    return f".{name}.part"


def _beside(folder: Path, name: str, content: bytes) -> Path:
    path = folder / beside(name)
    path.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


@contextlib.contextmanager
def _disk(folder: Path) -> Iterator[None]:
    """A full disk, or a folder that cannot be written, in a sentence."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        why = "the disk is full" if full else (error.strerror or str(error))
        raise InputError(
            f"{folder} could not be written: {why}. What was saved there before is kept; "
            "the same command goes on from it."
        ) from error


def _members(settings: Mapping[str, Any], folder: Path) -> list[str]:
    """The folders of members, each once; none may lead out of this one, or back into it."""
    names = settings.get("members", [])
    is_list = isinstance(names, list) and all(MEMBER.fullmatch(str(name)) for name in names)
    if not is_list or len({*names}) < len(names):
        raise CheckpointError(f"{folder / SETTINGS}: 'members' are folders such as member-1.")
    return [str(name) for name in names]


def _member(folder: Path) -> Checkpoint:
    """A member; one with members of its own, or a link to another folder, is refused."""
    if folder.is_symlink() or "members" in _json(folder / SETTINGS):
        raise CheckpointError(f"{folder} is no member: expected a folder with weights of its own.")
    return open_checkpoint(folder)


def _refuse_pickles(folder: Path) -> None:
    found = sorted(path.name for path in folder.iterdir() if path.suffix.lower() in PICKLES)
    weights = folder / WEIGHTS
    if not found and weights.is_file():
        with weights.open("rb") as stream:
            found = [WEIGHTS] if _is_pickle(stream.read(9)) else []
    if found:
        raise CheckpointError(
            f"{folder} holds {found[0]}, which can run code when it is loaded. Checkpoints are "
            "safetensors and JSON: remove the file, or convert it."
        )


def _refuse_pickle(path: Path, content: bytes) -> None:
    if _is_pickle(content):
        raise CheckpointError(f"{path} is a pickle, which can run code when it is loaded: refused.")


def _is_pickle(content: bytes) -> bool:
    """Whether a file begins as a pickle; safetensors begin with a number of eight bytes, then "{"."""
    return content.startswith(_MARKS) and content[8:9] != b"{"


def _refuse_devices(folder: Path) -> None:
    """A pipe or a device would be read for ever."""
    for name in (SETTINGS, VOCABULARY, WEIGHTS):
        path = folder / name
        if path.exists() and not path.is_file():
            raise CheckpointError(f"{path} is not a file.")


def _json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise CheckpointError(f"{path} is too large to be read.")
        found = json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise CheckpointError(f"{path} is nested too deeply to be read.") from None
    except FileNotFoundError:
        raise CheckpointError(f"{path.parent} is no checkpoint: it has no {path.name}.") from None
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}.") from error
    if not isinstance(found, dict):
        raise CheckpointError(f"{path}: expected an object of JSON.")
    return found


def _vocabulary(path: Path) -> dict[str, list[str]]:
    found = _json(path)
    for name, words in found.items():
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise CheckpointError(f"{path}: '{name}' is not a list of words.")
    return found
