"""A metric of one's own: one function in a file, or installed with an entry point."""

import math
import os
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.registry import Registry
from palaver.core.serial import plain
from palaver.metrics import METRICS, Score, find_metric, known_metrics, registry
from palaver.metrics.classification import ACCURACY

OWN = '''
from polite_words import POLITE

def polite(predictions, references):
    """The share of replies that say please.

    More about it."""
    return sum(POLITE in text.lower() for text in predictions) / len(predictions)

polite.direction = "higher"
polite.low, polite.high, polite.unit, polite.paper = 0, 1, "share", "A. Author (2020)"

def alone(predictions, *, scale=1):
    lengths = [scale * len(text) for text in predictions]
    return {"value": sum(lengths) / len(lengths), "per_item": lengths, "longest": max(lengths)}

def nothing(predictions):
    return float("nan")

def text(predictions):
    return "good"

def unnamed(predictions):
    return {"score": 1}

def too_few(predictions):
    return {"value": 1.0, "per_item": [1.0]}

def broken(predictions):
    raise KeyError("oh")

def greedy(predictions, references, third):
    return 1.0

def sideways(predictions):
    return 1.0
sideways.direction = "left"

number = 3
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with somebody's functions."""
    (tmp_path / "polite_words.py").write_text("POLITE = 'please'\n")
    (tmp_path / "mine.py").write_text(OWN)
    return tmp_path


def test_a_function_is_enough(folder: Path) -> None:
    metric = find_metric("mine:polite", folder=folder)
    assert (metric.name, metric.family, metric.direction) == ("mine:polite", "own", "higher")
    assert (metric.low, metric.high, metric.unit, metric.paper) == (
        *(0, 1, "share", "A. Author (2020)"),
    )
    assert metric.about == "The share of replies that say please."
    found = metric.compute(["Please sit.", "Sit."], ["x", "y"])
    assert (found.metric, found.value, found.n) == ("mine:polite", 0.5, 2)
    with pytest.raises(InputError, match="one reference per prediction"):
        metric.compute(["a"], ["x", "y"])
    with pytest.raises(InputError, match="prediction 1 must be a value"):
        metric.compute([None], ["x"])


def test_without_references_with_parts_and_options(folder: Path) -> None:
    metric = find_metric("mine:alone", folder=folder)
    assert metric.references is None
    assert (metric.direction, metric.low) == ("none", -math.inf)
    found = metric.compute(["ab", "abcd"], scale=2)
    assert (found.value, found.per_item, found.parts) == (6.0, (4.0, 8.0), {"longest": 8})
    with pytest.raises(InputError, match=r"no option 'scael'\. Near: 'scale'"):
        metric.compute(["ab"], scael=2)
    assert metric.compute([]).reason == "there are no items"


def test_nan_is_undefined(folder: Path) -> None:
    found = find_metric("mine:nothing", folder=folder).compute(["a"])
    assert plain(found) == {
        "metric": "mine:nothing",
        "value": None,
        "n": 1,
        "reason": "the function returned nan",
    }


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("text", "returned 'good'; expected a number"),
        ("unnamed", r"a mapping without 'value': \['score'\]"),
        ("too_few", "returned 1 values for 2 items"),
        ("broken", "failed: KeyError: 'oh'"),
        ("greedy", "it takes 3 parameters"),
        ("sideways", "direction must be one of higher, lower, none; got 'left'"),
        ("number", "is int; expected a function or a Metric"),
        ("polit", "has no function 'polit'. Near: 'polite'"),
    ],
)
def test_what_is_wrong_with_a_function_is_said(folder: Path, name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        find_metric(f"mine:{name}", folder=folder).compute(["a", "b"])


def test_what_is_wrong_with_a_module_is_said(folder: Path) -> None:
    (folder / "ill.py").write_text("import a_package_that_is_not_there\n")
    (folder / "worse.py").write_text("1 / 0\n")
    for target, words in {
        "absent:f": "no installed module 'absent'",
        "ill:f": "a_package_that_is_not_there'. Is it installed?",
        "worse:f": "Importing 'worse' failed: ZeroDivisionError",
        ":f": "is 'module:function'; got ':f'",
        "mine:": "is 'module:function'",
        "mine:a b": "is 'module:function'",
    }.items():
        with pytest.raises(InputError, match=words):
            find_metric(target, folder=folder)


def test_two_folders_may_have_a_module_of_the_same_name(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.py").write_text("def polite(predictions, references):\n    return 7.0\n")
    assert find_metric("mine:polite", folder=other).compute(["a"], ["a"]).value == 7.0
    assert find_metric("mine:polite", folder=folder).compute(["a"], ["a"]).value == 0.0


def test_an_unknown_name_has_near_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"No metric 'bleurt'. Near: .*'bleu'") as error:
        find_metric("bleurt")
    assert str(error.value).endswith("See: palaver metrics.")


def test_what_another_package_offers(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.syspath_prepend(str(folder))
    offered: Registry[Any] = Registry(
        "metric",
        "palaver.metrics",
        {"polite": "mine:polite", "right": "palaver.metrics.classification:ACCURACY"},
    )
    monkeypatch.setattr(registry, "METRICS", offered)
    assert find_metric("right") is ACCURACY
    assert find_metric("polite").compute(["please"], ["x"]).value == 1.0
    assert [metric.name for metric in known_metrics()] == ["accuracy", "polite"]
    offered.register("scored", lambda predictions: Score(value=1.0, signature="mine"))
    assert plain(find_metric("scored").compute([1, 2]))["signature"] == "mine"


def test_a_broken_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    broken: Registry[Any] = Registry("metric", "palaver.metrics", {"gone": "not_there_at_all:f"})
    monkeypatch.setattr(registry, "METRICS", broken)
    with pytest.raises(InputError, match="Metric 'gone' is installed but does not load"):
        find_metric("gone")


def test_the_group_of_entry_points_has_its_name() -> None:
    assert METRICS.group == "palaver.metrics"


def test_the_version_changes_with_the_source(tmp_path: Path) -> None:
    file = tmp_path / "versioned.py"
    versions = []
    for number in (1, 2, 1):
        source = f"def share(predictions, references):\n    return {number}\n"
        file.write_text(source, encoding="utf-8")
        # The same name and time may stand for other content: the loader goes by both.
        os.utime(file, ns=(number, number))
        versions.append(find_metric("versioned:share", folder=tmp_path).version)
    assert versions[0] == versions[2] != versions[1]
    assert find_metric("accuracy").version == "1"
