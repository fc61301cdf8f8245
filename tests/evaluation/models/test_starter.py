"""A starter runs as it is, for every built-in task and for one of one's own."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.core.tasks import (
    ContextStringSelection,
    Image,
    MetricChoice,
    Multiclass,
    Multilabel,
    Prob,
    String,
    Task,
    Turns,
)
from palaver.evaluation.models.decisions import check_name
from palaver.evaluation.models.files import read_description
from palaver.evaluation.models.probes import make_probes
from palaver.evaluation.models.starter import write_starter
from palaver.evaluation.models.trial import try_model
from palaver.evaluation.tasks import builtin_names, builtin_task
from palaver.systems.build import build_predictor

OWN = Task(
    name="own",
    title='Everything "at once" with a \\ in its title',
    context=(Turns(name="so_far"), Image(name="picture"), String(name="passage")),
    inputs=(String(name="remark"), Multiclass(name="side", labels=("left", "it's", "right"))),
    outputs=(
        Multilabel(name="kinds", labels=("a", "b")),
        ContextStringSelection(name="quote", reference="passage"),
        Prob(name="sure"),
        Prob(name="masses", labels=tuple(f"a rather long label {n}" for n in range(12))),
        Turns(name="next"),
        Image(name="drawing"),
        Multiclass(name="verdict", labels=("it's", "isn't")),
    ),
    gold={"kinds": "kinds"},
    metrics=(MetricChoice(metric="accuracy", fields=("kinds",)),),
)


@pytest.mark.parametrize("task", [*map(builtin_task, builtin_names()), OWN], ids=lambda t: t.name)
def test_a_starter_passes_every_probe_of_its_task(task: Task, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    write_starter("mine", task, folder)

    described = read_description(folder)
    predictor = build_predictor(described.kind, described.options, folder=described.folder)
    trial = asyncio.run(try_model(predictor, task, make_probes(task)))

    assert described.task == task.name
    assert trial.violations == ()
    assert trial.notes == ()
    assert len(trial.tried) >= 3


def test_a_starter_is_plain_python_that_needs_nothing_else(tmp_path: Path) -> None:
    write_starter("mine", builtin_task("qa"), tmp_path / "mine")
    asked = (
        "import json, handler; h = handler.Handler(); h.initialize(); "
        "print(json.dumps(h.answer({'uid': '1', 'context': 'Lisbon is wet.', 'question': 'Who?'})))"
    )

    done = subprocess.run(
        [sys.executable, "-S", "-c", asked],
        cwd=tmp_path / "mine",
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(done.stdout) == {"answer": "Lisbon is wet.", "conf": 0.5}


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "handler.py").write_text("mine", encoding="utf-8")

    with pytest.raises(InputError, match=r"handler\.py would be overwritten"):
        write_starter("mine", builtin_task("nli"), tmp_path)

    assert (tmp_path / "handler.py").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "model.yaml").exists()


@pytest.mark.parametrize("name", ["Mine", "my_model", "", "a" * 63, "grün", "a b", "../x"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(InputError, match="lower-case letters, digits and '-'"):
        check_name(name)


def test_a_name_as_it_should_be() -> None:
    assert check_name("deberta-v3-large") == "deberta-v3-large"
