"""The declared folder: what is new is added, what is bad is named, what is unchanged is left."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.evaluation.datasets import Dataset
from palaver.evaluation.datasets import declared_folder
from palaver.evaluation.datasets.declared_folder import ScanReport, scan_datasets
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.storage.evaluation.datasets import find_dataset
from palaver.storage.evaluation.tasks import find_task
from support.databases import new_sqlite

from .conftest import NOW, pair, write


@pytest.fixture
def home(tmp_path: Path) -> Iterator[EvaluationHome]:
    """A home that declares the folder `sets` beside it."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "palaver.yaml").write_text("datasets: ../sets\n")
    with open_evaluation(folder, new_sqlite(tmp_path / "palaver.db")) as opened:
        yield opened


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    return tmp_path / "sets"


def scan(home: EvaluationHome) -> ScanReport:
    return scan_datasets(home, now=NOW)


def names(report: ScanReport) -> list[str]:
    return [f"{each.task}/{each.name}" for each in report.added]


def stored(home: EvaluationHome, task: str, name: str) -> Dataset:
    return home.store.read_now(lambda c: find_dataset(c, find_task(c, task).id, name))


def test_files_become_data_sets_and_variants_come_after_their_parents(
    home: EvaluationHome, sets: Path
) -> None:
    write(sets / "nli" / "zebra.jsonl", pair(1), pair(2))
    write(sets / "nli" / "fairness-zebra.jsonl", pair("1_x", input_id="1"))
    write(sets / "nli" / "fairness-of-its-own.jsonl", pair(1))
    (sets / "hs").mkdir()
    (sets / "hs" / "check.csv").write_text("uid,statement,label\n1,Hello,hateful\n")

    report = scan(home)

    assert report.problems == ()
    assert names(report) == [
        "hs/check",
        "nli/fairness-of-its-own",
        "nli/zebra",
        "nli/fairness-zebra",
    ]
    made = stored(home, "nli", "fairness-zebra")
    assert (made.kind, made.parent_id) == ("fairness", stored(home, "nli", "zebra").id)
    assert stored(home, "nli", "fairness-of-its-own").parent_id is None


