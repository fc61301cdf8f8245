"""What is done to dialogues."""

from typing import Any

import pytest

from palaver.evaluation.perturbations import Layout, find_perturbation, layout_of, make_variants
from palaver.evaluation.perturbations.vocabulary import lines
from palaver.evaluation.tasks import builtin_task

TURNS = Layout(turns=("turns",))
SAID = [
    ("user", "Good evening to you"),
    ("system", "What can I do for you?"),
    ("user", "A table for two, please"),
    ("system", "For when would that be?"),
    ("user", "Tomorrow at eight"),
]


def _record(**more: Any) -> dict[str, Any]:
    return {"uid": "d", "turns": [{"speaker": s, "text": t} for s, t in SAID], **more}


def _variants(name: str, record: dict[str, Any], layout: Layout = TURNS) -> list[dict[str, Any]]:
    """Variants under twenty seeds."""
    found = [
        make_variants([record], layout, [find_perturbation(name)], seed=seed).records
        for seed in range(20)
    ]
    return [variant for several in found for variant in several]


def _said(variant: dict[str, Any]) -> list[tuple[str, str]]:
    return [(turn["speaker"], turn["text"]) for turn in variant["turns"]]


def test_context_is_dropped_at_the_beginning_and_the_last_user_turn_stays() -> None:
    lengths = set()
    for variant in _variants("dropped_context", _record()):
        left = _said(variant)
        lengths.add(len(left))
        assert left == SAID[-len(left) :]
    assert lengths == {1, 2, 3, 4}


def test_a_topic_jump_is_one_sentence_more_by_the_user() -> None:
    for variant in _variants("topic_jump", _record()):
        (new,) = [n for n, (_, text) in enumerate(_said(variant)) if text in lines("topics")]
        said = _said(variant)
        assert said[new][0] == said[new + 1][0] == "user"
        assert said[:new] + said[new + 1 :] == SAID


def test_only_the_user_makes_typing_errors() -> None:
    for variant in _variants("typo_user", _record()):
        for (who, old), (same, new) in zip(SAID, _said(variant), strict=True):
            assert who == same
            assert (old != new) == (who == "user")


def test_a_turn_is_said_twice() -> None:
    for variant in _variants("turn_repetition", _record()):
        said = _said(variant)
        assert len(said) == 6
        assert any(said[:n] + said[n + 1 :] == SAID and said[n] == said[n - 1] for n in range(1, 6))


def test_personas_change_places() -> None:
    record = _record(personas=[["I bake."], ["I sail.", "I sing."]])

    for variant in _variants("persona_switch", record):
        assert variant["personas"] == [["I sail.", "I sing."], ["I bake."]]
        assert _said(variant) == SAID


@pytest.mark.parametrize("persona", [["I bake.", "I sing."], "I bake."])
def test_a_single_persona_becomes_another(persona: Any) -> None:
    for variant in _variants("persona_switch", _record(persona=persona)):
        assert type(variant["persona"]) is type(persona)
        assert variant["persona"] != persona
        assert _said(variant) == SAID


def test_without_personas_somebody_takes_over_for_the_user() -> None:
    for variant in _variants("persona_switch", _record()):
        changed = [
            (n, old, new)
            for n, ((_, old), (_, new)) in enumerate(zip(SAID, _said(variant), strict=True))
            if old != new
        ]
        ((n, old, new),) = changed
        assert n == 2
        assert new.removesuffix(f" {old}") in lines("arrivals")


@pytest.mark.parametrize("name", ["dropped_context", "topic_jump", "turn_repetition"])
@pytest.mark.parametrize("position", ["3", "4"])
def test_the_turn_that_is_asked_about_is_followed(name: str, position: str) -> None:
    record = _record(position=position, speaker="customer")
    variants = _variants(name, record, Layout(turns=("turns",), position="position"))
    assert variants
    for variant in variants:
        asked = _said(variant)[int(variant["position"]) - 1]
        assert asked == SAID[int(position) - 1]


@pytest.mark.parametrize("name", ["dropped_context", "turn_repetition", "typo_user"])
def test_gold_of_single_turns_goes_with_them(name: str) -> None:
    gold = [{"said": n} for n, _ in enumerate(SAID)]
    layout = layout_of(builtin_task("dialogue-nugget"))
    variants = _variants(name, _record(nugget=gold), layout)
    assert variants
    for variant in variants:
        kept = [SAID[each["said"]][0] for each in variant["nugget"]]
        assert kept == [who for who, _ in _said(variant)]
        if name != "typo_user":
            assert [SAID[each["said"]] for each in variant["nugget"]] == _said(variant)


def test_a_turn_that_is_new_has_no_gold_so_nothing_is_changed() -> None:
    layout = layout_of(builtin_task("dialogue-nugget"))
    assert not _variants("topic_jump", _record(nugget=[{}] * len(SAID)), layout)


def test_what_has_no_dialogue_is_unchanged() -> None:
    made = make_variants(
        [{"uid": "1", "turns": []}, {"uid": "2", "turns": [{"speaker": "user", "text": "Hi"}]}],
        TURNS,
        [find_perturbation("dropped_context")],
        seed=1,
    )
    assert (made.records, made.tallies["dropped_context"].unchanged) == ([], 2)


def test_texts_of_turns_are_perturbed_for_robustness() -> None:
    for variant in _variants("typos", _record()):
        assert all(old != new for (_, old), (_, new) in zip(SAID, _said(variant), strict=True))
