"""The study that a newcomer starts from is sound, complete and never overwrites anything."""

import re
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.rounds import BonusRule
from palaver.core.questions import Comparative
from palaver.core.situations import TOPICS
from palaver.evaluation.rounds.context_files import contexts_of_file
from palaver.evaluation.tasks import builtin_task
from palaver.formats.advice.situations import read_situations
from palaver.studies import stages
from palaver.studies.check import check_study
from palaver.studies.file import definition, terms
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_study
from palaver.studies.file.starter import templates, write_game_demonstration, write_starter
from palaver.studies.stages import ChatStage, WriteStage, chat
from palaver.studies.stages.games import GameChoice
from palaver.studies.stages.parts import Part
from palaver.studies.stages.write import SHARED, DatasetContexts
from support.games import offer_games

GOLD_OF_ROUNDS = {"records", "verdicts"}
# Keys that stand in a comment of the starter with a value to try.
SHOWN = [
    "name",
    "direction",
    "completion_code",
    "completion_url",
    "help",
    "label_a",
    "label_b",
    "label_tie",
    "required",
    "taking",
    "max_characters",
    "seeds",
    "personas",
    "partner_leaves",
    "nobody_comes",
    "pace",
]


def test_the_starter_has_neither_problems_nor_warnings(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "company"
    written = write_starter(folder)
    assert [path.name for path in written] == ["study.yaml", "exchanges.jsonl"]
    assert check_study(folder) == []
    assert load_study(folder).name == "company"


def test_the_starter_knows_enough_to_answer(tmp_path: Path) -> None:
    _, exchanges = write_starter(tmp_path)
    assert len(exchanges.read_text(encoding="utf-8").splitlines()) >= 12


def test_a_new_study_is_called_what_somebody_says(tmp_path: Path) -> None:
    write_starter(tmp_path, "judging", title="Was it #1: yes or no?")
    assert load_study(tmp_path).title == "Was it #1: yes or no?"


@pytest.mark.parametrize("name", ["study.yaml", "exchanges.jsonl"])
def test_nothing_is_overwritten(tmp_path: Path, name: str) -> None:
    mine = tmp_path / name
    mine.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"would be overwritten\. Choose another folder"):
        write_starter(tmp_path)
    assert mine.read_text(encoding="utf-8") == "mine"
    assert list(tmp_path.iterdir()) == [mine]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="A study cannot be written to"):
        write_starter(file / "study")


def test_the_starter_teaches_every_key(tmp_path: Path) -> None:
    study, _ = write_starter(tmp_path)
    text = study.read_text(encoding="utf-8")
    parts = {
        part
        for module in (definition, chat, stages, terms)
        for part in vars(module).values()
        if isinstance(part, type) and issubclass(part, Part)
    }
    # The long form of `game`, in which nobody writes `options`: they stand beside the name.
    parts -= {GameChoice}
    # These are taught by the template of rounds.
    parts -= {WriteStage, DatasetContexts}
    keys = {
        field.alias or key
        for part in parts
        for key, field in part.model_fields.items()
        if not (part is Study and key in {"file", "digest"})
    }
    keys |= {key for key in Comparative.__struct_fields__ if key != "name"}
    keys -= GOLD_OF_ROUNDS
    missing = {key for key in keys if not re.search(rf"\b{key}:", text)}
    assert Study in parts
    assert not missing


@pytest.mark.parametrize("key", SHOWN)
def test_what_a_comment_shows_can_be_uncommented(tmp_path: Path, key: str) -> None:
    study, _ = write_starter(tmp_path)
    text = study.read_text(encoding="utf-8")
    uncommented = re.sub(rf"(?m)^( *)# {key}: ", rf"\g<1>{key}: ", text, count=1)
    assert uncommented != text
    study.write_text(uncommented, encoding="utf-8")
    assert [str(problem) for problem in check_study(tmp_path) if not problem.warning] == []


def test_the_scenarios_of_the_comment_can_be_uncommented(tmp_path: Path) -> None:
    study, _ = write_starter(tmp_path)
    head, scenarios, rest = study.read_text(encoding="utf-8").partition("      # scenarios:\n")
    block, blank, tail = rest.partition("\n\n")
    uncommented = (scenarios + block).replace("      # ", "      ")
    study.write_text(head + uncommented + blank + tail, encoding="utf-8")
    assert check_study(tmp_path) == []
    chat = load_study(tmp_path).chat
    assert chat is not None
    assert chat.scenarios[0].id == "market"


def test_the_study_of_a_game_comes_with_the_files_it_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    offer_games(monkeypatch)
    written = write_starter(tmp_path / "numbers", "numbers")
    assert [path.name for path in written] == ["study.yaml", "rules.txt"]
    assert check_study(tmp_path / "numbers") == []
    with pytest.raises(UnknownNameError, match=r"No template 'number'\. Near: 'numbers'"):
        write_starter(tmp_path / "other", "number")
    assert not (tmp_path / "other").exists()


def test_the_template_of_rounds_teaches_every_key_of_its_stages(tmp_path: Path) -> None:
    write_starter(tmp_path, "loop")
    write, validate = (
        (tmp_path / name / "study.yaml").read_text(encoding="utf-8")
        for name in ("write", "validate")
    )
    own = set(WriteStage.model_fields) - set(ChatStage.model_fields) | SHARED
    keys = {*own, *DatasetContexts.model_fields, "quota", "metadata", "tag", *get_args(BonusRule)}
    assert {key for key in keys if not re.search(rf"\b{key}\b", write)} == set()
    asked = {"from", "examples", "raters", "per_visit", "per_rater", *GOLD_OF_ROUNDS}
    assert {key for key in asked if not re.search(rf"\b{key}:", validate)} == set()


def test_the_template_of_rounds_has_texts_of_several_topics(tmp_path: Path) -> None:
    write_starter(tmp_path, "loop")
    contexts = contexts_of_file(tmp_path / "write" / "contexts.jsonl", builtin_task("nli"))
    assert len(contexts) == 30
    assert set(Counter(each.tag for each in contexts).values()) == {5}
    assert len({each.values["context"] for each in contexts}) == 30


def test_every_template_makes_a_study_in_order(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    offer_games(monkeypatch)
    for name, template in templates().items():
        write_starter(tmp_path / name, name)
        files = [tmp_path / name / study for study in template.studies]
        problems = [problem.message for file in files for problem in check_study(file)]
        if template.then != "serve":
            problems = [each for each in problems if "There are no answers of models" not in each]
        assert problems == [], name


def test_the_template_of_advice_has_situations_of_every_topic_and_quality(tmp_path: Path) -> None:
    write_starter(tmp_path, "advice")
    judged, training = (
        list(read_situations(tmp_path / name)) for name in ("situations.jsonl", "training.jsonl")
    )
    assert (len(judged), len(training)) == (40, 26)
    assert {each.topic for each in judged} == set(TOPICS.values())
    assert {each.topic for each in training} == set(TOPICS.values())
    assert any(each.notice for each in judged)
    for each in (*judged, *training):
        assert each.best is not None
        assert each.best.more["quality"] == "best"
        assert len({advice.more["quality"] for advice in each.advice}) == 5


def test_the_demonstration_of_a_game_is_one_click_from_playing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    offer_games(monkeypatch)
    folder = write_game_demonstration(tmp_path / "game")
    assert folder is not None
    study = load_study(folder)
    assert study.consent is None
    assert [stage.kind for stage in study.stages] == ["chat", "rate"]
    assert study.chat is not None
    assert (study.chat.arrangement, study.chat.practice) == ("system", False)
    assert not [problem for problem in check_study(folder) if not problem.warning]
