"""From a kind and options to a predictor, and the problems on the way."""

import asyncio
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.systems.build import build_predictor, predictor_kinds, predictor_options
from palaver.systems.registry import PREDICTORS
from support.trained import parrots, write_parrot

LEAST: dict[str, dict[str, Any]] = {
    "torchserve": {"url": "http://127.0.0.1:1", "model": "m"},
    "dynabench": {"url": "http://127.0.0.1:1"},
    "askbatch": {"url": "http://127.0.0.1:1"},
    "advice_retrieval": {"file": "situations.jsonl"},
    "openai": {"base_url": "http://127.0.0.1:1", "model": "m", "prompt": "{{x}}", "output": "y"},
    "local_lm": {"prompt": "{{x}}", "output": "y", "file": "small.gguf"},
    "http": {"url": "http://127.0.0.1:1"},
    "handler": {"handler": "model:Model"},
    "command": {"run": ["python"]},
    "overlap": {},
    "checkpoint": {"checkpoint": "bird"},
}


def problem(kind: str, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        build_predictor(kind, options, folder=Path())
    return str(caught.value)


def test_every_kind_is_known_and_built() -> None:
    assert predictor_kinds() == sorted(LEAST)


@pytest.mark.parametrize("kind", sorted(LEAST))
def test_every_kind_keeps_the_contract(kind: str, tmp_path: Path) -> None:
    if kind == "local_lm" and find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed")
    (tmp_path / "model.py").write_text("class Model:\n    def answer(self, q): return {}\n")
    (tmp_path / "small.gguf").touch()
    write_parrot(tmp_path / "bird")
    options = {**LEAST[kind], "kind": kind, "timeout": 2, "retries": 0, "backoff": 0}

    with parrots():
        predictor = build_predictor(kind, {**options, "concurrency": 3}, folder=tmp_path)

    assert predictor.concurrency == 3
    assert predictor.batch >= 1
    assert predictor.memory() is None
    assert all(predictor_options(kind).values())  # every option is described
    asyncio.run(_closed_twice(predictor))


async def _closed_twice(predictor: Any) -> None:
    await predictor.close()
    await predictor.close()


def test_problems_name_the_option() -> None:
    assert "The option 'url' is missing: address of the server" in problem("dynabench")
    assert "No option 'modle'. Near: 'model'" in problem("torchserve", url="http://h", modle="m")
    assert "Option 'url': expected an address like http://127.0.0.1:8080; got 'h:80'" in problem(
        "http", url="h:80"
    )
    assert "Option 'batch': Input should be greater than or equal to 1; got 0" in problem(
        "http", url="http://h", batch=0
    )
    assert "'batch' above 1 needs 'joined: true'" in problem("torchserve", url="http://h", batch=4)
    assert "either 'output'" in problem("openai", base_url="http://h", model="m", prompt="x")
    assert "flat object" in problem("http", url="http://h", method="GET")
    assert "has a line break" in problem("http", url="http://h", headers={"X": "a\nb"})


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(
        UnknownNameError, match=r"No kind of model 'torchserv'\. Near: 'torchserve'"
    ):
        build_predictor("torchserv", {}, folder=Path())


def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)

    told = problem("http", url="http://h", headers={"X-Key": "${NO_SUCH_KEY}"})

    assert "Option 'headers.X-Key' names the environment variable NO_SUCH_KEY" in told


def test_another_package_may_bring_a_kind(tmp_path: Path) -> None:
    PREDICTORS.register("mine", PREDICTORS.get("command"))
    try:
        assert build_predictor("mine", {"run": ["python"]}, folder=tmp_path).batch == 1
    finally:
        del PREDICTORS._loaded["mine"]
