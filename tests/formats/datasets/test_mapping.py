"""Field converters as data: options, files, nested keys, values and tags."""

from pathlib import Path

import pytest

from palaver.core.errors import InputError, StudyError
from palaver.formats.datasets.mapping import FieldMap, parse_field_map, read_field_map
from palaver.formats.datasets.reader import LeftOut

RECORD = {"pairID": "1", "s1": "c", "s2": "h", "gold": "entailment", "genre": "fiction"}


def test_options_name_keys_values_and_tags() -> None:
    mapping = parse_field_map(
        ["uid=pairID", "context=s1", "label=gold"], ["label.entailment=entailed"], ["Genre=genre"]
    )

    made = mapping.apply(RECORD)

    assert isinstance(made, dict)
    assert (made["uid"], made["context"], made["label"]) == ("1", "c", "entailed")
    assert made["tags"] == ["Genre:fiction"]
    assert RECORD["gold"] == "entailment"


def test_a_file_says_the_same_with_lists_and_what_to_leave_out(tmp_path: Path) -> None:
    file = tmp_path / "map.yaml"
    file.write_text(
        "map: {answer: answers.0.text, label: gold}\n"
        "values:\n"
        '  label: {"non": [neutral, contradictory], "-": null, "1": one, "true": yes it is}\n'
        "tags: {Genre: genre}\n"
    )
    mapping = read_field_map(file)
    record = {"answers": [{"text": "a"}], "gold": "non", "genre": "", "tags": ["old"]}

    assert mapping.apply(record) == {
        **record,
        "answer": "a",
        "label": ["neutral", "contradictory"],
        "tags": ["old"],
    }
    assert mapping.apply({**record, "gold": "-"}) == LeftOut("its label is -")
    for given, label in ((1, "one"), (True, "yes it is"), (["1", "x"], ["one", "x"])):
        made = mapping.apply({**record, "gold": given})
        assert isinstance(made, dict)
        assert made["label"] == label


def test_an_empty_label_on_the_command_line_leaves_out() -> None:
    mapping = parse_field_map([], ["label.-="], [])

    assert mapping.values == {"label": {"-": None}}
    assert parse_field_map([], ["label.a=b=c"], []).values == {"label": {"a=b": "c"}}


def test_a_key_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="It has no 'sentence1', only: pairID, s1"):
        FieldMap(fields={"context": "sentence1"}).apply(RECORD)


@pytest.mark.parametrize(
    ("maps", "values", "tags", "said"),
    [
        (["uid"], [], [], "Expected FIELD=KEY; got 'uid'"),
        ([], ["label=entailed"], [], "FIELD.VALUE=LABEL; got 'label=entailed'"),
        ([], [], ["=genre"], "Expected TITLE=KEY; got '=genre'"),
    ],
)
def test_options_that_are_none_are_refused(
    maps: list[str], values: list[str], tags: list[str], said: str
) -> None:
    with pytest.raises(InputError) as raised:
        parse_field_map(maps, values, tags)
    assert said in str(raised.value)


def test_an_unknown_key_of_a_mapping_file_has_its_line(tmp_path: Path) -> None:
    file = tmp_path / "map.yaml"
    file.write_text("map: {uid: id}\nvalue: {}\n")

    with pytest.raises(StudyError, match=r"map\.yaml:2:1: Unknown key 'value'. Near: 'values'"):
        read_field_map(file)
