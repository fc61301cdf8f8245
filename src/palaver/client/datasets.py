"""Data sets: adding them and perturbing them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from palaver.client.bodies import File, content_of, file_body, json_body
from palaver.client.calls import Calls, given
from palaver.client.connection import quoted
from palaver.core.evaluation.datasets import Access, AddedDataset, Dataset, Perturbed


class DatasetCalls(Calls):
    """The methods of a client about data sets."""

    def datasets(self, task: str) -> list[Dataset]:
        """The data sets of a task, oldest first."""
        return self._get(quoted("tasks", task, "datasets"), list[Dataset], part="datasets")

    def add_dataset(
        self,
        task: str,
        name: str,
        source: File,
        *,
        access: Access | None = None,
        about: str | None = None,
        reader: str | None = None,
        parent: str | None = None,
        kind: str | None = None,
        map: Mapping[str, str] | None = None,
        filename: str | None = None,
    ) -> AddedDataset:
        """Add a data set: a file, its content, or an http(s) address that the server fetches.

        `map` says which key of the file is which field of the task.
        """
        pairs = [f"{field}={key}" for field, key in (map or {}).items()]
        options = {
            "access": access,
            "about": about,
            "reader": reader,
            "parent": parent,
            "kind": kind,
            "map": pairs or None,
        }
        path = quoted("tasks", task, "datasets", name)
        if isinstance(source, str) and source.startswith(("http://", "https://")):
            wanted = json_body({"url": source, **given(options)})
            return self._send("POST", f"{path}/fetch", AddedDataset, wanted)
        content = content_of(source)
        called = filename or (content.name if isinstance(content, Path) else f"{name}.jsonl")
        query = {**options, "filename": called}
        return self._send("POST", path, AddedDataset, file_body(content), query)

    def perturb(
        self,
        task: str,
        dataset: str,
        kind: str,
        *,
        seed: int = 1,
        only: Sequence[str] = (),
        fields: Sequence[str] = (),
    ) -> Perturbed:
        """Perturb a stored data set; the variants are registered beside it and evaluated."""
        wanted = {"kind": kind, "seed": seed, "only": list(only), "fields": list(fields)}
        path = quoted("tasks", task, "datasets", dataset, "perturb")
        return self._send("POST", path, Perturbed, json_body(wanted))

    def variants(
        self,
        task: str,
        records: Sequence[Mapping[str, Any]],
        kind: str,
        *,
        seed: int = 1,
        only: Sequence[str] = (),
    ) -> list[dict[str, Any]]:
        """Variants of up to 10,000 records; nothing is stored."""
        wanted = {"kind": kind, "seed": seed, "only": list(only), "records": list(records)}
        found = self._send(
            "POST", quoted("tasks", task, "perturb"), dict[str, Any], json_body(wanted)
        )
        return list(found["variants"])
