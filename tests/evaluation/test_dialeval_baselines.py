"""The baselines: what they predict, and what they refuse."""

import json
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.evaluation.dialeval.baselines import BASELINES, TRAINED, Baseline, baseline
from palaver.evaluation.dialeval.gold import read_gold
from palaver.evaluation.dialeval.predictions import lay_out
from palaver.evaluation.dialeval.scoring import score
from palaver.formats.submissions import Entries
from support.dialeval import TRUTH, dialogue, gold
from support.shared import SHARED


def test_uniform_gives_every_label_the_same() -> None:
    entry = baseline("uniform", gold())[1]
    assert entry.nugget == [
        dict.fromkeys(["CNUG0", "CNUG", "CNUG*", "CNaN"], 0.25),
        pytest.approx(dict.fromkeys(["HNUG", "HNUG*", "HNaN"], 1 / 3)),
    ]
    assert entry.quality is not None
    assert entry.quality["E"] == dict.fromkeys(["2", "1", "0", "-1", "-2"], 0.2)


def test_popularity_reads_the_gold_data_and_shares_ties() -> None:
    entry = baseline("popularity", gold())[0]
    assert entry.nugget is not None
    assert entry.quality is not None
    assert entry.nugget[0] == {"CNUG0": 1, "CNUG": 0, "CNUG*": 0, "CNaN": 0}
    assert entry.nugget[1] == {"HNUG": 0.5, "HNUG*": 0.5, "HNaN": 0}
    assert entry.quality["S"] == {"2": 0, "1": 1, "0": 0, "-1": 0, "-2": 0}


def test_the_mean_of_training_weighs_every_turn_and_dialogue_alike() -> None:
    """Counts of 2 and 1 annotators weigh the same: distributions are averaged, not counts."""
    training = gold(
        [
            dialogue("x", "ch", ("CNUG0 HNUG", 2, 0, 0), ("CNUG0 HNUG*", 2, 0, 0)),
            dialogue("y", "ch", ("CNUG HNUG", 1, 0, 0)),
        ]
    )
    entry = baseline("mean-of-training", gold(), training=training)[0]
    assert entry.nugget is not None
    assert entry.quality is not None
    assert entry.nugget[0] == {"CNUG0": 0.5, "CNUG": 0.5, "CNUG*": 0, "CNaN": 0}
    assert entry.nugget[1] == {"HNUG": 0.75, "HNUG*": 0.25, "HNaN": 0}
    assert entry.quality["A"] == {"2": 0.5, "1": 0.5, "0": 0, "-1": 0, "-2": 0}


STC3 = SHARED / "data" / "dialeval"


@pytest.mark.skipif(not STC3.exists(), reason="the shared data are not here")
def test_on_real_dialogues_the_mean_of_training_beats_uniform_and_popularity_does_not() -> None:
    training, dev = (read_gold(STC3 / f"stc3_{part}_en.jsonl") for part in ("train", "dev"))

    def means(name: Baseline) -> dict[str, float]:
        given = training if name in TRAINED else None
        scores = score(dev, lay_out(Entries(baseline(name, dev, training=given)), dev))
        return {measure: scores.mean(measure) for measure in scores.values}

    uniform, mean = means("uniform"), means("mean-of-training")
    assert all(mean[measure] < uniform[measure] for measure in uniform)
    assert means("popularity-from-training")["jsd"] > uniform["jsd"]


def test_popularity_from_training_is_the_same_for_every_dialogue() -> None:
    training = gold(
        [
            dialogue("t1", "chc", ("CNUG0 HNUG* CNaN", 1, -2, 0), ("CNaN HNUG* CNaN", 1, -2, 0)),
            dialogue("t2", "hc", ("HNaN CNUG", 2, 2, 1)),
        ]
    )
    entries = baseline("popularity-from-training", gold(), training=training)
    assert len(entries) == 3
    for entry in entries:
        assert entry.nugget is not None
        assert entry.quality is not None
        assert entry.nugget[0]["CNaN"] == 1
        assert entry.nugget[1]["HNUG*"] == 1
        assert (entry.quality["A"]["1"], entry.quality["S"]["-2"], entry.quality["E"]["0"]) == (
            1,
            1,
            1,
        )


@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_is_a_valid_submission(name: Any) -> None:
    data = gold()
    training = data if name in TRAINED else None
    found = lay_out(Entries(baseline(name, data, training=training)), data)
    assert not found.faults
    assert score(data, found).as_json()["missing"] == 0


def test_where_all_annotators_agree_the_oracle_is_perfect() -> None:
    data = gold([dialogue("d", "ch", ("CNUG HNUG", 1, 1, 1), ("CNUG HNUG", 1, 1, 1))])
    scores = score(data, lay_out(Entries(baseline("popularity", data)), data))
    assert all(values.tolist() == [0.0] for values in scores.values.values())


def test_gold_with_one_task_alone() -> None:
    truth = json.loads(json.dumps(TRUTH))
    for each in truth:
        for annotation in each["annotations"]:
            del annotation["quality"]
    assert all(entry.quality is None for entry in baseline("popularity", gold(truth)))


def test_what_a_baseline_refuses() -> None:
    data, bare = gold(), gold([{"id": "d", "turns": TRUTH[0]["turns"]}])
    with pytest.raises(InputError, match="needs a training file"):
        baseline("popularity-from-training", data)
    with pytest.raises(InputError, match="takes no training file"):
        baseline("uniform", data, training=data)
    with pytest.raises(InputError, match="has none"):
        baseline("popularity", bare)
    with pytest.raises(InputError, match="lacks 'nugget' in places"):
        baseline("popularity", gold([*TRUTH, {"id": "d", "turns": TRUTH[0]["turns"]}]))
    with pytest.raises(InputError, match="no labels for 'customer'"):
        baseline("popularity-from-training", data, training=bare)
    with pytest.raises(InputError, match="No baseline 'best'"):
        baseline("best", data)  # type: ignore[arg-type]
