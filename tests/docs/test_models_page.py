"""Every kind of model and every option is in docs/models.md, and its examples are real ones."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from palaver.evaluation.models.files import MOST_FILES, read_description
from palaver.evaluation.tasks import builtin_task
from palaver.systems.build import build_predictor
from palaver.systems.options import PredictorOptions, WebOptions
from palaver.systems.registry import PREDICTORS
from support.trained import parrots, write_parrot

from .reading import FENCE, page, rows, section

PAGE = page("models.md")
EXAMPLES = [text for kind, text in FENCE.findall(PAGE) if kind == "yaml"]


@pytest.mark.parametrize("kind", PREDICTORS.names())
def test_the_options_of_a_kind(kind: str) -> None:
    fields = PREDICTORS.get(kind).options_type.model_fields
    own = {
        field.alias or name: field
        for name, field in fields.items()
        if name not in {**WebOptions.model_fields, **PredictorOptions.model_fields}
    }
    described = rows(section(PAGE, kind))

    assert set(described) == set(own)
    for name, field in own.items():
        assert (described[name][1] == "required") == field.is_required(), name


def test_the_options_that_all_take() -> None:
    described = rows(section(PAGE, "What every kind takes"))

    assert set(described) == set(PredictorOptions.model_fields)


@pytest.mark.parametrize("kind", PREDICTORS.names())
def test_defaults_that_differ_are_told(kind: str) -> None:
    described = rows(section(PAGE, "What every kind takes"))
    for name, usual in PredictorOptions.model_fields.items():
        default = PREDICTORS.get(kind).options_type.model_fields[name].default
        if default != usual.default:
            assert f"`{kind}`" in described[name][2], name
            assert f"{default:g}" in described[name][2], name


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.split("kind: ")[1].split()[0])
def test_an_example_is_a_model(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EXAMPLE_KEY", "CLASSIFY_KEY"):
        monkeypatch.setenv(name, "a-key")
    (tmp_path / "model.yaml").write_text(text, encoding="utf-8")

    described = read_description(tmp_path)
    if described.kind == "local_lm" and find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed")

    if described.kind == "checkpoint":
        write_parrot(tmp_path / described.options["checkpoint"])

    with parrots():
        build_predictor(described.kind, described.options, folder=tmp_path)


def test_there_is_an_example_of_every_kind() -> None:
    shown = {text.split("kind: ")[1].split()[0] for text in EXAMPLES}

    assert shown == set(PREDICTORS.names())


def test_the_program_answers_as_it_should() -> None:
    program = next(text for kind, text in FENCE.findall(PAGE) if kind == "python")
    question = next(text for kind, text in FENCE.findall(PAGE) if kind == "json").splitlines()[0]

    done = subprocess.run(
        [sys.executable, "-c", program], input=question, capture_output=True, text=True, check=True
    )

    assert json.loads(done.stdout) == {"id": "7", "label": "neutral"}


def test_question_and_answer_are_those_of_the_task() -> None:
    text = next(text for kind, text in FENCE.findall(PAGE) if kind == "json")
    question, answer = map(json.loads, text.splitlines())
    task = builtin_task("nli")
    example = task.read_example({**question, "label": "entailed"})

    assert task.question(example) == question
    assert task.read_answer(answer, example, strict=True).values["label"] == "entailed"


def test_numbers_are_those_of_the_code() -> None:
    assert f"more than {MOST_FILES:,} files" in PAGE
