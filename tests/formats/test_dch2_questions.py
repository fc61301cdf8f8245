"""Questions of a task about DCH-2 dialogues, read as a file without annotations."""

import json

import pytest

from palaver.core.errors import InputError
from palaver.formats.dch2 import DchTurn, read_dch2

ASKED = [
    {"uid": "d1", "turns": [{"speaker": "customer", "text": "Hi\nthere"}]},
    {"uid": "d2", "turns": [{"speaker": "helpdesk", "text": "Yes?"}]},
]


@pytest.mark.parametrize("array", [False, True])
def test_questions_are_dialogues_without_annotations(array: bool) -> None:
    text = json.dumps(ASKED) if array else "\n".join(map(json.dumps, ASKED))
    first, second = read_dch2(text.encode())
    assert (first.id, first.annotations, first.is_counted) == ("d1", None, False)
    assert first.turns == [DchTurn("customer", ["Hi\nthere"])]
    assert second.id == "d2"


def test_what_is_wrong_with_a_question_names_its_dialogue() -> None:
    wrong = [{"uid": "d1", "turns": [{"speaker": "bot", "text": "Hi"}]}]
    with pytest.raises(InputError, match=r"Dialogue 'd1': Invalid enum value 'bot'"):
        read_dch2(json.dumps(wrong).encode())
    with pytest.raises(InputError, match="not a DCH-2 data set"):
        read_dch2(b'{"uid": "d1", "text": "No turns."}')
