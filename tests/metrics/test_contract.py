"""Every registered metric keeps the properties that the table in `battery.py` lists for it."""

import copy
import json
import math
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.errors import InputError
from palaver.core.serial import plain
from palaver.metrics import METRICS, Metric, Score, find_metric

from .battery import CONTRACTS, Contract

NAMES = sorted(CONTRACTS)
WITH_REFERENCES = [name for name in NAMES if CONTRACTS[name].references is not None]
WITH_LADDER = [name for name in NAMES if CONTRACTS[name].ladder]
quick = settings(max_examples=15, deadline=None)


@pytest.fixture(scope="session")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small SentencePiece model."""
    trainer = pytest.importorskip("sentencepiece", reason="spBLEU needs sentencepiece")
    folder = tmp_path_factory.mktemp("pieces")
    told = [text for text in CONTRACTS["sp_bleu"].perfect for _ in range(20)]
    told += [text for text in CONTRACTS["sp_bleu"].unicode or [] for _ in range(20)]
    trainer.SentencePieceTrainer.train(
        sentence_iterator=iter(told),
        model_prefix=str(folder / "small"),
        vocab_size=90,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return folder / "small.model"


class Subject:
    """A metric with its row of the table."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.metric: Metric = find_metric(name)
        self.contract: Contract = CONTRACTS[name]
        self.options = options | self.contract.options

    def score(self, predictions: Any, references: Any = None, **options: Any) -> Score:
        """What the metric says."""
        return self.metric.compute(predictions, references, **(self.options | options))

    def pairs(self) -> st.SearchStrategy[list[Any]]:
        """Lists of random (prediction, reference); the reference is None where there is none."""
        given = self.contract.partners
        partners = st.none() if given is None else given
        return st.lists(st.tuples(self.contract.items, partners), min_size=1, max_size=8)

    def split(self, pairs: list[Any]) -> tuple[list[Any], list[Any] | None]:
        """Predictions, and references if the metric takes any."""
        predictions = [pair[0] for pair in pairs]
        if self.contract.references is None:
            return predictions, None
        return predictions, [pair[1] for pair in pairs]


@pytest.fixture(scope="session")
def subject(request: pytest.FixtureRequest) -> Subject:
    """The metric of this test, with a model where it needs one."""
    name = request.param
    options = {"model": request.getfixturevalue("pieces")} if name == "sp_bleu" else {}
    return Subject(name, options)


each = pytest.mark.parametrize("subject", NAMES, indirect=True)
each_with_references = pytest.mark.parametrize("subject", WITH_REFERENCES, indirect=True)
each_with_ladder = pytest.mark.parametrize("subject", WITH_LADDER, indirect=True)


def same(first: float, second: float) -> bool:
    """Whether two values are equal but for rounding; undefined equals undefined."""
    if math.isnan(first) or math.isnan(second):
        return math.isnan(first) and math.isnan(second)
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-9)


def test_the_table_lists_every_metric_and_no_other() -> None:
    assert METRICS.names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_what_a_reader_must_know_is_there(name: str) -> None:
    metric = find_metric(name)
    assert metric.name == name
    assert metric.low < metric.high
    for words in (metric.title, metric.about, metric.unit, metric.paper, metric.predictions.words):
        assert words.strip()
    assert metric.family != "own"
    assert (metric.references is not None) == (CONTRACTS[name].references is not None)
    known = plain(metric)
    assert json.loads(json.dumps(known, allow_nan=False)) == known


@pytest.mark.parametrize("name", [name for name in NAMES if name != "sp_bleu"])
def test_the_example_is_true(name: str) -> None:
    metric = find_metric(name)
    example = metric.example
    assert example is not None
    found = metric.compute(example.predictions, example.references, **example.options)
    assert found.value == pytest.approx(example.value, abs=1e-6)


@each
def test_the_perfect_score(subject: Subject) -> None:
    contract = subject.contract
    found = subject.score(contract.perfect, contract.references)
    assert found.n == len(contract.perfect)
    assert found.is_defined
    if contract.best is None:
        assert subject.metric.direction == "none"
    else:
        assert found.value == pytest.approx(contract.best, abs=1e-9)


@each
@quick
@given(data=st.data())
def test_the_value_lies_in_the_range_and_is_the_mean_of_its_items_where_promised(
    subject: Subject, data: st.DataObject
) -> None:
    found = subject.score(*subject.split(data.draw(subject.pairs())))
    if not found.is_defined:
        assert found.reason
        return
    assert not found.reason
    assert subject.metric.low <= found.value <= subject.metric.high + 1e-9
    if subject.metric.decomposes:
        assert len(found.per_item) == found.n
        assert same(found.value, sum(found.per_item) / found.n)
    else:
        assert found.per_item == ()