def test_a_second_look_reads_only_what_changed(
    home: EvaluationHome, sets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(sets / "nli" / "one.jsonl", pair(1))
    write(sets / "nli" / "two.jsonl", pair(1))
    write(sets / "nli" / "fairness-two.jsonl", pair("1_x", input_id="1"))
    scan(home)
    read: list[str] = []
    adding = declared_folder.add_dataset

    def spy(*args: object, name: str, **options: object) -> object:
        read.append(name)
        return adding(*args, name=name, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(declared_folder, "add_dataset", spy)
    assert len(scan(home).unchanged) == 3
    assert read == []

    write(sets / "nli" / "two.jsonl", pair(1), pair(2))
    report = scan(home)

    # The parent has another version, so its variants are another pair.
    assert read == ["two", "fairness-two"]
    assert names(report) == ["nli/two", "nli/fairness-two"]
    assert stored(home, "nli", "two").version == 2
    assert stored(home, "nli", "fairness-two").version == 2


def test_a_lost_memory_costs_a_reading_and_no_version(home: EvaluationHome, sets: Path) -> None:
    file = write(sets / "nli" / "one.jsonl", pair(1))
    scan(home)
    (home.folder / "scanned.json").write_text("{broken")

    report = scan(home)

    assert (names(report), report.unchanged, report.problems) == ([], (file,), ())


def test_what_stands_beside_a_file_says_how_to_read_it(home: EvaluationHome, sets: Path) -> None:
    write(sets / "nli" / "odd.jsonl", {"n": 1, "a": "c", "b": "h", "truth": "T", "kind": "x"})
    (sets / "nli" / "odd.yaml").write_text(
        "map: {uid: n, context: a, hypothesis: b, label: truth}\n"
        "values: {label: {T: entailed}}\n"
        "tags: {Kind: kind}\n"
        "access: standard\nabout: An odd one.\nconvert: own:convert\nfunction: own:judge\n"
    )
    (sets / "nli" / "own.py").write_text(
        "def convert(record): return {**record, 'uid': f'u{record[\"uid\"]}'}\n"
        "def judge(examples, answers): return {}\n"
    )

    report = scan(home)

    assert report.problems == ()
    found = stored(home, "nli", "odd")
    assert (found.access, found.about, found.function) == ("standard", "An odd one.", "own:judge")
    assert b'"uid":"u1"' in home.objects.read(found.path)
    assert b"Kind:x" in home.objects.read(found.path)


def test_bad_ones_are_named_and_never_stop_the_others(home: EvaluationHome, sets: Path) -> None:
    write(sets / "nli" / "bad.jsonl", pair(1, "maybe"))
    write(sets / "nli" / "例.jsonl", pair(1))
    write(sets / "nli" / "two words.jsonl", pair(1))
    write(sets / "nli" / "two_words.jsonl", pair(2))
    write(sets / "nli" / "good.jsonl", pair(1))
    write(sets / "nli" / "settings.jsonl", pair(1))
    (sets / "nli" / "settings.yaml").write_text("acces: hidden\n")
    write(sets / "nlo" / "any.jsonl", pair(1))
    write(sets / "astray.jsonl", pair(1))
    write(sets / "nli" / ".hidden.jsonl", pair(1))

    report = scan(home)

    assert names(report) == ["nli/good", "nli/two-words"]
    assert report.added[1].warnings == ("The name 'two words' became 'two-words'.",)
    said = {problem.file.name: problem.reason for problem in report.problems}
    assert said.keys() == {
        *("bad.jsonl", "例.jsonl", "two_words.jsonl", "settings.jsonl", "nlo", "astray.jsonl")
    }
    assert "letters, digits" in said["例.jsonl"]
    assert "bad.jsonl:1: Item 1: 'label'" in said["bad.jsonl"]
    assert "'two-words', as two words.jsonl is" in said["two_words.jsonl"]
    assert "Unknown key 'acces'. Near: 'access'" in said["settings.jsonl"]
    assert "No task 'nlo'" in said["nlo"]
    assert str(report.problems[0]).startswith(str(sets))
    assert [problem.file.name for problem in scan(home).problems] == [
        problem.file.name for problem in report.problems
    ]


def test_a_folder_of_languages_is_one_data_set(home: EvaluationHome, sets: Path) -> None:
    folder = sets / "flores" / "small"
    folder.mkdir(parents=True)
    (folder / "eng.dev").write_text("One.\n")
    (folder / "fra.dev").write_text("Un.\n")

    assert names(scan(home)) == ["flores/small"]
    assert stored(home, "flores", "small").items == 2


def test_no_folder_or_a_missing_one(home: EvaluationHome, sets: Path, tmp_path: Path) -> None:
    (problem,) = scan(home).problems
    assert problem.reason == "There is no such folder."
    with open_evaluation(tmp_path / "plain", new_sqlite(tmp_path / "other.db")) as plain:
        assert scan_datasets(plain, now=NOW) == ScanReport()


def test_the_round_stands_beside_a_file_under_any_of_its_names(
    home: EvaluationHome, sets: Path
) -> None:
    for number, key in enumerate(("round", "round_id", "rid"), 1):
        write(sets / "nli" / f"set-{key.replace('_', '-')}.jsonl", pair(number))
        (sets / "nli" / f"set-{key.replace('_', '-')}.yaml").write_text(f"{key}: {number}\n")
    write(sets / "nli" / "bad.jsonl", pair(9))
    (sets / "nli" / "bad.yaml").write_text("round: two\n")
    write(sets / "nli" / "worse.jsonl", pair(8))
    (sets / "nli" / "worse.yaml").write_text("round: -1\n")
    report = scan(home)
    assert [stored(home, "nli", f"set-{name}").round for name in ("round", "round-id", "rid")] == [
        1,
        2,
        3,
    ]
    assert [each.file.name for each in report.problems] == ["bad.jsonl", "worse.jsonl"]
    bad, worse = (each.reason for each in report.problems)
    assert "bad.yaml:1:8" in bad
    assert worse == "A round is a whole number from 1 to 9,999, or 0 for none; got '-1'."
