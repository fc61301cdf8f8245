"""A challenge with many teams: handing in a file, the board of a track, and the final tables."""

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.statistics_measuring import extrapolated, memory, side, timed
from benchmarks.table import Figure
from palaver.core.audit import COMMAND
from palaver.core.evaluation.challenge_entries import ChallengeTeam
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.evaluation.challenges.board_rows import live_rows
from palaver.evaluation.challenges.entries import submit_file
from palaver.evaluation.challenges.standings import track_board
from palaver.evaluation.challenges.stored import add_challenge, find_challenge
from palaver.evaluation.challenges.teams import add_team, find_team
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.evaluation.tasks import ensure_task, stored_task

HERE = __name__
TASK = "dialogue-quality"
POINTS = ("2", "1", "0", "-1", "-2")
ANNOTATORS = 19
# How many different files there are.
FILES = 20
# When the many entries of the practice phase are handed in, and when one final run of each team.
PRACTICE = 1_780_000_000.0
FINAL = 1_790_000_000.0
MOST_MEMORY = 3000.0

FILE = """\
name: bench
title: A challenge
tracks:
  quality: {title: Quality, task: dialogue-quality, data: {practice: test, final: test}}
phases:
  practice:
    title: Practice
    opens: 2026-01-01T00:00:00Z
    closes: 2026-08-31T23:59:59Z
    submissions: 1000
    scores: everybody
  final:
    title: Final
    opens: 2026-09-01T00:00:00Z
    closes: 2027-12-31T23:59:59Z
    final: true
    scores: everybody
registration: {approval: false}
runs: 50
final_runs: 1
"""


def run(*, teams: int, runs: int, dialogues: int, trials: int) -> tuple[list[Figure], Any]:
    """Seconds of an entry, of a board and of the final tables, each beside a floor of the same run."""
    size = {"teams": teams, "runs": runs, "dialogues": dialogues}
    found = side(f"{HERE}:ours", **size, trials=trials)
    plain = side(f"{HERE}:plain", teams=teams, dialogues=dialogues, trials=trials)
    what = f"{teams} teams × {runs} entries × {dialogues:,} dialogues"

    def figure(name: str, most: float) -> Figure:
        return Figure(
            name=_NAMES[name].format(what=what, teams=teams, trials=trials),
            ours=found[name]["seconds"],
            floor=plain[_FLOORS[name]]["seconds"] if name in _FLOORS else None,
            unit="s",
            goal=f"≤ {most:g} s",
            met=lambda f: f.ours <= most,
        )

    return [
        figure("entry", 1.0),
        figure("board", 0.2),
        figure("next_board", 0.2),
        figure("same_board", 0.2),
        figure("tables", 60.0),
        Figure("on disk: objects", found["objects_mb"], None, "MB"),
        Figure("on disk: database", found["database_mb"], None, "MB"),
        memory("peak memory", found, most=MOST_MEMORY),
    ], {"ours": found, "plain": plain}


_NAMES = {
    "entry": "{what}: a file checked and scored, 8 measures (floor: json.loads)",
    "board": "the board, first time (floor: its rows as JSON)",
    "next_board": "the board after another entry",
    "same_board": "the board again",
    "tables": "final tables, {teams} runs, B = {trials:,} (floor: a plain loop, extrapolated)",
}
_FLOORS = {"entry": "json", "board": "rows", "next_board": "rows", "tables": "tables"}


