"""Whatever stands where something else belongs: a sentence, never a crash."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.errors import InputError
from palaver.evaluation.tasks.definition import read_data
from palaver.formats.dynabench import DynabenchSource, convert

SECOND = {
    "goal_message": "fool it",
    "aggregation_metric": {"type": "dynascore", "default_weights": {"accuracy": 4}},
    "perf_metric": {"type": "accuracy", "reference_name": "label"},
    "delta_metrics": [{"type": "fairness"}],
    "model_wrong_metric": {"type": "exact_match", "reference_names": ["label"]},
    "context": [{"name": "context", "type": "string"}],
    "input": [
        {"name": "text", "type": "string"},
        {"name": "label", "type": "target_label", "constructor_args": {"labels": ["a", "b"]}},
    ],
    "output": [{"name": "label"}, {"name": "prob", "type": "prob", "reference_name": "label"}],
    "metadata": {"validate": [{"name": "corrected_label", "labels": ["a"]}]},
}
THIRD = {
    "goal": {"type": "multioptions", "options": ["a", "b"], "field_name_for_the_model": "label"},
    "context": {"type": "selectable-text", "field_names_for_the_model": {"context": "context"}},
    "user_input": [{"type": "text", "field_name_for_the_model": "text"}],
    "model_input": {"statement": "text"},
    "model_output": {"model_prediction_label": "label"},
    "model_evaluation_metric": {"metric_name": "string_f1", "artifacts": {"threshold": 0.4}},
    "perf_metric": [{"type": "accuracy", "reference_name": "label", "utility_direction": 1}],
}
FIRST = {"input_keys": ["uid", "context"], "eval_metrics": ["f1"], "perf_metric": "f1"}
ROW = {"name": "Name", "desc": "about", "dynalab_threshold": 3, "hidden": False}
CONFIGS = {"second": SECOND, "third": THIRD, "first": FIRST}

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(allow_nan=False),
    st.sampled_from(["", "label", "x", "accuracy"]),
    st.lists(st.one_of(st.none(), st.integers(), st.just("label"), st.just({"name": "x"}))),
    st.dictionaries(st.sampled_from(["name", "type", "labels"]), st.sampled_from([1, "x", None])),
)


def places(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a configuration."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in inner:
        yield (*steps, key)
        if isinstance(each, dict | list):
            yield from places(each, (*steps, key))


@pytest.mark.parametrize("kind", sorted(CONFIGS))
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_anything_may_stand_anywhere(kind: str, data: st.DataObject) -> None:
    config: Any = copy.deepcopy(CONFIGS[kind])
    *outer, last = data.draw(st.sampled_from(list(places(config))))
    part = config
    for step in outer:
        part = part[step]
    part[last] = data.draw(ODD)
    try:
        draft = convert(DynabenchSource("odd", config, dict(ROW), first=kind == "first"))
    except InputError:
        return
    read_data(draft.data, folder="")


@settings(max_examples=50, deadline=None)
@given(key=st.sampled_from(sorted(ROW)), odd=ODD)
def test_anything_may_stand_in_a_row(key: str, odd: Any) -> None:
    draft = convert(DynabenchSource("odd", copy.deepcopy(SECOND), {**ROW, key: odd}))
    read_data(draft.data, folder="")
