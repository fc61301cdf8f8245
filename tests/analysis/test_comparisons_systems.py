"""Every pair of systems at once: which test is taken, and what goes into it."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from palaver.analysis.clustered import difference_spread
from palaver.analysis.comparisons import (
    ComparisonSettings,
    compare_systems,
    mcnemar,
    paired_permutation,
    unpaired_permutation,
)
from palaver.analysis.corrections import holm
from palaver.analysis.mixed import linear_mixed
from palaver.core.errors import InputError
from palaver.core.serial import plain

QUICK = ComparisonSettings(resamples=200, trials=500)


@pytest.fixture
def table():
    """Three systems on 12 items, judged by 2 of 6 raters each."""
    dice = np.random.default_rng(1)
    ease, lenient = dice.normal(size=12), dice.normal(size=6)
    rows = [
        (system, item, rater, shift + ease[item] + lenient[rater] + dice.normal())
        for system, shift in (("a", 0.0), ("b", 1.5), ("c", 0.1))
        for item in range(12)
        for rater in (item % 6, (item + 1) % 6)
    ]
    systems, items, raters, values = (list(column) for column in zip(*rows, strict=True))
    return {"values": values, "systems": systems, "items": items, "raters": raters}


def test_unpaired_values_are_compared_by_welch(table) -> None:
    found = compare_systems(table["values"], table["systems"], settings=QUICK)
    sides = [
        [v for v, s in zip(table["values"], table["systems"], strict=True) if s == name]
        for name in "abc"
    ]
    p = [
        stats.ttest_ind(sides[i], sides[j], equal_var=False).pvalue
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert found.test == "welch"
    assert [pair.test.p for pair in found.pairs] == pytest.approx(p)
    assert [pair.adjusted for pair in found.pairs] == pytest.approx(holm(p))
    assert found.systems["b"].value == pytest.approx(np.mean(sides[1]))


def test_items_pair_the_means_of_their_answers(table) -> None:
    known = {name: column for name, column in table.items() if name != "raters"}
    found = compare_systems(**known, settings=QUICK)
    a, b = (
        [
            np.mean(
                [
                    v
                    for v, s, i in zip(
                        table["values"], table["systems"], table["items"], strict=True
                    )
                    if (s, i) == (system, item)
                ]
            )
            for item in range(12)
        ]
        for system in "ab"
    )
    assert found.rule.startswith("permutation (paired)")
    assert found.pairs[0].test.p == paired_permutation(a, b).p
    assert found.pairs[0].difference.value == pytest.approx(np.mean(a) - np.mean(b))
    assert found.pairs[0].tested is None
    assert found.pairs[0].test.n == 12


def test_raters_who_judged_both_pair_within_items_and_flip_together(table) -> None:
    for named in ({"raters": table["raters"]}, {"clusters": {"rater": table["raters"]}}):
        clustered = compare_systems(
            table["values"],
            table["systems"],
            items=table["items"],
            test="permutation",
            settings=QUICK,
            **named,
        )
        assert clustered.pairs[0].test.n == 24  # 12 items × 2 raters
        assert "6 clusters of pairs" in clustered.pairs[0].test.method
        assert (
            clustered.pairs[0].test.effects["d_z"].value
            in clustered.pairs[0].test.effects["d_z"].interval
        )


def test_answers_of_0_and_1_on_items_are_counted() -> None:
    a, b = [1] * 9 + [0] * 5, [0] * 7 + [1] * 4 + [0] * 3
    found = compare_systems([*a, *b], ["a"] * 14 + ["b"] * 14, items=[*range(14)] * 2)

    assert found.test == "mcnemar"
    assert found.pairs[0].test.p == mcnemar(a, b).p


def test_answers_of_0_and_1_without_items_are_shares() -> None:
    found = compare_systems([1, 0, 1, 1, 0, 0, 1, 0] * 5, (["a"] * 4 + ["b"] * 4) * 5)

    assert found.test == "z"
    assert found.systems["a"].method.startswith("Wilson")
    assert found.pairs[0].difference.value == 0.5


def test_clusters_of_one_system_are_dealt_whole() -> None:
    values, systems = [5, 6, 5, 7, 1, 2, 2, 1], ["a"] * 4 + ["b"] * 4
    dialogues = ["d1", "d1", "d2", "d2", "d3", "d3", "d4", "d4"]
    found = compare_systems(
        values, systems, clusters={"dialogue": dialogues}, test="permutation", settings=QUICK
    )
    expected = unpaired_permutation(
        values[:4], values[4:], clusters_a=dialogues[:4], clusters_b=dialogues[4:]
    )
    assert (
        found.rule == "permutation (unpaired), because each 'dialogue' has answers about one system"
    )
    assert found.pairs[0].test.p == expected.p == pytest.approx(1 / 3)


def test_clusters_of_several_systems_pair_them(table) -> None:
    found = compare_systems(
        table["values"],
        table["systems"],
        clusters={"rater": table["raters"]},
        test="permutation",
        settings=QUICK,
    )
    assert "pairs them" in found.rule
    assert found.pairs[0].test.n == 6


def test_raters_and_items_are_clusters(table) -> None:
    found = compare_systems(**table, settings=QUICK)
    rows = [np.flatnonzero(np.array(table["systems"]) == name) for name in "ab"]
    values = np.array(table["values"])
    known = [[np.array(table[name])[own] for name in ("items", "raters")] for own in rows]
    spread = difference_spread(values[rows[0]], values[rows[1]], *known)
    pair = found.pairs[0]

    assert found.rule == "robust, because answers with the same item or rater belong together"
    assert pair.test.p == pytest.approx(spread.p(pair.difference.value))
    assert plain(pair.difference.interval) == pytest.approx(
        plain(spread.interval(pair.difference.value))
    )
    assert any("only 6 raters" in text for text in plain(found)["warnings"])


def test_the_difference_is_that_of_the_printed_means_though_raters_differ_in_number() -> None:
    # One rater likes the new system and gives most answers; four dislike it and give one each.
    values = [5.0] * 20 + [2.0] * 4 + [3.0] * 20 + [4.0] * 4
    systems = ["new"] * 24 + ["old"] * 24
    raters = ([0] * 20 + [1, 2, 3, 4]) * 2
    means = compare_systems(values, systems, settings=QUICK).systems
    apart = means["new"].value - means["old"].value
    found = compare_systems(values, systems, raters=raters, settings=QUICK).pairs[0]
    dealt = compare_systems(
        values, systems, raters=raters, test="permutation", settings=QUICK
    ).pairs[0]

    assert apart > 0
    assert found.difference.value == pytest.approx(apart)
    assert "tested_difference" not in found.as_json()
    # Each rater counts once in the pairs of a permutation test, which has the other sign.
    assert dealt.difference == found.difference
    assert dealt.as_json()["tested_difference"] == pytest.approx((2 - 4 * 2) / 5)
    assert dealt.as_json()["estimand"] == "mean difference of pairs"


def test_one_rater_of_all_answers_is_said_and_no_cluster() -> None:
    found = compare_systems(
        [1, 2, 3, 4, 4, 3, 2, 5], ["a"] * 4 + ["b"] * 4, raters=["r"] * 8, settings=QUICK
    )
    assert found.test == "welch"
    assert any("nothing about other raters" in text for text in found.warnings)


def test_raters_who_answer_once_each_are_no_clusters() -> None:
    found = compare_systems(
        [1, 0, 1, 1, 0, 0, 1, 0] * 5,
        (["a"] * 4 + ["b"] * 4) * 5,
        raters=list(range(40)),
        settings=QUICK,
    )
    assert found.test == "z"
    assert found.warnings == ()


def test_a_side_of_one_rater_has_no_p_value() -> None:
    found = compare_systems(
        [1, 2, 3, 4, 4, 3], ["a"] * 3 + ["b"] * 3, raters=[1, 1, 1, 1, 2, 2], settings=QUICK
    ).pairs[0]
    assert found.test.reason == "a side has a single cluster"
    assert found.difference.interval is None


def test_a_mixed_model_has_its_own_difference(table) -> None:
    found = compare_systems(
        table["values"],
        table["systems"],
        clusters={"rater": table["raters"], "item": table["items"]},
        test="mixed",
        settings=QUICK,
    )
    model = linear_mixed(
        table["values"], table["systems"], {"rater": table["raters"], "item": table["items"]}
    )
    assert found.pairs[0].tested == model.contrasts[0].difference
    assert found.pairs[0].estimand == "contrast of the linear mixed model"
    assert found.model.components == model.components
    means = [found.systems[name].value for name in "ab"]
    assert found.pairs[0].difference.value == pytest.approx(means[0] - means[1])


@pytest.mark.parametrize("test", ["welch", "mann-whitney", "wilcoxon", "sign", "paired-t", "mixed"])
def test_every_test_can_be_named(table, test) -> None:
    found = compare_systems(**table, test=test, settings=QUICK)

    assert found.test == test
    assert all(0 < pair.test.p <= pair.adjusted <= 1 for pair in found.pairs)
    assert all(pair.test.effects for pair in found.pairs)
    assert json.loads(json.dumps(plain(found), allow_nan=False))["test"] == test


def test_the_ordinal_model_gives_odds_ratios(table) -> None:
    steps = np.digitize(table["values"], [-1, 0, 1, 2]).tolist()
    found = compare_systems(
        steps, table["systems"], raters=table["raters"], test="ordinal-mixed", settings=QUICK
    )
    pair = found.pairs[0]
    assert pair.test.effects["odds ratio"].value == pytest.approx(math.exp(pair.tested.value))


def test_swapping_the_order_of_systems_turns_the_difference(table) -> None:
    def backwards(column):
        return list(reversed(column))

    found = compare_systems(**table, settings=QUICK)
    turned = compare_systems(**{k: backwards(v) for k, v in table.items()}, settings=QUICK)
    ours = {(pair.a, pair.b): pair for pair in found.pairs}
    theirs = {(pair.b, pair.a): pair for pair in turned.pairs}

    for names, pair in ours.items():
        assert theirs[names].difference.value == pytest.approx(-pair.difference.value)
        assert theirs[names].test.p == pytest.approx(pair.test.p)


def test_a_margin_is_asked_both_ways_round(table) -> None:
    asked = ComparisonSettings(resamples=200, margin=3.0, at_least=True, word="helpful")
    found = compare_systems(table["values"], table["systems"], settings=asked)
    sentences = [each.sentence for each in found.pairs[0].margins]

    assert sentences == [
        "a is at least as helpful as b, within a margin of 3.",
        "b is at least as helpful as a, within a margin of 3.",
    ]


@pytest.mark.parametrize(
    "kind", ["unpaired", "paired", "clustered", "shares", "paired shares", "mixed"]
)
def test_a_margin_can_be_asked_of_everything(table, kind) -> None:
    asked = ComparisonSettings(resamples=200, margin=50.0)
    values, systems, items = table["values"], table["systems"], table["items"]
    if "shares" in kind:
        asked = ComparisonSettings(margin=0.9)
        values = [float(each > 0) for each in values]
    given = {"items": items} if kind in ("paired", "clustered", "mixed") else {}
    if kind == "paired shares":
        given = {"items": [f"{i} {r}" for i, r in zip(items, table["raters"], strict=True)]}
    if kind == "clustered":
        given["clusters"] = {"rater": table["raters"]}
    found = compare_systems(
        values, systems, test="mixed" if kind == "mixed" else "auto", settings=asked, **given
    )
    assert all(len(pair.margins) == 1 for pair in found.pairs)
    assert all(each.result.shown for pair in found.pairs for each in pair.margins)


def test_rows_without_a_value_and_items_of_one_side_are_counted() -> None:
    values = [1, 2, 3, 4, math.nan, 2, 1, 5, 3]
    found = compare_systems(
        values, ["a"] * 5 + ["b"] * 4, items=[1, 2, 3, 4, 5, 1, 2, 3, 9], settings=QUICK
    )
    assert any("1 rows have no value" in each for each in found.warnings)
    assert any("2 items were left out" in each for each in found.pairs[0].test.warnings)


def test_a_test_that_ignores_clusters_says_so(table) -> None:
    found = compare_systems(
        table["values"],
        table["systems"],
        clusters={"r": table["raters"]},
        test="welch",
        settings=QUICK,
    )
    assert "take answers with the same r for independent" in found.warnings[0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"systems": ["a"] * 4}, "Two or more systems"),
        ({"test": "wilcoxon"}, "--item"),
        ({"test": "z"}, "0 or 1"),
        ({"test": "mixed"}, "random factor"),
        ({"test": "anova"}, "A test is one of"),
        ({"items": [1, 2, 3]}, "4 values and 3 of item"),
        ({"items": [1, 2, 3, 4]}, "no item in common"),
        ({"items": [1, 1, 1, 2], "raters": ["r"] * 4}, "2 times"),
        ({"items": [1, None, 1, 2]}, "no item"),
        ({"values": [1, 2, math.inf, 3]}, "infinite"),
        ({"values": [], "systems": []}, "got none"),
        (
            {"items": [1, 2] * 2, "clusters": {"x": [1] * 4, "y": [1] * 4}, "test": "sign"},
            "'robust'",
        ),
        (
            {
                "raters": [1, 1, 2, 2],
                "test": "ordinal-mixed",
                "settings": ComparisonSettings(margin=1),
            },
            "margin",
        ),
        ({"correction": "bonferroni"}, "A correction is one of"),
    ],
)
def test_bad_input_is_refused(given, said) -> None:
    plain = {"values": [1, 2, 3, 4], "systems": ["a", "a", "b", "b"]}
    with pytest.raises(InputError, match=said):
        compare_systems(**(plain | given))


def test_a_wrong_confidence_is_refused() -> None:
    with pytest.raises(InputError, match="confidence"):
        ComparisonSettings(confidence=95)


def test_a_notebook_shows_the_pairs(table) -> None:
    assert "adjusted p" in compare_systems(**table, settings=QUICK)._repr_html_()


def test_few_dialogues_are_one_sentence_that_says_what_to_do() -> None:
    dialogues = [f"d{n}" for n in range(9)]
    found = compare_systems(
        [1, 2, 3, 2, 4, 5, 4, 5, 4],
        ["a"] * 4 + ["b"] * 5,
        clusters={"dialogue": dialogues},
        settings=QUICK,
    )
    told = [
        *found.warnings,
        *(text for each in found.systems.values() for text in each.warnings),
        *(text for pair in found.pairs for text in pair.as_json()["warnings"]),
    ]
    assert told == [
        "There are only 4 to 5 dialogues of a and b, so intervals are likely to be too narrow and "
        "small p-values out of reach: collect 20 or more of each system."
    ]


def test_few_pairs_that_differ_are_said_of_the_two_though_many_were_collected() -> None:
    items = list(range(30))
    found = compare_systems(
        [*([0.5] * 30), *([0.5] * 28), 0.25, 0.75],
        ["a"] * 30 + ["b"] * 30,
        items=items * 2,
        test="permutation",
        settings=QUICK,
    )
    assert len(found.warnings) == 1
    assert "--rater or --cluster" in found.warnings[0]
    assert found.pairs[0].test.warnings == (
        "There are only 2 pairs to rearrange: small p-values are out of reach.",
    )


def test_a_warning_of_few_is_known_by_its_kind_and_not_by_its_words() -> None:
    few = compare_systems([1, 2, 3, 4], ["a", "a", "b", "b"], test="welch", settings=QUICK)
    assert few.warnings[0].startswith("There are only 2 values of a and b")
    assert few.pairs[0].test.warnings == ()
    assert all(each.warnings == () for each in few.systems.values())


def test_the_smallest_p_value_outlives_the_correction_for_many_pairs() -> None:
    # Twelve a side are too many to go through: of 100 draws none is below 1 / 101, of 600 none
    # below 1 / 601. No rearrangement of values so far apart comes near in either.
    values = [10.0 * system + 0.1 * n for system in range(3) for n in range(12)]
    found = compare_systems(
        values,
        [name for name in "abc" for _ in range(12)],
        test="permutation",
        settings=replace(QUICK, trials=100),
    )
    assert [pair.test.p for pair in found.pairs] == pytest.approx([1 / 601] * 3)
    assert all(pair.adjusted == pytest.approx(3 / 601) for pair in found.pairs)
