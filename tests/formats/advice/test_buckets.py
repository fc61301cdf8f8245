"""Buckets and sorted runs hold a part in memory and lose nothing."""

import random
from pathlib import Path

import pytest

from palaver.formats.advice import buckets as buckets_module
from palaver.formats.advice import sorting
from palaver.formats.advice.buckets import COUNT, PostBuckets
from palaver.formats.advice.sorting import SortedRecords

RECORDS = [(f"post{n % 300}", b'{"n": %d}' % n) for n in range(3_000)]


@pytest.mark.parametrize("largest", [1 << 20, 400])
def test_records_of_a_post_stay_together_in_their_order(tmp_path: Path, largest: int) -> None:
    with PostBuckets(tmp_path / "buckets", largest=largest) as buckets:
        for id, record in RECORDS:
            buckets.add(id, record)
        read = [list(records) for records in buckets.read()]
    assert sorted(record for records in read for record in records) == sorted(
        record for _, record in RECORDS
    )
    expected: dict[str, list[bytes]] = {}
    for id, record in RECORDS:
        expected.setdefault(id, []).append(record)
    for records in read:
        for together in expected.values():
            inside = [record for record in records if record in together]
            assert inside in ([], together)
    assert list(tmp_path.iterdir()) == []


def test_a_bucket_that_is_too_large_is_split(tmp_path: Path) -> None:
    def sizes(largest: int) -> list[int]:
        with PostBuckets(tmp_path / "buckets", largest=largest) as buckets:
            for id, record in RECORDS:
                buckets.add(id, record)
            return [sum(map(len, records)) for records in buckets.read()]

    assert len(sizes(1 << 20)) <= COUNT
    # A post has ten records of about ten bytes; few share a bucket by chance.
    assert max(sizes(400)) <= 400


def test_no_more_files_are_open_than_there_are_buckets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    most = 0

    class Counting(PostBuckets):
        def __init__(self, folder: Path, **given: int) -> None:
            nonlocal most
            super().__init__(folder, **given)
            opened.append(folder)
            everything = [file for each in alive for file in each._files] + self._files
            most = max(most, sum(not file.closed for file in everything))
            alive.append(self)

    alive: list[PostBuckets] = []
    monkeypatch.setattr(buckets_module, "PostBuckets", Counting)
    with Counting(tmp_path / "buckets", largest=200) as buckets:
        for id, record in RECORDS:
            buckets.add(id, record)
        list(buckets.read())
    assert len(opened) > COUNT / 2
    assert most == COUNT


@pytest.mark.parametrize("room", [1 << 20, 500])
def test_records_come_in_the_order_of_their_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    monkeypatch.setattr(sorting, "MOST_RUNS", 4)
    keys = list(range(1_000))
    random.Random(1).shuffle(keys)
    records = SortedRecords(tmp_path / "sorted", room=room)
    for key in keys:
        records.add(key << 40, b"record %d" % key)
        assert len(records._runs) < 4
    assert list(records.read()) == [b"record %d" % key for key in range(1_000)]
    assert list(tmp_path.iterdir()) == []
