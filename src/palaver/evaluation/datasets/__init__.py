"""Data sets: read, converted, checked, hashed, kept, and found again."""

from palaver.evaluation.datasets.contents import describe_dataset, read_examples, read_uids
from palaver.evaluation.datasets.normal_form import DatasetError
from palaver.evaluation.datasets.registration import add_dataset, change_dataset
from palaver.storage.evaluation.datasets import find_dataset, list_datasets, list_versions

__all__ = [
    "DatasetError",
    "add_dataset",
    "change_dataset",
    "describe_dataset",
    "find_dataset",
    "list_datasets",
    "list_versions",
    "read_examples",
    "read_uids",
]
