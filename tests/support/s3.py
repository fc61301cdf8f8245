"""A real server that speaks S3, started for a test on a free port of this machine."""

import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def s3_server(monkeypatch: pytest.MonkeyPatch, *buckets: str) -> Iterator[str]:
    """The address of the server; the environment names it and the buckets exist."""
    server = _threaded_server()
    server.start()
    try:
        host, port = server.get_host_and_port()
        url = f"http://{host}:{port}"
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a-key")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret")
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        for bucket in buckets:
            urllib.request.urlopen(urllib.request.Request(f"{url}/{bucket}", method="PUT")).close()
        yield url
    finally:
        server.stop()


def _threaded_server():  # type: ignore[no-untyped-def]
    """moto's server."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from moto.server import ThreadedMotoServer
    return ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
