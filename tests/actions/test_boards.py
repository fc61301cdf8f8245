"""A board is saved alike through every door, and refused in the same words."""

from collections.abc import Callable

import pytest

from palaver.core.evaluation.boards import BoardWeights, SavedBoard, SavedKind
from palaver.core.serial import plain
from palaver.evaluation.dynaboards import list_saved, read_board, read_snapshot
from palaver.evaluation.dynaboards.saved_boards import LONGEST_ABOUT, LONGEST_NAME
from support.doors import Doors, Refused
from support.dynaboards import Lab, bare, labels

GOLD = ["entailed", "neutral", "neutral", "contradictory"]

Save = Callable[[Doors, SavedKind, str], None]


def by_command(doors: Doors, kind: SavedKind, name: str) -> None:
    doors.command("board", "nli", "--weight", "throughput=3", f"--{kind}", name)


def by_api(doors: Doors, kind: SavedKind, name: str, about: str = "") -> None:
    body = {"name": name, "about": about, "metric_weights": {"throughput": 3}}
    doors.ask("POST", f"/tasks/nli/{kind}s", body)


def by_page(doors: Doors, kind: SavedKind, name: str, about: str = "") -> None:
    path = f"/tasks/nli/{kind}s"
    doors.send(path, on="/tasks/nli", name=name, about=about, m="4|3", d="5")


every_door = pytest.mark.parametrize("save", [by_command, by_api, by_page])
every_door_with_notes = pytest.mark.parametrize("save", [by_api, by_page])
both_kinds = pytest.mark.parametrize("kind", ["fork", "snapshot"])


@pytest.fixture
def lab(doors: Doors) -> Lab:
    """A board of a published model and of one that has no name for strangers."""
    made = Lab(doors.desk.store)
    dataset = made.dataset("snli", 4)
    for name, given in {"ann": GOLD, "secret": ["neutral"] * 4}.items():
        run = made.run(made.model(name, published=name == "ann"), dataset, 4)
        speed = bare(run.id, "throughput", 10.0 + len(name))
        made.score(run, labels(run.id, "accuracy", given, GOLD), speed)
    return made


def saved(doors: Doors, lab: Lab) -> list[SavedBoard]:
    return doors.desk.store.read_now(lambda c: list_saved(c, lab.row.id))


@every_door
@both_kinds
def test_every_door_saves_the_same(doors: Doors, lab: Lab, save: Save, kind: SavedKind) -> None:
    save(doors, kind, "  Speed first ")
    [found] = saved(doors, lab)
    weights = BoardWeights({"accuracy": 4, "throughput": 3}, {"snli": 5})
    assert (found.name, found.kind, found.weights) == ("Speed first", kind, weights)


@every_door
def test_every_door_freezes_what_strangers_see(doors: Doors, lab: Lab, save: Save) -> None:
    save(doors, "snapshot", "Then")
    [found] = saved(doors, lab)
    content = doors.desk.store.read_now(lambda c: read_snapshot(c, found))
    public = doors.desk.store.read_now(
        lambda c: read_board(c, lab.row, lab.task, metric_weights={"throughput": 3}, public=True)
    )
    assert plain(content.models) == plain(public.models)
    assert [each.name for each in content.models] == ["ann"]
    assert content.unpublished == 1


@every_door
@both_kinds
@pytest.mark.parametrize("name", ["", "   ", "x" * (LONGEST_NAME + 1), "a\tb"])
def test_every_door_refuses_what_is_not_a_name(
    doors: Doors, lab: Lab, save: Save, kind: SavedKind, name: str
) -> None:
    with pytest.raises(Refused) as refused:
        save(doors, kind, name)
    assert str(refused.value) == (
        f"The name of a saved board has 1 to 80 characters; got '{name.strip()}'."
    )
    assert saved(doors, lab) == []


@every_door
def test_the_longest_name_is_one_at_every_door(doors: Doors, lab: Lab, save: Save) -> None:
    save(doors, "fork", "x" * LONGEST_NAME)
    assert [each.name for each in saved(doors, lab)] == ["x" * LONGEST_NAME]


@every_door
@both_kinds
def test_a_name_is_taken_at_every_door(doors: Doors, lab: Lab, save: Save, kind: SavedKind) -> None:
    by_api(doors, "fork", "Mine")
    with pytest.raises(Refused) as refused:
        save(doors, kind, "Mine")
    assert str(refused.value) == ("The task already has a fork called 'Mine'; choose another name.")


@every_door_with_notes
@both_kinds
def test_a_note_is_kept_or_refused_and_never_cut(
    doors: Doors, lab: Lab, save: Callable[..., None], kind: SavedKind
) -> None:
    with pytest.raises(Refused) as refused:
        save(doors, kind, "Mine", "x" * (LONGEST_ABOUT + 1))
    assert str(refused.value) == (
        "The note on a saved board has at most 2,000 characters; got 2,001."
    )
    save(doors, kind, "Mine", " " + "x" * LONGEST_ABOUT)
    [found] = saved(doors, lab)
    assert (found.about, found.created_by) == ("x" * LONGEST_ABOUT, "olga")
