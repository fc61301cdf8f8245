"""DialEval scores: the worked examples, a plain computation, and what is undefined."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.errors import InputError
from palaver.evaluation.dialeval.gold import count_gold, read_gold
from palaver.evaluation.dialeval.predictions import read_predictions
from palaver.evaluation.dialeval.scoring import NONE_SCORED, Scores, score
from palaver.formats.dch2 import read_dch2
from support.dialeval import (
    CUSTOMER,
    EXAMPLES,
    HELPDESK,
    POINTS,
    TRUTH,
    dialogue,
    examples,
    gold,
    plain_scores,
    prediction,
)


def scored(truth: list[Any], pred: list[Any], **more: Any) -> Scores:
    data = gold(truth)
    return score(data, read_predictions(json.dumps(pred).encode(), data), **more)


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the shared examples are not here")
def test_the_worked_examples() -> None:
    example = examples()["dialogue_level"]
    scores = scored(example["truth"], example["pred"], alpha=example["alpha"])
    by_dialogue = example["per_dialogue"]
    for measure in ("jsd", "rnss"):
        assert scores.values[measure].tolist() == pytest.approx(
            [by_dialogue[measure]["d1"], by_dialogue[measure]["d2"]], abs=1e-9
        )
        assert scores.mean(measure) == pytest.approx(example["mean"]["nugget"][measure], abs=1e-9)
        assert scores.mean(measure, neg_log2=True) == pytest.approx(
            example["neg_log2_of_mean"][measure], abs=1e-9
        )
    for measure in ("rsnod", "nmd"):
        for scale in "ASE":
            values = scores.values[f"{measure}-{scale}"].tolist()
            assert values == pytest.approx(by_dialogue[measure][scale], abs=1e-9)
            mean = example["mean"]["quality"][measure][scale]
            assert scores.as_json()["dq"][scale][measure] == pytest.approx(mean, abs=1e-9)


@st.composite
def data_sets(draw: st.DrawFn) -> tuple[list[Any], list[Any]]:
    shares = st.one_of(st.just(0.0), st.floats(0.001, 5))

    def distribution(labels: list[str]) -> dict[str, float]:
        found = draw(st.dictionaries(st.sampled_from(labels), shares))
        return found if any(found.values()) else {**found, labels[0]: 1.0}

    truth, pred = [], []
    for number in range(draw(st.integers(1, 3))):
        senders = [
            "customer",
            "helpdesk",
            *draw(st.lists(st.sampled_from(["customer", "helpdesk"]), max_size=3)),
        ]
        sets = [CUSTOMER if each == "customer" else HELPDESK for each in senders]
        annotations = [
            {
                "nugget": [draw(st.sampled_from(labels)) for labels in sets],
                "quality": {scale: int(draw(st.sampled_from(POINTS))) for scale in "ASE"},
            }
            for _ in range(draw(st.integers(1, 4)))
        ]
        turns = [{"sender": each, "utterances": []} for each in senders]
        truth.append({"id": str(number), "turns": turns, "annotations": annotations})
        pred.append(
            {
                "id": str(number),
                "nugget": [distribution(labels) for labels in sets],
                "quality": {scale: distribution(POINTS) for scale in "ASE"},
            }
        )
    return truth, pred


@given(data_sets())
@settings(max_examples=50, deadline=None)
def test_all_at_once_is_each_by_itself(data: tuple[list[Any], list[Any]]) -> None:
    truth, pred = data
    scores = scored(truth, pred)
    plain = [plain_scores(one, other) for one, other in zip(truth, pred, strict=True)]
    for measure, values in scores.values.items():
        assert values.tolist() == pytest.approx([each[measure] for each in plain], abs=1e-12)
        assert scores.mean(measure) == pytest.approx(
            sum(each[measure] for each in plain) / len(plain), abs=1e-12
        )


def test_a_perfect_prediction_is_0_and_its_logarithm_has_no_end() -> None:
    truth = TRUTH[1]
    pred = {
        "id": "d2",
        "nugget": [{"CNUG0": 1, "CNUG": 1}, {"HNUG": 1, "HNaN": 1}],
        "quality": {"A": {"-1": 1, "-2": 1}, "S": {"-1": 1, "0": 1}, "E": {"0": 1, "2": 1}},
    }
    scores = scored([truth], [pred])
    assert all(values.tolist() == [0.0] for values in scores.values.values())
    assert scores.mean("jsd", neg_log2=True) == math.inf
    assert scores.as_json(neg_log2=True)["nd"]["jsd"] is None


def test_alpha_weighs_the_customer_against_the_helpdesk() -> None:
    pred = [prediction(TRUTH[0])]
    customer = scored(TRUTH[:1], pred, alpha=1).mean("jsd")
    helpdesk = scored(TRUTH[:1], pred, alpha=0).mean("jsd")
    assert scored(TRUTH[:1], pred, alpha=0.3).mean("jsd") == pytest.approx(
        0.3 * customer + 0.7 * helpdesk
    )
    for alpha in (-0.1, 1.1, math.nan):
        with pytest.raises(InputError, match="Alpha must be between 0 and 1"):
            scored(TRUTH[:1], pred, alpha=alpha)


ONE_SIDED = [
    *TRUTH,
    dialogue("mute", "cc", ("CNUG0 CNUG", 0, 0, 0)),
    dialogue("alone", "h", ("HNUG", 1, 1, 1)),
]


def test_a_dialogue_of_one_side_is_undefined_and_does_not_spoil_the_mean() -> None:
    pred = [prediction(each) for each in ONE_SIDED]
    scores = scored(ONE_SIDED, pred)
    assert scores.undefined == {
        "mute": "the helpdesk has no turn",
        "alone": "the customer has no turn",
    }
    assert scores.mean("jsd") == pytest.approx(scored(TRUTH, pred[:3]).mean("jsd"))
    assert scores.estimate("jsd").n == 3
    assert scores.estimate("nmd-A").n == 5
    found = scores.as_json()
    assert (found["dialogues"], found["undefined"], found["missing"]) == (5, 2, 0)
    assert [row["reason"] for row in scores.rows()][3:] == list(scores.undefined.values())
    # Where one side has no weight, its turns are not needed.
    assert set(scored(ONE_SIDED, pred, alpha=1).undefined) == {"alone"}


def test_nothing_is_defined() -> None:
    truth = [ONE_SIDED[3]]
    pred = [{key: prediction(truth[0])[key] for key in ("id", "nugget")}]
    scores = scored(truth, pred)
    found = scores.as_json()
    assert {each["reason"] for each in found.pop("estimates").values()} == {NONE_SCORED}
    assert found == {
        "nd": {"jsd": None, "rnss": None},
        "dialogues": 1,
        "undefined": 1,
        "missing": 0,
    }
    assert scores.estimate("jsd").reason == "no dialogue has a score"


def test_what_is_missing_is_counted() -> None:
    pred = [prediction(each) for each in TRUTH[1:]]
    scores = scored(TRUTH, pred)
    assert scores.missing == ("d1",)
    assert scores.rows()[0] == {"dialogue": "d1", "reason": "no prediction"} | dict.fromkeys(
        scores.values
    )
    found = scores.as_json()
    assert (found["dialogues"], found["undefined"], found["missing"]) == (3, 0, 1)


def test_a_notebook_shows_a_table() -> None:
    shown = scored(TRUTH, [prediction(each) for each in TRUTH])._repr_html_()
    assert shown.startswith("<table>")
    assert shown.count("<tr>") == 9


def test_gold_counts_what_annotators_said() -> None:
    data = gold()
    assert data.nuggets[0].tolist() == [2, 0, 0, 0]
    assert data.nuggets[1].tolist() == [1, 1, 0, 0]
    assert data.nuggets[2].tolist() == [0, 0, 1, 1]
    assert data.quality[1].tolist() == [[0, 0, 0, 1, 1], [0, 0, 1, 1, 0], [1, 0, 1, 0, 0]]
    assert data.dialogue_of.tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 2]


def test_annotators_may_leave_a_task_or_a_scale_out() -> None:
    truth = json.loads(json.dumps(TRUTH))
    del truth[0]["annotations"][0]["nugget"]
    del truth[0]["annotations"][1]["quality"]["S"]
    del truth[1]["annotations"][1]["quality"]
    truth[2]["annotations"] = []
    data = gold(truth)
    assert data.nuggets[:3].sum(axis=1).tolist() == [1, 1, 1]
    assert data.quality.sum(axis=2).tolist() == [[2, 1, 2], [1, 1, 1], [0, 0, 0]]
    pred = [prediction(each) for each in TRUTH]
    scores = scored(truth, pred)
    assert set(scores.undefined) == {"d3"}
    assert "the gold data have no label for turn 1" in scores.undefined["d3"]


def test_gold_that_cannot_be_scored_against(tmp_path: Any) -> None:
    bare = [{"id": "d1", "turns": TRUTH[0]["turns"]}]
    assert not gold(bare).is_annotated
    with pytest.raises(InputError, match="no annotations of 'nugget'"):
        scored(bare, [prediction(TRUTH[0])])
    with pytest.raises(InputError, match="contains no dialogues"):
        count_gold(read_dch2(b"[]"))
    with pytest.raises(InputError, match="1 ids occur more than once"):
        count_gold(2 * read_dch2(json.dumps(TRUTH[:1]).encode()))
    with pytest.raises(InputError, match="There is no file"):
        read_gold(tmp_path / "gone.json")


def test_the_order_of_the_gold_data_does_not_matter() -> None:
    pred = [prediction(each, tilt=2) for each in TRUTH]
    one, other = scored(TRUTH, pred), scored(TRUTH[::-1], pred)
    for measure in one.values:
        assert np.array_equal(one.values[measure], other.values[measure][::-1])
