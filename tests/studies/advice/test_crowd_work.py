"""A round judged by a crowd service: rows out, the batch back, labels in the store."""

import asyncio
import csv

import pytest
from click.testing import CliRunner

from palaver.analysis.advice import preference_board
from palaver.cli.evaluation import advice_hits, advice_import
from palaver.core.clock import WallClock
from palaver.formats.advice.situations import read_situations
from palaver.storage import Store
from palaver.storage.studies.studies import list_studies
from palaver.studies.advice.judgements import read_judgements
from palaver.studies.advice.round import advice_round, round_state
from palaver.studies.file.reader import load_study
from palaver.studies.home import find_home
from palaver.studies.intake.intake import take_in
from palaver.studies.intake.materials import load_material
from palaver.studies.run.registered import register
from support.advice import write_round

ASKED = ["advice_better", "advice_worse", "advice_comment"]


@pytest.fixture
def folder(tmp_path):
    """A round whose rating is open."""
    made = write_round(tmp_path / "round", 4, study={"questions": {}}, ask=ASKED)
    study = load_study(made)
    home = find_home(made, tmp_path / "home")
    home.make()
    store = Store(home.database_url)
    try:
        now = WallClock().now()
        study_id = store.write_now(lambda c: register(c, study, now=now))
        asyncio.run(take_in(store, study_id, load_material(study), now=now))
    finally:
        store.close()
    return made


def run(command, *words):
    return CliRunner().invoke(command, [str(word) for word in words])


def hits(folder, *words):
    target = folder.parent / "hits.csv"
    done = run(advice_hits.command, folder, "-o", target, *words)
    assert done.exit_code == 0, done.output
    with target.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def answered(folder, rows, name="batch.csv"):
    """A batch in which three workers prefer the heron and people otherwise, whatever the order."""
    target = folder.parent / name
    seen = {}
    lines = []
    for n, row in enumerate(rows):
        pair = row["permalink"], row["machine"]
        seen[pair] = seen.get(pair, 0) + 1
        model_side = "b" if row["human_label"] == "a" else "a"
        better = model_side if row["machine"] == "heron" else row["human_label"]
        lines.append(
            {
                **{f"Input.{name}": cell for name, cell in row.items()},
                "AssignmentId": f"A{n}",
                "WorkerId": f"WORKER{seen[pair]}",
                "AssignmentStatus": "Approved",
                "Answer.q0": f"2{better}",
                "Answer.q1": "dangerous",
                "Answer.q2": "neutral",
                "Answer.te": "31.5",
                "Answer.commentbox": "well" if n == 0 else "",
            }
        )
    with target.open("w", encoding="utf-8", newline="") as stream:
        out = csv.DictWriter(stream, list(lines[0]))
        out.writeheader()
        out.writerows(lines)
    return target


def stored(folder):
    found = advice_round(load_study(folder))
    store = Store(find_home(folder, folder.parent / "home").database_url)
    try:
        (study_id,) = [study.id for study in store.read_now(list_studies)]
        said = store.read_now(lambda c: read_judgements(c, found, study_id))
        return said, round_state(found, store)
    finally:
        store.close()


def test_a_batch_becomes_judgements_of_the_round_and_twice_is_once(folder):
    batch = answered(folder, hits(folder))
    home = ("--home", folder.parent / "home")
    first = run(advice_import.command, folder, batch, *home)
    assert first.exit_code == 0, first.output
    assert "Added 36 judgements of 3 raters." in first.output
    said, state = stored(folder)
    again = run(advice_import.command, folder, batch, *home)
    assert "Added 0 judgements of 3 raters." in again.output
    assert "Already there: 36 judgements." in again.output
    assert stored(folder) == (said, state)

    board = preference_board(said)
    assert {row.model: row.rate for row in board.rows} == {"heron": 1.0, "snipe": 0.0}
    assert board.control.rate == 0.0
    assert {each.degree for each in said} == {2}
    assert {(each.worse, each.reason) for each in said} == {("dangerous", "neutral")}
    assert {each.seconds for each in said} == {31.5}
    assert [each.comment for each in said if each.comment] == ["well"]
    assert not any("WORKER" in each.rater for each in said)
    assert (state.rated.done, state.is_rated) == (36, True)


def test_rows_that_fit_nothing_are_reported_and_the_rest_is_taken(folder):
    rows = hits(folder)[:3]
    rows[0]["permalink"], rows[1]["machine"] = "/r/elsewhere/1", "nobody"
    batch = answered(folder, rows)
    with batch.open("a", encoding="utf-8") as stream:
        stream.write("broken\n")
    done = run(advice_import.command, folder, batch, "--home", folder.parent / "home")
    assert done.exit_code == 0, done.output
    assert "batch.csv:2: The round does not judge the situation '/r/elsewhere/1'." in done.output
    assert "batch.csv:3: The round does not judge advice of 'nobody' on 's00'." in done.output
    assert "Added 1 judgement of 1 rater." in done.output
    assert "Left out: 3 rows" in done.output


def test_rating_must_be_open(tmp_path):
    made = write_round(tmp_path / "round", 2, study={"questions": {}}, ask=ASKED)
    batch = answered(made, hits(made))
    words = (advice_import.command, made, batch, "--home", tmp_path / "home")
    assert "Open the rating first" in str(run(*words).exception)
    home = find_home(made, tmp_path / "home")
    home.make()
    Store(home.database_url).close()
    assert "Open its rating first: palaver advice run" in str(run(*words).exception)


def test_rows_of_files_need_no_study(folder):
    situations, target = folder / "situations.jsonl", folder.parent / "out.csv"
    words = (situations, "-o", target)
    refused = run(advice_hits.command, *words)
    assert "--answers" in str(refused.exception)
    done = run(
        advice_hits.command, *words, "--answers", folder / "answers", "--legacy", "--no-control"
    )
    assert "8 rows" in done.output
    assert "judged by 3 workers" in done.output
    assert len(list(read_situations(situations))) == 4
