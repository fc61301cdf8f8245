"""Contexts and responses of CoCoA's evaluation files, in every shape they have."""

from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.formats.cocoa.outputs import NOTHING_SAID, OVER, SILENT, TOO_SHORT, ResponseData
from palaver.formats.cocoa.tokens import is_tokens, roles, sentence
from support.responses import output


def read(*documents: Any, turns: int = 3) -> ResponseData:
    data = ResponseData(turns=turns)
    for number, document in enumerate(documents, start=1):
        data.add(document, system=f"s{number}", file=f"s{number}.json")
    return data


@pytest.mark.parametrize(
    ("tokens", "read_as"),
    [
        (["<go-b>", "hi", ",", "there", "</s>"], "hi, there"),
        (["it", "is", ["$90", [90, "price"]], "."], "it is PRICE."),
        (["old", ["$90", "price"]], "old PRICE"),
        (["i", "know", ["Google", ["google", "company"]], "!"], "i know Google!"),
        (["<offer>", ["$5", [5, "price"]]], "OFFER PRICE"),
        (["<quit>"], "QUIT"),
        (["that", "and", "I'm", "fine"], "that and I'm fine"),
        (["it", "'s", "$", "5", "(", "new", ")"], "it's $5 (new)"),
        (["<unk>", "<category>", "bike"], "UNK bike"),
        ("see < url > now  <UNK>", "see URL now UNK"),
        (["?"], "?"),
        ([], ""),
    ],
)
def test_tokens_become_sentences(tokens: Any, read_as: str) -> None:
    assert is_tokens(tokens)
    assert sentence(tokens) == read_as


def test_a_turn_is_tokens_and_nothing_else() -> None:
    assert not is_tokens(None)
    assert not is_tokens(["a", 3])
    assert not is_tokens([["a", ["b", "c", "d"]]])


def test_roles_follow_the_marks_in_both_directions() -> None:
    turns = [["a"], ["<go-s>", "b"], ["<go-s>", "c"], ["d"]]
    assert roles(turns) == ["buyer", "seller", "seller", "buyer"]


def test_outputs_of_two_systems_meet_in_their_contexts() -> None:
    data = read([output(7, ["ok", "then"])], [output(7, ["no", "way"]), output(8, ["ok"])])
    assert data.mistakes == []
    item = data.items["C_07"]
    assert [(turn.speaker, turn.text) for turn in item.context] == [
        ("buyer", "is lamp 7 still there?"),
        ("seller", "yes, it is."),
        ("buyer", "would you take PRICE?"),
    ]
    assert (item.speaker, item.roles) == ("seller", ("Buyer", "Seller"))
    assert item.responses == {
        "s1": "ok then",
        "reference": "i could do PRICE. it's new r7",
        "s2": "no way",
    }
    assert data.systems == ["s1", "s2", "reference"]
    assert list(data.items["C_08"].responses) == ["s2", "reference"]


def test_what_cannot_be_judged_is_left_out_and_counted() -> None:
    over = output(1, ["ok"])
    over["prev_turns"] = [*over["prev_turns"], ["<offer>", ["$5", [5, "price"]]]]
    short = output(2, ["ok"], prev_turns=[["hi"], ["hello"]])
    silent = output(3, [])
    data = read([over, short, silent])
    assert data.left_out == {OVER: 1, TOO_SHORT: 1, SILENT: 1}
    assert data.items["C_03"].responses["s1"] == NOTHING_SAID


def test_one_id_may_stand_for_several_contexts_but_not_for_two_answers() -> None:
    later = output(1, ["fine"])
    later["prev_turns"] = [*later["prev_turns"], ["<go-s>", "maybe"], ["<go-b>", "and", "now", "?"]]
    data = read([output(1, ["ok"]), later, output(1, ["ok"]), output(1, ["not", "ok"])])
    assert list(data.items) == ["C_01", "C_01/2"]
    assert len(data.mistakes) == 1
    assert "Entry 4: 's1' answers the context 'C_01' twice" in data.mistakes[0]


def test_contexts_without_roles_take_turns_as_a_and_b() -> None:
    turns = [["hi"], ["hello"], ["how", "are", "you"]]
    entry = {"ex_id": 3, "prev_turns": turns, "reference": ["fine"], "response": ["good"]}
    item = read([entry]).items["3"]
    assert [turn.speaker for turn in item.context] == ["A", "B", "A"]
    assert (item.speaker, item.roles) == ("B", None)


def test_evaluation_data_has_its_systems_inside() -> None:
    context = [["A", "hi there"], ["B", "hello"], ["A", "know any chemists ?"]]
    responses = {"rule": ["B", "two of them"], "reference": ["B", "no"]}
    data = read({"q1": {"context": context, "responses": responses}})
    assert data.items["q1"].responses == {"rule": "two of them", "reference": "no"}
    assert data.items["q1"].speaker == "B"
    with pytest.raises(InputError, match="'q2' has no 'context' and 'responses'"):
        read({"q2": {"context": context}})
    mixed = {"context": context, "responses": {"x": ["A", "a"], "y": ["B", "b"]}}
    assert "different speakers" in read({"q3": mixed}).mistakes[0]


def test_examples_with_candidates_are_read_without_their_ratings() -> None:
    example = {
        "exid": "E_1",
        "kb": {},
        "agent": 1,
        "role": "seller",
        "prev_turns": [["hi"], ["hello"], ["price", "?"]],
        "prev_roles": ["buyer", "seller", "buyer"],
        "target": ["ninety"],
        "candidates": [{"response": ["eighty"], "system": "nn"}, ["seventy"]],
        "results": [1, 0],
    }
    data = read([example])
    assert data.items["E_1"].responses == {
        "nn": "eighty",
        "s1-2": "seventy",
        "reference": "ninety",
    }
    assert data.left_out["earlier ratings of candidates"] == 1
    example["prev_roles"] = ["buyer"]
    assert "one role for each" in read([example]).mistakes[0]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"response": None}, "'response' is missing"),
        ({"prev_turns": "hi"}, "'prev_turns' takes a list"),
        ({"prev_turns": [["a"], [1], ["b"]]}, "Turn 2 of 'prev_turns'"),
        ({"ex_id": None}, "'ex_id' is missing"),
        ({"prev_turns": [["<a>"], ["<b>"], ["</s>"]]}, "The context has no words"),
    ],
)
def test_a_broken_entry_is_told_with_its_place(change: dict[str, Any], told: str) -> None:
    data = read([output(1, ["ok"]), {**output(2, ["ok"]), **change}])
    (mistake,) = data.mistakes
    assert mistake.startswith("s1.json: Entry 2: ")
    assert told in mistake


def test_a_file_of_something_else_is_refused() -> None:
    with pytest.raises(InputError, match="Entry 1 is not an object"):
        read([3])
    with pytest.raises(InputError, match="Expected a list of outputs"):
        read("text")
