"""`palaver advice ask` and `serve`: models asked from the command line, and what is said of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from palaver.cli.evaluation.advice_serve import chosen_entry
from palaver.core.clock import Backoff
from palaver.core.errors import InputError
from palaver.formats.advice.answers import read_answers
from support.advising import texts
from support.endpoints import serving

from ..conftest import Palaver


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that failed is tried again at once."""
    monkeypatch.setattr(Backoff, "seconds", lambda self, failures: 0.0)
    monkeypatch.setattr("palaver.evaluation.jobs.worker.LOOK_SECONDS", 0.02)


def write(folder: Path, models: str, count: int = 3) -> None:
    (folder / "models.yaml").write_text(f"models:\n{models}", encoding="utf-8")
    lines = [
        {"id": f"s{n}", "title": f"T{n}", "selftext": "Help.", "subreddit": "love"}
        for n in range(count)
    ]
    text = "".join(json.dumps(each) + "\n" for each in lines)
    (folder / "situations.jsonl").write_text(text, encoding="utf-8")


def test_answers_are_written_and_failures_told(palaver: Palaver, tmp_path: Path) -> None:
    def partly(body: dict[str, Any]) -> Any:
        known = {"T0": "", "T1": None, "T2": "Yes."}
        return {"gens": [known[each["title"]] for each in body["instances"]]}

    def broken(body: dict[str, Any]) -> Any:
        return web.json_response({"gens": "error"})

    with serving(texts) as good, serving(partly) as odd, serving(broken) as bad:
        write(
            tmp_path,
            f"  good: {{kind: askbatch, url: '{good.url}'}}\n"
            f"  odd: {{kind: askbatch, url: '{odd.url}'}}\n"
            f"  bad: {{kind: askbatch, url: '{bad.url}'}}\n",
        )
        said = palaver("advice", "ask", "situations.jsonl")
        again = palaver("advice", "ask", "situations.jsonl", "--only", "good", "--chunk", "2")
        (asked,) = json.loads(
            palaver("advice", "ask", "situations.jsonl", "--only", "odd", "--json").out
        )

    assert said.status == 1
    assert said.err.startswith("3 situations, 3 models.\n")
    rows = [line.split() for line in said.out.splitlines()[:4]]
    assert rows[0] == ["model", "answered", "empty", "failed", "seconds"]
    assert [row[:6] for row in rows[1:]] == [
        ["good", "3", "of", "3", "0", "0"],
        ["odd", "2", "of", "3", "1", "1"],
        ["bad", "0", "of", "3", "0", "3"],
    ]
    assert "odd: an empty text for s0" in said.out
    assert "s1: Answer to s1: 'advice': expected a text; got None." in said.out
    assert "bad: no answer to 3 situations" in said.out
    assert "with an error inside: 'gens' is one text" in said.out
    assert list(read_answers(tmp_path / "answers" / "odd.jsonl")) == ["s0", "s2"]
    assert (again.status, "3 of 3" in again.out) == (0, True)
    # One situation to see whether anybody answers, then the others together; nothing is asked again.
    assert good.asked.total() == 2
    assert asked["failed"] == {"s1": "Answer to s1: 'advice': expected a text; got None."}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--only", "god"], "models.yaml has no model 'god' (--only). Near: 'good'."),
        (["--timeout", "soon"], "A duration is a number of seconds"),
        (["--chunk", "0"], "0 is not in the range"),
        (["--models", "situations.jsonl"], "situations.jsonl:2:1: YAML"),
    ],
)
def test_what_is_wrong_is_said(
    palaver: Palaver, tmp_path: Path, arguments: list[str], words: str
) -> None:
    write(tmp_path, "  good: {kind: askbatch, url: 'http://127.0.0.1:1'}\n")

    said = palaver("advice", "ask", "situations.jsonl", *arguments)

    assert said.status in (1, 2)
    assert words in said.err


def test_a_model_to_serve_is_named_in_many_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model.yaml").write_text("kind: handler\nhandler: 'm:M'\n")
    write(
        tmp_path, "  a: {kind: askbatch, url: 'http://h'}\n  b: {kind: askbatch, url: 'http://h'}\n"
    )
    (tmp_path / "one.yaml").write_text("models:\n  only: {kind: askbatch, url: 'http://h'}\n")
    models = tmp_path / "models.yaml"

    def name(model: str | None, **options: Any) -> str:
        return chosen_entry(model, **{"models": None, "data": None, **options}).name

    assert name("a") == "a"
    assert name("b", models=models) == "b"
    assert name("one.yaml") == "only"
    assert name(None, models=tmp_path / "one.yaml") == "only"
    assert name("mine") == "mine"
    looked_up = chosen_entry("bm25", models=None, data=tmp_path / "situations.jsonl")
    assert looked_up.kind == "advice_retrieval"
    assert looked_up.options["method"] == "bm25"
    with pytest.raises(InputError, match=r"has 2 models: a, b\. Choose with --model"):
        name(None, models=models)
    with pytest.raises(InputError, match="has no model 'c'"):
        name("c")
