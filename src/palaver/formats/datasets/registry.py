"""Readers by name, and the one that fits a file."""

from collections.abc import Iterable, Sequence

from palaver.core.errors import InputError
from palaver.core.registry import Registry
from palaver.formats.datasets.reader import OWN, DatasetReader, SourceFile
from palaver.formats.datasets.records import read_rows

_HERE = "palaver.formats.datasets"

DATASET_READERS: Registry[DatasetReader] = Registry(
    "data set reader",
    "palaver.datasets",
    {
        OWN.name: f"{_HERE}.reader:OWN",
        "adversarial-qa": f"{_HERE}.question_answering:ADVERSARIAL_QA",
        "advqa": f"{_HERE}.question_answering:ADVQA",
        "anli": f"{_HERE}.nli:ANLI",
        "dch2-nugget": f"{_HERE}.dch2:NUGGET",
        "dch2-quality": f"{_HERE}.dch2:QUALITY",
        "dynasent": f"{_HERE}.classification:DYNASENT",
        "flores": f"{_HERE}.flores:READER",
        "hans": f"{_HERE}.nli:HANS",
        "hate": f"{_HERE}.classification:HATE",
        "hatecheck": f"{_HERE}.classification:HATECHECK",
        "mrqa": f"{_HERE}.question_answering:MRQA",
        "snli": f"{_HERE}.nli:SNLI",
        "squad": f"{_HERE}.question_answering:SQUAD",
        "stress": f"{_HERE}.nli:STRESS",
        "winogender": f"{_HERE}.nli:WINOGENDER",
    },
    see=" See: palaver dataset readers.",
)


def detect_reader(
    files: Sequence[SourceFile], *, task: str, fields: Iterable[str]
) -> DatasetReader:
    """The reader of the task whose keys the first record has, else our own.

    A record that has every one of `fields` is in our own shape, whatever else it looks like.
    """
    fitting = [
        each for each in map(DATASET_READERS.get, DATASET_READERS.names()) if task in each.tasks
    ]
    first = files[0]
    for reader in fitting:
        if reader.suffixes and (first.path.is_dir() or _ends(first.name, reader.suffixes)):
            return reader
    if first.path.is_dir():
        raise InputError(f"{first.name} is a folder; give a file.")
    _, record = next(read_rows(first.path, first.name), (0, {}))
    found = frozenset(record)
    wanted = sorted(fields)
    for reader in fitting:
        if reader.recognises and reader.likeness(found) and reader.recognises(record):
            return reader
    if found >= set(wanted) and found & {"uid", "id"}:
        return OWN
    best = max(fitting, key=lambda each: each.likeness(found), default=OWN)
    if best.likeness(found):
        return best
    if found and not found & set(wanted):
        raise InputError(
            f"{first.name} is not in a format known for '{task}': its records have "
            f"{', '.join(map(repr, sorted(found)))}; expected 'uid', "
            f"{', '.join(map(repr, wanted))}. Say which key is which (--map FIELD=KEY), or name "
            "the format (--reader, see: palaver dataset readers)."
        )
    return OWN


def _ends(name: str, suffixes: tuple[str, ...]) -> bool:
    return name.removesuffix(".gz").endswith(suffixes)
