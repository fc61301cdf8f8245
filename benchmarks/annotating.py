"""Annotation: raters who fetch a sheet and send its labels, many at once.

The floor is a bare annotation server with group commit (`benchmarks.form`). After each load
the store is searched for what must not be: a label that was acknowledged and is not there, a sheet
with more raters than it needs, a sheet that somebody got twice.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles
from typing import Any

from itsdangerous import URLSafeTimedSerializer
from sqlalchemy import Connection, text

from benchmarks import form
from benchmarks.processes import ROOT, Serving, bare_form, cpu_seconds, palaver, resident_bytes
from benchmarks.table import Figure
from palaver.storage import Store
from palaver.storage.people.participants import enter
from palaver.storage.studies.studies import list_studies
from palaver.web.participant.visit import COOKIE, SALT

STUDY = """\
title: Judge
name: judge
stages:
  - rate: {ask: [quality_likert], data: dialogues.jsonl, raters: 2, at_once: 1}
"""
TURNS = ["Hi there, how was your weekend?", "It was fine, thank you. I went for a long walk."] * 5
LONGEST_SAVE = 0.15
RATERS = 50


def run(
    *,
    raters: tuple[int, ...],
    sheets: int,
    seconds: float,
    growth: tuple[int, ...],
    postgres: bool,
) -> tuple[list[Figure], Any]:
    """Labels per second and waits for each number of raters, and the cost as sheets grow."""
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="palaver-bench-") as name:
        folder = Path(name)
        home = _furnish(folder / "home", folder / "study", sheets, max(raters))
        floor_file = folder / "floor.db"
        form.fill(str(floor_file), 40_000, TURNS)
        for count in raters:
            floor = _floor(folder, floor_file, count, seconds)
            ours = _ours(folder, folder / "study", home, count, seconds)
            details[str(count)] = {"ours": ours, "floor": floor}
            figures += _figures(count, ours, floor)
        if postgres:
            figures += _on_postgres(folder, raters, seconds, details)
        figures += _growth(folder, growth, seconds, details)
    return figures, details


def _figures(count: int, ours: dict[str, Any], floor: dict[str, Any]) -> list[Figure]:
    def rate(f: Figure) -> bool:
        return f.ours >= 0.6 * (f.floor or 0)

    return [
        Figure(
            f"labels per second, {count} raters",
            ours["rate"],
            floor["rate"],
            "/s",
            goal="≥ 0.6×" if count == RATERS else "",
            met=rate if count == RATERS else None,
        ),
        Figure(
            f"server CPU per label, {count} raters",
            ours["cpu"],
            floor["cpu"],
            "ms",
            goal="≤ 1.5 ms" if count == RATERS else "",
            met=(lambda f: f.ours <= 1.5) if count == RATERS else None,
        ),
        Figure(
            f"save p99, {count} raters",
            ours["save_p99"],
            floor["save_p99"],
            "ms",
            goal="≤ 150 ms" if count == 200 else "",
            met=(lambda f: f.ours <= 1000 * LONGEST_SAVE) if count == 200 else None,
        ),
        Figure(f"save p50, {count} raters", ours["save_p50"], floor["save_p50"], "ms"),
        Figure(f"page p99, {count} raters", ours["page_p99"], floor["page_p99"], "ms"),
        Figure(
            f"lost, over quota, or twice to one, {count} raters",
            ours["wrong"],
            None,
            "",
            goal="0",
            met=lambda f: f.ours == 0,
        ),
    ]


def _furnish(home: Path, study: Path, sheets: int, raters: int, url: str | None = None) -> Path:
    """A home with so many sheets taken in and so many raters at the door."""
    study.mkdir(parents=True, exist_ok=True)
    (study / "study.yaml").write_text(STUDY, encoding="utf-8")
    line = json.dumps([["system" if n % 2 else "user", t] for n, t in enumerate(TURNS)])
    with (study / "dialogues.jsonl").open("w", encoding="utf-8") as out:
        for n in range(sheets):
            out.write(f'{{"id":"d{n}","turns":{line}}}\n')
    home.mkdir(parents=True, exist_ok=True)
    with palaver(study, home, database_url=url):
        _wait_for_sheets(home, url, sheets)
    return home


def _wait_for_sheets(home: Path, url: str | None, sheets: int) -> None:
    store = _open(home, url)
    try:
        deadline = time.monotonic() + 900
        while store.read_now(lambda c: _count(c, "slots")) < 2 * sheets:
            if time.monotonic() > deadline:
                raise RuntimeError("the sheets were not taken in")
            time.sleep(0.2)
    finally:
        store.close()


def _open(home: Path, url: str | None) -> Store:
    return Store(url or f"sqlite:///{home / 'palaver.db'}")


def _count(connection: Connection, table: str) -> int:
    return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def _visits(home: Path, url: str | None, raters: int) -> list[dict[str, str]]:
    """So many new people at the rate stage, each with the cookie of their visit."""
    store = _open(home, url)
    try:
        signer = URLSafeTimedSerializer(store.secret(), salt=SALT)
        study_id = store.read_now(list_studies)[0].id

        def work(connection: Connection) -> list[str]:
            return [
                enter(
                    connection,
                    study_id=study_id,
                    crowd="link",
                    person=f"{time.time()}-{n}",
                    assignment="1",
                    first_step="stage:0",
                    now=time.time(),
                ).key
                for n in range(raters)
            ]

        keys = store.write_now(work)
        return [{"path": f"/take/{key}", "cookie": f"{COOKIE}={signer.dumps(key)}"} for key in keys]
    finally:
        store.close()


def _ours(
    folder: Path,
    study: Path,
    home: Path,
    count: int,
    seconds: float,
    url: str | None = None,
) -> dict[str, Any]:
    running = folder / "running"
    if url is None:
        shutil.copytree(home, running)
    else:
        running.mkdir()
    try:
        before = _labels(running, url)
        visits = _visits(running, url, count)
        with palaver(study, running, database_url=url) as serving:
            _load(serving, visits[: min(5, count)], 0.5)
            warm = _labels(running, url) - before
            measured = _load(serving, visits, seconds)
            measured["resident_mb"] = resident_bytes(serving.pid) / 1e6
            measured["started_in"] = serving.started_in
        measured["wrong"] = _wrong(running, url, before + warm + measured["labels"])
        return measured
    finally:
        shutil.rmtree(running)


def _labels(home: Path, url: str | None) -> int:
    store = _open(home, url)
    try:
        return store.read_now(lambda c: _count(c, "labels"))
    finally:
        store.close()


def _floor(folder: Path, file: Path, count: int, seconds: float) -> dict[str, Any]:
    visits = [{"path": f"/take/{n}", "cookie": ""} for n in range(count)]
    with bare_form(folder / "form.log", file) as serving:
        _load(serving, visits[: min(5, count)], 0.5)
        return _load(serving, visits, seconds)


def _load(serving: Serving, visits: list[dict[str, str]], seconds: float) -> dict[str, Any]:
    given = {"base": f"http://127.0.0.1:{serving.port}", "visits": visits, "seconds": seconds}
    cpu = cpu_seconds(serving.pid)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.raters"],
        input=json.dumps(given).encode(),
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
    )
    used = cpu_seconds(serving.pid) - cpu
    found = json.loads(done.stdout)
    saves, pages = found["saves"], found["pages"]
    labels = len(saves)
    return {
        "labels": labels,
        "rate": labels / found["wall"],
        "cpu": 1000 * used / max(1, labels),
        "save_p50": 1000 * _quantile(saves, 50),
        "save_p99": 1000 * _quantile(saves, 99),
        "page_p50": 1000 * _quantile(pages, 50),
        "page_p99": 1000 * _quantile(pages, 99),
    }


def _quantile(values: list[float], percent: int) -> float:
    return quantiles(values, n=100)[percent - 1] if len(values) > 1 else sum(values)


def _wrong(home: Path, url: str | None, acknowledged: int) -> int:
    """Labels that are missing, sheets with too many raters, sheets somebody got twice."""
    store = _open(home, url)
    try:
        return store.read_now(
            lambda c: (
                max(0, acknowledged - _count(c, "labels"))
                + _rows(
                    c,
                    "SELECT sheet_id FROM slots WHERE state IN ('held', 'done') "
                    "GROUP BY sheet_id HAVING count(*) > 2",
                )
                + _rows(
                    c,
                    "SELECT unit_id FROM labels GROUP BY unit_id, rater_id, question "
                    "HAVING count(*) > 1",
                )
            )
        )
    finally:
        store.close()


def _rows(connection: Connection, sql: str) -> int:
    return len(connection.execute(text(sql)).all())


def _on_postgres(
    folder: Path, raters: tuple[int, ...], seconds: float, details: dict[str, Any]
) -> list[Figure]:
    from benchmarks.postgres import started_postgres

    figures = []
    with started_postgres() as url:
        home = _furnish(folder / "pg-home", folder / "pg-study", 5_000, max(raters), url)
        for count in raters:
            ours = _ours(folder, folder / "pg-study", home, count, seconds, url)
            details[f"postgres {count}"] = ours
            figures += [
                Figure(f"PostgreSQL: labels per second, {count} raters", ours["rate"], None, "/s"),
                Figure(f"PostgreSQL: save p99, {count} raters", ours["save_p99"], None, "ms"),
                Figure(
                    f"PostgreSQL: lost, over quota, or twice, {count} raters",
                    ours["wrong"],
                    None,
                    "",
                    goal="0",
                    met=lambda f: f.ours == 0,
                ),
            ]
    return figures


def _growth(
    folder: Path, sizes: tuple[int, ...], seconds: float, details: dict[str, Any]
) -> list[Figure]:
    measured = {}
    few, *more = sizes
    for sheets in sizes:
        study = folder / f"study-{sheets}"
        home = _furnish(folder / f"home-{sheets}", study, sheets, RATERS)
        measured[sheets] = _ours(folder, study, home, RATERS, min(seconds, 0.004 * few))
        shutil.rmtree(home)
    details["growth"] = measured
    return [figure for many in more for figure in _grown(few, many, measured[few], measured[many])]


def _grown(few: int, many: int, small: dict[str, Any], large: dict[str, Any]) -> list[Figure]:
    return [
        Figure(
            f"server CPU per label, {many:,} sheets (floor: {few:,})",
            large["cpu"],
            small["cpu"],
            "ms",
            goal="≤ 1.2×",
            met=lambda f: f.ours <= 1.2 * (f.floor or 0),
        ),
        Figure(
            f"start with {many:,} sheets in the store (floor: {few:,})",
            large["started_in"],
            small["started_in"],
            "s",
            goal="≤ 2 s",
            met=lambda f: f.ours <= 2.0,
        ),
        Figure(
            f"memory with {many:,} sheets (floor: {few:,})",
            large["resident_mb"],
            small["resident_mb"],
            "MB",
            goal="≤ 150 MB",
            met=lambda f: f.ours <= 150,
        ),
    ]
