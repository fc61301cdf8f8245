"""A language model that advises: what it learns from, and records of the task."""

import json
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.models.diagnosis.record import DiagnosisRequest, diagnose
from palaver.models.language.adviser import LanguageAdviser
from support.tiny_language import CPU, language_recipe, trained_language


def situations(path: Path, count: int = 12) -> Path:
    lines = [
        {
            "id": f"s{n}",
            "title": f"My {n} neighbours are loud",
            "selftext": "They play the drums at night.\n\nWhat should I do?",
            "subreddit": "Advice",
            "good_comments": [
                {"id": f"c{n}", "body": "Move out.", "score": 1},
                {"id": f"b{n}", "body": "Talk to them.\n\nWrite it down.", "score": 9},
            ],
        }
        for n in range(count)
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


@pytest.mark.parametrize(("kind", "epochs"), [("gpt2", 16), ("t5", 1)])
def test_the_best_advice_is_learnt_and_given(
    bases: dict[str, Path], tmp_path: Path, kind: str, epochs: int
) -> None:
    file = situations(tmp_path / "situations.jsonl")
    recipe = language_recipe(
        bases[kind],
        "language-advice",
        answers={"temperature": 0},
        training={"epochs": epochs, "rate": 0.02},
    )
    made = trained_language(recipe, tmp_path / "made", file)
    assert made.words["task"] == ["advice"]
    assert made.measured["best"] < (1.5 if kind == "gpt2" else 500)
    adviser = LanguageAdviser([made], CPU)
    told = "They play the drums at night.\n\nWhat should I do?"
    asked = [
        {"uid": f"q{n}", "title": f"My {n} neighbours are loud", "situation": told} for n in (1, 44)
    ]
    found = adviser.answer(asked)
    assert [each["id"] for each in found] == ["q1", "q44"]
    if kind == "gpt2":
        assert {each["advice"] for each in found} == {"Talk to them.\n\nWrite it down."}
    assert found == [adviser.answer([each])[0] for each in asked]
    with pytest.raises(InputError, match="has no text as 'situation'"):
        adviser.answer([{"uid": "q1", "title": "x"}])
    looked = diagnose(DiagnosisRequest(checkpoint=made, device=CPU, files=(file,), samples=2))
    assert looked.headline.startswith("Perplexity")
    assert [pair.theirs for pair in looked.samples[0].pairs] == [
        ("Talk to them.\n\nWrite it down.",)
    ] * 2
