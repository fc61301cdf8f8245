"""A project of the ChatEvaluationPlatform runs here: imported, served, practised and judged."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.cli.main import main
from palaver.studies.intake.chateval import import_project
from support.houses import House
from support.participants import Participant
from support.shared import SHARED

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(not SHARED.exists(), reason="needs the platform's real files"),
]

PROJECT = SHARED / "data" / "abc_eval"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """The empathy project, imported and served."""
    folder = tmp_path / "studies" / "empathy"
    folder.parent.mkdir()
    import_project(PROJECT, "empathy", folder, overwrite=False, salt=None)
    built = House(folder.parent, tmp_path / "home", f"sqlite:///{tmp_path / 'home' / 'palaver.db'}")
    built.serve()
    yield built
    built.close()


def right_answers() -> list[list[str]]:
    """The platform's own ground truth, round by round: the texts of the right answers."""
    rounds = json.loads((PROJECT / "onboarding_data/empathy.json").read_text("utf-8-sig"))
    return [
        [next(iter(turn[2].values())) for turn in each["turns"] if len(turn) == 4]
        for each in rounds.values()
    ]


def answer_ids(page: str, field: str) -> dict[str, str]:
    """The answers on offer for a field: their words and what the form sends."""
    found = re.findall(
        rf'name="{re.escape(field)}" value="([^"]+)".*?data-part="words">(.*?)</span>', page, re.S
    )
    return {re.sub(r"\W+", " ", words).strip(): value for value, words in found}


async def answer(ann: Participant, texts: list[str]) -> None:
    names = list(dict.fromkeys(re.findall(r'name="(answer-empathy-\d+:\w+)"', ann.page)))
    assert len(names) == len(texts), ann.heading
    form = {}
    for name, text in zip(names, texts, strict=True):
        offered = answer_ids(ann.page, name)
        start = re.sub(r"\W+", " ", text).strip()[:12]
        form[name] = next(value for words, value in offered.items() if words.startswith(start))
    await ann.send("rate", **form)


async def test_an_imported_project_screens_and_hands_out_its_units(house: House) -> None:
    link = f"{house.server.base}/s/empathy?worker_id=worker-one&assignment_id=first"
    async with Participant(link) as ann:
        await ann.begin()
        await ann.send("practice")
        for texts in right_answers():
            await answer(ann, texts)
        judged = re.findall(r'name="(answer-empathy-\d+:\w+)"', ann.page)
        assert len(set(judged)) == 15
        await answer(ann, [right_answers()[0][0]] * 15)
        assert ann.code
    labels = house.labels("empathy")
    assert {label.purpose for label in labels} == {"training", "real"}
    assert sum(label.purpose == "real" for label in labels) == 15
    [(state,)] = house.rows("SELECT state FROM standings WHERE name = 'empathy_screen'")
    assert state == "passed"


async def test_systems_of_an_imported_comparison_are_ranked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "studies" / "comparative"
    folder.parent.mkdir()
    import_project(PROJECT, "comparative", folder)
    home = tmp_path / "home"
    house = House(folder.parent, home, f"sqlite:///{home / 'palaver.db'}")
    house.serve()
    try:
        for n in range(4):  # one item per visit, as on the platform
            link = f"{house.server.base}/s/comparative?worker_id=w&assignment_id={n}"
            async with Participant(link) as ann:
                await ann.begin()
                while not ann.code:
                    names = re.findall(r'name="(answer-\w+_comparative[^"]*)"', ann.page)
                    assert names, ann.heading
                    await ann.send("rate", **dict.fromkeys(names, "a"))
                # Whose dialogues these are never reaches the browser.
                assert not any("blender" in sent or "emora_" in sent for sent in ann.received)
    finally:
        house.close()
    arguments = ["palaver", "rank", str(folder), "--home", str(home)]
    arguments += ["--question", "quality_comparative", "--bootstrap", "20", "--json"]
    monkeypatch.setattr("sys.argv", arguments)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    ranked = json.loads(capsys.readouterr().out)
    names = {system["system"] for system in ranked["systems"]}
    assert names == {"bart_fid_rag_bcb", "blender2_3B", "emora", "rerank_blender"}
