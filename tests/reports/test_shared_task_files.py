"""The files of a shared task: matrices, tables in CSV and LaTeX, and the board as a page."""

import csv
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.core.serial import plain
from palaver.evaluation.dialeval.shared_task import SharedTask, score_shared_task
from palaver.reports.shared_task import write_shared_task
from support.dialeval import dialogue, gold, prediction, write

TRUTH = [
    dialogue(f"d{n}", "ch", ("CNUG0 HNUG", n % 3, 1, 0), ("CNUG HNUG*", -n % 3, 0, 1))
    for n in range(12)
]
GOLD = gold(TRUTH)


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> SharedTask:
    folder = tmp_path_factory.mktemp("task")
    for name, tilt in (("A_1&<b>/run0", 0.2), ("A_1&<b>/run1", 3.0), ("B/run0", 30.0)):
        entries = [prediction(each, tilt * (1 + n % 2)) for n, each in enumerate(TRUTH)]
        write(folder / name / "sub_en.json", entries)
    write(folder / "C/run0/sub_en.json", [{"id": "d0", "nugget": [{"<script>": 1}, {}]}])
    (folder / "teams.yaml").write_text(
        "- {team: B, affiliation: '<i>Lab</i> & co', subtasks: nd,\n"
        "   link: 'https://example.org/?a=1&b=2'}\n"
    )
    return score_shared_task(folder, GOLD, baselines=["popularity"], trials=200)


@pytest.fixture(scope="module")
def out(task: SharedTask, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("out") / "board"
    assert write_shared_task(task, folder) == folder / "index.html"
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_table_is_there_as_csv_and_latex(out: Path) -> None:
    for board, measures in (
        ("nugget-english", ["jsd", "rnss"]),
        ("quality-english", [f"{m}-{s}" for m in ("rsnod", "nmd") for s in "ASE"]),
    ):
        names = ["results", "ranks", "taus", "tied-sets"]
        names += [f"{kind}/{m}" for kind in ("p-values", "effect-sizes") for m in measures]
        for name in names:
            assert rows(out / board / f"{name}.csv"), name
            text = (out / board / f"{name}.tex").read_text(encoding="utf-8")
            assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") >= 1
        for measure in measures:
            assert len(rows(out / board / "dialogue-by-run" / f"{measure}.csv")) == 12


def test_matrices_keep_every_digit(out: Path, task: SharedTask) -> None:
    board = task.boards[0]
    found = rows(out / "nugget-english/dialogue-by-run/jsd.csv")
    assert list(found[0]) == ["dialogue_id", *board.runs]
    for n, row in enumerate(found):
        assert row["dialogue_id"] == f"d{n}"
        assert [float(row[run]) for run in board.runs] == board.measures[0].matrix[n].tolist()


def test_pairs_are_what_the_test_said(out: Path, task: SharedTask) -> None:
    measured = task.boards[0].measures[0]
    assert measured.tukey is not None
    p = {row["run"]: row for row in rows(out / "nugget-english/p-values/jsd.csv")}
    effect = {row["run"]: row for row in rows(out / "nugget-english/effect-sizes/jsd.csv")}
    for pair in measured.tukey.pairs:
        assert float(p[pair.a][pair.b]) == float(p[pair.b][pair.a]) == pair.p
        assert float(effect[pair.a][pair.b]) == -float(effect[pair.b][pair.a]) == pair.effect
        assert p[pair.a][pair.a] == ""


def test_results_and_ranks(out: Path, task: SharedTask) -> None:
    results = rows(out / "nugget-english/results.csv")
    assert [row["run"] for row in results] == [r.run for r in task.boards[0].measures[0].results]
    for row in results:
        assert float(row["JSD low"]) <= float(row["JSD"]) <= float(row["JSD high"])
        assert row["dialogues"] == "12"
    assert [row["run"] for row in results if row["oracle"] == "true"] == ["baseline-popularity"]
    ranks = rows(out / "quality-english/ranks.csv")
    assert [float(row["mean rank"]) for row in ranks] == sorted(
        float(r["mean rank"]) for r in ranks
    )


def test_latex_is_escaped(out: Path) -> None:
    text = (out / "nugget-english/results.tex").read_text(encoding="utf-8")
    assert r"A\_1\&\textless{}b\textgreater{}-run0" in text
    assert "A_1" not in text


class _Page(HTMLParser):
    """Which tags there are, and what they point at."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.links += [value for name in ("href", "src") if (value := found.get(name))]
        self.ids += [value for name in ("id",) if (value := found.get(name))]


def test_the_page_needs_nothing_but_itself(out: Path) -> None:
    text = (out / "index.html").read_text(encoding="utf-8")
    page = _Page()
    page.feed(text)
    assert not {"script", "link", "img", "iframe", "i"} & set(page.tags)
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)
    for link in page.links:
        if link.startswith("#"):
            assert link[1:] in page.ids, link
        elif not link.startswith("https://example.org"):
            assert (out / link).is_file(), link
    assert len(page.ids) == len(set(page.ids))


def test_the_page_shows_teams_faults_and_oracles(out: Path) -> None:
    text = (out / "index.html").read_text(encoding="utf-8")
    assert "&lt;i&gt;Lab&lt;/i&gt; &amp; co" in text
    assert 'href="https://example.org/?a=1&amp;b=2"' in text
    assert "C/run0/sub_en.json" in text
    assert "&lt;script&gt;" in text
    assert 'baseline-popularity</bdi> <span class="tag">oracle' in text
    assert "prefers-color-scheme: dark" in text


def test_all_numbers_are_in_the_manifest(out: Path, task: SharedTask) -> None:
    found: dict[str, Any] = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert found == json.loads(json.dumps(plain(task)))


def test_a_folder_in_use_is_left_alone(task: SharedTask, tmp_path: Path) -> None:
    task = replace(task, boards=())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.tex").write_text("…")
    for overwrite in (False, True):
        with pytest.raises(InputError, match="is not empty"):
            write_shared_task(task, tmp_path / "mine", overwrite=overwrite)
    write_shared_task(task, tmp_path / "out")
    with pytest.raises(InputError, match="--overwrite"):
        write_shared_task(task, tmp_path / "out")
    write_shared_task(task, tmp_path / "out", overwrite=True)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
