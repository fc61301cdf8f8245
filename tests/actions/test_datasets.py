"""What changes a data set comes to the same through every door, and is refused in the same words."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from palaver.core.words import counted
from palaver.evaluation.datasets.registration import MOST_ABOUT
from palaver.storage.evaluation.datasets import find_dataset
from support.doors import Doors, Refused
from support.runs import records

Change = Callable[[Doors, dict[str, str]], None]
Add = Callable[[Doors, str, list[dict[str, Any]], dict[str, str]], dict[str, Any]]


def change_by_command(doors: Doors, wanted: dict[str, str]) -> None:
    words = [word for name, value in wanted.items() for word in (f"--{name}", value)]
    doors.command("dataset", "set", "nli", "dev", *words)


def change_by_api(doors: Doors, wanted: dict[str, str]) -> None:
    numbers = {name: int(value) for name, value in wanted.items() if name == "round"}
    doors.ask("PATCH", "/tasks/nli/datasets/dev", {**wanted, **numbers})


def change_by_page(doors: Doors, wanted: dict[str, str]) -> None:
    """The form sends every field, as it shows them."""
    known = dataset(doors)
    shown = {"access": known.access, "about": known.about}
    shown |= {} if known.parent else {"round": str(known.round or "")}
    doors.send("/desk/tasks/nli/data/dev", on="/desk/tasks/nli/data/dev", **{**shown, **wanted})


def add_by_command(
    doors: Doors, name: str, found: list[dict[str, Any]], options: dict[str, str]
) -> dict[str, Any]:
    file = doors.folder / f"{name}.jsonl"
    file.write_bytes(lines(found))
    words = [word for key, value in options.items() for word in (f"--{key}", value)]
    return dict(doors.document("dataset", "add", "nli", name, str(file), "--later", *words))


def add_by_api(
    doors: Doors, name: str, found: list[dict[str, Any]], options: dict[str, str]
) -> dict[str, Any]:
    answer = doors.api.client.post(
        f"/api/v1/tasks/nli/datasets/{name}",
        headers=doors.api.headers,
        content=lines(found),
        params={"filename": f"{name}.jsonl", **options},
    )
    if answer.status_code >= 400:
        raise Refused(answer.json()["error"]["message"])
    return dict(answer.json())


def lines(found: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in found).encode()


def dataset(doors: Doors, name: str = "dev") -> Any:
    return doors.desk.store.read_now(lambda c: find_dataset(c, doors.bench.row.id, name))


every_change = pytest.mark.parametrize("change", [change_by_command, change_by_api])
every_door = pytest.mark.parametrize("change", [change_by_command, change_by_api, change_by_page])
every_adding = pytest.mark.parametrize("add", [add_by_command, add_by_api])


@every_door
def test_what_a_data_set_is_for_is_changed_and_what_begins_to_count_is_evaluated(
    doors: Doors, change: Change
) -> None:
    doors.bench.model("mod", "http://127.0.0.1:9/")
    doors.bench.dataset("dev", 4, access="hidden")
    before = doors.bench.states()
    change(doors, {"about": " What was held back. "})
    assert (dataset(doors).access, dataset(doors).about) == ("hidden", "What was held back.")
    assert doors.bench.states() == before
    change(doors, {"access": "scoring"})
    assert (dataset(doors).access, dataset(doors).about) == ("scoring", "What was held back.")
    assert doors.bench.states() == {("mod", "dev"): "waiting"}


@every_change
def test_a_change_is_refused_in_the_same_words(doors: Doors, change: Change) -> None:
    with pytest.raises(Refused, match="No data set 'dev' is stored here"):
        change(doors, {"access": "hidden"})
    doors.bench.dataset("dev", 4)
    with pytest.raises(Refused) as refused:
        change(doors, {"about": "x" * (MOST_ABOUT + 1)})
    assert str(refused.value) == too_long()
    assert dataset(doors).about == ""


@every_adding
def test_a_data_set_is_added_once_per_content(doors: Doors, add: Add) -> None:
    first = add(doors, "dev", records(4), {"access": "standard", "about": "Four items."})
    assert (first["new"], first["version"], first["items"]) == (True, 1, 4)
    assert (dataset(doors).access, dataset(doors).about) == ("standard", "Four items.")
    again = add(doors, "dev", records(4), {})
    assert (again["new"], again["version"], again["digest"]) == (False, 1, first["digest"])
    assert (dataset(doors).access, dataset(doors).about) == ("standard", "Four items.")
    assert add(doors, "dev", records(5), {})["version"] == 2


@every_adding
@pytest.mark.parametrize(
    ("found", "options", "said"),
    [
        (records(2), {"about": "x" * (MOST_ABOUT + 1)}, "'about' has at most 10,000 characters"),
        (records(2), {"kind": "fairness"}, "A perturbed data set needs both the set it was made"),
        (records(2), {"parent": "none", "kind": "fairness"}, "No data set 'none' is stored here."),
        ([{"uid": "1", "label": "neutral"}], {}, "Nothing was stored."),
    ],
)
def test_what_is_wrong_is_refused_in_the_same_words(
    doors: Doors, add: Add, found: list[dict[str, Any]], options: dict[str, str], said: str
) -> None:
    with pytest.raises(Refused) as refused:
        add(doors, "dev", found, options)
    assert said in str(refused.value)
    assert doors.document("dataset", "list", "nli") == []


@every_adding
def test_what_a_name_became_is_told_and_a_clash_is_refused(doors: Doors, add: Add) -> None:
    added = add(doors, "my dev_set", records(4), {})
    assert (added["name"], added["warnings"]) == (
        "my-dev-set",
        ["The name 'my dev_set' became 'my-dev-set'."],
    )
    with pytest.raises(Refused, match=r"'my\.dev\.set' becomes 'my-dev-set', and task 'nli' has"):
        add(doors, "my.dev.set", records(5), {})
    with pytest.raises(
        Refused, match=r"differs from the data set 'my-dev-set' .* in capitals alone"
    ):
        add(doors, "My-dev-set", records(5), {})
    assert dataset(doors, "my-dev-set").items == 4


@every_adding
def test_few_variants_are_a_warning_at_every_door(doors: Doors, add: Add) -> None:
    add(doors, "dev", records(120), {})
    made = [{**each, "uid": f"{each['uid']}_x", "input_id": each["uid"]} for each in records(3)]
    added = add(doors, "fairness-dev", made, {"parent": "dev", "kind": "fairness"})
    assert added["warnings"] == [
        "Variants for 3 of 120 items (2.5 %), which is too few to say much."
    ]
    shown = doors.document("dataset", "show", "nli", "fairness-dev")
    assert shown["covers"]["with_variants"] == 3
    assert shown == doors.ask("GET", "/tasks/nli/datasets/fairness-dev")


def perturb_by_command(doors: Doors, name: str, only: str) -> dict[str, Any]:
    file = doors.folder / f"{name}.jsonl"
    words = [str(file), "--task", "nli", "--kind", "robustness", "--dataset", name, "--only", only]
    return dict(doors.document("perturb", *words, "--register", "--overwrite"))


def perturb_by_api(doors: Doors, name: str, only: str) -> dict[str, Any]:
    wanted = {"kind": "robustness", "only": [only]}
    return dict(doors.ask("POST", f"/tasks/nli/datasets/{name}/perturb", wanted))


@pytest.mark.parametrize("perturb", [perturb_by_command, perturb_by_api])
def test_variants_are_registered_beside_what_they_were_made_from(
    doors: Doors, perturb: Callable[[Doors, str, str], dict[str, Any]]
) -> None:
    doors.bench.dataset("dev", 4)
    done = perturb(doors, "dev", "casing")
    assert (done["originals"], done["with_variants"], done["variants"]) == (4, 4, 4)
    assert done["warnings"] == ["variants for 4 of 4 items (100.0 %), which is too few to say much"]
    assert done["perturbations"] == {"casing": {"variants": 4, "unchanged": 0, "gold_lost": 0}}
    assert done["registered"]["dataset"] == "robustness-dev"
    made = dataset(doors, "robustness-dev")
    assert (made.parent, made.kind, made.items) == ("dev", "robustness", 4)
    with pytest.raises(Refused, match=r"No perturbation 'casings'\. Near: 'casing'"):
        perturb(doors, "dev", "casings")
    doors.bench.variants("dev", "fairness", 2)
    with pytest.raises(Refused, match="'fairness-dev' is itself a perturbed set"):
        perturb(doors, "fairness-dev", "casing")


@every_door
def test_the_round_of_a_data_set_is_changed_and_taken_back(doors: Doors, change: Change) -> None:
    doors.bench.dataset("dev", 4, about="Four items.")
    change(doors, {"round": "2"})
    assert (dataset(doors).round, dataset(doors).about) == (2, "Four items.")
    doors.bench.variants("dev", "fairness", 2)
    assert dataset(doors, "fairness-dev").round == 2
    change(doors, {"about": "Changed."})
    assert dataset(doors).round == 2
    for given in ("-1", "10000"):
        with pytest.raises(Refused) as refused:
            change(doors, {"round": given})
        said = f"A round is a whole number from 1 to 9,999, or 0 for none; got '{given}'."
        assert str(refused.value) == said
    change(doors, {"round": "0"})
    assert (dataset(doors).round, dataset(doors, "fairness-dev").round) == (0, 0)


@every_adding
def test_a_data_set_is_added_to_a_round_and_its_variants_follow_it(doors: Doors, add: Add) -> None:
    assert add(doors, "dev", records(4), {"round": "3"})["round"] == 3
    # What is not given again stays as it was.
    assert add(doors, "dev", records(5), {})["round"] == 3
    variants = [{**each, "uid": f"{each['uid']}_x", "input_id": each["uid"]} for each in records(2)]
    made = {"parent": "dev", "kind": "fairness"}
    assert add(doors, "fairness-dev", variants, made)["round"] == 3
    with pytest.raises(Refused, match="A perturbed data set is of the round of the set"):
        add(doors, "fairness-dev", variants, {**made, "round": "1"})
    listed = doors.command("dataset", "list", "nli").splitlines()
    assert " ".join(listed[0].split()) == "task data set access items version kind round"
    assert listed[1].split() == ["nli", "dev", "scoring", "5", "2", "3"]
    assert "round    3" in doors.command("dataset", "show", "nli", "dev")


def test_the_form_of_a_data_set_says_what_its_fields_take(doors: Doors) -> None:
    doors.bench.dataset("dev", 4)
    with pytest.raises(Refused, match="Access is one of scoring, standard, hidden; got 'secret'"):
        change_by_page(doors, {"access": "secret"})
    with pytest.raises(Refused, match=r"A round is a whole number from 1 .* got 'two'"):
        change_by_page(doors, {"round": "two"})
    change_by_page(doors, {"round": "4"})
    shown = doors.desk.client.get("/desk/tasks/nli/data/dev?done=changed").text
    assert "The data set is changed." in shown
    assert '<dt>Round</dt><dd class="name" dir="auto">4</dd>' in shown
    change_by_page(doors, {"round": ""})
    assert dataset(doors).round == 0


def too_long() -> str:
    told = counted(MOST_ABOUT, "character")
    return f"A data set's 'about' has at most {told}; got {MOST_ABOUT + 1:,}."
