"""Situations and answers as sheets: what models advised beside the best advice of people."""

from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import StudyError
from palaver.formats.advice.answers import write_answers
from palaver.formats.cocoa.outputs import NOTHING_SAID
from palaver.studies.check import check_study
from palaver.studies.file.reader import load_study
from palaver.studies.intake.judged_files import PlannedSheet
from palaver.studies.intake.materials import load_material
from palaver.studies.stages import RateStage
from support.advice import situation, write_round, write_situations


def sheets(folder: Path) -> list[PlannedSheet]:
    return list(load_material(load_study(folder)).data[0].sheets())


def told(folder: Path) -> list[str]:
    return [problem.message for problem in check_study(folder)]


def test_each_model_stands_beside_the_best_advice_of_people(tmp_path: Path) -> None:
    found = sheets(write_round(tmp_path, 2))
    assert [(sheet.name, sheet.group, sheet.needed) for sheet in found] == [
        *(("s00/heron", "s00", 3), ("s00/snipe", "s00", 3), ("s00/people-2", "s00", 3)),
        *(("s01/heron", "s01", 3), ("s01/snipe", "s01", 3), ("s01/people-2", "s01", 3)),
    ]
    people, model = found[1].parts[0].dialogues
    assert (people.id, people.system) == ("s00/people", "people")
    assert (model.id, model.system) == ("s00/snipe", "snipe")
    assert [(turn.speaker, turn.text) for turn in model.turns] == [
        ("user", "What about boiler 0? 🔥 <b>&</b>"),
        ("user", "It has been cold for 0 days."),
        ("system", "snipe on boiler 0"),
    ]
    assert people.turns[-1].text == "People's advice 0.3."
    assert found[2].parts[0].dialogues[1].turns[-1].text == "People's advice 0.2."
    stage = load_study(tmp_path).stages[0]
    assert isinstance(stage, RateStage)
    assert (stage.raters, stage.per_visit) == (3, 5)


def test_a_notice_stands_before_what_may_distress(tmp_path: Path) -> None:
    folder = write_round(tmp_path, 2)
    lines = [situation(0), situation(1, notice="a serious illness")]
    write_situations(folder / "situations.jsonl", lines)
    notices = {sheet.group: sheet.notice for sheet in sheets(folder)}
    assert notices == {"s00": "", "s01": "a serious illness"}


def test_the_control_can_be_left_out_and_needs_a_second_piece_of_advice(tmp_path: Path) -> None:
    without = sheets(write_round(tmp_path / "a", 1, control=False))
    assert [sheet.name for sheet in without] == ["s00/heron", "s00/snipe"]
    folder = write_round(tmp_path / "b", 1)
    write_situations(folder / "situations.jsonl", [situation(0, advice=1)])
    assert [sheet.name for sheet in sheets(folder)] == ["s00/heron", "s00/snipe"]


def test_files_are_found_by_pattern_or_named(tmp_path: Path) -> None:
    data = {"x": "answers/heron.jsonl"}
    assert [s.name for s in sheets(write_round(tmp_path, 1, data=data))] == [
        "s00/x",
        "s00/people-2",
    ]


def test_a_sample_is_drawn_with_the_seed(tmp_path: Path) -> None:
    drawn = [
        {sheet.group for sheet in sheets(write_round(tmp_path, 12, sample=4, seed=seed))}
        for seed in (1, 1, 2)
    ]
    assert [len(groups) for groups in drawn] == [4, 4, 4]
    assert drawn[0] == drawn[1] != drawn[2]


def test_people_beside_advice_on_something_else_are_a_hidden_check(tmp_path: Path) -> None:
    folder = write_round(tmp_path, 5, gold={"references": 2, "on_fail": "warn"})
    material = load_material(load_study(folder))
    checks, judged = list(material.gold[0].sheets()), list(material.data[0].sheets())
    held = {sheet.group for sheet in checks}
    assert len(held) == 2
    assert held.isdisjoint(sheet.group for sheet in judged)
    for sheet in checks:
        own, foreign = sheet.parts[0].dialogues
        assert own.turns[:-1] == foreign.turns[:-1]
        assert own.turns[-1].text == f"People's advice {int(sheet.group[1:])}.3."
        assert foreign.turns[-1].text != own.turns[-1].text
        assert sheet.parts[0].answers["advice_better"]["options"] == ["2a", "1a"]


