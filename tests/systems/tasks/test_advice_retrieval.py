"""Advice that is looked up: which situation, which comment, and what is kept between starts."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, SystemFailureError
from palaver.systems.connectors import advice_retrieval

pytestmark = pytest.mark.asyncio


def line(id: str, title: str, text: str, *comments: tuple[int | None, str], **more: Any) -> str:
    given = [
        {"id": f"{id}-{n}", "body": body, "score": score}
        for n, (score, body) in enumerate(comments)
    ]
    record = {"id": id, "title": title, "selftext": text, "good_comments": given}
    return json.dumps(record | {"subreddit": "Advice", "split": "train"} | more)


LINES = [
    line("rent", "The landlord keeps my deposit", "The flat was clean and rent was paid.",
         (3, "Write a letter."), (90, "Ask the tenants' union."), (7, "Wait.")),
    line("dog", "My dog barks at night", "The neighbours complain about the dog barking.",
         (25, "Walk the dog in the evening."), split="test"),
    line("wifi", "The wifi is slow", "The router stands in the kitchen; pages load slowly.",
         (None, "Move the router. 🙂"), split="val"),
    line("alone", "Wifi router wifi router wifi router", "Nobody answered about my wifi router."),
    line("blank", "The wifi", "Somebody said nothing at all about the wifi.", (50, "  \n")),
    line("empty", "", "", (20, "Write more.")),
]  # fmt: skip


def asked(title: str, text: str, **more: Any) -> dict[str, Any]:
    return {"uid": "q", "title": title, "situation": text, "subreddit": "Advice", **more}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "situations.jsonl"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return path


async def advice(model: Any, *questions: dict[str, Any]) -> list[str]:
    return [reply.record["advice"] for reply in await model.predict(questions)]


@pytest.mark.parametrize("method", ["tfidf", "bm25"])
async def test_the_best_comment_of_the_nearest_situation_is_the_answer(
    method: str, file: Path, build: Callable[..., Any]
) -> None:
    model = build("advice_retrieval", file=file.name, method=method, least=1)

    found = await advice(
        model,
        asked("Deposit", "My landlord will not pay the deposit back."),
        asked("Barking dogs", "Dogs bark all night."),
        asked("Slow router", "My router is slow in the kitchen."),
    )

    assert found == [
        "Ask the tenants' union.",
        "Walk the dog in the evening.",
        "Move the router. 🙂",
    ]


async def test_legacy_takes_the_first_comment_even_of_the_situation_itself(
    file: Path, build: Callable[..., Any]
) -> None:
    own = asked("The landlord keeps my deposit", "The flat was clean and rent was paid.", uid="x")
    legacy = build("advice_retrieval", file=file.name, legacy=True, least=1)
    usual = build("advice_retrieval", file=file.name, least=1)

    assert await advice(legacy, own) == ["Write a letter."]
    assert await advice(usual, own) != ["Ask the tenants' union."]
    other = asked("landlord deposit rent flat", "clean", uid="rent")
    assert await advice(usual, other) != ["Ask the tenants' union."]
    assert await advice(usual, other | {"uid": "other"}) == ["Ask the tenants' union."]


async def test_answers_come_from_the_splits_that_are_named(
    file: Path, build: Callable[..., Any]
) -> None:
    model = build("advice_retrieval", file=file.name, splits=["train"], least=1)

    assert await advice(model, asked("dog", "dog barks")) != ["Walk the dog in the evening."]
    nothing = build("advice_retrieval", file=file.name, splits=["dev"])
    with pytest.raises(SystemFailureError, match="no situation of split 'dev' has advice"):
        await nothing.start()
    with pytest.raises(InputError, match="'legacy' answers from all splits"):
        build("advice_retrieval", file=file.name, splits=["train"], legacy=True)


async def test_any_question_gets_an_answer_and_the_seed_decides_between_equals(
    file: Path, build: Callable[..., Any]
) -> None:
    unknown = [asked("", ""), asked("zzz", "qqq"), asked("漢字 🙂", "\ud83d")]
    seeds = [build("advice_retrieval", file=file.name, seed=seed) for seed in (1, 1, 2, 3, 4, 5)]

    found = [await advice(model, *unknown) for model in seeds]

    assert all(text.strip() for texts in found for text in texts)
    assert found[0] == found[1]
    assert len({text for texts in found for text in texts}) > 1


async def test_the_only_situation_does_not_answer_itself(
    tmp_path: Path, build: Callable[..., Any]
) -> None:
    (tmp_path / "one.jsonl").write_text(LINES[1])
    model = build("advice_retrieval", file="one.jsonl")

    assert await advice(model, asked("Cats", "Anything.")) == ["Walk the dog in the evening."]
    with pytest.raises(SystemFailureError, match="holds no situation other than"):
        await advice(model, asked("Cats", "Anything.", uid="dog"))


async def test_the_first_start_answers_and_the_next_reads_what_it_kept(
    file: Path, build: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    question = asked("Deposit", "The landlord and the deposit.")
    options = {"file": file.name, "cache": "kept", "least": 1}
    first = await advice(build("advice_retrieval", **options), question)
    assert first == ["Ask the tenants' union."]

    with monkeypatch.context() as patched:
        patched.setattr(advice_retrieval, "index_arrays", None)
        assert await advice(build("advice_retrieval", **options), question) == first

    file.write_text("\n".join(LINES[1:]), encoding="utf-8")
    assert await advice(build("advice_retrieval", **options), question) != first
    assert len(list((file.parent / "kept").iterdir())) == 2


async def test_a_broken_cache_is_made_anew_and_one_that_cannot_be_written_does_without(
    file: Path, build: Callable[..., Any]
) -> None:
    question = asked("Deposit", "The landlord and the deposit.")
    options = {"file": file.name, "cache": "kept", "least": 1}
    first = await advice(build("advice_retrieval", **options), question)
    for kept in (file.parent / "kept").rglob("*.npy"):
        kept.write_bytes(b"")

    assert await advice(build("advice_retrieval", **options), question) == first
    (file.parent / "a-file").write_text("")
    assert (
        await advice(build("advice_retrieval", **options | {"cache": "a-file"}), question) == first
    )


async def test_packed_files_are_read_and_wrong_lines_named(
    tmp_path: Path, build: Callable[..., Any]
) -> None:
    (tmp_path / "some.jsonl.gz").write_bytes(gzip.compress("\n".join(LINES).encode()))
    (tmp_path / "wrong.jsonl").write_text(LINES[0] + '\n{"id": 3}\n')

    packed = build("advice_retrieval", file="some.jsonl.gz", least=1)
    assert await advice(packed, asked("dog", "barks")) == ["Walk the dog in the evening."]
    with pytest.raises(SystemFailureError, match=r"wrong.jsonl, line 2: 'id' must be a text"):
        await build("advice_retrieval", file="wrong.jsonl").start()
    with pytest.raises(SystemFailureError, match="Option 'file' names 'none"):
        await build("advice_retrieval", file="none.jsonl").start()


async def test_a_question_without_its_fields_is_refused(
    file: Path, build: Callable[..., Any]
) -> None:
    model = build("advice_retrieval", file=file.name)

    with pytest.raises(SystemFailureError, match="'situation' or 'selftext'; the question has uid"):
        await advice(model, {"uid": "q", "title": "A title"})
    assert await advice(model, {"uid": "q", "title": "A", "selftext": "text"})
