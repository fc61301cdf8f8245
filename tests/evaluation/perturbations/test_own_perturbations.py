"""A perturbation of one's own is one function."""

import random
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.evaluation.perturbations import (
    Layout,
    chosen_perturbations,
    find_perturbation,
    layout_of,
    make_variants,
)
from palaver.evaluation.perturbations.registry import as_perturbation
from palaver.evaluation.tasks import builtin_task

TEXT = Layout(texts=("t",))


def shout(text: str, draws: random.Random) -> str:
    """Ends with exclamation marks."""
    return text + "!" * draws.randint(1, 3)


def test_a_function_in_a_file_is_found_and_used(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def shout(text, random):\n    '''Shouts.'''\n    return text.upper()\n"
    )
    found = find_perturbation("mine:shout", folder=tmp_path)
    made = make_variants([{"uid": "1", "t": "hey"}], TEXT, [found], seed=1)

    assert (found.name, found.kind, found.about) == ("shout", "robustness", "Shouts.")
    assert made.records == [{"uid": "1_shout", "input_id": "1", "t": "HEY"}]


def test_it_never_sees_what_is_protected() -> None:
    seen = []

    def look(text: str, draws: random.Random) -> str:
        """Looks."""
        seen.append(text)
        return text.upper()

    qa = layout_of(builtin_task("qa"))
    record = {"uid": "1", "context": "born in Ulm in 1879", "question": "where", "answer": "Ulm"}
    made = make_variants([record], qa, [as_perturbation(look, "look")], seed=1)

    assert seen == ["born in ", " in 1879", "where"]
    assert made.records[0]["context"] == "BORN IN Ulm IN 1879"


def test_its_draws_belong_to_the_variant() -> None:
    records = [{"uid": str(n), "t": "hey"} for n in range(10)]
    own = as_perturbation(shout, "shout")
    made = make_variants(records, TEXT, [own], seed=1).records

    assert len({variant["t"] for variant in made}) > 1
    assert make_variants(records[::-1], TEXT, [own], seed=1).records == made[::-1]


def _fails(text: str, draws: Any) -> str:
    raise ZeroDivisionError(text)


def _gives_none(text: str, draws: Any) -> None:
    return None


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (_fails, "'f' failed: ZeroDivisionError: hey"),
        (_gives_none, "'f' failed: it returned None; expected a text"),
    ],
)
def test_a_problem_in_it_is_named(function: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        make_variants([{"uid": "1", "t": "hey"}], TEXT, [as_perturbation(function, "f")], seed=1)


def test_what_is_no_perturbation_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def one(text):\n    return text\n\nn = 3\n")

    with pytest.raises(InputError, match="it takes 1 parameters"):
        find_perturbation("mine:one", folder=tmp_path)
    with pytest.raises(InputError, match="'n' is int"):
        find_perturbation("mine:n", folder=tmp_path)
    with pytest.raises(InputError, match=r"no function 'on'\. Near: 'one'"):
        find_perturbation("mine:on", folder=tmp_path)
    with pytest.raises(UnknownNameError, match="Near: 'typos'"):
        find_perturbation("typo")


def test_a_name_of_another_kind_is_refused() -> None:
    with pytest.raises(InputError, match="'typos' is of kind robustness, not fairness"):
        chosen_perturbations("fairness", ["typos"])
    assert [name for name, _ in chosen_perturbations("fairness")] == [
        "ethnic_names",
        "gendered_words",
    ]
