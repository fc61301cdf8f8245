"""Boards of models: what they weigh, who is not on them and why, and how sure they are."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sqlalchemy import Connection, insert

from palaver.analysis.dynascore import dynascore
from palaver.analysis.rank_sets import compare_draws
from palaver.core.errors import InputError
from palaver.core.evaluation.boards import Board
from palaver.core.serial import plain
from palaver.evaluation.dynaboards import (
    Boards,
    dynaboard,
    parse_weights,
    read_board,
    read_snapshot,
    save_snapshot,
    task_sheet,
)
from palaver.evaluation.dynaboards.draws import ItemSamples
from palaver.evaluation.tasks import find_task
from palaver.storage import Store
from palaver.storage.evaluation.models import find_model, set_model
from palaver.storage.evaluation.submitters import add_submitter
from palaver.storage.schema.evaluation import challenges, submitters
from support.databases import new_sqlite
from support.dynaboards import NOW, Lab, bare, labels, mean

WORDS = ["entailed", "neutral", "contradictory"]
SETS = {"snli": 60, "hans": 40}
SETS_ALIKE = {"snli": 1.0, "hans": 1.0}
SKILL = {"ann": 0.9, "bob": 0.7, "cat": 0.5}
DRAWS = 200
# What the paper weighs; by default these two do not decide, as predictions may be uploaded.
PUBLISHED = {"throughput": 1.0, "memory": 1.0}


@dataclass
class Made:
    """A store with models on two data sets, and what they answered."""

    lab: Lab
    gold: dict[str, list[str]]
    sets: dict[str, int]
    variants: dict[tuple[str, str], int]
    given: dict[tuple[str, str], list[str]]
    same: dict[tuple[str, str, str], Any]
    speed: dict[tuple[str, str], float]
    dice: np.random.Generator

    def board(self, **options: Any) -> Board:
        return self.lab.store.read_now(
            lambda c: read_board(c, self.lab.row, self.lab.task, **{"draws": DRAWS, **options})
        )

    def add(self, model: str, skill: float, *, timed: bool = True, **values: Any) -> None:
        version = self.lab.model(model, **values)
        for name, items in SETS.items():
            right = self.dice.random(items) < skill
            other = self.dice.choice(WORDS, items)
            gold = np.array(self.gold[name])
            self.given[model, name] = np.where(right, gold, other).tolist()
            run = self.lab.run(version, self.sets[name], items)
            scores = [labels(run.id, "accuracy", self.given[model, name], self.gold[name])]
            if timed:
                self.speed[model, name] = float(self.dice.uniform(5, 20))
                scores.append(bare(run.id, "throughput", self.speed[model, name]))
                scores.append(bare(run.id, "memory", 8.0 * skill, low=3.0, high=9.0))
            for kind in ("fairness", "robustness"):
                values_ = (self.dice.random(items) < skill).astype(float)
                self.same[model, name, kind] = values_
                variant = self.variants[name, kind]
                scores.append(mean(run.id, kind, values_, variant=variant))
            self.lab.score(run, *scores)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    lab = Lab(store)
    dice = np.random.default_rng(1)
    gold = {name: dice.choice(WORDS, items).tolist() for name, items in SETS.items()}
    sets = {name: lab.dataset(name, items) for name, items in SETS.items()}
    variants = {
        (name, kind): lab.dataset(
            f"{kind}-{name}", items, access="hidden", kind=kind, parent_id=lab.dataset_id(name)
        )
        for name, items in SETS.items()
        for kind in ("fairness", "robustness")
    }
    found = Made(lab, gold, sets, variants, {}, {}, {}, dice)
    for model, skill in SKILL.items():
        found.add(model, skill)
    yield found
    store.close()


def table_of(
    made: Made,
    models: list[str],
    counts: dict[str, np.ndarray] | None = None,
    shares: dict[str, float] | None = None,
) -> Any:
    """Averages by a plain loop over models and data sets, with items drawn as often as counted."""
    rows = []
    for model in models:
        by_set = []
        for name, items in SETS.items():
            times = np.ones(items) if counts is None else counts[name]
            right = [g == p for g, p in zip(made.gold[name], made.given[model, name], strict=True)]
            by_set.append(
                [
                    100 * np.average(right, weights=times),
                    made.speed[model, name],
                    8.0 * SKILL[model],
                    100 * np.average(made.same[model, name, "fairness"], weights=times),
                    100 * np.average(made.same[model, name, "robustness"], weights=times),
                ]
            )
        rows.append(np.average(by_set, axis=0, weights=list((shares or SETS_ALIKE).values())))
    return np.array(rows)


def test_averages_and_scores_are_those_of_a_plain_loop(made: Made) -> None:
    board = made.board(metric_weights=PUBLISHED)
    models = list(SKILL)
    table = table_of(made, models)
    expected = dynascore(table, directions=[1, 1, -1, 1, 1], offsets=[0, 0, 32, 0, 0])
    assert [each.key for each in board.metrics] == [
        "accuracy", "throughput", "memory", "fairness", "robustness",
    ]  # fmt: skip
    for each in board.models:
        place = models.index(each.name)
        assert [one.value for one in each.averages.values()] == pytest.approx(table[place].tolist())
        assert each.dynascore.value == pytest.approx(expected.scores[place])
    assert [each.rank for each in board.models] == [1, 2, 3]
    assert [each.amrs for each in board.metrics] == pytest.approx(expected.amrs.tolist())
    assert board.pairs == 2


def test_intervals_are_those_of_a_slow_loop_over_the_same_draws(made: Made) -> None:
    # Shares under which equal averages come from equal scores alone: no order of summing decides.
    shares = {"snli": 0.618034, "hans": 0.381966}
    board = made.board(seed=5, dataset_weights=shares, metric_weights=PUBLISHED)
    models = list(SKILL)
    drawn = {
        each.name: np.hstack(
            [
                piece.counts
                for piece in ItemSamples(each.items, DRAWS, seed=5, digest=each.digest).pieces()
            ]
        )
        for each in board.datasets
    }
    averages, moved = [], []
    right = {
        model: {name: np.array(made.gold[name]) == made.given[model, name] for name in SETS}
        for model in models
    }
    for sample in range(DRAWS):
        counts = {name: all_[sample] for name, all_ in drawn.items()}
        table = table_of(made, models, counts, shares)
        averages.append(table)
        moved.append(dynascore(table, directions=[1, 1, -1, 1, 1], offsets=[0, 0, 32, 0, 0]).scores)
    # Scores vary at the rates of the board, ranks with the rates of each sample.
    good = np.array(averages) * [1, 1, -1, 1, 1] + [0, 0, 32, 0, 0]
    per_good = [each.share / each.amrs for each in board.metrics]
    scored = {each.name: each.dynascore.value for each in board.models}
    values = np.array([scored[model] for model in models])
    ranks = compare_draws(values, np.array(moved), confidence=0.95)
    held = compare_draws(values, good @ per_good, confidence=0.95)
    assert held.better.tolist() != ranks.better.tolist(), "a board that shows which of them it is"
    for each in board.models:
        place = models.index(each.name)
        assert each.rank_interval == ranks.rank_interval(place)
        redone = (good @ per_good)[:, place]
        assert each.dynascore.variance == pytest.approx(redone.var(ddof=1), rel=1e-3)
        assert each.dynascore.interval is not None
        assert redone.min() <= each.dynascore.interval[0] < each.dynascore.interval[1]
        one = each.averages["accuracy"]
        # An average is as sure as its scores: the squares of their margins add up (Zou et al. 2009).
        squares, variance = np.zeros(2), 0.0
        for name, items in SETS.items():
            cell = each.scores[name]["accuracy"]
            redrawn = 100 * drawn[name] @ right[each.name][name] / items
            # Quantiles are widened for the number of items, as Student's t asks.
            tail = stats.norm.cdf(np.sqrt(items / (items - 1)) * stats.t.ppf(0.025, items - 1))
            ends = np.quantile(redrawn, [tail, 1 - tail])
            assert cell.interval == pytest.approx(tuple(ends), rel=1e-5)
            squares += (shares[name] * (ends - cell.value)) ** 2
            variance += shares[name] ** 2 * redrawn.var(ddof=1)
        margins = np.sqrt(squares) * [-1, 1]
        assert one.interval == pytest.approx(tuple(one.value + margins), rel=1e-5)
        assert one.variance == pytest.approx(variance, rel=1e-3)


def test_models_that_answer_alike_share_rank_score_and_interval(made: Made) -> None:
    made.add("twin", 0.7)
    for name in SETS:
        for kind in ("fairness", "robustness"):
            made.same["twin", name, kind] = made.same["bob", name, kind]
    twin = made.lab.model("twin")
    for name, items in SETS.items():
        run = made.lab.run(twin, made.sets[name], items)
        made.lab.score(
            run,
            labels(run.id, "accuracy", made.given["bob", name], made.gold[name]),
            bare(run.id, "throughput", made.speed["bob", name]),
            bare(run.id, "memory", 8.0 * SKILL["bob"]),
            *(
                mean(run.id, kind, made.same["bob", name, kind], variant=made.variants[name, kind])
                for kind in ("fairness", "robustness")
            ),
        )
    board = made.board()
    bob, copy = (next(e for e in board.models if e.name == name) for name in ("bob", "twin"))
    assert bob.rank == copy.rank
    assert bob.rank_interval == copy.rank_interval
    assert bob.dynascore == copy.dynascore
    assert any("bob and twin" in each for each in board.warnings)


def test_weights_are_normalised_and_0_leaves_out(made: Made) -> None:
    one = made.board(dataset_weights={"snli": 3, "hans": 1})
    same = made.board(dataset_weights={"snli": 0.3, "hans": 0.1})
    assert [e.dynascore.value for e in one.models] == pytest.approx(
        [e.dynascore.value for e in same.models]
    )
    assert [each.share for each in one.datasets] == [0.75, 0.25]
    alone = made.board(
        dataset_weights={"hans": 0},
        metric_weights=dict.fromkeys(("throughput", "memory", "fairness", "robustness"), 0),
    )
    for each in alone.models:
        assert each.dynascore.value == pytest.approx(each.scores["snli"]["accuracy"].value)


def test_a_model_without_throughput_stands_apart_until_it_has_no_weight(made: Made) -> None:
    made.add("uploaded", 0.6, timed=False)
    light = made.board()
    assert not light.not_ranked
    assert len(light.models) == 4
    board = made.board(metric_weights=PUBLISHED)
    (apart,) = board.not_ranked
    assert apart.name == "uploaded"
    assert apart.reasons == ("no throughput on snli and hans", "no memory on snli and hans")
    # What it has is shown all the same, and as sure as where it has a rank.
    ranked = next(each for each in light.models if each.name == "uploaded")
    assert apart.averages == ranked.averages
    assert apart.averages["accuracy"].interval is not None
    assert apart.averages["throughput"].value is None


def test_what_no_model_has_is_no_column(tmp_path: Path, made: Made) -> None:
    store = Store(new_sqlite(tmp_path / "other.db"))
    lab = Lab(store)
    version, model = lab.dataset("snli", 3), lab.model("only")
    run = lab.run(model, version, 3)
    lab.score(run, labels(run.id, "accuracy", WORDS, WORDS))
    board = store.read_now(
        lambda c: read_board(c, lab.row, lab.task, metric_weights={"throughput": 0})
    )
    store.close()
    assert [each.key for each in board.metrics] == ["accuracy"]
    assert board.answer == "only is the only model"
    assert board.models[0].dynascore.value == 100
    assert any("Throughput, Memory, Fairness or Robustness" in each for each in board.warnings)


def test_why_a_model_is_not_ranked_is_said(made: Made) -> None:
    late = made.lab.model("late")
    made.lab.run(late, made.sets["snli"], 60, state="failed", reason="HTTP 500\nthree times")
    wordy = made.lab.model("wordy")
    made.lab.run(wordy, made.sets["snli"], 60, state="failed", reason="no " * 100)
    waits = made.lab.model("waits")
    made.lab.run(waits, made.sets["snli"], 60, state="answering")
    odd = made.lab.model("odd")
    for name, items in SETS.items():
        run = made.lab.run(odd, made.sets[name], items)
        made.lab.score(run, bare(run.id, "accuracy", None, reason="there are no items", n=0))
    reasons = {each.name: each.reasons for each in made.board().not_ranked}
    assert reasons["late"] == ("snli failed (HTTP 500 three times)", "hans has not been evaluated")
    seen = {each.name: each.reasons for each in made.board(public=True).not_ranked}
    assert seen["late"][0] == "snli failed"
    assert reasons["waits"][0] == "snli is still being evaluated"
    assert reasons["wordy"][0] == f"snli failed ({'no ' * 52}no…)"
    assert reasons["odd"][0] == "no accuracy on snli and hans (there are no items)"


def test_perturbed_sets_of_one_kind_count_by_their_items(made: Made) -> None:
    more = made.lab.dataset(
        "fairness-more", 9, access="hidden", kind="fairness", parent_id=made.lab.dataset_id("snli")
    )
    assert not made.board().not_ranked  # nobody has answered it yet: it does not count
    for n, model in enumerate(SKILL):
        assert len(made.board().not_ranked) == (3 - n if n else 0)
        run = made.lab.run(made.lab.model(model), made.sets["snli"], 60)
        few = np.where(np.arange(60) < 20, 1.0, np.nan)
        made.lab.score(run, mean(run.id, "fairness", few, variant=more))
    board = made.board()
    for each in board.models:
        cell = each.scores["snli"]["fairness"]
        before = made.same[each.name, "snli", "fairness"].mean()
        assert cell.value == pytest.approx(100 * (60 * before + 20 * 1.0) / 80)
        assert cell.n == 80


def test_a_data_set_nobody_perturbed_is_left_out_of_that_average(made: Made) -> None:
    plain = made.lab.dataset("plain", 5)
    for model in SKILL:
        run = made.lab.run(made.lab.model(model), plain, 5)
        made.lab.score(
            run,
            mean(run.id, "accuracy", [1, 0, 1, 0, 1]),
            bare(run.id, "throughput", 7.0),
            bare(run.id, "memory", 2.0),
        )
    board = made.board()
    assert len(board.models) == 3
    assert "No model has fairness on plain: its average is over the other data sets." in (
        board.warnings
    )
    first = board.models[0]
    fair = [first.scores[name]["fairness"].value for name in SETS]
    assert first.averages["fairness"].value == pytest.approx(np.mean(fair))


def test_retired_models_and_old_metric_versions_do_not_count(made: Made) -> None:
    made.add("old", 0.99, retired=NOW)
    run = made.lab.run(made.lab.model("cat"), made.sets["snli"], 60)
    newer = labels(run.id, "accuracy", made.gold["snli"], made.gold["snli"])
    made.lab.score(run, type(newer)(**{**_fields(newer), "version": "2"}))
    board = made.board()
    assert {each.name for each in board.models} == set(SKILL)
    cat = next(each for each in board.models if each.name == "cat")
    assert cat.scores["snli"]["accuracy"].value == 100
    assert any("2 versions of the metric" in each for each in board.warnings)


def _fields(score: Any) -> dict[str, Any]:
    return {name: getattr(score, name) for name in score.__dataclass_fields__}


def test_cells_are_kept_until_a_score_changes(made: Made) -> None:
    boards = Boards(draws=DRAWS)

    def read(**options: Any) -> Board:
        return made.lab.store.read_now(
            lambda c: boards.read(c, made.lab.row, made.lab.task, **options)
        )

    first = read()
    moved = read(metric_weights={"fairness": 5})
    assert all(e.scores is _scores(first, e.key) for e in moved.models)
    assert moved.metrics[3].share > first.metrics[3].share
    run = made.lab.run(made.lab.model("cat"), made.sets["hans"], 40)
    made.lab.score(run, labels(run.id, "accuracy", made.gold["hans"], made.gold["hans"]))
    assert all(e.scores is not _scores(first, e.key) for e in read().models)


def _scores(board: Board, key: str) -> Any:
    found = board.find(key)
    assert found is not None
    return found.scores


def test_the_public_sees_nothing_of_an_unpublished_model_but_that_there_is_one(made: Made) -> None:
    before = made.board(public=True)
    made.add("secret", 0.95, published=False)
    made.add("masked", 0.2, anonymous=True)
    board, own = made.board(public=True), made.board()
    assert (board.unpublished, own.unpublished) == (1, 0)
    assert own.models[0].name == "secret"
    assert "secret" not in str(plain(board))
    assert own.models[0].key not in str(plain(board))
    # Neither ranks nor rates tell that it was there.
    assert [each.rank for each in board.models] == [1, 2, 3, 4]
    assert [each.name for each in board.models[:3]] == [each.name for each in before.models]
    names = [each["model_name"] for each in plain(dynaboard(board, limit=50))["data"]]
    assert sorted(names) == ["ann", "bob", "cat", "masked"]


def test_a_team_sees_its_own_unpublished_model(made: Made) -> None:
    made.add("secret", 0.95, published=False)
    key = made.board().models[0].key
    row, store = made.lab.row, made.lab.store
    team = store.write_now(lambda c: add_submitter(c, task_id=row.id, team="Ours", now=NOW))
    other = store.write_now(lambda c: add_submitter(c, task_id=row.id, team="Others", now=NOW))
    found = store.read_now(lambda c: find_model(c, row.id, key))
    store.write_now(lambda c: set_model(c, found.id, submitter_id=team.id))
    boards = Boards(draws=DRAWS)

    def read(asking: int) -> Board:
        return store.read_now(
            lambda c: boards.read(c, row, made.lab.task, public=True, team=asking)
        )

    assert read(team.id).models[0].name == "secret"
    assert read(team.id).models[0].id != found.id
    assert "secret" not in str(plain(read(other.id)))


def _challenge(connection: Connection) -> int:
    values = {"name": "c", "title": "C", "definition": "{}", "digest": "d", "salt": "s"}
    made = insert(challenges).values(**values, created=NOW).returning(challenges.c.id)
    return int(connection.execute(made).scalar_one())


def test_models_of_a_challenge_are_not_on_the_board_of_its_task(made: Made) -> None:
    made.add("entered", 0.99)
    row, store = made.lab.row, made.lab.store
    challenge = store.write_now(_challenge)
    team = store.write_now(
        lambda c: c.execute(
            insert(submitters)
            .values(challenge_id=challenge, team="T", digest="t", created=NOW)
            .returning(submitters.c.id)
        ).scalar_one()
    )
    found = store.read_now(lambda c: find_model(c, row.id, "entered"))
    store.write_now(lambda c: set_model(c, found.id, submitter_id=team))
    for public in (True, False):
        board = made.board(public=public)
        assert "entered" not in str(plain(board))
        assert board.unpublished == 0


def test_strangers_meet_no_number_of_the_store(made: Made) -> None:
    made.add("secret", 0.95, published=False)
    board, public = made.board(), made.board(public=True)
    inside = {each.id for each in (*board.everybody, *board.datasets)}
    outside = {each.id for each in (*public.everybody, *public.datasets)}
    assert not inside & outside
    assert {len(str(number)) for number in outside} == {15}
    row = made.lab.row
    seen = made.lab.store.read_now(lambda c: find_task(c, str(row.for_strangers().id)))
    assert seen == row


def test_an_old_snapshot_shows_neither_numbers_of_the_store_nor_unpublished_models(
    made: Made,
) -> None:
    board = made.board(public=True)
    secret = replace(
        board.models[0], id=76, name="unpublished model 76", key="m_secret", published=False, rank=1
    )
    later = tuple(replace(each, rank=each.rank + 1) for each in board.models)
    old = replace(
        board,
        answer="unpublished model 76 leads; 3 models follow",
        models=(secret, *later),
        datasets=tuple(replace(each, id=7) for each in board.datasets),
        tied_sets=(("unpublished model 76",), *((each.name,) for each in board.models)),
        warnings=("unpublished model 76 has no score on 2 items.",),
    )
    store, row = made.lab.store, made.lab.row
    saved = store.write_now(lambda c: save_snapshot(c, row.id, "Then", old, now=1.0))
    shown = store.read_now(lambda c: read_snapshot(c, saved))
    assert "model 76" not in str(plain(shown))
    assert "m_secret" not in str(plain(shown))
    assert shown.answer == "ann leads; bob and cat follow, in this order"
    assert [(each.name, each.rank) for each in shown.models] == [("ann", 1), ("bob", 2), ("cat", 3)]
    assert shown.unpublished == 1
    assert plain(shown.datasets) == plain(board.datasets)


def test_the_dynaboard_shape(made: Made) -> None:
    board = made.board()
    found = plain(dynaboard(board, limit=2, offset=1))
    assert found["count"] == 3
    assert len(found["data"]) == 2
    model = found["data"][0]
    assert set(model) == {
        "model_id", "model_name", "uid", "username", "averaged_scores", "averaged_variances",
        "dynascore", "dynavariance", "datasets",
    }  # fmt: skip
    assert len(model["averaged_scores"]) == len(model["averaged_variances"]) == 5
    assert model["averaged_variances"][0] > 0
    assert model["dynavariance"] > 0
    assert [each["name"] for each in model["datasets"]] == ["snli", "hans"]
    assert len(model["datasets"][0]["scores"]) == 5
    by_name = dynaboard(board, sort_by="model_name", sort_direction="asc").data
    assert [each.model_name for each in by_name] == ["ann", "bob", "cat"]
    by_speed = dynaboard(board, sort_by="Throughput", sort_direction="asc").data
    speeds = [each.averaged_scores[1] for each in by_speed]
    assert speeds == sorted(speeds)
    with pytest.raises(InputError, match="no column 'Acuracy'"):
        dynaboard(board, sort_by="Acuracy")
    with pytest.raises(InputError, match="asc or desc"):
        dynaboard(board, sort_direction="up")


def test_the_task_shape(made: Made) -> None:
    found = task_sheet(made.board(), made.lab.row, made.lab.task)
    assert [each.field_name for each in found.ordered_metrics] == [
        "perf", "examples_per_second", "memory_utilization", "fairness", "robustness",
    ]  # fmt: skip
    assert [each.default_weight for each in found.ordered_metrics] == [4, 0, 0, 1, 1]
    memory = found.ordered_metrics[2]
    assert (memory.utility_direction, memory.offset) == (-1, 32)
    assert [each.name for each in found.ordered_scoring_datasets] == ["snli", "hans"]
    assert found.perf_metric_field_name == "perf"


def test_positional_weights_are_read_and_their_problems_named() -> None:
    assert parse_weights("4|1|0.5", ["a", "b", "c"], what="w") == {"a": 4, "b": 1, "c": 0.5}
    with pytest.raises(InputError, match=r"w takes 3 numbers separated by '\|' \(a\|b\|c\); got 2"):
        parse_weights("4|1", ["a", "b", "c"], what="w")
    with pytest.raises(
        InputError, match="the weight of 'b' must be a number of 0 or more; got 'x'"
    ):
        parse_weights("4|x", ["a", "b"], what="w")
    with pytest.raises(InputError, match="got '-1'"):
        parse_weights("4|-1", ["a", "b"], what="w")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"metric_weights": {"fairnes": 1}}, "no metric 'fairnes'. Near: 'fairness'"),
        ({"dataset_weights": {"snl": 1}}, "no data set 'snl'. Near: 'snli'"),
        (
            {"metric_weights": {"perf": -1}},
            "The weight of 'accuracy' must be a number of 0 or more",
        ),
        ({"dataset_weights": {"snli": 0, "hans": 0}}, "All data sets have weight 0"),
    ],
)
def test_wrong_weights_are_named(made: Made, options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        made.board(**options)
    assert says in str(caught.value)


def test_a_data_set_is_weighed_under_the_name_that_was_given_for_it(made: Made) -> None:
    made.lab.dataset("dev-two", 10)
    weighed = made.board(dataset_weights={"dev_two": 3.0})
    assert weighed.weights.datasets["dev-two"] == 3.0


def test_a_board_without_draws_has_scores_and_no_ranks_to_be_sure_of(made: Made) -> None:
    board = made.board(draws=0)
    assert all(each.rank_interval is None for each in board.models)
    assert all(each.dynascore.interval is None for each in board.models)
    assert "cannot be estimated" in board.answer


def test_an_empty_task_has_an_empty_board(tmp_path: Path) -> None:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    lab = Lab(store)
    board = store.read_now(lambda c: read_board(c, lab.row, lab.task))
    store.close()
    assert board.answer == "No model is ranked yet"
    assert plain(board)["models"] == []
