"""Data sets from addresses: real servers that send a file, an error, too much, or nothing."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.evaluation.datasets.sources import fetched, folder_of
from palaver.storage.objects import open_objects
from support.s3 import s3_server

CONTENT = b'{"uid": 1}\n' * 3


class Files(BaseHTTPRequestHandler):
    """Sends a file, refuses one, and breaks off in the middle of another."""

    def do_GET(self) -> None:
        found = self.path.startswith(("/data", "/short"))
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(CONTENT) + 9 * self.path.startswith("/short")))
        self.end_headers()
        self.wfile.write(CONTENT)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_file_of_the_web_is_there_for_as_long_as_it_is_read(site: str) -> None:
    with fetched([f"{site}/data/my%20set.jsonl?raw=1"]) as (file,):
        assert file.name == "my set.jsonl"
        assert file.path.read_bytes() == CONTENT
    assert not file.path.exists()


def test_a_file_in_a_bucket_comes_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with s3_server(monkeypatch, "data"):
        open_objects("s3://data", folder=tmp_path).put("deep/set.jsonl", CONTENT)
        with fetched(["s3://data/deep/set.jsonl"]) as (file,):
            assert (file.name, file.path.read_bytes()) == ("set.jsonl", CONTENT)
        with pytest.raises(InputError, match="is not in the object store s3://data/deep"):
            fetched(["s3://data/deep/gone.jsonl"]).__enter__()
    with pytest.raises(InputError, match="'s3://data' does not name a file"):
        fetched(["s3://data"]).__enter__()


def test_more_than_the_limit_is_not_kept(site: str) -> None:
    with pytest.raises(InputError, match=r"larger than 0 MiB\. Download it yourself"):
        fetched([f"{site}/data.jsonl"], most=20).__enter__()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/gone.jsonl", "answered 404 Not Found"),
        ("/short.jsonl", "ended after 33 of 42 bytes|cannot be reached"),
        ("/", "does not name a file"),
    ],
)
def test_what_cannot_be_had_is_said_in_a_sentence(site: str, path: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        fetched([f"{site}{path}"]).__enter__()


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be reached .*or download the file yourself"):
        fetched(["http://127.0.0.1:9/data.jsonl"]).__enter__()
    with pytest.raises(InputError, match="There is no file"):
        fetched([str(tmp_path / "gone.jsonl")]).__enter__()


def test_python_of_a_data_set_lies_beside_it(tmp_path: Path) -> None:
    assert folder_of(str(tmp_path / "a.jsonl")) == tmp_path
    assert folder_of("https://example.org/a.jsonl") == Path.cwd()
