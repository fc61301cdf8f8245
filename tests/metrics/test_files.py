"""Predictions and references in files, matched by position or by id."""

import json
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.metrics import score_files


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Writes a file and says where."""

    def written(name: str, content: Any) -> Path:
        path = tmp_path / name
        if name.endswith("jsonl"):
            content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
        elif name.endswith("json"):
            content = json.dumps(content)
        path.write_text(content, encoding="utf-8", newline="")
        return path

    return written


def test_lines_of_text(write: Any) -> None:
    said, meant = write("p.txt", "yes\nno\n\n"), write("r.txt", "yes\r\nyes\r\n\r\n")
    found = score_files("accuracy", said, meant)
    assert (found.value, found.n) == (pytest.approx(2 / 3), 3)


def test_a_line_separator_inside_a_text_is_no_new_line(write: Any) -> None:
    said, meant = write("p.txt", "a\u2028b\nc"), write("r.txt", "a\u2028b\nd\n")
    assert score_files("accuracy", said, meant).per_item == (1.0, 0.0)


def test_ids_decide_which_belong_together(write: Any) -> None:
    said = write("p.jsonl", [{"id": 1, "prediction": "cat"}, {"id": 2, "prediction": "dog"}])
    meant = write("r.jsonl", [{"uid": "2", "answers": ["dog"]}, {"uid": "1", "answers": ["owl"]}])
    assert score_files("squad_em", said, meant).per_item == (0.0, 1.0)


def test_an_object_from_id_to_value(write: Any) -> None:
    said = write("p.json", {"q1": "cat", "q2": "dog"})
    meant = write("r.json", [{"id": "q2", "references": ["dog"]}, {"id": "q1", "reference": "cat"}])
    assert score_files("squad_em", said, meant).value == 1.0


def test_bare_values_and_options(write: Any) -> None:
    said, meant = write("p.jsonl", [1, 0, 2]), write("r.jsonl", [1, 1, 2])
    assert score_files("micro_f1", said, meant, {"labels": [2]}).value == 1.0
    masses = write("m.jsonl", [{"id": "a", "value": [1, 0]}, {"id": "b", "value": [0, 1]}])
    assert score_files("nmd", masses, masses).value == 0.0


def test_outcomes_are_the_objects_themselves(write: Any) -> None:
    outcomes = write("d.jsonl", [{"id": "d1", "outcome": {"reward": 1}}, {"id": "d2", "reward": 0}])
    assert score_files("success_rate", outcomes).value == 0.5


def test_an_empty_file_has_no_score(write: Any) -> None:
    nothing = write("p.txt", "")
    assert score_files("accuracy", nothing, nothing).reason == "there are no items"


def test_a_function_of_ones_own(write: Any, tmp_path: Path) -> None:
    write("mine.py", "def longest(predictions):\n    return max(map(len, predictions))\n")
    said = write("p.txt", "a\nabc\n")
    assert score_files("mine:longest", said, folder=tmp_path).value == 3.0


@pytest.mark.parametrize(
    ("said", "meant", "words"),
    [
        ([{"id": 1, "prediction": "a"}], [{"id": 2, "reference": "a"}], "Only p.jsonl has .*: 1"),
        (
            [{"id": 1, "prediction": "a"}],
            [{"id": n, "reference": "a"} for n in range(1, 9)],
            "Only r.jsonl has these ids: 2, 3, 4, 5, 6 and 2 more",
        ),
        (
            [{"id": 1, "prediction": "a"}] * 2,
            [{"id": 1, "reference": "a"}],
            "p.jsonl has ids more than once: 1",
        ),
        ([{"id": 1, "prediction": "a"}], ["a"], "p.jsonl has ids but r.jsonl has none"),
        (["a"], [{"id": 1, "reference": "a"}], "r.jsonl has ids but p.jsonl has none"),
        (["a", "b"], ["a"], "p.jsonl has 2 items and r.jsonl 1"),
        ([{"id": 1, "prediction": "a"}, {"prediction": "b"}], ["a"], "item 2 has no id"),
        ([{"id": 1, "prediction": None}], [{"id": 1, "reference": "a"}], "prediction 1 must be"),
        ([{"id": 1, "said": "a"}], [{"id": 1, "reference": "a"}], "prediction 1 must be a label"),
    ],
)
def test_what_does_not_match_is_named(write: Any, said: Any, meant: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        score_files("accuracy", write("p.jsonl", said), write("r.jsonl", meant))


def test_what_cannot_be_read_is_named(write: Any, tmp_path: Path) -> None:
    good = write("p.txt", "a\n")
    bad = tmp_path / "r.jsonl"
    bad.write_text('"a"\n{"broken"\n')
    with pytest.raises(InputError, match=r"r\.jsonl, line 2 is not JSON"):
        score_files("accuracy", good, bad)
    bad.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        score_files("accuracy", good, bad)
    with pytest.raises(InputError, match="cannot be read"):
        score_files("accuracy", good, tmp_path / "absent.txt")
    with pytest.raises(InputError, match="must contain a list, or an object"):
        score_files("accuracy", good, write("r.json", 3))
    with pytest.raises(InputError, match="needs references"):
        score_files("accuracy", good)
