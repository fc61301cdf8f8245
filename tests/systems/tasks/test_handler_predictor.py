"""Python handlers in every shape, on threads and in processes of their own."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import SystemFailureError

pytestmark = pytest.mark.asyncio

SHAPES = {
    "answer": """
class Model:
    def answer(self, question):
        return {"label": question["statement"].upper()}
""",
    "answer, async": """
class Model:
    async def answer(self, question):
        return {"label": question["statement"].upper()}
""",
    "predict": """
class Model:
    def initialize(self):
        self.ready = True
    def predict(self, questions):
        assert self.ready
        return [{"id": q["uid"], "label": q["statement"].upper()} for q in reversed(questions)]
""",
    "dynalab": """
import os
class Model:
    def initialize(self, context):
        folder = context.system_properties["model_dir"]
        self.name = os.path.join(folder, context.manifest["model"]["serializedFile"])
    def preprocess(self, data):
        return data[0]["body"]["statement"]
    def inference(self, text):
        assert self.name.endswith("weights.pt")
        return text.upper()
    def postprocess(self, output, data):
        return {"id": data[0]["body"]["uid"], "label": output}
""",
    "handle as a method": """
class Model:
    def handle(self, data, context):
        return [{"label": data[0]["body"]["statement"].upper()}]
""",
    "function": """
def Model(question):
    return {"label": question["statement"].upper()}
""",
    "numbers of libraries": """
import numpy
class Model:
    def answer(self, question):
        return {"label": question["statement"].upper(), "conf": numpy.float32(0.5)}
""",
}


def write_handler(folder: Path, code: str) -> None:
    (folder / "model.py").write_text(code, encoding="utf-8")


async def labels(predictor: Any, *texts: str) -> list[tuple[str, str]]:
    questions = [{"uid": f"u{n}", "statement": text} for n, text in enumerate(texts)]
    return [
        (reply.record["id"], reply.record["label"]) for reply in await predictor.predict(questions)
    ]


async def failure(predictor: Any, *questions: dict[str, Any]) -> SystemFailureError:
    with pytest.raises(SystemFailureError) as caught:
        await predictor.predict(list(questions) or [{"uid": "u0", "statement": "a"}])
    return caught.value


@pytest.mark.parametrize("shape", list(SHAPES))
async def test_every_shape_answers_on_a_thread(build: Any, tmp_path: Path, shape: str) -> None:
    write_handler(tmp_path, SHAPES[shape])
    predictor = build("handler", handler="model:Model", checkpoint="weights.pt", batch=4)

    await predictor.start()

    assert await labels(predictor, "a", "é") == [("u0", "A"), ("u1", "É")]
    assert predictor.memory() is None
    assert predictor.concurrency == 1


@pytest.mark.parametrize("shape", ["dynalab", "numbers of libraries"])
async def test_shapes_answer_in_a_process(build: Any, tmp_path: Path, shape: str) -> None:
    write_handler(tmp_path, SHAPES[shape])
    predictor = build("handler", handler="model:Model", checkpoint="weights.pt", process=True)

    await predictor.start()

    assert await labels(predictor, "a", "é") == [("u0", "A"), ("u1", "É")]


async def test_a_module_of_dynalab_with_its_own_handle(build: Any, tmp_path: Path) -> None:
    write_handler(
        tmp_path,
        """
import json
def handle(data, context):
    if not data:
        return None
    return [json.dumps({"id": data[0]["body"]["uid"], "label": "A"})]
""",
    )

    for target in ("model", "model:handle"):
        assert await labels(build("handler", handler=target), "a") == [("u0", "A")]


async def test_a_class_is_made_with_its_options(build: Any, tmp_path: Path) -> None:
    write_handler(
        tmp_path,
        """
class Model:
    def __init__(self, label): self.label = label
    def answer(self, question): return {"label": self.label}
""",
    )
    predictor = build("handler", handler="model:Model", options={"label": "same"})

    assert await labels(predictor, "a") == [("u0", "same")]


@pytest.mark.parametrize("process", [False, True])
async def test_what_a_handler_raises_is_told_with_its_line(
    build: Any, tmp_path: Path, process: bool
) -> None:
    write_handler(
        tmp_path,
        "class Model:\n    def answer(self, question):\n        return {}['nothing']\n",
    )
    predictor = build("handler", handler="model:Model", process=process)

    error = await failure(predictor)

    assert error.attempts == 1
    assert "Question 'u0': 'model:Model' raised KeyError: 'nothing' (model.py, line 3)" in str(
        error
    )


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def predict(questions): return [{}] * 3", "expected 1 answers; got 3"),
        ("def predict(questions): return {}", "expected a list of answers; got {}"),
        ("def predict(questions): return [object(), {}]", "something other than JSON: object"),
        ("def predict(questions): raise SystemExit(3)", "raised SystemExit: 3"),
    ],
)
async def test_answers_that_are_none(build: Any, tmp_path: Path, code: str, words: str) -> None:
    write_handler(tmp_path, code)
    predictor = build("handler", handler="model:predict", batch=2)

    assert words in str(await failure(predictor, {"uid": "a"}, {"uid": "b"}))


@pytest.mark.parametrize("process", [False, True])
@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nowhere:Model", "no installed module 'nowhere'"),
        ("model:Modle", "has no name 'Modle'. Near: 'Model'"),
        ("model:Model", "raised RuntimeError: no weights"),
        ("model:Mute", "has none of predict"),
    ],
)
async def test_a_handler_that_does_not_load_says_why(
    build: Any, tmp_path: Path, target: str, words: str, process: bool
) -> None:
    write_handler(
        tmp_path,
        """
