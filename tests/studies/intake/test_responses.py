"""Files of outputs as sheets: what is judged, what is a hidden check, what everybody judges."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from palaver.studies.check import check_study
from palaver.studies.file.reader import load_study
from palaver.studies.intake.drawn_sheets import system_of_file
from palaver.studies.intake.judged_files import PlannedSheet
from palaver.studies.intake.materials import StudyMaterials, load_material
from support.houses import write_study
from support.responses import judging, output, write_outputs

LIKELY, PREFERENCE = "response_likelihood", "better_response"


def materials(folder: Path, count: int = 6, **rate: Any) -> StudyMaterials:
    write_outputs(folder / "outputs", count)
    write_study(folder, judging(**{"ask": [LIKELY], **rate}))
    return load_material(load_study(folder))


def told(folder: Path, count: int = 6, **rate: Any) -> list[str]:
    write_outputs(folder / "outputs", count)
    write_study(folder, judging(**{"ask": [LIKELY], **rate}))
    return [problem.message for problem in check_study(folder)]


def names(sheets: list[PlannedSheet]) -> list[str]:
    return [sheet.name for sheet in sheets]


def test_each_response_is_a_sheet_and_people_are_a_system(tmp_path: Path) -> None:
    found = list(materials(tmp_path, 2).data[0].sheets())
    assert names(found) == [
        *("C_00/neural", "C_00/rule", "C_00/reference"),
        *("C_01/neural", "C_01/rule", "C_01/reference"),
    ]
    assert {sheet.needed for sheet in found} == {3}
    (text,) = found[1].parts[0].dialogues
    assert [(turn.speaker, turn.text) for turn in text.turns] == [
        ("user", "is lamp 0 still there?"),
        ("system", "yes, it is."),
        ("user", "would you take PRICE?"),
        ("system", "i could go down a little, when can you come? no0"),
    ]
    assert (text.system, text.roles) == ("rule", ("Buyer", "Seller"))
    assert load_study(tmp_path).stages[0].per_visit == 10  # type: ignore[union-attr]


def test_comparisons_are_made_of_each_two_responses_to_one_context(tmp_path: Path) -> None:
    found = list(materials(tmp_path, 1, ask=[PREFERENCE]).data[0].sheets())
    assert names(found) == ["C_00/neural|rule", "C_00/neural|reference", "C_00/rule|reference"]
    without = list(materials(tmp_path, 1, ask=[PREFERENCE], reference=False).data[0].sheets())
    assert names(without) == ["C_00/neural|rule"]
    both = list(materials(tmp_path, 1, ask=[PREFERENCE, LIKELY], reference=False).data[0].sheets())
    assert [(sheet.name, sheet.parts[0].ask) for sheet in both] == [
        ("C_00/neural", (LIKELY,)),
        ("C_00/rule", (LIKELY,)),
        ("C_00/neural|rule", (PREFERENCE,)),
    ]


def test_a_sample_is_drawn_with_the_seed(tmp_path: Path) -> None:
    drawn = [
        {name.partition("/")[0] for name in names(list(found.data[0].sheets()))}
        for found in (
            materials(tmp_path, 12, sample=4, seed=1),
            materials(tmp_path, 12, sample=4, seed=1),
            materials(tmp_path, 12, sample=4, seed=2),
        )
    ]
    assert [len(each) for each in drawn] == [4, 4, 4]
    assert drawn[0] == drawn[1] != drawn[2]


def test_references_that_are_checks_serve_for_nothing_else(tmp_path: Path) -> None:
    gold = {"references": 2, "after": 1, "on_fail": "warn"}
    ask = ["response_problems", "response_appropriateness"]
    found = materials(tmp_path, 5, ask=ask, gold=gold)
    checks, judged = list(found.gold[0].sheets()), list(found.data[0].sheets())
    held = {sheet.name.partition("/")[0] for sheet in checks}
    assert len(held) == 2
    assert held.isdisjoint(sheet.name.partition("/")[0] for sheet in judged)
    assert len(judged) == 9
    # A scale is right in its upper half; a list of problems is asked as ever and not graded.
    part = checks[0].parts[0]
    assert part.ask == judged[0].parts[0].ask == tuple(ask)
    assert part.answers == {
        "response_appropriateness": {"_disjunction": True, "options": [0, 1, 2]}
    }
    assert part.dialogues[0].turns[-1].text.startswith("i could do PRICE. it's new r")


def test_in_pairs_the_reference_is_checked_against_one_from_elsewhere(tmp_path: Path) -> None:
    gold = {"references": 2, "on_fail": "warn"}
    found = list(materials(tmp_path, 5, ask=[PREFERENCE], gold=gold).gold[0].sheets())
    for sheet in found:
        own, foreign = sheet.parts[0].dialogues
        number = sheet.name[2:4].lstrip("0") or "0"
        assert own.turns[-1].text.endswith(f"r{number}")
        assert not foreign.turns[-1].text.endswith(f"r{number}")
        assert own.turns[:-1] == foreign.turns[:-1]


def test_shared_items_have_a_place_for_every_visit(tmp_path: Path) -> None:
    found = list(materials(tmp_path, 10, overlap={"items": 2}).data[0].sheets())
    shared = [sheet for sheet in found if sheet.shared]
    # 28 items × 3 raters, 8 of them in each visit: 11 visits.
    assert [sheet.needed for sheet in shared] == [11, 11]
    assert Counter(sheet.needed for sheet in found) == {3: 28, 11: 2}
    given = materials(tmp_path, 10, overlap={"items": 1, "raters": 40}, order="file")
    first, *others = given.data[0].sheets()
    assert (first.shared, first.needed) == (True, 40)
    assert not any(sheet.shared for sheet in others)


def test_files_are_named_by_system_or_by_pattern(tmp_path: Path) -> None:
    by_name = materials(tmp_path, 1, data={"x": "outputs/rule.json", "y": "outputs/neural.json"})
    assert names(list(by_name.data[0].sheets()))[:2] == ["C_00/x", "C_00/y"]
    assert system_of_file(Path("sl-act/outputs.json")) == "sl-act"
    one = materials(tmp_path, 1, data="outputs/rule.json")
    assert names(list(one.data[0].sheets())) == ["C_00/rule", "C_00/reference"]


def test_a_changed_setting_is_taken_in_anew(tmp_path: Path) -> None:
    digests = {
        materials(tmp_path, 4, **given).data[0].digest
        for given in ({}, {"context": 2}, {"seed": 2}, {"reference": False}, {"sample": 2})
    }
    assert len(digests) == 5


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        ({"data": "outputs/*.txt"}, "'data' names 'outputs/*.txt'; no file in"),
        ({"data": "outputs/gone.json"}, "there is no such file"),
        ({"data": "/nowhere/*.json"}, "no file in"),
        (
            {"gold": {"after": 1}},
            "'gold' takes one of 'file'; for responses and advice 'references';",
        ),
        ({"gold": {"references": 6}}, "'gold' wants 6 references that serve for nothing else"),
        ({"overlap": {"items": 10}}, "All of the 10 items of a visit would be shared"),
        ({"overlap": {"items": 2}, "per_visit": None}, "'overlap' needs 'raters'"),
        ({"context": 9}, "The files have no context that can be judged. Left out were 12 contexts"),
        ({"units": "units.json"}, "responses have no groups"),
        ({"format": "lines", "overlap": {"items": 1}}, "'overlap' needs 'format: cocoa-outputs'"),
        ({"format": "lines", "data": {"x": "outputs/rule.json"}}, "Files by system need"),
        ({"format": "lines", "gold": {"references": 1}}, "'references' needs 'format"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_served(
    tmp_path: Path, rate: dict[str, Any], words: str
) -> None:
    assert any(words in message for message in told(tmp_path, **rate)), told(tmp_path, **rate)


def test_two_files_of_one_name_and_broken_files_are_told(tmp_path: Path) -> None:
    write_outputs(tmp_path / "a", 1, {"rule": "ok"})
    write_outputs(tmp_path / "b", 1, {"rule": "no"})
    assert "would both be the system 'rule'" in told(tmp_path, data="*/rule.json")[0]
    (tmp_path / "outputs" / "broken.json").write_text('[{"ex_id": ', encoding="utf-8")
    entries = [output(1, ["ok"]), {**output(2, ["ok"]), "response": 3}]
    (tmp_path / "outputs" / "wrong.json").write_text(json.dumps(entries), encoding="utf-8")
    write_study(tmp_path, judging(ask=[LIKELY]))
    messages = [problem.message for problem in check_study(tmp_path)]
    assert any(message.startswith("broken.json, line 1: Not JSON") for message in messages)
    assert any("wrong.json: Entry 2: 'response' is missing" in message for message in messages)