def test_what_models_left_out_is_told_and_the_rest_is_judged(tmp_path: Path) -> None:
    folder = write_round(tmp_path, 3)
    write_answers(folder / "answers", "heron", {"s00": " ", "s02": "Call her.", "gone": "Hm."})
    assert told(folder) == [
        "Left out: 1 answer of 'heron' to situations that are not in the file: gone.",
        "'heron' answered 2 of 3 situations; it is judged on these.",
        "1 answer of 'heron' without words, shown as such: s00.",
    ]
    found = {sheet.name: sheet for sheet in sheets(folder)}
    assert "s01/heron" not in found
    assert "s01/snipe" in found
    assert found["s00/heron"].parts[0].dialogues[1].turns[-1].text == NOTHING_SAID


def test_a_situation_without_advice_of_people_is_left_out(tmp_path: Path) -> None:
    folder = write_round(tmp_path, 2)
    lines = [situation(0), situation(1, good_comments=[{"id": "x", "body": " ", "score": 9}])]
    write_situations(folder / "situations.jsonl", lines)
    assert told(folder) == ["Left out: 1 situation without any advice of people: s01."]
    assert {sheet.group for sheet in sheets(folder)} == {"s00"}


def test_before_models_were_asked_a_check_says_what_to_do(tmp_path: Path) -> None:
    folder = write_round(tmp_path, 2, models=())
    (problem,) = check_study(folder)
    assert problem.warning
    assert f"Ask models: palaver advice run {folder}" in problem.message
    with pytest.raises(StudyError, match="There are no answers of models"):
        load_material(load_study(folder))


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        ({"situations": None}, "'format: advice' needs 'situations'"),
        ({"situations": "gone.jsonl"}, "'situations' names 'gone.jsonl'; there is no such file"),
        ({"data": "answers/gone.jsonl"}, "there is no such file"),
        ({"data": None}, "'format' needs 'data'"),
        ({"units": "units.json"}, "'units' is for lines"),
        ({"context": 2}, "'context' needs 'format: cocoa-outputs'."),
        ({"format": "lines"}, "'situations' needs 'format: advice'."),
        ({"ask": ["advice_better", "empathy"]}, "Question 'empathy' is about one text"),
        ({"gold": {"references": 4}}, "the files have 4 situations with one"),
        ({"overlap": {"items": 5}}, "All of the 5 items of a visit would be shared"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, rate: dict[str, Any], words: str) -> None:
    given = {key: value for key, value in rate.items() if value is not None}
    folder = write_round(tmp_path, 4, **given)
    if None in rate.values():
        text = (folder / "study.yaml").read_text(encoding="utf-8")
        kept = [line for line in text.splitlines() if f"{next(iter(rate))}:" not in line]
        (folder / "study.yaml").write_text("\n".join(kept), encoding="utf-8")
    assert any(words in message for message in told(folder)), told(folder)


def test_names_that_stand_for_people_and_ids_twice_are_refused(tmp_path: Path) -> None:
    folder = write_round(tmp_path, 2, models=("heron", "people"))
    write_situations(folder / "situations.jsonl", [situation(0), situation(0), situation(1)])
    messages = " ".join(told(folder))
    assert "the id 's00' is there twice" in messages
    assert "'people' stands for the advice of people" in messages


def test_broken_lines_are_named(tmp_path: Path) -> None:
    folder = write_round(tmp_path, 2)
    (folder / "answers" / "heron.jsonl").write_text(
        '{"id": "s00", "advice": 3}\n', encoding="utf-8"
    )
    assert any("heron.jsonl, line 1" in message for message in told(folder))
