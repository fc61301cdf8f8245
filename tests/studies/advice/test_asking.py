"""Asking the models of a round: side by side, once for each situation, whatever happens."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from palaver.core.errors import InputError
from palaver.evaluation.dynaboards.board_reader import Boards
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.tasks import add_task, builtin_task, ensure_task, stored_task
from palaver.formats.advice.answers import read_answers, read_models
from palaver.studies.advice.asking import AskedModel, ask_models
from palaver.studies.advice.models_file import ModelEntry
from support.advising import advising, situations, texts
from support.endpoints import serving, speaking
from support.runs import QUICK


def ask(home: EvaluationHome, count: int, *entries: ModelEntry, **options: Any) -> list[AskedModel]:
    return ask_models(
        home,
        situations(count),
        {entry.name: entry for entry in entries},
        into=home.folder / "answers",
        backoff=QUICK,
        **options,
    )


def test_models_answer_side_by_side_and_their_answers_are_written(home: EvaluationHome) -> None:
    seen: list[dict[str, Any]] = []

    def answer(body: dict[str, Any]) -> Any:
        seen.append(body)
        return texts(body)

    with serving(answer) as one, serving(lambda body: texts(body, "On")) as two:
        found = ask(home, 5, advising("one", one.url), advising("two", two.url))

    assert [(each.model, each.answered, each.failed) for each in found] == [
        ("one", 5, {}),
        ("two", 5, {}),
    ]
    folder = home.folder / "answers"
    assert read_answers(folder / "one.jsonl") == {
        f"s{n}": f"Advice on Question {n}?" for n in range(5)
    }
    assert list(read_models(folder)) == ["one", "two"]
    assert read_models(folder)["one"].parameters == 11e9
    first, rest = seen  # one to see whether anybody answers, then all the others at once
    assert first == {
        "instances": [
            {"title": "Question 0?", "selftext": "What happened 0.", "subreddit": "Advice"}
        ],
        "target": "advice",
    }
    assert rest["target"] == "advice"
    assert [each["title"] for each in rest["instances"]] == [f"Question {n}?" for n in range(1, 5)]
    assert rest["instances"][0] == {
        "title": "Question 1?",
        "selftext": "What happened 1.",
        "subreddit": "love",
    }


def test_asked_again_nothing_goes_out(home: EvaluationHome) -> None:
    calls: list[Any] = []

    def answer(body: dict[str, Any]) -> Any:
        calls.append(body)
        return texts(body)

    with serving(answer) as server:
        first = ask(home, 4, advising("one", server.url))
        again = ask(home, 4, advising("one", server.url))
        patient = ask(home, 4, advising("one", server.url), timeout=7200.0, chunk=2)
        assert len(calls) == 2
        more = ask(home, 6, advising("one", server.url), chunk=2)

    assert first == again
    assert patient[0].answered == 4
    assert more[0].answered == 6
    assert [[each["title"] for each in body["instances"]] for body in calls[2:]] == [
        ["Question 4?"],
        ["Question 5?"],
    ]


def test_a_model_that_is_reached_otherwise_is_asked_anew(home: EvaluationHome) -> None:
    with serving(texts) as old, serving(lambda body: texts(body, "New on")) as new:
        ask(home, 2, advising("one", old.url))
        ask(home, 2, advising("one", new.url))

    assert read_answers(home.folder / "answers" / "one.jsonl")["s1"] == "New on Question 1?"


def test_one_that_dies_in_the_middle_keeps_its_answers_and_stops_nobody(
    home: EvaluationHome,
) -> None:
    calls = 0

    def answer(body: dict[str, Any]) -> Any:
        nonlocal calls
        calls += 1
        return texts(body) if calls < 4 else web.Response(status=500, text="out of memory")

    with serving(answer) as dying, serving(texts) as well:
        entries = advising("dying", dying.url, batch=2), advising("well", well.url)
        found = {each.model: each for each in ask(home, 8, *entries)}
        assert found["well"].is_complete
        assert (found["dying"].answered, list(found["dying"].failed)) == (
            5,
            ["s5", "s6", "s7"],
        )
        assert all("out of memory" in why for why in found["dying"].failed.values())
        assert list(read_answers(home.folder / "answers" / "dying.jsonl")) == [
            "s0",
            "s1",
            "s2",
            "s3",
            "s4",
        ]
        calls = -9
        mended = {each.model: each for each in ask(home, 8, *entries)}

    assert mended["dying"].is_complete
    assert mended["dying"].reason == ""


def test_each_situation_without_an_answer_is_said_and_an_empty_text_is_one(
    home: EvaluationHome,
) -> None:
    gens = {"Question 0?": "Fine.", "Question 1?": "", "Question 2?": None, "Question 3?": 3}

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        return {"gens": [gens[each["title"]] for each in body["instances"]]}

    with serving(answer) as server:
        (found,) = ask(home, 4, advising("odd", server.url))

    assert read_answers(home.folder / "answers" / "odd.jsonl") == {"s0": "Fine.", "s1": ""}
    assert (found.answered, found.empty) == (2, ("s1",))
    assert found.failed == {
        "s2": "Answer to s2: 'advice': expected a text; got None.",
        "s3": "Answer to s3: 'advice': expected a text; got 3.",
    }


def test_a_situation_that_breaks_a_model_costs_no_other_its_answer(home: EvaluationHome) -> None:
    def reply(messages: list[dict[str, str]]) -> str:
        return "" if "Question 1?" in messages[-1]["content"] else "Well."

    with serving(speaking(reply)) as server:
        chat = advising("chat", "", "openai", base_url=server.url, model="m", concurrency=1)
        (found,) = ask(home, 4, chat)

    assert (found.answered, list(found.failed)) == (3, ["s1"])
    assert "The answer has no text" in found.failed["s1"]


def test_a_chat_model_reads_the_situation_in_its_prompt(home: EvaluationHome) -> None:
    heard: list[list[dict[str, str]]] = []

    def reply(messages: list[dict[str, str]]) -> str:
        heard.append(messages)
        return "Sleep on it."

    with serving(speaking(reply)) as server:
        ask(home, 2, advising("chat", "", "openai", base_url=server.url, model="m", concurrency=1))

    assert [each["role"] for each in heard[1]] == ["system", "user"]
    assert all(
        words in heard[1][1]["content"] for words in ("r/love", "Question 1?", "What happened 1.")
    )
    assert read_answers(home.folder / "answers" / "chat.jsonl")["s1"] == "Sleep on it."


def test_one_that_cannot_even_be_built_is_said(home: EvaluationHome) -> None:
    with serving(texts) as server:
        found = ask(
            home,
            2,
            advising("missing", "", "openai", base_url=server.url, model="m", api_key_env="NO_KEY"),
            advising("well", server.url),
        )

    assert [each.answered for each in found] == [0, 2]
    assert "NO_KEY" in found[0].reason


def test_two_situations_of_one_id_are_refused(home: EvaluationHome) -> None:
    with pytest.raises(InputError, match="'s0' stands twice"):
        ask_models(home, situations(1) * 2, {}, into=home.folder / "answers")


def test_asking_puts_no_model_on_a_board_and_asks_no_other(home: EvaluationHome) -> None:
    row = home.store.write_now(lambda c: ensure_task(c, "advice", now=1.0))
    with serving(texts) as server, serving(texts) as other:
        add_model(
            home,
            row,
            stored_task(row),
            name="other",
            kind="askbatch",
            options={"url": other.url},
            now=1.0,
        )
        ask(home, 2, advising("one", server.url))
        ask(home, 3, advising("one", server.url))

    board = home.store.read_now(lambda c: Boards().read(c, row, stored_task(row)))
    assert [each.name for each in (*board.models, *board.not_ranked)] == ["other"]
    assert not other.asked


def test_a_task_of_an_earlier_time_learns_of_subreddits(home: EvaluationHome) -> None:
    ours = builtin_task("advice")
    earlier = replace(ours, inputs=tuple(e for e in ours.inputs if e.name != "subreddit"))
    home.store.write_now(lambda c: add_task(c, earlier, now=1.0))

    with serving(texts) as server:
        (found,) = ask(home, 2, advising("one", server.url))

    row = home.store.read_now(lambda c: ensure_task(c, "advice", now=1.0))
    assert found.is_complete
    assert stored_task(row) == ours


ASKING = """
    import sys
    from pathlib import Path
    from palaver.evaluation.home import open_evaluation
    from palaver.studies.advice.asking import ask_models
    from support.advising import advising, situations

    folder = Path(sys.argv[1])
    with open_evaluation(folder, f"sqlite:///{folder / 'palaver.db'}") as home:
        models = {"one": advising("one", sys.argv[2], batch=2)}
        ask_models(home, situations(10), models, into=folder / "answers")
