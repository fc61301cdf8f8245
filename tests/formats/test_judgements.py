"""Judgements out of tables: groups, clusters, and every row that cannot stand."""

from pathlib import Path

import pytest

from palaver.analysis.agreement import Judgement
from palaver.core.errors import InputError
from palaver.formats.frames import Frame, read_frame
from palaver.formats.judgements import read_judged


def frame(**columns: list[object]) -> Frame:
    return Frame("t.jsonl", columns)


def judged(table: Frame, level: str = "nominal", **given: object):
    return read_judged(table, unit="u", rater="r", value="v", level=level, **given)


def test_rows_become_judgements() -> None:
    table = frame(u=[1, 1, 2.0], r=["A", "B", "A"], v=["x", "y", None])

    (found,) = judged(table)

    assert found.judgements == [Judgement("1", "A", "x"), Judgement("1", "B", "y")]
    assert (found.by, found.empty, found.clusters) == (None, 1, ())


def test_groups_keep_their_order_and_their_own_twins() -> None:
    table = frame(u=[1, 1, 1], r=["A", "A", "B"], v=[1, 2, 3], q=["b", "a", "b"])

    found = judged(table, "interval", by="q")

    assert [each.by for each in found] == ["b", "a"]
    assert [each.value for each in found[0].judgements] == [1.0, 3.0]


def test_clusters_are_those_of_units() -> None:
    table = frame(u=[1, 1, 2], r=["A", "B", "A"], v=[1, 2, 3], d=["x", "x", "y"], s=[1, 1, 1])

    (found,) = judged(table, "ratio", clusters=["d", "s"])

    assert found.clusters == ({"1": "x", "2": "y"}, {"1": "1", "2": "1"})


def test_a_csv_file_says_its_own_rows(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("u,r,v\n1,A,1\n1,B,2\n1,A,3\n")

    with pytest.raises(
        InputError, match=r"t.csv, row 4: the r 'A' judged the u '1' before, in row 2"
    ):
        judged(read_frame(file), "ordinal")


def test_what_statistics_programs_write_for_missing_numbers_is_missing() -> None:
    (found,) = judged(frame(u=[1, 1, 1], r=["A", "B", "C"], v=["NA", "2", "nan"]), "interval")

    assert (len(found.judgements), found.empty) == (1, 2)
    # A label may well be called "none".
    (named,) = judged(frame(u=[1], r=["A"], v=["none"]))
    assert named.judgements[0].value == "none"


@pytest.mark.parametrize(
    ("columns", "given", "said"),
    [
        ({"u": [], "r": [], "v": []}, {}, "has no rows"),
        ({"u": [1, None], "r": ["A", "B"], "v": [1, 2]}, {}, "row 2: the column 'u' is empty"),
        ({"u": [1], "r": [None], "v": [1]}, {}, "row 1: the column 'r' is empty"),
        ({"u": [1, 1], "r": ["A", "B"], "v": [1, "x"]}, {}, "row 2: 'v' holds 'x', and 1 in row 1"),
        ({"u": [1], "r": ["A"], "v": [["a"]]}, {}, "single values"),
        ({"u": [1], "r": ["A"], "v": ["x"]}, {"level": "interval"}, "finite numbers; got 'x'"),
        ({"u": [1], "r": ["A"], "v": ["x"]}, {"level": "ordinal"}, "--order"),
        ({"u": [1], "r": ["A"], "v": [-1]}, {"level": "ratio"}, "0 or more; got -1"),
        (
            {"u": [1], "r": ["A"], "v": ["x"]},
            {"order": ["a", "b"]},
            "'x' is not in the given order",
        ),
        (
            {"u": [1, 1], "r": ["A", "B"], "v": [1, 2], "d": ["x", "y"]},
            {"clusters": ["d"]},
            "row 2: the u '1' has the d 'y' here and 'x' before",
        ),
        ({"u": [1], "r": ["A"], "v": [1], "q": [None]}, {"by": "q"}, "the column 'q' is empty"),
        ({"u": [1], "r": ["A"], "w": [1]}, {}, "no column 'v'"),
    ],
)
def test_rows_that_cannot_stand_are_named(columns, given, said) -> None:
    with pytest.raises(InputError, match=said):
        judged(frame(**columns), **given)
