"""Object stores: the same promises in a folder and on a server that speaks S3."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.storage.objects import Objects, open_objects
from support.s3 import s3_server


@pytest.fixture(params=["folder", "s3"])
def objects(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Objects]:
    if request.param == "folder":
        yield open_objects("objects", folder=tmp_path)
        return
    with s3_server(monkeypatch, "a-bucket"):
        yield open_objects("s3://a-bucket/some/prefix", folder=tmp_path)


def test_what_is_put_is_there_whole_and_by_line(objects: Objects) -> None:
    objects.put("datasets/nli/a.jsonl", b"one\ntwo\n\nlast without an end")

    assert objects.exists("datasets/nli/a.jsonl")
    assert objects.read("datasets/nli/a.jsonl") == b"one\ntwo\n\nlast without an end"
    assert list(objects.lines("datasets/nli/a.jsonl")) == [
        b"one\n",
        b"two\n",
        b"\n",
        b"last without an end",
    ]


def test_a_file_of_many_blocks_arrives_as_it_is(objects: Objects, tmp_path: Path) -> None:
    file = tmp_path / "large"
    file.write_bytes(b"".join(b"line %d %s\n" % (n, b"x" * 90) for n in range(120_000)))

    objects.put("large", file)

    assert b"".join(objects.lines("large")) == file.read_bytes()


def test_a_second_put_replaces_the_first(objects: Objects) -> None:
    objects.put("a", b"1")
    objects.put("a", b"2")

    assert objects.read("a") == b"2"


def test_what_is_not_there_is_named(objects: Objects) -> None:
    assert not objects.exists("nothing")
    for read in (objects.read, lambda path: list(objects.lines(path))):
        with pytest.raises(
            InputError, match=r"'nothing' is not in the object store .*Was it moved"
        ):
            read("nothing")


def test_a_path_cannot_leave_the_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leaves the object store"):
        open_objects("objects", folder=tmp_path).put("../../else", b"")


def test_s3_keeps_objects_under_the_prefix_and_hides_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with s3_server(monkeypatch, "bucket"):
        inside = open_objects("s3://bucket/one/", folder=tmp_path)
        inside.put("x", b"1")

        assert inside.url == "s3://bucket/one"
        assert open_objects("s3://bucket", folder=tmp_path).read("one/x") == b"1"
        assert not open_objects("s3://bucket/two", folder=tmp_path).exists("x")


def test_a_bucket_or_a_server_that_is_not_there_is_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with s3_server(monkeypatch):
        with pytest.raises(InputError, match="There is no bucket for s3://none"):
            open_objects("s3://none", folder=tmp_path).put("x", b"1")
        store = open_objects("s3://none", folder=tmp_path)
    with pytest.raises(InputError, match=r"did not answer as expected.*AWS_ENDPOINT_URL"):
        store.read("x")


@pytest.mark.parametrize("url", ["ftp://somewhere", "s3://", "s3:///prefix"])
def test_addresses_of_no_store_are_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"not of a known kind|s3://bucket or"):
        open_objects(url, folder=tmp_path)
