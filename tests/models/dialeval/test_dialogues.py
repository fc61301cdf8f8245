"""Files of help-desk dialogues: both forms, questions of tasks, and everything that may be wrong."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.formats import dch2
from palaver.formats.dch2_counts import read_counted
from palaver.models.dialeval.dialogues import (
    NUGGETS,
    POINTS,
    SCALES,
    HelpDialogue,
    asked_dialogue,
    read_dialogues,
    read_labelled,
)
from support.dialeval import STC3, TRUTH
from support.helpdesk import helpdesk_dialogues, helpdesk_file, lines_file


def same_as_the_format(found: list[HelpDialogue], path: Path) -> None:
    """The shares are those that `formats.dch2` reads, in the same order of labels."""
    counted = read_counted(path.read_bytes())
    assert [each.id for each in found] == [each.id for each in counted]
    for one, other in zip(found, counted, strict=True):
        assert [turn.sender for turn in one.turns] == [turn.sender for turn in other.turns]
        for shares, counts in zip(one.nugget, other.nugget, strict=True):
            assert shares == pytest.approx([n / sum(counts.values()) for n in counts.values()])
        assert list(one.quality) == list(other.quality)
        for scale, shares in one.quality.items():
            counts = other.quality[scale]
            assert shares == pytest.approx([n / sum(counts.values()) for n in counts.values()])


def test_counts_read_as_the_format_reads_them(tmp_path: Path) -> None:
    path = helpdesk_file(tmp_path / "counts.jsonl", 6)
    found = read_dialogues(path)
    assert found[0].nugget[0] == pytest.approx((17 / 19, 2 / 19, 0, 0))
    assert sum(found[0].quality["A"]) == pytest.approx(1)
    same_as_the_format(found, path)


def test_annotations_read_as_the_format_reads_them(tmp_path: Path) -> None:
    path = tmp_path / "dch2.json"
    path.write_text(json.dumps(TRUTH))
    found = read_dialogues(path)
    assert found[0].nugget[2] == (0.0, 0.0, 0.5, 0.5)
    assert found[0].quality["A"] == (0.5, 0.5, 0.0, 0.0, 0.0)
    same_as_the_format(found, path)


@pytest.mark.skipif(not STC3.exists(), reason="the shared data are not here")
def test_real_counts_read_as_the_format_reads_them() -> None:
    path = STC3 / "stc3_dev_en.jsonl"
    found = read_dialogues(path)
    assert len(found) == 335
    same_as_the_format(found, path)


def test_a_packed_array_reads_like_lines(tmp_path: Path) -> None:
    packed = tmp_path / "packed.json.gz"
    packed.write_bytes(gzip.compress(json.dumps(helpdesk_dialogues(4)).encode()))
    assert read_dialogues(packed) == read_dialogues(helpdesk_file(tmp_path / "l.jsonl", 4))


def test_the_same_dialogues_are_read_in_every_form(tmp_path: Path) -> None:
    """Counts beside annotators of one task alone, Chinese, a mark of the byte order, indented."""
    chinese = json.loads(json.dumps(TRUTH[0]))
    chinese["turns"][0]["utterances"] = ["我的宽带断网了！\u2028为什么？"]
    first, *others = chinese["annotations"]
    del first["nugget"]
    for each in others:
        del each["quality"]
    mixed = [*helpdesk_dialogues(2), {**chinese, "id": "cn"}]
    forms = {
        "array": json.dumps(mixed, ensure_ascii=False),
        "indented": json.dumps(mixed, indent=2),
        "marked": "\ufeff" + json.dumps(mixed),
        "lines": "\r\n".join(json.dumps(each, ensure_ascii=False) for each in mixed),
    }
    path = tmp_path / "form"
    for name, text in forms.items():
        for content in (text.encode(), gzip.compress(text.encode())):
            path.write_bytes(content)
            found = read_dialogues(path)
            assert found[-1].turns[0].text == "我的宽带断网了！\u2028为什么？", name
            same_as_the_format(found, path)


def test_labels_and_scales_are_those_of_the_format() -> None:
    assert (NUGGETS, SCALES, POINTS) == (dch2.NUGGETS, dch2.SCALES, dch2.POINT_NAMES)


def test_questions_of_a_task_are_dialogues_without_labels(tmp_path: Path) -> None:
    question = {"uid": "q1", "turns": [{"speaker": "customer", "text": "my line is dead"}]}
    found = asked_dialogue(question)
    assert (found.id, found.turns[0].text, found.nugget) == ("q1", "my line is dead", ())
    assert read_dialogues(lines_file(tmp_path / "asked.jsonl", [question])) == [found]
    with pytest.raises(
        InputError, match="Question 'q2': turn 1: 'speaker' is customer or helpdesk"
    ):
        asked_dialogue({"uid": "q2", "turns": [{"speaker": "bot", "text": ""}]})


def broken(**changes: Any) -> dict[str, Any]:
    return {**helpdesk_dialogues(1)[0], "id": "d7", **changes}


QUALITY = {"A": {"2": 19}, "S": {"2": 19}, "E": {"2": 19}}


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (broken(turns=[]), "'turns' is a list of what was said; got []"),
        (broken(nugget=[{"CNUG0": 19}]), "'nugget' takes one entry per turn, 3; got 1"),
        (
            broken(turns=[{"sender": "customer", "utterances": ["x"]}], nugget=[{"HNUG": 19}]),
            "turn 1, of the customer, takes CNUG0, CNUG, CNUG*, CNaN; got 'HNUG'",
        ),
        (broken(quality={"B": {"2": 19}}), "'quality' has A, S and E; got 'B'"),
        (broken(quality={**QUALITY, "A": {"3": 19}}), "'A' takes 2, 1, 0, -1, -2; got '3'"),
        (broken(quality={**QUALITY, "A": {"2": -1}}), "'A' takes whole numbers from 0; '2' has -1"),
        (broken(quality={**QUALITY, "A": {"2": 0}}), "'A' has no counts; expected at least one"),
        (broken(annotations=[]), "has both 'annotations' and counts"),
        (
            {"id": "d7", "turns": [{"sender": "bot"}]},
            "turn 1: 'sender' is customer or helpdesk; got 'bot'",
        ),
        (
            {"id": "d7", "turns": [{"sender": "customer", "utterances": "x"}]},
            "turn 1: what was said is text; got 'x'",
        ),
        (
            {"id": "d7", "turns": [{"sender": "customer", "utterances": ["\ud800"]}]},
            r"turn 1: what was said is text; got ['\ud800']",
        ),
        (
            {
                "id": "d7",
                "turns": [{"sender": "customer", "utterances": ["x"]}],
                "annotations": [{"nugget": ["CNUG"]}, {"nugget": ["CNUG", "HNUG"]}],
            },
            "annotators gave different numbers of nuggets",
        ),
    ],
)
def test_what_is_wrong_with_a_dialogue_is_said(
    tmp_path: Path, entry: dict[str, Any], told: str
) -> None:
    path = lines_file(tmp_path / "some.jsonl", [*helpdesk_dialogues(1), entry])
    with pytest.raises(InputError, match=re.escape(f"some.jsonl: dialogue 'd7': {told}")):
        read_dialogues(path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{not json}", "is not a DCH-2 data set: expected a JSON array, or an object per line"),
        ('{"title": "another file"}', "entry 1 is no dialogue: expected an object with a text"),
        ("[]", "holds no dialogues"),
        ("YOU: hi <eos>", "is not a DCH-2 data set"),
        ('{"id": "d1"}\n\n{"id": d2}', r"is not a DCH-2 data set: .* line 3 column 8"),
        (f'[{{"id": {"9" * 5000}}}]', "is not a DCH-2 data set: .*4300 digits"),
        ('[{"id": "\\ud800"}]', "entry 1 is no dialogue: expected an object with a text as 'id'"),
    ],
)
def test_another_file_is_refused(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        read_dialogues(path)


def test_a_packed_file_that_is_damaged_is_refused(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(json.dumps(helpdesk_dialogues(9)).encode()))
    path = tmp_path / "some.json.gz"
    # Its tables, its checksum, its end.
    for content in (
        packed[:20] + b"\xff" * 9 + packed[29:],
        packed[:-8] + b"12345678",
        packed[:40],
    ):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"some\.json\.gz cannot be read: "):
            read_dialogues(path)


def test_an_id_is_used_once_in_a_file_and_among_files(tmp_path: Path) -> None:
    twice = lines_file(tmp_path / "twice.jsonl", helpdesk_dialogues(2) + helpdesk_dialogues(1))
    with pytest.raises(InputError, match=r"twice.jsonl: the id 'h1-0' is used twice"):
        read_dialogues(twice)
    one, other = (helpdesk_file(tmp_path / name, 2) for name in ("one.jsonl", "other.jsonl"))
    with pytest.raises(InputError, match=r"other.jsonl: dialogue 'h1-0' stands in .*one.jsonl"):
        read_labelled([one, other])


def test_training_refuses_dialogues_without_the_labels_it_learns(tmp_path: Path) -> None:
    first, second = helpdesk_dialogues(2)
    del second["quality"]["S"]
    path = lines_file(tmp_path / "part.jsonl", [first, second])
    assert len(read_labelled([path], quality=False)) == 2
    with pytest.raises(InputError, match="'h1-1' has no quality labels for S"):
        read_labelled([path])
    test = [{"id": each["id"], "turns": each["turns"]} for each in (first, second)]
    with pytest.raises(InputError, match=r"'h1-0' has no nugget labels\. Expected what annotators"):
        read_labelled([lines_file(tmp_path / "test.jsonl", test)])