def ours(*, teams: int, runs: int, dialogues: int, trials: int) -> dict[str, Any]:
    """What handing in, looking and comparing take, through the services."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with open_evaluation(folder / "home", f"sqlite:///{folder / 'palaver.db'}") as home:
            row = furnish(home, folder, dialogues=dialogues)
            files = list(predictions(folder, dialogues=dialogues))
            known = [_team(home, row, f"T{n:03}") for n in range(teams)]
            last = teams * runs - 1
            # No team hands in the same file twice: that would be the same entry.
            chosen = [(known[n % teams], files[(n + n // teams) % FILES]) for n in range(last + 1)]
            spent = [_hand_in(home, row, *chosen[n], PRACTICE + n) for n in range(last)]
            board = timed(lambda: _board(home, row))
            spent.append(_hand_in(home, row, *chosen[last], PRACTICE + last))
            found: dict[str, Any] = {
                "entry": {"seconds": float(np.median(spent)), "most": max(spent)},
                "board": board,
                "next_board": timed(lambda: _board(home, row)),
                "same_board": timed(lambda: _board(home, row), rounds=3),
            }
            assert len(_board(home, row).rows) == teams * runs, "every entry has a row"
            found["objects_mb"] = _size(folder / "home")
            found["database_mb"] = sum(_size(each) for each in folder.glob("palaver.db*"))
            for n, team in enumerate(known):
                _hand_in(home, row, team, files[n % len(files)], FINAL + n)
            found["tables"] = timed(
                lambda: track_board(home, row, "quality", "final", trials=trials)
            )
            return found


def plain(*, teams: int, dialogues: int, trials: int) -> dict[str, Any]:
    """The floors: decoding a file, encoding rows, and a plain loop of a few trials."""
    rng = np.random.default_rng(1)
    content = json.dumps([_answer(rng, n) for n in range(dialogues)])
    row = {f"measure-{n}": {"value": 0.1, "low": 0.1, "high": 0.1, "rank": n} for n in range(8)}
    matrix = rng.random((dialogues, teams))
    few = min(trials, 10)

    def loop() -> None:
        for _ in range(few):
            means = rng.permuted(matrix, axis=1).mean(axis=0)
            means.max() - means.min()

    return {
        "json": timed(lambda: json.loads(content), rounds=3),
        "rows": timed(lambda: json.dumps([row] * teams * 10), rounds=3),
        "tables": extrapolated(timed(loop), done=few, wanted=trials * 8),
    }


def furnish(home: EvaluationHome, folder: Path, *, dialogues: int) -> StoredChallenge:
    """A challenge on dialogues with the counts of 19 annotators."""
    rng = np.random.default_rng(0)
    row = home.store.write_now(lambda c: ensure_task(c, TASK, now=PRACTICE))
    data = folder / "test.jsonl"
    with data.open("w", encoding="utf-8") as target:
        for n in range(dialogues):
            target.write(json.dumps(_dialogue(rng, n)) + "\n")
    add_dataset(
        home, row, stored_task(row), name="test", source=str(data), access="hidden", now=PRACTICE
    )
    file = folder / "challenge.yaml"
    file.write_text(FILE, encoding="utf-8")
    add_challenge(home, file, by=COMMAND, now=PRACTICE)
    return home.store.read_now(lambda c: find_challenge(c, "bench"))


def predictions(folder: Path, *, dialogues: int) -> Iterator[Path]:
    """Official files, each of a model of its own."""
    for number in range(FILES):
        rng = np.random.default_rng(100 + number)
        path = folder / f"run{number}.json"
        content = json.dumps([_answer(rng, n) for n in range(dialogues)])
        path.write_text(content, encoding="utf-8")
        yield path


def _dialogue(rng: np.random.Generator, number: int) -> dict[str, Any]:
    turns = [
        {"speaker": ("customer", "helpdesk")[turn % 2], "text": f"What is said in turn {turn}."}
        for turn in range(int(rng.integers(2, 8)))
    ]
    counts = {
        scale: dict(zip(POINTS, rng.multinomial(ANNOTATORS, [0.2] * 5).tolist(), strict=True))
        for scale in "ASE"
    }
    return {"uid": f"d{number}", "turns": turns, **counts}


def _answer(rng: np.random.Generator, number: int) -> dict[str, Any]:
    shares = rng.dirichlet([1.0] * 5, size=3)
    quality = {
        scale: dict(zip(POINTS, masses.tolist(), strict=True))
        for scale, masses in zip("ASE", shares, strict=True)
    }
    return {"id": f"d{number}", "quality": quality}


def _team(home: EvaluationHome, row: StoredChallenge, name: str) -> ChallengeTeam:
    def join(connection: Any) -> ChallengeTeam:
        made = add_team(connection, row, team=name, by=COMMAND, now=PRACTICE)
        return find_team(connection, row, made.id)

    return home.store.write_now(join)


def _hand_in(
    home: EvaluationHome, row: StoredChallenge, team: ChallengeTeam, file: Path, now: float
) -> float:
    began, clock = time.process_time(), time.perf_counter()
    submit_file(home, row, team, track="quality", content=file, name=file.name, now=now)
    return min(time.process_time() - began, time.perf_counter() - clock)


def _board(home: EvaluationHome, row: StoredChallenge) -> Any:
    return live_rows(home, row, "quality", "practice", now=FINAL)


def _size(path: Path) -> float:
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(each.stat().st_size for each in files) / 1e6
