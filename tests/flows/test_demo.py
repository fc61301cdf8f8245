"""`palaver demo` as a stranger starts it."""

import json
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from support.serving import free_port


@pytest.mark.parametrize(
    "stop", [pytest.param(signal.SIGINT, marks=pytest.mark.long), signal.SIGTERM]
)
def test_the_demo_prints_its_links_fills_its_board_and_ends_cleanly(
    tmp_path: Path, stop: signal.Signals
) -> None:
    port = free_port()
    log = tmp_path / "demo.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "palaver", "demo", "--port", str(port)],
            stdout=out,
            stderr=subprocess.STDOUT,
            env={"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"},
        )
    try:
        votes = _wait_for_votes(f"http://127.0.0.1:{port}/boards/demo.json", process, log)
        assert votes >= 1
        text = log.read_text(encoding="utf-8")
        assert re.search(rf"participant\s+http://127\.0\.0\.1:{port}/s/demo\?link=\S+", text)
        assert re.search(rf"board\s+http://127\.0\.0\.1:{port}/boards/demo", text)
        assert re.search(r"one-time password: \S+", text)
        process.send_signal(stop)
        assert process.wait(timeout=60) == 0, log.read_text(encoding="utf-8")
    finally:
        process.kill()
        process.wait()
    assert list(tmp_path.glob("palaver-demo-*")) == []
    assert "Traceback" not in log.read_text(encoding="utf-8")


def _wait_for_votes(url: str, process: "subprocess.Popen[bytes]", log: Path) -> int:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as response:
                votes = int(json.load(response)["votes"])
                if votes:
                    return votes
        except OSError:
            pass
        time.sleep(0.2)
    raise AssertionError(log.read_text(encoding="utf-8"))
