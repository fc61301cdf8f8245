"""docs/constructs.md lists every clause, its label and how many turns of training rest on it."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from palaver.core.questions.question import Shown
from palaver.formats.dialogue_texts import alternatives
from palaver.formats.line_problems import LineProblems
from palaver.studies import library
from palaver.studies.file.questions import built_in_question
from palaver.studies.intake.trainings import clause_names, read_training_file

from .reading import page, rows, section

PAGE = page("constructs.md")
ONBOARDING = Path(__file__).parents[1] / "studies" / "onboarding_clauses.csv"


def labels_by_clause(name: str) -> dict[str, set[str]]:
    """What the page says that each clause leads to."""
    return {
        clause: set() if cells[1] == "none" else set(cells[1].split(", "))
        for clause, cells in rows(section(PAGE, name)).items()
    }


@pytest.mark.parametrize("name", library.training_names())
def test_clauses_are_those_of_the_definition_and_their_turns_are_counted(name: str) -> None:
    question, file = built_in_question(name), library.training_file(name)
    assert question is not None
    assert file is not None
    found = read_training_file(file, LineProblems(str(file)))
    assert found is not None
    counts = Counter(clause for names in found.training.clauses.values() for clause in names)

    table = rows(section(PAGE, name))

    assert list(table) == list(clause_names(question))
    assert {clause: int(cells[2]) for clause, cells in table.items()} == dict(counts)
    assert set().union(*labels_by_clause(name).values()) == set(question.label_names)


@pytest.mark.parametrize("name", library.training_names())
def test_the_labels_of_a_training_turn_are_those_of_its_clauses(name: str) -> None:
    question, file = built_in_question(name), library.training_file(name)
    assert question is not None
    assert file is not None
    found = read_training_file(file, LineProblems(str(file)))
    assert found is not None
    leads_to = labels_by_clause(name)
    for text in found.training.rounds:
        for n, turn in enumerate(text.turns):
            if turn.answers is None:
                continue
            decided = set().union(*(leads_to[c] for c in found.training.clauses[(*text.steps, n)]))
            for answer in alternatives(turn.answers):
                value = question.read(answer, Shown(role="system"))
                assert set(question.labels(value)) == decided, turn.text


def test_the_labels_of_a_turn_of_the_platform_are_those_of_its_clauses() -> None:
    with ONBOARDING.open() as lines:
        for row in csv.DictReader(lines):
            leads_to = labels_by_clause(row["question"])
            decided = set().union(*(leads_to[clause] for clause in row["clauses"].split("; ")))
            assert "; ".join(sorted(decided)) == row["labels"], row
