"""Results of the API as scripts have kept them: any nesting, XML that can do nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.formats.mturk.answer_xml import read_answer_xml
from palaver.formats.mturk.api_results import read_turk_results
from palaver.formats.mturk.assignments import BadAssignment
from palaver.formats.pseudonyms import origin_pseudonym

SPACE = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"
ANSWER = (
    f'<?xml version="1.0" encoding="ASCII"?><QuestionFormAnswers xmlns="{SPACE}">'
    "<Answer><QuestionIdentifier>plausibility</QuestionIdentifier>"
    "<FreeText>4 &lt; 5 &amp; more</FreeText></Answer>"
    "<Answer><QuestionIdentifier>which</QuestionIdentifier>"
    "<SelectionIdentifier>a</SelectionIdentifier><SelectionIdentifier>b</SelectionIdentifier>"
    "<OtherSelectionText>c</OtherSelectionText></Answer>"
    "<Answer><QuestionIdentifier>empty</QuestionIdentifier><FreeText/></Answer>"
    "</QuestionFormAnswers>"
)
ONE = {
    "AssignmentId": "39RP",
    "WorkerId": "A2TL",
    "HITId": "3X2L",
    "AssignmentStatus": "Submitted",
    "AcceptTime": "2021-08-09T08:59:50-07:00",
    "SubmitTime": "2021-08-09T08:59:56-07:00",
    "Answer": ANSWER,
}
PAGE = {"NextToken": "x", "NumResults": 1, "Assignments": [ONE]}


def dump(folder: Path, content: Any) -> Path:
    file = folder / "results.json"
    text = content if isinstance(content, str) else json.dumps(content)
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "content",
    [
        PAGE,
        [PAGE, PAGE],
        [ONE],
        {"3X2L": [ONE], "other": PAGE},
        f"{json.dumps(PAGE)}\n\n{json.dumps(ONE)}\n",
    ],
)
def test_whatever_a_script_has_kept_is_read_once(tmp_path: Path, content: Any) -> None:
    (one,) = read_turk_results(dump(tmp_path, content), salt="pepper").assignments

    assert one.worker == origin_pseudonym("pepper", "A2TL")
    assert (one.hit, one.assignment, one.seconds) == ("3X2L", "39RP", 6.0)
    assert one.answers == {
        "plausibility": "4 < 5 & more",
        "which": ["a", "b", "c"],
        "empty": "",
    }


def test_times_may_be_numbers(tmp_path: Path) -> None:
    kept = {**ONE, "AcceptTime": 1628524790.0, "SubmitTime": 1628524796.0}

    (one,) = read_turk_results(dump(tmp_path, [kept]), salt="s").assignments
    assert (one.accepted, one.seconds) == (1628524790.0, 6.0)


def test_what_cannot_be_read_is_left_out_and_said(tmp_path: Path) -> None:
    odd = [{**ONE, "WorkerId": None}, {**ONE, "AssignmentId": "2", "Answer": "<a>"}, ONE]

    read = read_turk_results(dump(tmp_path, odd), salt="s")

    assert [each.assignment for each in read.assignments] == ["39RP"]
    assert ["'WorkerId' is missing" in read.problems[0].message, len(read.problems)] == [True, 2]


@pytest.mark.parametrize("content", ["{}", "[1]", "{", "\x00", '{"a": 1}\n{'])
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError, match=r"results\.json"):
        read_turk_results(dump(tmp_path, content), salt="s")


BOMB = (
    '<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    "<QuestionFormAnswers><Answer><QuestionIdentifier>q</QuestionIdentifier>"
    "<FreeText>&b;</FreeText></Answer></QuestionFormAnswers>"
)
OUTSIDE = BOMB.replace('"ha"', 'SYSTEM "file:///etc/passwd"')


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (BOMB, "document type"),
        (OUTSIDE, "document type"),
        ('<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd"><x/>', "document type"),
        ("<a>" * 200, "too deeply"),
        ("<a>", "not XML"),
        ("<a>&unknown;</a>", "not XML"),
        ("\ud800", "not XML"),
        (" " * 5_000_000, "longer than"),
    ],
)
def test_xml_can_do_nothing(document: str, said: str) -> None:
    with pytest.raises(BadAssignment, match=said):
        read_answer_xml(document)
