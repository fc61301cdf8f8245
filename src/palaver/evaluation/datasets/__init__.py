"""Data sets: read, converted, checked, hashed, kept, and found again."""

# ruff: noqa: I001  `reading` comes first: runs read examples, and `adding` plans runs.
from palaver.evaluation.datasets.reading import read_examples, read_uids
from palaver.evaluation.datasets.adding import AddedDataset, add_dataset, change_dataset
from palaver.evaluation.datasets.problems import DatasetError

__all__ = [
    "AddedDataset",
    "DatasetError",
    "add_dataset",
    "change_dataset",
    "read_examples",
    "read_uids",
]
