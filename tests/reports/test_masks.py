"""Masked exports: names the store knows, names said in a dialogue, marks, and what is told of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from palaver.reports.export import export_study
from palaver.reports.opened_bundle import open_bundle, read_bundle_manifest
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import dialogue_records
from palaver.storage.judging.tidy import label_records
from palaver.storage.people.accounts import create_account
from palaver.storage.people.participants import enter, list_problems, report_problem
from support.databases import new_sqlite
from support.verdicts import Judged

SAID = (
    (0, "hi, I'm Tamsin, mail t@b.co"),
    (1, "Hello Tamsin!"),
    (1, "Ask mara or w-204-b, tamsin."),
    (0, "Tamsin is off"),
)
MASKED = [
    "hi, I'm [name], mail [email]",
    "Hello [name]!",
    "Ask [name] or [name], [name].",
    "[name] is off",
]


@pytest.fixture
def judged(tmp_path: Path) -> Any:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    made = Judged.register(store)
    store.write_now(
        lambda c: create_account(
            c, name="mara", role="owner", password_hash="x", one_time=False, now=1.0
        )
    )
    store.write_now(
        lambda c: enter(
            c, study_id=made.study_id, crowd="links", person="w-204-b", assignment="work-1",
            first_step="chat", now=1.0,
        )
    )  # fmt: skip
    yield made
    store.close()


@pytest.fixture
def filled(judged: Judged) -> Judged:
    """A dialogue whose second turn has two messages, marked behind, on and before what is masked."""
    key = judged.dialogue(*SAID)
    turn = "Hello Tamsin!\nAsk mara or w-204-b, tamsin."
    marks = [_mark(turn, words) for words in ("Hello", "ara or", ", tamsin.")]
    judged.say(key, "places", marks, turn=1)
    judged.say(key, "remark", "Tamsin was nice, says mara")
    judged.say(key, "topic", "home")
    other = judged.dialogue((0, "my name is Orla"), (1, "fine"))
    judged.say(key, "better", "a", other=other)
    return judged


def _mark(text: str, words: str) -> dict[str, Any]:
    return {"start": text.index(words), "end": text.index(words) + len(words), "label": "slip"}


def _export(judged: Judged, place: Path, format: str, **options: Any) -> Any:
    return export_study(
        judged.store, study="judged", format=format, destination=place, mask=True, **options
    )


def _marked(dialogue: Any, label: Any) -> list[str]:
    turn = next(t for t in dialogue.turns() if t.seat == 1)
    return [turn.text[mark["start"] : mark["end"]] for mark in label]


MARKED = ["Hello", "[name] or", ", [name]."]


def test_names_are_masked_in_all_messages_and_in_answers(filled: Judged, tmp_path: Path) -> None:
    made = _export(filled, tmp_path / "out", "palaver")
    lines = (tmp_path / "out" / "dialogues.jsonl").read_text(encoding="utf-8").splitlines()
    events = json.loads(lines[0])["events"]
    assert [e["data"]["text"] for e in events if e["action"] == "message"] == MASKED
    labels = (tmp_path / "out" / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    values = {row["question"]: row["value"] for row in map(json.loads, labels)}
    assert values["remark"] == "[name] was nice, says [name]"
    assert (values["topic"], values["better"] in ("first", "second")) == ("home", True)
    assert made.masking is not None
    assert made.masking.found == {"email": 1, "name": 9}


def test_marks_are_where_the_words_went_in_an_export_and_a_bundle(
    filled: Judged, tmp_path: Path
) -> None:
    path = tmp_path / "judged.zip"
    _export(filled, path, "bundle")
    opened = Store(f"sqlite:///{open_bundle(path, tmp_path / 'opened')}", read_only=True)
    record = opened.read_now(lambda c: list(dialogue_records(c, "judged")))[0]
    labels = opened.read_now(lambda c: {r.question: r.value for r in label_records(c)})
    opened.close()
    assert [e.text for e in record.events if e.action == "message"] == MASKED
    assert _marked(record.dialogue(), labels["places"]) == MARKED
    assert labels["remark"] == "[name] was nice, says [name]"
    _export(filled, tmp_path / "out", "palaver")
    lines = (tmp_path / "out" / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    values = {row["question"]: row["value"] for row in map(json.loads, lines)}
    assert values["places"] == labels["places"]


def test_an_export_says_what_was_masked_and_what_was_not_looked_for(
    filled: Judged, tmp_path: Path
) -> None:
    _export(filled, tmp_path / "out", "csv")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["masking"]["found"] == {"email": 1, "name": 9}
    page = (tmp_path / "out" / "DICTIONARY.md").read_text(encoding="utf-8")
    assert "e-mail addresses (1), names (9)" in page
    for kind in manifest["masking"]["not_looked_for"]:
        assert f"- {kind}" in page


def test_an_export_without_masking_says_nothing_of_it(filled: Judged, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export_study(filled.store, study="judged", format="csv", destination=out, mask=False)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["masked"], manifest["masking"]) == (False, None)
    assert "## Masking" not in (out / "DICTIONARY.md").read_text(encoding="utf-8")


def test_a_masked_bundle_has_no_files_of_data(filled: Judged, tmp_path: Path) -> None:
    folder = tmp_path / "judged"
    folder.mkdir()
    (folder / "study.yaml").write_text("name: judged\n", encoding="utf-8")
    (folder / "consent.md").write_text("# Consent\n", encoding="utf-8")
    (folder / "dialogues.jsonl").write_text('{"text": "t@b.co"}\n', encoding="utf-8")
    (folder / "answers.csv").write_text("t@b.co\n", encoding="utf-8")
    path = tmp_path / "judged.zip"
    _export(filled, path, "bundle", study_folders={"judged": folder})
    files = [name for name in read_bundle_manifest(path).files if name.startswith("studies/")]
    assert sorted(files) == ["studies/judged/consent.md", "studies/judged/study.yaml"]


def test_problems_are_masked_with_the_names_of_the_store(filled: Judged, tmp_path: Path) -> None:
    filled.store.write_now(
        lambda c: report_problem(
            c, study_id=filled.study_id, assignment_id=1, text="mara never answers", now=5.0
        )
    )
    path = tmp_path / "plain.zip"
    export_study(filled.store, study="judged", format="bundle", destination=path, mask=False)
    opened = Store(f"sqlite:///{open_bundle(path, tmp_path / 'opened')}", read_only=True)
    (problem,) = opened.read_now(lambda c: list_problems(c, "judged"))
    opened.close()
    assert problem.text == "[name] never answers"
