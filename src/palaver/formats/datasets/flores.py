"""FLORES: one text file per language, aligned by line, read as translation in every direction."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path

from palaver.core.errors import InputError
from palaver.formats.datasets.content import open_content
from palaver.formats.datasets.reader import DatasetReader, ReadRow, SourceFile

SUFFIXES = (".devtest", ".dev", ".test")


def read(files: Sequence[SourceFile]) -> Iterator[ReadRow]:
    """Every line in every direction between two of the languages, by source language."""
    found = _language_files(files)
    texts = {file: _lines(file) for file in found}
    counts = {len(lines) for lines in texts.values()}
    if len(counts) > 1:
        each = ", ".join(f"{file.name} {len(lines)}" for file, lines in texts.items())
        raise InputError(
            f"The files must be aligned line by line, but their numbers of lines differ: {each}."
        )
    for source, target in permutations(found, 2):
        split = _ending(source)
        pair = f"{source.stem}-{target.stem}"
        for n, (text, translation) in enumerate(zip(texts[source], texts[target], strict=True)):
            record = {
                "uid": f"{n}-{pair}-{split}",
                "sourceLanguage": source.stem,
                "targetLanguage": target.stem,
                "sourceText": text,
                "targetText": translation,
                "tags": [pair],
            }
            yield ReadRow(source.name, n + 1, record)


def _language_files(files: Sequence[SourceFile]) -> list[SourceFile]:
    """The files given, or those of the folder given, of which there must be two or more."""
    found: list[SourceFile] = []
    for file in files:
        inside = sorted(file.path.iterdir()) if file.path.is_dir() else [file.path]
        found += [
            file if path == file.path else SourceFile(path, path.name)
            for path in inside
            if not _is_other(path, file)
        ]
    if len(found) < 2:
        raise InputError(
            "Translation needs the same text in two languages or more: give two files "
            f"(eng.dev fra.dev) or a folder of them; found {len(found)}."
        )
    endings = {_ending(file) for file in found}
    if len(endings) > 1:
        raise InputError(
            f"These files are from several splits ({', '.join(sorted(endings))}); give those of "
            "one."
        )
    return found


def _is_other(path: Path, file: SourceFile) -> bool:
    return path != file.path and not path.name.removesuffix(".gz").endswith(SUFFIXES)


def _ending(file: SourceFile) -> str:
    return Path(file.name.removesuffix(".gz")).suffix.removeprefix(".") or "text"


def _lines(file: SourceFile) -> list[str]:
    with open_content(file.path, file.name) as stream:
        try:
            return [line.decode().rstrip("\r\n") for line in stream]
        except UnicodeDecodeError as error:
            raise InputError(f"{file.name} is not UTF-8 text: {error}.") from error


READER = DatasetReader(
    name="flores",
    title="FLORES",
    tasks=("flores",),
    about="a folder of *.dev or *.devtest, or two or more files, one language each",
    suffixes=SUFFIXES,
    read=read,
)
