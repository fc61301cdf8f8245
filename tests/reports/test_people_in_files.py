"""People in reports, lists and tables: a short name beside the key, and what they pasted."""

import csv
import re
from pathlib import Path

import pytest

from palaver.annotation.submission import PasteCount
from palaver.reports.report.agreements import OWN_CHATS
from palaver.storage import Store
from palaver.storage.studies.studies import register_study
from support.databases import new_sqlite
from support.made_home import run_palaver
from support.reviewing import STUDY, Judging
from support.seeding import NOW

CAREFUL = ("ann", "bo", "cy", "di")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four people judge twelve dialogues with care; Zed does so in half a second each."""
    folder = tmp_path_factory.mktemp("studies") / "judged"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    store = Store(new_sqlite(folder / "palaver.db"))
    try:
        study_id = store.write_now(
            lambda c: register_study(
                c, name="judged", title="Judged", digest="d", definition=STUDY, now=NOW
            )
        )
        judging = Judging(store, study_id)
        # The first five who come: P01 to P05.
        people = [judging.seeder.visit(name) for name in (*CAREFUL, "zed")]
        dialogues = [
            judging.dialogue("Hello", "I see.", system=("terse", "chatty")[n % 2])
            for n in range(12)
        ]
        for place, person in enumerate(people):
            careful = place < len(CAREFUL)
            for n, key in enumerate(dialogues):
                judging.say(
                    *("quality", key, person.alias, 1 + (n + place) % 5),
                    kind="person",
                    seconds=6.0 + place if careful else 0.5,
                    participant_id=person.participant_id,
                )
        judging.say(
            *("remarks", dialogues[0], people[0].alias, "As the manual says."),
            kind="person",
            participant_id=people[0].participant_id,
            pastes=PasteCount(times=2, characters=19),
        )
        judging.say("quality", dialogues[0], "model:judge", 3, kind="model")
    finally:
        store.close()
    return folder


@pytest.fixture(scope="module")
def report(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports") / "report"
    run_palaver("report", home, "-o", folder, "--bootstrap", "200", "--question", "quality")
    return folder


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def keys_by_name(report: Path) -> dict[str, str]:
    return {
        row["rater_name"]: row["rater"] for row in rows(report / "tables" / "labels-quality.csv")
    }


def test_the_rows_of_a_report_have_the_name_beside_the_key(report: Path) -> None:
    found = keys_by_name(report)
    assert sorted(found) == ["P01", "P02", "P03", "P04", "P05", "model:judge"]
    assert found["model:judge"] == "model:judge"
    assert all(key.startswith("p_") for name, key in found.items() if name[0] == "P")


def test_the_evidence_names_who_answered(report: Path) -> None:
    page = (report / "evidence" / "labels-quality.html").read_text(encoding="utf-8")
    assert f"<td>P05 ({keys_by_name(report)['P05']})</td>" in page
    assert "<td>model:judge</td>" in page


def test_flagged_raters_and_pairs_of_raters_are_called_by_name(report: Path) -> None:
    [flagged] = rows(report / "tables" / "flagged.csv")
    assert (flagged["Rater"], flagged["Key"]) == ("P05", keys_by_name(report)["P05"])
    pairs = {row["Raters"] for row in rows(report / "tables" / "raters-quality.csv")}
    assert "P01, P02" in pairs
    assert not any("p_" in pair for pair in pairs)


def test_the_command_lists_people_by_name_and_key(home: Path, report: Path) -> None:
    said = run_palaver("raters", home)
    assert re.search(rf"^P05 +{keys_by_name(report)['P05']} +person +12 ", said, re.MULTILINE)
    assert re.search(rf"^P05 \({keys_by_name(report)['P05']}\)\n  too fast: ", said, re.MULTILINE)
    assert re.search(r"^model:judge +model:judge +model ", said, re.MULTILINE)


def test_the_table_of_labels_says_what_was_pasted(home: Path, tmp_path: Path) -> None:
    run_palaver("export", home, "--format", "csv", "-o", tmp_path / "out")
    labels = rows(tmp_path / "out" / "labels.csv")
    assert [(row["pastes"], row["pasted"]) for row in labels if row["question"] == "remarks"] == [
        ("2", "19")
    ]
    assert {(row["pastes"], row["pasted"]) for row in labels if row["question"] == "quality"} == {
        ("", "")
    }


def test_nobody_is_asked_to_agree_about_own_conversations(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    store = Store(new_sqlite(folder / "palaver.db"))
    try:
        study_id = store.write_now(
            lambda c: register_study(
                c, name="judged", title="Judged", digest="d", definition=STUDY, now=NOW
            )
        )
        judging = Judging(store, study_id)
        for n in range(6):
            person = judging.seeder.visit(f"guest {n}")
            system = ("terse", "chatty")[n % 2]
            _, key = judging.seeder.dialogue(person, "Hello", "I see.", system=system)
            judging.say(
                *("quality", key, person.alias, 1 + n % 5),
                kind="person",
                participant_id=person.participant_id,
            )
    finally:
        store.close()
    run_palaver("report", folder, "-o", tmp_path / "report", "--bootstrap", "200")
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert f"{OWN_CHATS}." in page
    assert "No coefficient is defined" not in page
