"""Registering data sets: checked, versioned by content, linked, and planned in one transaction."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Example, Task
from palaver.evaluation.datasets import DatasetError, add_dataset, read_examples, read_uids
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.formats.datasets.mapping import FieldMap
from palaver.storage.evaluation.datasets import find_dataset, list_datasets, list_versions
from palaver.storage.evaluation.models import add_model_version, find_model, register_model
from palaver.storage.objects import open_objects
from support.databases import new_sqlite
from support.s3 import s3_server

from .conftest import NOW, ON_BOTH, Add, pair, write


def test_examples_come_back_as_they_were_checked(
    add: Add, home: EvaluationHome, task: Task, tmp_path: Path
) -> None:
    file = write(
        tmp_path / "a.jsonl",
        pair(1, "e", tags=["Genre:x"], extra="nobody asked"),
        pair("b", ["neutral", "contradictory"]),
    )

    added = add("first", file)

    values = {"context": "It rains.", "hypothesis": "Wet."}
    assert read_examples(home, task, added) == [
        Example(uid="1", values={**values, "label": "entailed"}, tags=("Genre:x",)),
        Example(uid="b", values={**values, "label": ["neutral", "contradictory"]}),
    ]
    assert read_uids(home, added) == {"1", "b"}
    assert (added.is_new, added.version, added.items) == (True, 1, 2)
    assert (added.reader, added.access, added.source) == (
        "palaver",
        "scoring",
        str(file),
    )


def test_the_version_is_the_hash_of_what_is_kept(
    add: Add, home: EvaluationHome, tmp_path: Path
) -> None:
    added = add("first", write(tmp_path / "a.jsonl", pair(1), pair(2)))

    kept = home.objects.read(added.path)
    assert added.digest == hashlib.sha256(kept).hexdigest()
    assert added.path == f"datasets/nli/first/{added.digest[:16]}.jsonl"
    assert added.size == len(kept)
    assert kept.count(b"\n") == 2


@ON_BOTH
def test_the_same_content_in_another_shape_is_the_same_version(
    add: Add, home: EvaluationHome, tmp_path: Path
) -> None:
    first = add("first", write(tmp_path / "a.jsonl", pair(1, "e"), pair(2)))
    pretty = tmp_path / "b.json"
    pretty.write_text(json.dumps([dict(reversed(pair(n).items())) for n in ("1", "2")], indent=2))

    again = add("first", pretty)

    assert not again.is_new
    assert (again.version, again.version_id) == (first.version, first.version_id)


@ON_BOTH
def test_other_content_is_the_next_version_and_an_old_one_can_come_back(
    add: Add, home: EvaluationHome, tmp_path: Path
) -> None:
    old, new = write(tmp_path / "a.jsonl", pair(1)), write(tmp_path / "b.jsonl", pair(2))
    first, second = add("first", old), add("first", new)
    assert (second.is_new, second.version) == (True, 2)

    third = add("first", old)

    assert not third.is_new
    assert (third.version_id, third.version) == (first.version_id, 3)
    versions = home.store.read_now(lambda c: list_versions(c, first.id))
    assert [each.digest for each in versions] == [second.digest, first.digest]


def test_what_is_not_given_again_stays_as_it_was(add: Add, tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", pair(1))
    (tmp_path / "own.py").write_text("def judge(*a): return {}")
    add("first", file, access="hidden", about="A test.", function="own:judge")

    kept = add("first", file)
    assert (kept.access, kept.about, kept.function, kept.folder) == (
        "hidden",
        "A test.",
        "own:judge",
        str(tmp_path),
    )
    assert add("first", file, access="scoring", function="").access == "scoring"


@ON_BOTH
def test_every_model_is_planned_once_for_each_content(
    add: Add, home: EvaluationHome, task_row: StoredTask, tmp_path: Path
) -> None:
    def put_model(connection: Connection) -> None:
        model = register_model(connection, task_id=task_row.id, name="m", now=NOW)
        add_model_version(connection, model_id=model, kind="http", options={}, digest="d", now=NOW)

    home.store.write_now(put_model)
    file = write(tmp_path / "a.jsonl", pair(1), pair(2))

    first = add("first", file)
    again = add("first", file)
    other = add("first", write(tmp_path / "b.jsonl", pair(3)))

    model = home.store.read_now(lambda c: find_model(c, task_row.id, "m"))
    (run,) = first.due
    assert (run.model_version_id, run.dataset_version_id, run.items) == (
        model.version_id,
        first.version_id,
        2,
    )
    assert again.runs == ()
    assert [run.dataset_version_id for run in other.due] == [other.version_id]


@ON_BOTH
def test_nothing_is_registered_if_planning_fails(
    add: Add, home: EvaluationHome, task_row: StoredTask, tmp_path: Path
) -> None:
    def fail(
        connection: Connection, task_row: StoredTask, dataset: Dataset, *, now: float
    ) -> list[Run]:
        raise InputError(f"no plan for {dataset.name}")

    with pytest.raises(InputError, match="no plan for first"):
        add("first", write(tmp_path / "a.jsonl", pair(1)), plan=fail)

    assert home.store.read_now(lambda c: list_datasets(c, task_row.id)) == []


@ON_BOTH
def test_a_perturbed_set_is_linked_to_the_version_it_was_made_from(
    add: Add, tmp_path: Path
) -> None:
    parent = add("first", write(tmp_path / "a.jsonl", pair(1), pair(2)))
    variants = write(tmp_path / "f.jsonl", pair("1_x", input_id=1), pair("1_y", input_id="1"))

    made = add("fairness-first", variants, parent="first", kind="fairness")

    assert (made.parent_id, made.kind) == (parent.id, "fairness")
    assert made.parent_version_id == parent.version_id
    assert not add("fairness-first", variants).is_new
    # A new version of the parent makes another pair of the two.
    newer = add("first", write(tmp_path / "a.jsonl", pair(1), pair(3)))
    again = add("fairness-first", variants)
    assert again.is_new
    assert again.parent_version_id == newer.version_id


def test_variants_of_nothing_are_named(add: Add, tmp_path: Path) -> None:
    add("first", write(tmp_path / "a.jsonl", pair(1)))
    variants = write(
        tmp_path / "f.jsonl", pair("1_x", input_id="1"), pair("7_x", input_id="7"), pair("y")
    )

    with pytest.raises(DatasetError) as raised:
        add("fairness-first", variants, parent="first", kind="fairness")

    assert str(raised.value).splitlines() == [
        "f.jsonl:2: Item 7_x: its input_id '7' is not the uid of an item of the parent.",
        "f.jsonl:3: Item y: a variant needs 'input_id', the uid of its original.",
        "Nothing was stored.",
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"parent": "first"}, "needs both"),
        ({"kind": "fairness"}, "needs both"),
        ({"parent": "frist", "kind": "fairness"}, "No data set 'frist'"),
        ({"parent": "first", "kind": "Fair ness"}, "one lower-case word"),
        ({"parent": "fairness-first", "kind": "fairness"}, "is itself a perturbed set"),
    ],
)
def test_parents_that_are_none_are_refused(
    add: Add, tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    add("first", write(tmp_path / "a.jsonl", pair(1)))
    variants = write(tmp_path / "f.jsonl", pair("1_x", input_id="1"))
    add("fairness-first", variants, parent="first", kind="fairness")

    with pytest.raises(InputError, match=said):
        add("other", variants, **options)


def test_an_input_id_without_a_parent_is_remarked_on(add: Add, tmp_path: Path) -> None:
    added = add("first", write(tmp_path / "a.jsonl", pair(1, input_id="0")))

    (warning,) = added.warnings
    assert warning.startswith("An input_id was found in 1 item, but no parent is named")


def test_every_kind_of_bad_item_has_its_line(add: Add, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    missing = pair(4)
    del missing["hypothesis"]
    nameless = pair(5)
    del nameless["uid"]
    write(file, pair(1), pair(1), pair(3, "maybe"), missing, nameless, pair(6, tags="a"))

    with pytest.raises(DatasetError) as raised:
        add("bad", file)

    said = str(raised.value).splitlines()
    assert said[0] == "bad.jsonl:2: Item 1: this uid is already used in bad.jsonl:1."
    assert said[1].startswith("bad.jsonl:3: Item 3: 'label': expected one of entailed")
    assert said[2].startswith("bad.jsonl:4: Item 4: 'hypothesis'")
    assert said[3] == "bad.jsonl:5: The item has no 'uid' (or 'id')."
    assert said[4].startswith("bad.jsonl:6: Item 6: 'tags'")
    assert raised.value.count == 5


def test_after_twenty_problems_the_rest_are_counted(
    add: Add, home: EvaluationHome, task_row: StoredTask, tmp_path: Path
) -> None:
    file = write(tmp_path / "bad.jsonl", *(pair(n, "maybe") for n in range(33)))

    with pytest.raises(DatasetError) as raised:
        add("bad", file)

    assert str(raised.value).splitlines()[20:] == ["… and 13 more.", "Nothing was stored."]
    assert home.store.read_now(lambda c: list_datasets(c, task_row.id)) == []


def test_broken_json_stops_with_its_line_and_keeps_what_was_found_before(
    add: Add, tmp_path: Path
) -> None:
    file = tmp_path / "cut.jsonl"
    file.write_text(json.dumps(pair(1)) + "\n" + json.dumps(pair(2))[:-9])
    with pytest.raises(InputError, match=r"cut\.jsonl:2: not JSON \(id 2\)"):
        add("cut", file)
    file.write_text(json.dumps(pair(1, "maybe")) + "\n" + json.dumps(pair(2))[:-9])
    with pytest.raises(DatasetError, match=r"cut\.jsonl:1: .*\n.*cut\.jsonl:2: not JSON"):
        add("cut", file)


@pytest.mark.parametrize("content", ["", "\n\n", "[]"])
def test_a_data_set_without_items_is_none(add: Add, tmp_path: Path, content: str) -> None:
    file = tmp_path / "empty.jsonl"
    file.write_text(content)

    with pytest.raises(InputError, match=r"empty\.jsonl: no items found"):
        add("empty", file)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("a b", "a-b"),
        ("données_R1", "donnees-R1"),
        ("../x", "x"),
        ("a--b", "a--b"),
        ("x" * 62, "x" * 62),
    ],
)
def test_names_become_letters_digits_and_hyphens(
    add: Add, tmp_path: Path, given: str, name: str
) -> None:
    added = add(given, write(tmp_path / "a.jsonl", pair(1)))

    assert added.name == name
    assert added.warnings == (() if name == given else (f"The name '{given}' became '{name}'.",))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "nothing is left of ''"),
        ("___", "nothing is left of '___'"),
        ("例", "nothing is left of '例'"),
        ("x" * 63, "at most 62 characters; .* has 63"),
    ],
)
def test_names_of_which_nothing_or_too_much_is_left(
    add: Add, tmp_path: Path, name: str, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        add(name, write(tmp_path / "a.jsonl", pair(1)))


def test_two_names_that_become_one_are_told_apart_from_two_versions(
    add: Add, tmp_path: Path
) -> None:
    one, other = (write(tmp_path / f"{n}.jsonl", pair(n)) for n in (1, 2))
    add("anli_r1", one)

    with pytest.raises(
        InputError, match="'anli r1' becomes 'anli-r1', and task 'nli' has a data set"
    ):
        add("anli r1", other)
    with pytest.raises(
        InputError, match=r"'ANLI-r1' differs from the data set 'anli-r1' .* in capitals"
    ):
        add("ANLI-r1", other)
    # The same file under either spelling is the same data set, and so is its plain name.
    assert not add("anli r1", one).is_new
    assert add("anli-r1", other).version == 2


def test_a_data_set_is_found_by_what_its_name_became(
    add: Add, home: EvaluationHome, task_row: StoredTask, tmp_path: Path
) -> None:
    add("anli_r1", write(tmp_path / "a.jsonl", pair(1)))

    found = home.store.read_now(lambda c: find_dataset(c, task_row.id, "anli_r1"))
    assert found.name == "anli-r1"


def test_a_name_says_what_a_set_is_a_variant_of(add: Add, tmp_path: Path) -> None:
    add("dev", write(tmp_path / "dev.jsonl", pair(1)))
    variants = write(tmp_path / "v.jsonl", pair("1_x", input_id="1"))

    made = add("fairness_dev", variants)
    assert (made.name, made.parent, made.kind) == ("fairness-dev", "dev", "fairness")
    assert "By its name it holds fairness variants of 'dev'." in made.warnings
    # Without an original of that name, and of variants, it is a data set like any other.
    assert add("fairness-test", variants).parent is None
    assert add("robustness-fairness-dev", variants).parent is None


def test_the_name_of_variants_may_be_as_long_as_its_original_allows(
    add: Add, tmp_path: Path
) -> None:
    add("x" * 62, write(tmp_path / "a.jsonl", pair(1)))
    made = add(f"robustness-{'x' * 62}", write(tmp_path / "v.jsonl", pair("v", input_id="1")))

    assert made.parent == "x" * 62


def test_few_variants_are_a_warning_at_registration(add: Add, tmp_path: Path) -> None:
    add("dev", write(tmp_path / "dev.jsonl", *(pair(n) for n in range(120))))
    made = [pair(f"{n}_{m}", input_id=str(n)) for n in range(3) for m in "ab"]
    added = add("few", write(tmp_path / "few.jsonl", *made), parent="dev", kind="fairness")
    enough = [pair(f"{n}_a", input_id=str(n)) for n in range(30)]

    assert added.warnings == ("Variants for 3 of 120 items (2.5 %), which is too few to say much.",)
    more = add("more", write(tmp_path / "more.jsonl", *enough), parent="dev", kind="fairness")
    assert more.warnings == ()


def test_a_mapping_and_a_function_convert_what_is_read(
    add: Add, home: EvaluationHome, task: Task, tmp_path: Path
) -> None:
    file = tmp_path / "other.csv"
    file.write_text("n,premise,claim,truth\n1,c,h,T\n2,c,h,?\n3,c,h,F\n")
    mapping = FieldMap(
        fields={"uid": "n", "context": "premise", "hypothesis": "claim", "label": "truth"},
        values={"label": {"T": "entailed", "F": "contradictory", "?": None}},
    )

    def convert(record: dict[str, Any]) -> Any:
        if record["uid"] == "3":
            return None
        return [{**record, "uid": f"{record['uid']}-{n}"} for n in (1, 2)]

    added = add("other", file, mapping=mapping, convert=convert)

    assert [each.uid for each in read_examples(home, task, added)] == ["1-1", "1-2"]
    assert added.warnings == (
        "Left out 1 record: its label is ?.",
        "Left out 1 record: the converter left it out.",
    )


def test_a_function_that_fails_names_the_line(add: Add, tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", pair(1), pair(2))

    with pytest.raises(DatasetError, match=r"a\.jsonl:1: The converter failed: KeyError: 'gone'"):
        add("first", file, convert=lambda record: record["gone"])
    with pytest.raises(DatasetError, match=r"a\.jsonl:2: The converter takes a record"):
        add("first", file, convert=lambda record: [record] if record["uid"] == 1 else [7])


def test_an_evaluation_function_must_be_there(add: Add, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no installed module 'nowhere'"):
        add("first", write(tmp_path / "a.jsonl", pair(1)), function="nowhere:judge")


def test_readers_are_named_or_recognised(add: Add, tmp_path: Path) -> None:
    snli = {"pairID": "p", "sentence1": "a", "sentence2": "b", "gold_label": "neutral"}
    files = [write(tmp_path / f"{name}.jsonl", snli) for name in ("one", "two")]

    assert add("seen", files[0]).reader == "snli"
    assert add("named", files, reader="stress").items == 2
    with pytest.raises(UnknownNameError, match="Near: 'stress'"):
        add("named", files, reader="strss")
    with pytest.raises(DatasetError, match=r"two\.jsonl:1: .*is already used in one\.jsonl:1"):
        add("both", files)


def test_damage_and_a_changed_task_are_seen_when_reading(
    add: Add, home: EvaluationHome, task: Task, tmp_path: Path
) -> None:
    added = add("first", write(tmp_path / "a.jsonl", pair(1), pair(2)))
    lines = home.objects.read(added.path).splitlines(keepends=True)
    home.objects.put(added.path, lines[0])
    with pytest.raises(InputError, match=r"damaged .it has 1 items instead of 2"):
        read_examples(home, task, added)
    home.objects.put(added.path, lines[0] + b"{nonsense")
    with pytest.raises(InputError, match="damaged"):
        read_examples(home, task, added)
    home.objects.put(added.path, lines[0].replace(b'"context"', b'"premise"') + lines[1])
    with pytest.raises(InputError, match="Task 'nli' asks for context"):
        read_examples(home, task, added)


def test_adding_again_mends_what_was_damaged(
    add: Add, home: EvaluationHome, task: Task, tmp_path: Path
) -> None:
    file = write(tmp_path / "a.jsonl", pair(1), pair(2))
    added = add("first", file)
    home.objects.put(added.path, b"")

    assert not add("first", file).is_new

    assert len(read_examples(home, task, added)) == 2


def test_a_home_may_keep_its_files_in_s3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "palaver.yaml").write_text("objects: s3://bucket/palaver\n")
    file = write(tmp_path / "a.jsonl", *(pair(n) for n in range(50)))
    with (
        s3_server(monkeypatch, "bucket"),
        open_evaluation(folder, new_sqlite(tmp_path / "other.db")) as home,
    ):
        row = home.store.write_now(lambda c: ensure_task(c, "nli", now=NOW))
        task = stored_task(row)
        added = add_dataset(home, row, task, name="far", source=str(file), now=NOW)
        found = read_examples(home, task, added)
        kept = open_objects("s3://bucket", folder=tmp_path).read(f"palaver/{added.path}")

    assert [each.uid for each in found] == [str(n) for n in range(50)]
    assert hashlib.sha256(kept).hexdigest() == added.digest
    assert not (folder / "objects").exists()


def test_the_cache_lets_go_of_the_oldest(
    add: Add, home: EvaluationHome, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaver.evaluation.datasets.contents.KEPT_SETS", 2)
    versions = [add(f"set-{n}", write(tmp_path / f"{n}.jsonl", pair(n))) for n in range(3)]
    first, *_ = [read_examples(home, task, version) for version in versions]

    assert read_examples(home, task, versions[2]) is read_examples(home, task, versions[2])
    assert read_examples(home, task, versions[0]) is not first


def test_metadata_are_kept_and_make_no_new_version(
    add: Add, home: EvaluationHome, task: Task, tmp_path: Path
) -> None:
    bare = add("first", write(tmp_path / "a.jsonl", pair(1)))
    added = add("second", write(tmp_path / "b.jsonl", pair(1, metadata={"writer": "w"})))

    assert added.digest == bare.digest
    (example,) = read_examples(home, task, added)
    assert example.metadata == {"writer": "w"}
    assert task.question(example) == {"uid": "1", "context": "It rains.", "hypothesis": "Wet."}


def test_the_round_that_records_name_is_kept(add: Add, tmp_path: Path) -> None:
    of_two = write(tmp_path / "two.jsonl", pair(1, round_id=2), pair(2, round_id="2"))
    added = add("second", of_two)
    assert (added.round, added.warnings) == (2, ("It is of round 2, as its records say.",))
    # A round that is said counts more than the records, and so does one that is known.
    assert add("other", of_two, round=5).round == 5
    assert add("other", write(tmp_path / "one.jsonl", pair(1, rid=1))).round == 5
    mixed = write(tmp_path / "mixed.jsonl", pair(1, rid=1), pair(2, rid=3), pair(3, rid=0))
    added = add("mixed", mixed)
    assert added.round == 0
    assert added.warnings == (
        "Its records are of rounds 1 and 3, so it has none. Add each round by itself.",
    )
    odd = write(tmp_path / "odd.jsonl", pair(1, rid=None), pair(2, rid="x"), pair(3, rid=10**12))
    assert (add("odd", odd).round, add("odd", odd).warnings) == (0, ())
