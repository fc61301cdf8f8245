"""The examples of docs/judging-data.md are read as the page says, and its tables are complete."""

import json
from pathlib import Path

from palaver.formats.chateval_lines import read_rater_counts
from palaver.formats.judged import KEYS, read_judged
from palaver.formats.line_problems import LineProblems
from palaver.studies.file.questions import built_in_question
from palaver.studies.intake.judged_files import JudgedFile
from palaver.studies.intake.trainings import check_training, read_training_file

from .reading import FENCE, page, rows, section

PAGE = page("judging-data.md")
EXAMPLES = [found[1] for found in FENCE.findall(PAGE) if found[0] == "json"]
LINES = [text for text in EXAMPLES if not isinstance(json.loads(text).get("g1"), int)]


def test_every_line_is_read() -> None:
    line_problems = LineProblems("page")
    sheets = [line.sheet for line in read_judged([t.encode() for t in LINES], line_problems)]

    assert line_problems.problems == []
    assert [sheet.id for sheet in sheets] == ["d1", "p1", "s1", "m1", "g1/d5", "gold1"]


def test_the_counts_are_read() -> None:
    [text] = [text for text in EXAMPLES if text not in LINES]

    assert read_rater_counts(text.encode(), LineProblems("page")) == {"g1": 2, "g2": 0}


def test_every_key_is_described() -> None:
    # The keys of other formats are described where those are.
    others = {"messages", "events", "seats", "data"}

    assert set(rows(section(PAGE, "Dialogues"))) == set(KEYS) - others


def test_the_gold_line_and_the_training_set_fit_their_question(tmp_path: Path) -> None:
    question = built_in_question("empathy")
    assert question is not None
    gold, training = tmp_path / "gold.jsonl", tmp_path / "training.yaml"
    gold.write_text(LINES[-1])
    training.write_text(next(text for kind, text in FENCE.findall(PAGE) if kind == "yaml"))
    line_problems = LineProblems("page")

    file = JudgedFile(path=gold, stage=0, purpose="gold", questions={"empathy": question})
    found = read_training_file(training, line_problems)

    assert [sheet.name for sheet in file.sheets()] == ["gold1"]
    assert found is not None
    check_training(found, question, line_problems)
    assert line_problems.problems == []
