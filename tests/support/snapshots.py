"""Stored snapshots of what others read, and how a test compares with one.

A snapshot is a JSON file in `tests/snapshots/stored`. `PALAVER_SNAPSHOTS=write` rewrites those that
the tests of a run compare with: do that only where others are meant to read something new.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

STORED = Path(__file__).parent.parent / "snapshots" / "stored"
WRITING = os.environ.get("PALAVER_SNAPSHOTS") == "write"
MOST_LINES = 200
ABSENT = object()


def assert_as_stored(name: str, found: Any) -> None:
    """Fail with one line per difference between `found` and the snapshot of that name."""
    if WRITING:
        file = STORED / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_text(found), encoding="utf-8")
        return
    told = list(differences(stored(name), json.loads(json.dumps(found))))
    if told:
        more = [f"… and {len(told) - MOST_LINES} more"] if len(told) > MOST_LINES else []
        lines = [f"{name} is not as stored; {len(told)} differences:", *told[:MOST_LINES], *more]
        pytest.fail("\n".join(lines), pytrace=False)


def stored(name: str) -> Any:
    """What the snapshot of that name holds."""
    file = STORED / f"{name}.json"
    assert file.exists(), f"there is no snapshot {file}; PALAVER_SNAPSHOTS=write writes it"
    return json.loads(file.read_text(encoding="utf-8"))


def differences(was: Any, now: Any, path: str = "") -> Iterator[str]:
    """One line per place at which two JSON values differ: where, what was there, what is there."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in sorted({*was, *now}):
            yield from differences(was.get(key, ABSENT), now.get(key, ABSENT), f"{path} > {key}")
    elif isinstance(was, list) and isinstance(now, list):
        for n in range(max(len(was), len(now))):
            pair = (each[n] if n < len(each) else ABSENT for each in (was, now))
            yield from differences(*pair, f"{path}[{n}]")
    elif type(was) is not type(now) or was != now:
        yield f"{path.removeprefix(' > ')}: was {_short(was)}, is {_short(now)}"


def _short(value: Any) -> str:
    if value is ABSENT:
        return "absent"
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 300 else f"{text[:300]}…"


def _text(value: Any) -> str:
    """JSON with sorted keys, in which what fits on a line stands on one."""
    return "".join(_lines(json.loads(json.dumps(value)), "")) + "\n"


def _lines(value: Any, indent: str) -> Iterator[str]:
    flat = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(flat) + len(indent) <= 100 or not isinstance(value, (dict, list)):
        yield flat
        return
    inner = indent + " "
    if isinstance(value, list):
        members = [("", each) for each in value]
    else:
        members = [(f"{json.dumps(k, ensure_ascii=False)}: ", value[k]) for k in sorted(value)]
    yield "[" if isinstance(value, list) else "{"
    for n, (key, each) in enumerate(members):
        yield ("," if n else "") + f"\n{inner}{key}"
        yield from _lines(each, inner)
    yield f"\n{indent}" + ("]" if isinstance(value, list) else "}")
