"""What people's dialogues tell: splits recovered, dialogues played back, points, optimality."""

from collections.abc import Iterator

import msgspec
import pytest

from palaver.core.records import DialogueRecord
from palaver.formats.cocoa.deal_text import find_deals
from palaver.formats.cocoa.examples import example_record, read_examples
from palaver.formats.found_records import FoundRecord
from palaver.games.deal_or_no_deal.game import GAME
from palaver.games.deal_or_no_deal.measure import measure, play_back, recover
from palaver.metrics import find_metric
from support.shared import COCOA

from .deals import SCENARIO

needs_files = pytest.mark.skipif(not COCOA.exists(), reason="the shared files are not here")


def example(*events: tuple[int, str, object]) -> DialogueRecord:
    scenario = {"uuid": "S_1", "kbs": list(SCENARIO.kbs)}
    return example_record(
        {
            "uuid": "E_1",
            "scenario": scenario,
            "events": [
                {"agent": a, "action": x, "data": d, "time": n}
                for n, (a, x, d) in enumerate(events)
            ],
        }
    )


DEAL = example(
    (0, "message", "i need the books and the hat"),
    (1, "message", "ok , i take the balls"),
    (0, "select", {"book": 2, "hat": 1, "ball": 0}),
    (1, "select", {"book": 0, "hat": 0, "ball": 3}),
)
MISMATCH = example(
    (0, "message", "i need the books"),
    (1, "message", "ok"),
    (0, "select", {"book": 2, "hat": 1, "ball": 0}),
    (1, "select", {"book": 0, "hat": 1, "ball": 3}),
)
NO_DEAL = example((0, "message", "all of it"), (1, "quit", None))


def test_a_split_is_recovered_from_the_text_alone() -> None:
    assert recover(DEAL) == {"book": 2, "hat": 1, "ball": 0}
    replayed = play_back(DEAL)
    assert replayed is not None
    assert replayed.outcome["reward"] == {"0": 10, "1": 9}
    counts = {
        each.name: (each.found, each.of) for each in measure([DEAL, MISMATCH, NO_DEAL]).measures
    }
    assert counts == {
        "recovered_splits": (1, 1),
        "played_back": (3, 3),
        "same_rewards": (0, 0),
        "agreement": (2, 3),
        "valid_deals": (1, 3),
        "pareto_optimal": (1, 1),
        "points": (19, 20),
    }


def test_an_illegal_dialogue_is_not_played_back() -> None:
    assert play_back(example((0, "select", {"book": 2, "hat": 1, "ball": 0}))) is None


def test_the_metrics_of_the_game() -> None:
    lines = [msgspec.to_builtins(each) for each in (DEAL, MISMATCH, NO_DEAL)]
    found = {
        name.partition(":")[2]: find_metric(name, folder=GAME.folder).compute(lines).value
        for name in GAME.metrics
    }
    assert found == pytest.approx(
        {
            "valid_deals": 1 / 3,
            "agreement": 2 / 3,
            "points_agreed": 9.5,
            "points_all": 19 / 6,
            "welfare": 19 / 3,
            "pareto_optimal": 1,
            "mismatches": 1 / 3,
            "no_deals": 1 / 3,
            "length": 5 / 3,
        }
    )
    none = find_metric(GAME.metrics[2], folder=GAME.folder).compute(lines[2:])
    assert not none.is_defined


def shares(records: Iterator[DialogueRecord]) -> dict[str, tuple[int, int]]:
    return {each.name: (each.found, each.of) for each in measure(records).measures}


@needs_files
def test_the_people_of_the_validation_file() -> None:
    with (COCOA / "deal_val.json").open("rb") as stream:
        found = shares(read_examples(stream))
    # The numbers of docs/games/deal.md.
    assert found["recovered_splits"] == (385, 422)
    assert found["played_back"] == found["same_rewards"] == (422, 422)
    assert found["pareto_optimal"] == (343, 422)
    assert found["points"] == (6319, 8440)


@needs_files
@pytest.mark.long
def test_the_people_of_the_training_file() -> None:
    with (COCOA / "deal_train.txt").open("rb") as stream:
        deals = find_deals(stream, "deal_train.txt")
        found = shares(each.record for each in deals if isinstance(each, FoundRecord))
    assert found["recovered_splits"] == (3655, 3942)
    assert found["played_back"] == found["same_rewards"] == (3942, 3942)
    assert found["pareto_optimal"] == (3043, 3942)