@each
@quick
@given(data=st.data(), dice=st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_matter(
    subject: Subject, data: st.DataObject, dice: random.Random
) -> None:
    pairs = data.draw(subject.pairs())
    shuffled = dice.sample(pairs, len(pairs))
    first = subject.score(*subject.split(pairs))
    second = subject.score(*subject.split(shuffled))
    assert same(first.value, second.value)


@pytest.mark.parametrize(
    "subject", [name for name in NAMES if CONTRACTS[name].doubling], indirect=True
)
@quick
@given(data=st.data())
def test_the_same_items_twice_score_the_same(subject: Subject, data: st.DataObject) -> None:
    pairs = data.draw(subject.pairs())
    once = subject.score(*subject.split(pairs))
    assert same(once.value, subject.score(*subject.split(pairs * 2)).value)


@pytest.mark.parametrize(
    "subject", [name for name in NAMES if CONTRACTS[name].symmetric], indirect=True
)
@quick
@given(data=st.data())
def test_sides_may_be_exchanged(subject: Subject, data: st.DataObject) -> None:
    item = subject.contract.items
    pairs = data.draw(st.lists(st.tuples(item, item), min_size=1, max_size=8))
    predictions, references = subject.split(pairs)
    first, second = subject.score(predictions, references), subject.score(references, predictions)
    if first.is_defined and second.is_defined:
        assert same(first.value, second.value)


@pytest.mark.parametrize(
    "subject", [name for name in NAMES if CONTRACTS[name].symmetric is False], indirect=True
)
def test_sides_may_not_be_exchanged(subject: Subject) -> None:
    assert subject.contract.asymmetry is not None
    first, second = subject.contract.asymmetry
    assert not same(subject.score(first, second).value, subject.score(second, first).value)


@each_with_ladder
def test_worse_predictions_are_not_better(subject: Subject) -> None:
    contract = subject.contract
    sign = {"higher": 1, "lower": -1}[subject.metric.direction]
    found = [sign * subject.score(rung, contract.references).value for rung in contract.ladder]
    assert all(worse <= better + 1e-12 for better, worse in pairwise(found))
    assert found[-1] < found[0]


def test_only_what_has_a_direction_has_a_ladder() -> None:
    directed = [name for name in NAMES if find_metric(name).direction != "none"]
    assert directed == WITH_LADDER


@each
def test_nothing_has_no_score(subject: Subject) -> None:
    nothing = None if subject.contract.references is None else []
    found = subject.score([], nothing)
    assert math.isnan(found.value)
    assert found.reason == "there are no items"
    assert plain(found)["value"] is None


@each_with_references
def test_both_sides_need_as_many_items(subject: Subject) -> None:
    contract = subject.contract
    assert contract.references is not None
    with pytest.raises(InputError, match="one reference per prediction; got 2 predictions"):
        subject.score(contract.perfect[:2], contract.references[:1])
    with pytest.raises(InputError, match="needs references"):
        subject.score(contract.perfect)


@pytest.mark.parametrize(
    "subject", [name for name in NAMES if name not in WITH_REFERENCES], indirect=True
)
def test_references_are_refused_where_there_are_none(subject: Subject) -> None:
    with pytest.raises(InputError, match="takes no references"):
        subject.score(subject.contract.perfect, subject.contract.perfect)


@each
def test_a_wrong_item_is_named(subject: Subject) -> None:
    contract = subject.contract
    for wrong in contract.wrong:
        spoilt = [contract.perfect[0], wrong, *contract.perfect[2:]]
        with pytest.raises(InputError, match=r"(prediction|Outcome) 2\b"):
            subject.score(spoilt, contract.references)


@each_with_references
def test_a_wrong_reference_is_named(subject: Subject) -> None:
    contract = subject.contract
    assert contract.references is not None
    for wrong in (None, float("nan"), object(), {"a": 1}):
        spoilt = [contract.references[0], wrong, *contract.references[2:]]
        with pytest.raises(InputError, match=r"reference 2\b"):
            subject.score(contract.perfect, spoilt)


@each
def test_what_is_no_list_is_refused(subject: Subject) -> None:
    for wrong in ("text", 5, {"a": 1}, {"a", "b"}, None):
        with pytest.raises(InputError, match="must be a list"):
            subject.score(wrong, subject.contract.references)


@each
def test_an_unknown_option_is_refused(subject: Subject) -> None:
    with pytest.raises(InputError, match="has no option 'sharpness'"):
        subject.score(subject.contract.perfect, subject.contract.references, sharpness=3)


@each
def test_a_score_goes_through_json(subject: Subject) -> None:
    found = subject.score(subject.contract.perfect, subject.contract.references)
    told = {**plain(found), "per_item": plain(found.per_item)}
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["metric"] == subject.metric.name
    assert told["value"] == found.value
    assert told["per_item"] == list(found.per_item)
    assert "<table>" in found._repr_html_()


@each
def test_what_was_given_stays_as_it_was(subject: Subject) -> None:
    contract = subject.contract
    predictions, references = copy.deepcopy((contract.perfect, contract.references))
    first = subject.score(predictions, references)
    assert (predictions, references) == (contract.perfect, contract.references)
    assert subject.score(tuple(predictions), references).value == first.value


@pytest.mark.parametrize(
    "subject", [name for name in NAMES if CONTRACTS[name].unicode], indirect=True
)
def test_any_script_will_do(subject: Subject) -> None:
    contract = subject.contract
    texts = contract.unicode
    references = None if contract.references is None else texts
    found = subject.score(texts, references, **contract.unicode_options)
    assert found.is_defined
    if references is not None and contract.best is not None:
        assert found.value == pytest.approx(contract.best)
