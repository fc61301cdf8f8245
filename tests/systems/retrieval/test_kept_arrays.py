"""Arrays kept in a folder: there as a whole, or not there."""

from pathlib import Path

import numpy as np
import pytest

from palaver.systems.retrieval.kept_arrays import digest_of, keep_arrays, kept_arrays

ARRAYS = {"numbers": np.arange(5), "half": np.ones((2, 3), dtype=np.float16), "none": np.zeros(0)}


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    keep_arrays(tmp_path / "a" / "b", ARRAYS)

    found = kept_arrays(tmp_path / "a" / "b")

    assert found is not None
    assert {name: each.tolist() for name, each in found.items()} == {
        name: each.tolist() for name, each in ARRAYS.items()
    }
    assert found["half"].dtype == np.float16
    assert [each.name for each in (tmp_path / "a").iterdir()] == ["b"]


@pytest.mark.parametrize("size", [0, 20, 130])
def test_a_file_that_is_cut_off_is_as_none(tmp_path: Path, size: int) -> None:
    keep_arrays(tmp_path / "kept", ARRAYS)
    path = tmp_path / "kept" / "numbers.npy"
    path.write_bytes(path.read_bytes()[:size])

    assert kept_arrays(tmp_path / "kept") is None
    keep_arrays(tmp_path / "kept", ARRAYS)
    assert kept_arrays(tmp_path / "kept") is not None
    assert kept_arrays(tmp_path / "nothing") is None


def test_what_fails_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    broken = {"numbers": np.arange(5), "objects": np.array([object()])}

    with pytest.raises(ValueError, match="allow_pickle"):
        keep_arrays(tmp_path / "kept", broken)

    assert list(tmp_path.iterdir()) == []


def test_a_digest_is_of_the_file_and_of_what_is_said(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"one")
    first = digest_of(path, 1, "tfidf")

    assert digest_of(path, 1, "tfidf") == first
    assert digest_of(path, 1, "bm25") != first
    path.write_bytes(b"two")
    assert digest_of(path, 1, "tfidf") != first