"""


@pytest.mark.long
def test_what_was_answered_before_a_kill_is_not_asked_again(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    killed: list[int] = []

    folder = tmp_path / "home"

    def stored() -> int:
        with closing(sqlite3.connect(folder / "palaver.db")) as database:
            return int(database.execute("select count(*) from predictions").fetchone()[0])

    async def answer(body: dict[str, Any]) -> Any:
        asked.update(each["title"] for each in body["instances"])
        # One situation is asked first, to see whether there is anybody; then two at a time.
        if asked.total() == 7 and not killed:
            while stored() < 5:
                await asyncio.sleep(0.01)
            killed.append(process.pid)
            os.kill(process.pid, signal.SIGKILL)
        return texts(body)

    with serving(answer) as server:
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(ASKING), str(folder), server.url],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert process.wait(60) == -signal.SIGKILL
        assert not (folder / "answers").exists()
        with open_evaluation(folder, f"sqlite:///{folder / 'palaver.db'}") as home:
            (found,) = ask(home, 10, advising("one", server.url, batch=2))

    assert found.is_complete
    # The call that was under way when the process was killed was never answered to anybody.
    assert asked == {f"Question {n}?": 2 if n in (5, 6) else 1 for n in range(10)}
    assert list(read_answers(folder / "answers" / "one.jsonl")) == [f"s{n}" for n in range(10)]