class Model:
    def initialize(self, context): raise RuntimeError("no weights")
    def answer(self, question): return {}
class Mute: pass
""",
    )
    predictor = build("handler", handler=target, process=process)

    with pytest.raises(SystemFailureError) as caught:
        await predictor.start()

    assert "The model did not start" in str(caught.value)
    assert words in str(caught.value)


async def test_printing_does_not_disturb_a_process(build: Any, tmp_path: Path) -> None:
    write_handler(
        tmp_path,
        """
import os
def Model(question):
    print("loading…")
    os.write(1, b"more noise\\n")
    return {"label": "A"}
""",
    )

    assert await labels(build("handler", handler="model:Model", process=True), "a") == [("u0", "A")]


async def test_the_memory_of_a_process_is_measured(build: Any, tmp_path: Path) -> None:
    write_handler(
        tmp_path,
        """
class Model:
    def answer(self, question):
        self.weights = bytearray(b"1" * 200_000_000)
        return {"label": "A"}
""",
    )
    predictor = build("handler", handler="model:Model", process=True)

    assert predictor.memory() is None
    await predictor.start()
    before = predictor.memory()
    await labels(predictor, "a")
    after = predictor.memory()

    assert 0.005 < before < 1.0
    assert after - before == pytest.approx(200_000_000 / 1024**3, rel=0.2)


async def test_a_crash_is_named_and_the_next_question_gets_a_new_process(
    build: Any, tmp_path: Path
) -> None:
    write_handler(
        tmp_path,
        """
import os, sys
def Model(question):
    if question["statement"] == "bad":
        print("out of luck", file=sys.stderr, flush=True)
        os._exit(7)
    return {"label": "A"}
""",
    )
    predictor = build("handler", handler="model:Model", process=True, batch=3, retries=0)
    questions = [{"uid": word, "statement": word} for word in ("one", "bad", "two")]

    error = await failure(predictor, *questions)

    assert "Question 'bad': The program ended (exit code 7). Its last output: out of luck" in str(
        error
    )
    assert sorted(error.answered) == [0, 2]  # type: ignore[attr-defined]


async def test_processes_end_with_the_predictor_and_with_a_time_limit(
    build: Any, tmp_path: Path
) -> None:
    write_handler(
        tmp_path,
        """
import os, time
def Model(question):
    if question["statement"] == "hang":
        time.sleep(60)
    return {"label": str(os.getpid())}
""",
    )
    predictor = build("handler", handler="model:Model", process=True, timeout=5.0, retries=0)

    pid = int((await labels(predictor, "a"))[0][1])
    assert (await labels(predictor, "a"))[0][1] == str(pid)
    predictor.options = predictor.options.model_copy(update={"timeout": 0.2})
    error = await failure(predictor, {"uid": "u0", "statement": "hang"})

    assert error.kind == "timeout"
    await _gone(pid)
    predictor.options = predictor.options.model_copy(update={"timeout": 5.0})
    second = int((await labels(predictor, "a"))[0][1])
    await predictor.close()
    await _gone(second)


async def test_loading_again_is_not_answering(build: Any, tmp_path: Path) -> None:
    # Loading takes longer than an answer may.
    write_handler(
        tmp_path,
        """
import os, time
class Model:
    def initialize(self):
        time.sleep(2.0)
    def answer(self, question):
        if question["statement"] == "bad":
            os._exit(7)
        return {"label": "A"}
""",
    )
    predictor = build("handler", handler="model:Model", process=True, timeout=1.9, retries=0)

    await failure(predictor, {"uid": "u0", "statement": "bad"})
    [reply] = await predictor.predict([{"uid": "u1", "statement": "good"}])

    assert reply.record["label"] == "A"


async def test_as_many_processes_as_calls_at_a_time(build: Any, tmp_path: Path) -> None:
    write_handler(
        tmp_path,
        """
import os, time
def Model(question):
    time.sleep(0.1)
    return {"label": str(os.getpid())}
""",
    )
    predictor = build("handler", handler="model:Model", process=True, concurrency=2)

    found = await asyncio.gather(*(labels(predictor, "a") for _ in range(6)))

    assert len({pid for [(_, pid)] in found}) == 2


async def _gone(pid: int) -> None:
    for _ in range(6_000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"process {pid} is still there")
