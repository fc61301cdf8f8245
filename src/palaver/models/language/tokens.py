"""The tokens of a language model: a text as numbers and back, and the marks that it knows."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from palaver.models.checkpoints.folder import TOKENIZER, TOKENIZER_CONFIG, CheckpointError


class LanguageTokens:
    """A tokenizer of a language model, with the numbers of its marks."""

    def __init__(self, text: str, *, end: int, pad: int, start: int) -> None:
        from tokenizers import Tokenizer

        self.text_of_file = text
        # After a reply; where a row is empty; what a decoder begins with.
        self.end, self.pad, self.start = end, pad, start
        self._tokenizer = Tokenizer.from_str(text)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def __len__(self) -> int:
        return int(self._tokenizer.get_vocab_size(with_added_tokens=True))

    def numbers(self, text: str) -> list[int]:
        """The numbers of a text by itself, without marks."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def begun(self, text: str) -> list[int]:
        """The numbers of a text at the beginning of what is read, more of which is to come."""
        found = list(self._tokenizer.encode(text, add_special_tokens=True).ids)
        while found and found[-1] == self.end:
            found.pop()
        return found

    def whole(self, text: str) -> list[int]:
        """The numbers of all that is read or written at once, with the mark of its end."""
        return [*self.begun(text), self.end]

    def text(self, numbers: Sequence[int]) -> str:
        """The text of numbers, without marks."""
        return str(self._tokenizer.decode(list(numbers), skip_special_tokens=True)).strip()

    def size(self, text: str) -> int:
        """How many tokens a text has."""
        return len(self.numbers(text))

    def keeps(self, text: str) -> bool:
        """Whether a text can be written as it is: some vocabularies lack angles or line breaks."""
        return self.text(self.numbers(text)) == text

    def files(self) -> dict[str, str]:
        """The files of the tokenizer for a checkpoint, which other programs read as well."""
        named = {
            name: self._tokenizer.id_to_token(number)
            for name, number in (("eos_token", self.end), ("pad_token", self.pad))
        }
        config = {"tokenizer_class": "PreTrainedTokenizerFast", **named}
        return {TOKENIZER: self.text_of_file, TOKENIZER_CONFIG: json.dumps(config, indent=1) + "\n"}

    def marks(self) -> list[str]:
        """The numbers of the marks as texts, for the vocabulary of a checkpoint."""
        return [str(self.end), str(self.pad), str(self.start)]


def base_tokens(folder: Path, config: Mapping[str, Any]) -> LanguageTokens:
    """The tokens of a model in a folder of transformers; CheckpointError where they cannot be used."""
    text = _text(folder / TOKENIZER)
    told = _json(folder / TOKENIZER_CONFIG)
    generation = _json(folder / "generation_config.json")
    vocabulary = _known(folder, text)
    end = _number("eos_token", told, (config, generation), vocabulary)
    if end is None:
        raise CheckpointError(
            f"{folder} does not say with which token a text ends. Write its number into config.json: "
            '"eos_token_id".'
        )
    pad = _number("pad_token", told, (config, generation), vocabulary)
    pad = end if pad is None else pad
    start = _number("decoder_start_token", {}, (config, generation), vocabulary)
    return _made(folder, text, [end, pad, pad if start is None else start], config)


def kept_tokens(folder: Path, marks: Sequence[str], config: Mapping[str, Any]) -> LanguageTokens:
    """The tokens that a checkpoint keeps."""
    if len(marks) != 3 or not all(each.isdecimal() for each in marks):
        raise CheckpointError(f"{folder}: its vocabulary has no 'marks' of a tokenizer.")
    text = _text(folder / TOKENIZER)
    _known(folder, text)
    return _made(folder, text, [int(each) for each in marks], config)


def _made(
    folder: Path, text: str, marks: Sequence[int], config: Mapping[str, Any]
) -> LanguageTokens:
    end, pad, start = marks
    made = LanguageTokens(text, end=end, pad=pad, start=start)
    most = config.get("vocab_size")
    if isinstance(most, int) and (max(marks) >= most or len(made) > most):
        raise CheckpointError(
            f"{folder}: its tokenizer has {len(made):,} tokens and the model {most:,}. They do not "
            "belong together."
        )
    return made


def _known(folder: Path, text: str) -> Mapping[str, int]:
    """The vocabulary of a tokenizer; CheckpointError where the file is none."""
    from tokenizers import Tokenizer

    try:
        vocabulary: dict[str, int] = Tokenizer.from_str(text).get_vocab(with_added_tokens=True)
    except Exception as error:  # tokenizers raises nothing more special
        raise CheckpointError(
            f"{folder / TOKENIZER} is not a tokenizer: {' '.join(str(error).split())[:200]}."
        ) from error
    return vocabulary


def _number(
    name: str,
    told: Mapping[str, Any],
    configs: Sequence[Mapping[str, Any]],
    vocabulary: Mapping[str, int],
) -> int | None:
    """The number of a mark: as a config has it, else by its name in the tokenizer's own."""
    for config in configs:
        value = config.get(f"{name}_id")
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, int) and not isinstance(first, bool) and first >= 0:
            return first
    named = told.get(name)
    if isinstance(named, Mapping):
        named = named.get("content")
    return vocabulary.get(named) if isinstance(named, str) else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CheckpointError(
            f"{path.parent} has no {TOKENIZER}. Save its tokenizer there with transformers: "
            "AutoTokenizer.from_pretrained(…).save_pretrained(FOLDER)."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}.") from error


def _json(path: Path) -> Mapping[str, Any]:
    """An object of a file that need not be there."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}.") from error
    return found if isinstance(found, dict) else {}
