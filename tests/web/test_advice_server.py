"""A served model that advises: exact shapes, plain refusals, and the page to try it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from starlette.testclient import TestClient

from palaver.core.errors import SystemFailureError
from palaver.core.protocols import Reply
from palaver.core.situations import AdvisingModel
from palaver.web.advice_server import AdvisingServer, Legacy, advice_app
from palaver.web.model_server import ServedModel

ONE = {"title": "One", "selftext": "What now?", "subreddit": "love"}


class Advisor:
    """A predictor that takes two questions at a time, and fails some."""

    batch = 2
    concurrency = 1

    async def start(self) -> None:
        return None

    async def predict(self, questions: Sequence[Mapping[str, Any]]) -> Sequence[Reply]:
        if any(each["title"] == "Break" for each in questions):
            raise SystemFailureError("error", "model.py, line 7: it broke.")
        return [Reply({"advice": _advice(each)}, 0.0) for each in questions]

    def memory(self) -> float | None:
        return None

    async def close(self) -> None:
        return None


def _advice(question: Mapping[str, Any]) -> Any:
    told = f"{question['subreddit']}/{question['title']}: {question['situation']}"
    return {"Silent": "", "Odd": None}.get(question["title"], told)


def client(legacy: Legacy | None = None) -> TestClient:
    card = AdvisingModel(
        name="t5", title="T5 <11B>", team="Some lab", parameters=11e9, link="https://example.org"
    )
    server = AdvisingServer(
        model=ServedModel("t5", Advisor()), card=card, kind="askbatch", legacy=legacy
    )
    return TestClient(advice_app(server))


def test_a_batch_is_answered_in_its_order() -> None:
    instances = [{**ONE, "title": f"T{n}"} for n in range(5)]
    answer = client().post("/api/askbatch", json={"instances": instances, "target": "advice"})

    assert answer.status_code == 200
    assert answer.json() == {"gens": [f"love/T{n}: What now?" for n in range(5)]}


def test_target_and_subreddit_may_be_left_out_and_an_empty_text_is_one() -> None:
    instances = [{"title": "One", "selftext": "x"}, {**ONE, "title": "Silent"}]
    answer = client().post("/api/askbatch", json={"instances": instances})

    assert answer.json() == {"gens": ["Advice/One: x", ""]}
    assert client().post("/api/askbatch", json={"instances": []}).json() == {"gens": []}


def test_one_instance_comes_back_with_its_text() -> None:
    asked = {**ONE, "target": "advice", "date": "May 1, 2020"}
    answer = client().post("/api/ask", json=asked)

    assert answer.json() == {"instance": asked, "gen": "love/One: What now?"}


def test_other_sites_may_ask() -> None:
    origin = {"Origin": "https://elsewhere.example"}
    wanted = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }

    good = client().post("/api/ask", json=ONE, headers=origin)
    bad = client().post("/api/ask", json={}, headers=origin)
    before = client().options("/api/askbatch", headers={**origin, **wanted})

    for answer in (good, bad, before):
        assert answer.headers["access-control-allow-origin"] == "*"
    assert before.status_code == 200
    assert "access-control-allow-origin" not in client().get("/", headers=origin).headers


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("askbatch", "<html>", 400, "The body is not JSON"),
        ("askbatch", "", 400, "The body is not JSON"),
        ("askbatch", "[]", 400, "Expected a JSON object; got []."),
        ("askbatch", "{}", 400, "'instances' is missing; expected a list of situations."),
        ("askbatch", '{"instances": "x"}', 400, "'instances' is \"x\"; expected a list"),
        ("askbatch", '{"instances": [1]}', 400, "instances[0]: expected an object; got 1."),
        (
            "askbatch",
            '{"instances": [{"title": "a", "selftext": "b"}, {"title": "a"}]}',
            400,
            "instances[1]: 'selftext' is missing.",
        ),
        ("ask", '{"subreddit": "love"}', 400, "'title' and 'selftext' are missing."),
        ("ask", '{"title": 5, "selftext": "b"}', 400, "'title' must be a text; got 5."),
        ("ask", '{"title": "a", "selftext": null}', 400, "'selftext' must be a text; got null."),
        (
            "ask",
            '{"title": "a", "selftext": "b", "subreddit": []}',
            400,
            "'subreddit' must be a text; got [].",
        ),
        (
            "ask",
            '{"title": "a", "selftext": "b", "target": "title"}',
            400,
            "'target' is \"title\"; this model writes 'advice'.",
        ),
        ("ask", '{"title": "Break", "selftext": "b"}', 500, "The model failed: model.py, line 7"),
        (
            "ask",
            '{"title": "Odd", "selftext": "b"}',
            500,
            "gave no text as 'advice' for instance 1",
        ),
        ("asks", "{}", 404, "Nothing is at /api/asks."),
    ],
)
def test_what_is_wrong_is_said_in_json(path: str, body: str, status: int, words: str) -> None:
    answer = client().post(f"/api/{path}", content=body)

    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    assert words in answer.json()["error"]


def test_a_request_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palaver.web.advice_server.MOST_BYTES", 1024**2)
    monkeypatch.setattr("palaver.web.advice_server.MOST_INSTANCES", 2)

    large = client().post("/api/ask", json={**ONE, "selftext": "x" * 1024**2})
    many = client().post("/api/askbatch", json={"instances": [ONE] * 3})

    assert (large.status_code, large.json()["error"]) == (413, "The body is over 1 MiB; send less.")
    assert (many.status_code, "at most 2" in many.json()["error"]) == (413, True)


@pytest.mark.parametrize(
    ("legacy", "content", "status", "answer"),
    [
        ("tfidf", {"instances": [ONE], "target": "x"}, 200, {"gens": ["love/One: What now?"]}),
        ("grover", {"instances": [ONE], "target": "x"}, 200, {"gens": "error"}),
        (
            "grover",
            {"instances": [{"title": "a", "selftext": "b"}]},
            200,
            {"gens": ["Advice/a: b"]},
        ),
        ("t5", {"instances": [ONE], "target": "x"}, 200, {"instance": ONE, "gen": "Error"}),
        ("t5", {"instances": [ONE]}, 500, None),
        ("t5", {"instances": [{"title": "a", "selftext": "b"}], "target": "advice"}, 500, None),
        ("grover", {"instances": [{"title": "a"}]}, 500, None),
    ],
)
def test_the_first_servers_are_stood_in_for(
    legacy: Legacy, content: dict[str, Any], status: int, answer: Any
) -> None:
    found = client(legacy).post("/api/askbatch", json=content)

    assert found.status_code == status
    if answer is None:
        assert found.text == "Internal Server Error"
    else:
        assert found.json() == answer


def test_the_page_shows_the_model_and_what_the_address_holds() -> None:
    found = client().get("/?title=a%20%26%20b&selftext=%3Cb%3E&subreddit=love")

    assert found.status_code == 200
    assert "script-src 'self'" in found.headers["content-security-policy"]
    assert "<script>" not in found.text
    for words in (
        "T5 &lt;11B&gt;",
        "Some lab",
        "11 B parameters",
        'value="a &amp; b"',
        "&lt;b&gt;",
    ):
        assert words in found.text
    assert 'value="love"' in found.text
    assert client().get("/health").json() == {"status": "ok", "model": "t5"}


def test_without_scripting_the_form_is_answered_with_a_page() -> None:
    assert "love/One: What now?" in client().post("/", data=ONE).text
    assert "answered with an empty text" in client().post("/", data={**ONE, "title": "Silent"}).text
    broken = client().post("/", data={**ONE, "title": "Break"})
    assert broken.status_code == 500
    assert "model.py, line 7: it broke." in broken.text
