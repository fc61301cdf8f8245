"""`kind: checkpoint` on a task: batches, failures, and how the folder travels into a home."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.core.errors import InputError, MissingExtraError, SystemFailureError
from palaver.core.protocols import Reply
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.evaluation.models.files import read_description
from palaver.evaluation.models.predictors import build_model
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.models.connectors import loading
from palaver.storage.evaluation.models import find_model_version
from palaver.studies.advice.models_file import read_models_file
from palaver.systems.build import build_predictor
from support.databases import new_sqlite
from support.trained import write_parrot

NOW = 1_700_000_000.0


def predictor(folder: Path, **options: Any) -> Any:
    given = {"checkpoint": "bird", "device": "cpu", "retries": 0}
    return build_predictor("checkpoint", {**given, **options}, folder=folder)


def questions(number: int, **odd: str) -> list[dict[str, Any]]:
    """Questions of nli; `odd` gives one of them another hypothesis."""
    asked = [
        {"uid": f"q{n}", "context": "It rains.", "hypothesis": "It is wet."} for n in range(number)
    ]
    return [{**each, "hypothesis": odd.get(each["uid"], each["hypothesis"])} for each in asked]


async def answers(model: Any, asked: list[dict[str, Any]]) -> list[Reply]:
    await model.start()
    try:
        return list(await model.predict(asked))
    finally:
        await model.close()


def test_a_batch_is_answered_in_its_order_whatever_order_the_model_keeps(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird")
    model = predictor(tmp_path)
    assert (model.batch, model.concurrency, model.is_service) == (64, 1, False)

    found = asyncio.run(answers(model, questions(5)))

    assert [reply.record["id"] for reply in found] == [f"q{n}" for n in range(5)]
    assert {reply.record["label"] for reply in found} == {"contradictory"}
    assert model.memory() is None


def test_a_question_that_breaks_it_costs_no_other_its_answer(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird")

    with pytest.raises(SystemFailureError, match="Question 'q2': The model failed: KeyError") as it:
        asyncio.run(answers(predictor(tmp_path), questions(4, q2="break")))

    assert sorted(it.value.answered) == [0, 1, 3]  # type: ignore[attr-defined]


def test_broken_weights_are_told_at_the_start(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird")
    (tmp_path / "bird" / "weights.safetensors").write_bytes(b"not weights")

    with pytest.raises(SystemFailureError, match=r"did not start: .*not a whole safetensors file"):
        asyncio.run(answers(predictor(tmp_path), questions(1)))


def test_a_pickle_is_refused_before_anything_starts(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird")
    (tmp_path / "bird" / "weights.safetensors").write_bytes(b"\x80\x04N.")

    with pytest.raises(InputError, match="can run code when it is loaded"):
        predictor(tmp_path)


def test_it_is_ready_once_it_is_loaded_and_loads_again(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird")
    model = predictor(tmp_path)
    states = []

    async def live() -> None:
        for step in (model.start, model.close, lambda: model.predict(questions(1)), model.close):
            await step()
            states.append(model.respondent.ready)

    asyncio.run(live())
    assert states == [True, False, True, False]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"checkpoint": "brid"}, "There is no checkpoint folder"),
        ({"checkpoint": "talker"}, "kind 'deal-parrot', which does not fit here"),
        ({"checkpoint": "pickled"}, "can run code when it is loaded"),
        ({"batch": 0}, "Option 'batch'"),
        ({"rollouts": 3}, "No option 'rollouts'"),
    ],
)
def test_what_cannot_be_used_is_said_when_it_is_built(
    tmp_path: Path, options: dict[str, Any], told: str
) -> None:
    write_parrot(tmp_path / "bird")
    write_parrot(tmp_path / "talker", model="deal-parrot")
    (write_parrot(tmp_path / "pickled") / "optimizer.pkl").touch()

    with pytest.raises(InputError, match=f"Model of kind 'checkpoint': .*{told}"):
        predictor(tmp_path, **options)


def test_without_the_extra_one_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_parrot(tmp_path / "bird")
    monkeypatch.setattr(loading, "_PACKAGES", ("no_such_package",))

    with pytest.raises(MissingExtraError, match="A model of kind 'checkpoint' needs the extra 'to"):
        predictor(tmp_path)


# In a home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[EvaluationHome]:
    with open_evaluation(tmp_path / "home", new_sqlite(tmp_path / "palaver.db")) as opened:
        yield opened


def add(home: EvaluationHome, folder: Path | None, checkpoint: str) -> Any:
    row = home.store.write_now(lambda c: ensure_task(c, "nli", now=NOW))
    options = {"checkpoint": checkpoint, "device": "cpu"}
    return add_model(
        home,
        row,
        stored_task(row),
        name="polly",
        kind="checkpoint",
        options=options,
        folder=folder,
        now=NOW,
    )


def test_the_folder_travels_and_what_was_added_cannot_change(
    home: EvaluationHome, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("No part of the model.")
    write_parrot(tmp_path / "mine" / "bird")
    added = add(home, tmp_path / "mine", "bird")
    shutil.rmtree(tmp_path / "mine")

    version = home.store.read_now(lambda c: find_model_version(c, added.version_id))
    model = build_model(home, version)
    [reply] = asyncio.run(answers(model, questions(1)))

    assert reply.record == {"id": "q0", "label": "contradictory"}
    assert version.options == {"checkpoint": ".", "device": "cpu"}
    kept = home.folder / "unpacked" / version.folder
    assert sorted(path.name for path in kept.iterdir()) == [
        "settings.json",
        "vocabulary.json",
        "weights.safetensors",
    ]


def test_the_same_weights_elsewhere_are_the_same_version(
    home: EvaluationHome, tmp_path: Path
) -> None:
    write_parrot(tmp_path / "a" / "bird")
    write_parrot(tmp_path / "b" / "other")
    first = add(home, tmp_path / "a", "bird")
    again = add(home, None, str(tmp_path / "b" / "other"))
    write_parrot(tmp_path / "b" / "other", volume=2)
    newer = add(home, tmp_path / "b", "other")

    assert [(each.version, each.is_new) for each in (first, again, newer)] == [
        (1, True),
        (1, False),
        (2, True),
    ]


def test_a_description_or_an_option_names_it(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird")
    (tmp_path / "model.yaml").write_text("kind: checkpoint\ncheckpoint: bird\ntask: nli\n")
    assert read_description(tmp_path).files == tmp_path

    option = ["--kind", "checkpoint", "--option", f"checkpoint={tmp_path / 'bird'}"]
    for given in ([str(tmp_path)], [*option, "--task", "nli"]):
        done = CliRunner().invoke(palaver, ["model", "test", *given])
        assert "checkpoint model on the task nli" in done.output
        assert "Everything is fine." in done.output

    where = ["--home", str(tmp_path / "home")]
    done = CliRunner().invoke(palaver, ["model", "add", "nli", "polly", *option, *where])
    assert done.exit_code == 0, done.output
    assert "Added polly, version 1 (checkpoint) to nli." in done.output
    assert "models/nli/polly/" in done.output


def test_models_of_a_round_of_advice_are_named_beside_their_file(tmp_path: Path) -> None:
    write_parrot(tmp_path / "bird")
    (tmp_path / "models.yaml").write_text(
        "models:\n  polly: {kind: checkpoint, checkpoint: bird}\n"
    )

    entry = read_models_file(tmp_path)["polly"]

    assert entry.options["checkpoint"] == str((tmp_path / "bird").resolve())
