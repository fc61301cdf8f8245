"""Lines of dumps, packed or not, whole or damaged."""

import gzip
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from palaver.core.errors import InputError, MissingExtraError
from palaver.formats.advice import dumps
from palaver.formats.advice.dumps import check_dump, dump_lines

Pack = Callable[[bytes], bytes]
CONTENT = b"".join(b'{"n": %d}\n' % n for n in range(50_000))


def read(path: Path) -> bytes:
    return b"".join(line + b"\n" for lines in dump_lines(path) for line in lines)


def zst(content: bytes) -> bytes:
    """Packed as a stream, with a window that readers refuse unless they allow it."""
    parameters = zstandard.ZstdCompressionParameters.from_level(1, window_log=28)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return packer.compress(content) + packer.flush()


def noise(count: int) -> bytes:
    """Lines that cannot be packed well, so that a packed file has several blocks."""
    return b"".join(b"%x\n" % pow(7, n + 3, 2**127 - 1) for n in range(count))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zst], ids=["plain", "gz", "zst"])
def test_every_line_is_read_whatever_the_name(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "dump"
    path.write_bytes(pack(CONTENT))
    check_dump(path)
    assert read(path) == CONTENT


@pytest.mark.parametrize("pack", [gzip.compress, zst], ids=["gz", "zst"])
def test_frames_that_follow_each_other_are_one_file(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "dump"
    path.write_bytes(pack(b"a\nb") + pack(b"c\nd\n"))
    assert read(path) == b"a\nbc\nd\n"


def test_the_largest_window_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dump").write_bytes(zst(CONTENT))
    monkeypatch.setattr(dumps, "LARGEST_WINDOW", 2**27)
    with pytest.raises(InputError, match="memory"):
        read(tmp_path / "dump")


def test_a_mark_and_a_missing_last_line_break_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(b"\xef\xbb\xbfa\n\nb")
    assert [line for lines in dump_lines(path) for line in lines] == [b"a", b"", b"b"]


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "dump").touch()
    assert list(dump_lines(tmp_path / "dump")) == []


@pytest.mark.parametrize("pack", [gzip.compress, zst], ids=["gz", "zst"])
def test_a_file_that_is_cut_off_is_refused_unless_its_whole_lines_will_do(
    tmp_path: Path, pack: Pack
) -> None:
    content = noise(20_000)
    packed = pack(content)
    path = tmp_path / "dump"
    path.write_bytes(packed[: len(packed) * 2 // 3])
    with pytest.raises(
        InputError, match=r"damaged after line [\d,]+: .*ends in the middle.*--partial"
    ):
        list(dump_lines(path))
    damages: list[str] = []
    lines = [line for some in dump_lines(path, damages=damages) for line in some]
    assert lines == content.split(b"\n")[: len(lines)]
    assert len(lines) > 5_000
    assert "ends in the middle" in damages[0]


@pytest.mark.parametrize("pack", [gzip.compress, zst], ids=["gz", "zst"])
def test_garbage_in_a_packed_file_is_damage(tmp_path: Path, pack: Pack) -> None:
    packed = bytearray(pack(noise(20_000)))
    packed[len(packed) // 2 :] = b"\xa5" * (len(packed) - len(packed) // 2)
    (tmp_path / "dump").write_bytes(packed)
    with pytest.raises(InputError, match="is damaged after line"):
        list(dump_lines(tmp_path / "dump"))


@pytest.mark.parametrize(
    ("content", "what"),
    [(b"PK\x03\x04", "zip"), (b"<!DOCTYPE html>", "web page"), (b"BZh9", "bzip2")],
)
def test_what_is_no_dump_is_named(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "dump").write_bytes(content)
    with pytest.raises(InputError, match=what):
        check_dump(tmp_path / "dump")


def test_what_is_not_there_or_no_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        check_dump(tmp_path / "dump")
    with pytest.raises(InputError, match="is not a file"):
        check_dump(tmp_path)


def test_without_the_library_zst_files_are_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dump").write_bytes(zst(b"a\n"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'palaver\[advice\]'"):
        check_dump(tmp_path / "dump")


def test_a_line_without_end_is_not_held_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dumps, "LONGEST_LINE", 1 << 10)
    monkeypatch.setattr(dumps, "BLOCK", 1 << 10)
    (tmp_path / "dump").write_bytes(b"x" * 100_000 + b"\nnext\n")
    lines = [line for some in dump_lines(tmp_path / "dump") for line in some]
    assert len(lines[0]) < 5_000
    assert lines[1:] == [b"next"]
