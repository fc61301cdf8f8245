"""The model that fine-tuning begins with: a folder of transformers, or a name on a hub.

Only weights in safetensors, `config.json` and `tokenizer.json` are read, and no code that lies beside
them is run. What a hub has is fetched into the cache of `huggingface_hub` and is a folder from then on.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import CONFIG, PICKLES, CheckpointError
from palaver.models.memory import is_out_of_memory
from palaver.models.settings import option

if TYPE_CHECKING:
    import torch
    from torch import nn

Writes = Literal["causal", "seq2seq"]
WAYS: tuple[Writes, ...] = ("causal", "seq2seq")

_WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
_FETCHED = (
    *("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"),
    *("model.safetensors", "model-*.safetensors", "model.safetensors.index.json"),
)
# A name on a hub is OWNER/NAME, or NAME for the oldest; anything else is a path.
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?")
_LOCAL = (
    "Without a network, download it elsewhere (hf download NAME --local-dir FOLDER), bring the folder "
    "here and write base.model=FOLDER."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseSettings:
    """Which language model is trained further."""

    model: str = option("", "a folder with config, tokenizer and safetensors, or a name on the hub")
    revision: str = option("", "of a model on the hub: branch, tag or commit; empty: the newest")
    kind: Literal["auto", "causal", "seq2seq"] = option(
        "auto", "how it writes: on from what it reads, or after it; auto: as its config says"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageBase:
    """A language model in a folder, before its weights are read; `name` is where it was found."""

    name: str
    revision: str
    folder: Path
    config: Mapping[str, Any]
    writes: Writes

    @property
    def weights(self) -> list[Path]:
        """The files of its weights, in the order of their names."""
        return sorted(self.folder.glob("model*.safetensors"))

    def facts(self) -> dict[str, str]:
        """What tells it from other models: its name, and digests of its config and weights."""
        digest = hashlib.sha256()
        for path in self.weights:
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        return {
            "model": self.name,
            "revision": self.revision,
            "writes": self.writes,
            "config": hashlib.sha256((self.folder / CONFIG).read_bytes()).hexdigest(),
            "weights": digest.hexdigest(),
        }

    def load(self, dtype: "torch.dtype") -> "nn.Module":
        """The model with its weights, on the CPU."""
        from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

        kind = AutoModelForSeq2SeqLM if self.writes == "seq2seq" else AutoModelForCausalLM
        try:
            found: nn.Module = kind.from_pretrained(
                self.folder,
                dtype=dtype,
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
            )
            return found
        except MemoryError:
            raise
        except Exception as error:  # a config or weights may be wrong in any way
            if is_out_of_memory(error):
                raise
            raise _unusable(self.folder, error) from error


def open_base(settings: BaseSettings) -> LanguageBase:
    """The model that a recipe names; InputError says why it cannot be used."""
    if not settings.model:
        raise InputError(
            "The recipe does not say which language model to begin with: base.model takes a folder, "
            "or a name on the Hugging Face hub."
        )
    folder = _folder(settings)
    config = read_config(folder)
    _check_weights(folder)
    return LanguageBase(
        name=str(folder.resolve())
        if Path(settings.model).expanduser().is_dir()
        else settings.model,
        revision=settings.revision,
        folder=folder,
        config=config,
        writes=_writes(config, settings.kind, folder),
    )


def read_config(folder: Path) -> Mapping[str, Any]:
    """The config of a model in a folder."""
    path = folder / CONFIG
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(
            f"{folder} holds no language model: it has no {CONFIG}. Give a folder as "
            "save_pretrained of transformers writes it."
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}.") from error
    if not isinstance(found, dict) or not isinstance(found.get("model_type"), str):
        raise CheckpointError(f"{path} names no 'model_type'; expected the config of a model.")
    return found


def new_model(config: Mapping[str, Any], writes: Writes, folder: Path) -> "nn.Module":
    """A model of this make with weights by chance."""
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

    kind = AutoModelForSeq2SeqLM if writes == "seq2seq" else AutoModelForCausalLM
    own = {name: value for name, value in config.items() if name not in ("auto_map", "dtype")}
    try:
        config_of = AutoConfig.for_model(**own)
        made: nn.Module = kind.from_config(config_of, trust_remote_code=False)  # type: ignore[no-untyped-call]
        return made
    except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError) as error:
        raise _unusable(folder, error) from error


def _folder(settings: BaseSettings) -> Path:
    named = Path(settings.model).expanduser()
    if named.is_dir():
        return named
    if named.exists() or not _HUB_NAME.fullmatch(settings.model):
        raise InputError(
            f"There is no folder {settings.model}. base.model takes a folder with a language model, "
            "seen from where you are, or a name on the hub: OWNER/NAME."
        )
    return _fetched(settings)


def _fetched(settings: BaseSettings) -> Path:
    """The folder of the cache in which a model of the hub is, fetched if need be."""
    from huggingface_hub import snapshot_download

    revision = settings.revision or None
    try:
        found = snapshot_download(settings.model, revision=revision, allow_patterns=list(_FETCHED))
    except (OSError, ValueError) as error:
        why = " ".join(str(error).split()).partition(". ")[0][:200]
        at = f" at '{settings.revision}'" if settings.revision else ""
        raise InputError(
            f"There is no folder {settings.model} here, and no model of that name{at} could be "
            f"fetched from the hub ({why}). {_LOCAL}"
        ) from error
    return Path(found)


def _check_weights(folder: Path) -> None:
    if any((folder / name).is_file() for name in _WEIGHTS):
        return
    pickled = sorted(path.name for path in folder.iterdir() if path.suffix.lower() in PICKLES)
    told = (
        f"its weights are pickled ({pickled[0]}), which can run code when they are loaded"
        if pickled
        else "it has no model.safetensors"
    )
    raise CheckpointError(
        f"{folder} cannot be used: {told}. Write them anew with save_pretrained of transformers, "
        "or choose a model that has safetensors."
    )


def _writes(config: Mapping[str, Any], asked: str, folder: Path) -> Writes:
    is_seq2seq = bool(config.get("is_encoder_decoder")) or config["model_type"] in _ENCODERS_TOO
    own: Writes = "seq2seq" if is_seq2seq else "causal"
    if asked not in ("auto", own):
        raise InputError(
            f"base.kind is {asked}, and {folder} holds a {own} model ('{config['model_type']}'). "
            "Leave base.kind out."
        )
    return own


# Older configs of these do not say that they encode and decode.
_ENCODERS_TOO = frozenset({"t5", "mt5", "bart", "mbart", "pegasus", "longt5", "umt5"})


def _unusable(folder: Path, error: Exception) -> CheckpointError:
    told = " ".join(str(error).split())[:300]
    return CheckpointError(f"{folder} holds no language model that can be used here: {told}")
