"""The page and the files of a round's results: escaped, without network, and read back as they are."""

from pathlib import Path

from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.core.audit import COMMAND
from palaver.formats.advice.results import read_results
from palaver.reports.advice.results import close_and_write, write_kept
from palaver.storage import Store
from support.databases import new_sqlite
from support.judged_rounds import NOW, judged_round


def test_what_a_closed_round_leaves(tmp_path: Path) -> None:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    judged = judged_round(store, tmp_path, 2)
    kept = close_and_write(judged.home, judged.study, by=COMMAND, now=NOW)
    page = write_kept(judged.home, "round", tmp_path / "out").read_text()
    store.close()

    assert "Heron &lt;b&gt;" in page
    assert "Heron <b>" not in page
    assert "TuringAdvice" in page
    assert not [part for part in ("<script", "src=", "@import") if part in page]
    paths = {each.path for each in kept.files}
    assert {
        "index.html",
        "board.json",
        "results.jsonl",
        "results.zip",
        "figures/rates.svg",
    } <= paths
    assert {"tables/board.csv", "tables/board.tex", "tables/why.csv", "tables/topics.csv"} <= paths

    lines = list(read_results(tmp_path / "out" / "results.jsonl"))
    assert [line.situation.id for line in lines] == ["s00", "s01"]
    assert lines[0].situation.best is not None
    assert lines[0].situation.best.body == "People's advice 0.3."
    assert lines[0].answers["people-2"] == "People's advice 0.2."
    assert lines[0].ratings["heron"].is_preferred
    assert not lines[0].ratings["snipe"].is_preferred


def test_results_are_shown_of_files_and_of_closed_rounds(tmp_path: Path) -> None:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    judged = judged_round(store, tmp_path, 1)
    close_and_write(judged.home, judged.study, by=COMMAND, now=NOW)
    write_kept(judged.home, "round", tmp_path / "out")
    store.close()
    shown = _run("advice", "results", str(tmp_path))
    assert "People, best advice" in shown
    assert "these results are final" in shown
    of_file = _run("advice", "results", str(tmp_path / "out" / "results.jsonl"))
    assert "control, not ranked" in of_file
    assert "9 judgements on 1 situation" in of_file


def _run(*words: str) -> str:
    done = CliRunner().invoke(palaver, words)
    assert done.exit_code == 0, done.output
    return done.output
