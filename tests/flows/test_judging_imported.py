"""Dialogues that came with `palaver import` are judged `from` their study, and scored against."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import StudyError
from palaver.evaluation.dialeval.gold import read_gold
from palaver.formats.dch2 import read_dch2
from palaver.reports.export import export_study
from palaver.storage import Store
from palaver.storage.studies.studies import register_study
from palaver.studies.check import check_stored
from palaver.studies.file.reader import load_studies, study_files
from palaver.studies.home import Home
from palaver.studies.intake.dch2 import take_in
from palaver.studies.run.deployment import Deployment
from support.dialeval import TRUTH
from support.houses import House, write_study

from .conftest import Ground

QUALITY = ("accomplishment", "satisfaction", "effectiveness")
JUDGE = {
    "title": "Judge",
    "consent": {"version": "1", "text": "Do you agree?"},
    "pay": {"amount": 1.0, "currency": "GBP"},
    "stages": [{"rate": {"ask": ["nuggets", *QUALITY], "from": "dch", "raters": 2}}],
}


def import_truth(url: str) -> None:
    store = Store(url)
    take_in(store, read_dch2(json.dumps(TRUTH).encode()), study="dch", now=5.0, file="truth.json")
    store.close()


@pytest.fixture(scope="module")
def house(light_ground: Ground) -> Iterator[House]:
    (light_ground.folder / "home").mkdir()
    import_truth(light_ground.database_url)
    built = House.build(light_ground.folder, {"judge": JUDGE}, light_ground.database_url)
    built.serve()
    yield built
    built.close()


@pytest.mark.asyncio
async def test_imported_dialogues_are_judged_and_keep_their_ids(
    house: House, tmp_path: Path
) -> None:
    for person in ("ann", "bob"):
        async with house.visitor("judge", person) as rater:
            await rater.begin()
            for _ in TRUTH:
                turns = list(dict.fromkeys(re.findall(r'name="(answer-nuggets-\d+)"', rater.page)))
                assert turns
                chosen = {name: _first_offered(rater.page, name) for name in turns}
                await rater.send("rate", **chosen)
                await rater.send("rate", **{f"answer-{name}": "1" for name in QUALITY})
            assert rater.code
    gold = tmp_path / "gold.json"
    export_study(house.store, study="judge", format="dch2", destination=gold, mask=False)
    written = json.loads(gold.read_text())
    assert [entry["id"] for entry in written] == [entry["id"] for entry in TRUTH]
    assert [entry["turns"] for entry in written] == [entry["turns"] for entry in TRUTH]
    # The annotators of the file said other things, and are not in this study.
    assert all(len(entry["annotations"]) == 2 for entry in written)
    counts = read_gold(gold)
    assert set(counts.nuggets.sum(axis=1)) == set(counts.quality.sum(axis=2).ravel()) == {2.0}


def _first_offered(page: str, name: str) -> str:
    return str(re.findall(rf'name="{name}" value="([^"]+)"', page)[0])


def problems(studies: Path, database: Path) -> list[str]:
    found = check_stored(study_files(studies), Home(database.parent, f"sqlite:///{database}"))
    assert all(problem.warning for problem in found)
    return [problem.message for problem in found]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("dhc", "No study 'dhc' is served together with this one or stored in this home, so there"),
        ("empty", "The study 'empty' holds no conversation to judge and has no chat stage"),
    ],
)
def test_a_source_without_anything_to_judge_is_named_before_anybody_comes(
    tmp_path: Path, source: str, message: str
) -> None:
    database = tmp_path / "home" / "palaver.db"
    database.parent.mkdir()
    stage = {"rate": {**JUDGE["stages"][0]["rate"], "from": source}}  # type: ignore[index]
    write_study(tmp_path / "studies" / "judge", {**JUDGE, "stages": [stage]})
    assert problems(tmp_path / "studies", database) == []  # nothing is stored yet
    store = Store(f"sqlite:///{database}")
    take_in(store, [], study="empty", now=5.0)
    assert [words[: len(message)] for words in problems(tmp_path / "studies", database)] == [
        message
    ]
    deployment = Deployment(store, load_studies(tmp_path / "studies"))
    with pytest.raises(StudyError, match=re.escape(message)) as caught:
        deployment.prepare()
    assert "study.yaml" in str(caught.value)
    store.close()


def test_what_will_be_collected_is_worth_waiting_for(tmp_path: Path) -> None:
    chats: dict[str, Any] = {
        "title": "Chats",
        "consent": {"version": "1", "text": "Do you agree?"},
        "systems": {"tern": {"kind": "scripted", "lines": ["Hi."]}},
        "stages": [{"chat": {"turns": {"exactly": 2}, "conditions": "tern"}}],
    }
    stage = {"rate": {"ask": ["satisfaction"], "from": "chats"}}
    write_study(tmp_path / "studies" / "judge", {**JUDGE, "stages": [stage]})
    write_study(tmp_path / "studies" / "chats", chats)
    assert problems(tmp_path / "studies", tmp_path / "palaver.db") == []
    # Another process serves it: the store alone knows it.
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}")
    definitions = load_studies(tmp_path / "studies")
    Deployment(store, definitions).prepare()
    text = (tmp_path / "studies" / "chats" / "study.yaml").read_text()
    store.write_now(
        lambda c: register_study(
            c, name="chats", title="Chats", digest="x", definition=text, now=1.0
        )
    )
    Deployment(store, [each for each in definitions if each.name == "judge"]).prepare()
    store.close()
