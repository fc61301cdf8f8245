"""`palaver advice run`: what it says, and that a round that was killed goes on."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palaver.cli.evaluation.advice_command import command
from palaver.cli.main import main
from palaver.evaluation.home import open_evaluation
from palaver.studies.advice.judgements import read_judgements
from palaver.studies.advice.kept_rounds import round_results
from palaver.studies.advice.round import advice_round
from palaver.studies.file.reader import load_study
from support.advice import situation, write_round, write_situations

MODELS = """
models:
  nearest: {kind: advice_retrieval, file: training.jsonl, method: tfidf}
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command runs in an empty folder, with no home set."""
    monkeypatch.chdir(tmp_path)
    for name in ("PALAVER_DATABASE_URL", "PALAVER_HOME"):
        monkeypatch.delenv(name, raising=False)


def advice(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)


def written(folder: Path) -> Path:
    """A round of two situations, with a retrieval model that is to be asked."""
    write_round(folder, 2, models=())
    write_situations(folder / "training.jsonl", [situation(n) for n in range(10, 14)])
    (folder / "models.yaml").write_text(MODELS, encoding="utf-8")
    return folder


def judged(folder: Path) -> tuple[list[tuple[str, str, bool]], str]:
    """Who was preferred where, and what the results say."""
    found = advice_round(load_study(folder))
    with open_evaluation(folder, f"sqlite:///{folder / 'palaver.db'}") as home:
        said = home.store.read_now(lambda c: read_judgements(c, found, 1))
        answer = round_results(home, "round").answer
    return sorted((each.situation, each.model, each.prefers_model) for each in said), answer


def test_each_step_is_said_in_a_line(tmp_path: Path) -> None:
    folder = written(tmp_path / "round")
    first = advice("run", str(folder), "--until", "asked").output
    assert "done  Situations  2 with advice of people (Legal 1, Relationship 1)" in first
    assert "done  Models      1 model advised on everything" in first
    opened = advice("run", str(folder)).output
    assert "now   Rating      0 of 12 judgements on 4 pairs\n" in opened
    assert f"palaver link {folder} -n 20" in opened
    assert "next  Report      once every pair has its raters" in opened
    rated = advice("run", str(folder), "--simulate", "--until", "open").output
    assert "done  Rating      12 of 12 judgements on 4 pairs, by simulated raters" in rated


def test_the_template_is_listed_and_says_what_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (["init", "--list"], ["init", "--template", "advice", "round"]):
        monkeypatch.setattr(sys, "argv", ["palaver", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
    said = capsys.readouterr().out
    assert "advice models advise people in real situations" in " ".join(said.split())
    assert "palaver advice run round" in said


@pytest.mark.long
@pytest.mark.parametrize("at", ["now   Asking", "now   Rating"])
def test_a_round_that_is_killed_ends_like_any_other(tmp_path: Path, at: str) -> None:
    folder, other = written(tmp_path / "killed" / "round"), written(tmp_path / "whole" / "round")
    process = subprocess.Popen(
        [sys.executable, "-m", "palaver", "advice", "run", str(folder), "--simulate"],
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process, process.stdout:
        next(line for line in process.stdout if line.startswith(at))
        os.kill(process.pid, signal.SIGKILL)
    for each in (folder, other):
        assert advice("run", str(each), "--simulate").exit_code == 0
    assert judged(folder) == judged(other)
    assert "now" not in advice("run", str(folder)).output
