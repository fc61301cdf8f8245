"""Pieces give the same file as the whole, in whatever order they are done and wherever."""

import json
import pickle
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.engines.registry import ENGINES
from palaver.evaluation.perturbations import Layout, known_perturbations
from palaver.evaluation.perturbations.perturbed_files import perturb_records
from support.clusters import dask_cluster

LAYOUT = Layout(texts=("t",))
RECORDS = [{"uid": f"u{n}", "t": f"It is the {n}th station, and he likes it."} for n in range(60)]
NAMES = [each.name for each in known_perturbations("robustness")]


class Backwards:
    """An engine that does the last piece first, and takes everything over a wire."""

    def __init__(self, address: str) -> None:
        self.address = address

    async def map(
        self, work: Callable[[Any], Any], pieces: Iterable[Any], *, in_flight: int | None = None
    ) -> AsyncIterator[tuple[int, Any]]:
        """Yield the pieces from the last to the first."""
        for number, piece in reversed(list(enumerate(pieces))):
            there, sent = pickle.loads(pickle.dumps((work, piece)))
            yield number, pickle.loads(pickle.dumps(there(sent)))

    async def close(self) -> None:
        """Nothing is open."""


def _written(folder: Path, *, size: int, engine: str | None = None) -> bytes:
    output = folder / f"{size}-{bool(engine)}.jsonl"
    done = perturb_records(
        RECORDS, LAYOUT, NAMES, output, kind="robustness", seed=4, size=size, engine=engine
    )
    assert done.originals == 60
    assert done.variants == len(output.read_bytes().splitlines())
    return output.read_bytes()


def test_pieces_and_engines_make_no_difference(tmp_path: Path) -> None:
    ENGINES.register("backwards", Backwards)
    whole = _written(tmp_path, size=1000)

    assert _written(tmp_path, size=7) == whole
    assert _written(tmp_path, size=7, engine="local://3") == whole
    assert _written(tmp_path, size=7, engine="backwards") == whole
    order = [int(json.loads(line)["input_id"][1:]) for line in whole.splitlines()]
    assert order == sorted(order)


def test_a_cluster_makes_the_same_file(tmp_path: Path) -> None:
    with dask_cluster() as cluster:
        assert _written(tmp_path, size=7, engine=cluster.engine) == _written(tmp_path, size=1000)


def test_samples_show_every_perturbation_before_any_twice(tmp_path: Path) -> None:
    done = perturb_records(
        RECORDS, LAYOUT, NAMES, tmp_path / "a.jsonl", kind="robustness", seed=1, samples=11, size=9
    )
    shown = [each.variant["uid"].split("_", 1)[1] for each in done.samples]

    assert len(set(shown)) == 11
    assert all(each.original["uid"] == each.variant["input_id"] for each in done.samples)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file/out\.jsonl cannot be written"):
        perturb_records(
            RECORDS, LAYOUT, NAMES, tmp_path / "file" / "out.jsonl", kind="robustness", seed=1
        )
