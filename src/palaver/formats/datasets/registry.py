"""Readers by name, and the one that fits a file."""

from collections.abc import Iterable, Sequence

from palaver.core.errors import InputError
from palaver.core.registry import Registry
from palaver.formats.datasets.reader import DatasetReader, SourceFile
from palaver.formats.datasets.rows import read_rows

OWN = "palaver"
_HERE = "palaver.formats.datasets"

DATASET_READERS: Registry[DatasetReader] = Registry(
    "data set reader",
    "palaver.datasets",
    {
        OWN: f"{_HERE}.own:READER",
        "adversarial-qa": f"{_HERE}.adversarial_qa:READER",
        "advqa": f"{_HERE}.advqa:READER",
        "anli": f"{_HERE}.anli:READER",
        "dch2-nugget": f"{_HERE}.dch2:NUGGET",
        "dch2-quality": f"{_HERE}.dch2:QUALITY",
        "dynasent": f"{_HERE}.dynasent:READER",
        "flores": f"{_HERE}.flores:READER",
        "hans": f"{_HERE}.hans:READER",
        "hate": f"{_HERE}.hate:READER",
        "hatecheck": f"{_HERE}.hatecheck:READER",
        "mrqa": f"{_HERE}.mrqa:READER",
        "snli": f"{_HERE}.snli:READER",
        "squad": f"{_HERE}.squad:READER",
        "stress": f"{_HERE}.stress:READER",
        "winogender": f"{_HERE}.winogender:READER",
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
    own = DATASET_READERS.get(OWN)
    wanted = sorted(fields)
    if found >= set(wanted) and found & {"uid", "id"}:
        return own
    best = max(fitting, key=lambda each: each.likeness(found), default=own)
    if best.likeness(found):
        return best
    if found and not found & set(wanted):
        raise InputError(
            f"{first.name} is not in a format known for '{task}': its records have "
            f"{', '.join(map(repr, sorted(found)))}; expected 'uid', "
            f"{', '.join(map(repr, wanted))}. Say which key is which (--map FIELD=KEY), or name "
            "the format (--reader, see: palaver dataset readers)."
        )
    return own


def _ends(name: str, suffixes: tuple[str, ...]) -> bool:
    return name.removesuffix(".gz").endswith(suffixes)
