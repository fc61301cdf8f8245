"""`palaver compare` and `palaver tukey` on files, and on a study."""

import json

import pytest
from click.testing import CliRunner
from scipy import stats

from palaver.cli.statistics import compare_command, tukey_command
from palaver.core.errors import InputError
from palaver.storage import Store
from palaver.storage.studies.studies import register_study
from support.databases import new_sqlite
from support.reviewing import STUDY, Judging
from support.seeding import NOW

SCORES = (
    "dialogue_id,one,two,three\nd1,.7,.5,.1\nd2,.6,.2,.1\nd3,.8,.6,.3\nd4,.7,.5,.2\nd5,.9,.4,.3\n"
)
ROWS = "system,item,rater,value\n" + "".join(
    f"{system},i{item},r{item % 3},{value}\n"
    for system, values in (("new", [4, 5, 3, 5, 4, 4]), ("old", [3, 3, 3, 4, 2, 4]))
    for item, value in enumerate(values)
)


def run(command, *arguments):
    found = CliRunner().invoke(command, [str(each) for each in arguments], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(SCORES, encoding="utf-8")
    return path


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def test_tukey_prints_the_pairs_as_json(scores) -> None:
    found = json.loads(run(tukey_command.command, scores, "--trials", 500, "--json"))

    assert [(pair["a"], pair["b"]) for pair in found["pairs"]] == [
        ("one", "two"),
        ("one", "three"),
        ("two", "three"),
    ]
    assert found["pairs"][0]["difference"] == pytest.approx(0.3)
    assert found["pairs"][0].keys() == {"a", "b", "difference", "p", "effect"}
    assert found["trials"] == 500
    assert found["topic_column"] == "dialogue_id"


def test_the_same_seed_prints_the_same(scores) -> None:
    once = run(tukey_command.command, scores, "--seed", 3, "--trials", 300)

    assert once == run(tukey_command.command, scores, "--seed", 3, "--trials", 300)
    assert "3 systems on 5 topics; topics by 'dialogue_id'" in once
    assert "Method: randomised Tukey HSD" in once


def test_numbers_in_the_first_column_are_scores_unless_it_is_named(tmp_path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("n,a,b\n1,.1,.2\n2,.3,.1\n3,.2,.4\n", encoding="utf-8")
    plain = json.loads(run(tukey_command.command, path, "--json"))
    named = json.loads(run(tukey_command.command, path, "--topic", "n", "--json"))

    assert len(plain["pairs"]) == 3
    assert len(named["pairs"]) == 1


def test_bare_numbers_need_no_names(tmp_path) -> None:
    path = tmp_path / "jsd.test_data.dialoguebyrun"
    path.write_text("0.7 0.5\n0.6 0.2\n0.8 0.6\n", encoding="utf-8")
    found = json.loads(run(tukey_command.command, path, "--no-header", "--legacy", "--json"))

    assert (found["pairs"][0]["a"], found["pairs"][0]["b"]) == ("s1", "s2")
    assert "one-way" in found["method"]


def test_incomplete_topics_are_named_or_left_out(scores) -> None:
    scores.write_text(SCORES.replace("d2,.6,.2", "d2,.6,"), encoding="utf-8")
    with pytest.raises(InputError, match="Topic 'd2' has no score for two"):
        run(tukey_command.command, scores)
    found = json.loads(run(tukey_command.command, scores, "--drop-incomplete", "--json"))

    assert found["topics"] == 4
    assert found["left_out"] == ["d2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("a,b\n", "shape|2 or more"),
        ("id,a,b\nx,1,2\nx,2,1\n", "topic 'x' twice"),
        ("id,a,b\nx,1,two\ny,2,1\n", "finite numbers"),
    ],
)
def test_bad_matrices_are_refused(tmp_path, text, said) -> None:
    path = tmp_path / "m.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        run(tukey_command.command, path)


@pytest.mark.parametrize(
    ("text", "said"), [("", "empty"), ("1 2\n3\n", "line 2"), ("a b\n", "only numbers")]
)
def test_bad_bare_numbers_are_refused(tmp_path, text, said) -> None:
    path = tmp_path / "m.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        run(tukey_command.command, path, "--no-header")


def test_compare_prints_systems_and_pairs(rows) -> None:
    said = run(compare_command.command, rows, "--item", "item")

    assert "Test: permutation (paired)" in said
    assert "holm p" in said
    assert "Intervals of differences: Student's t, 5.0 degrees of freedom" in said
    assert "Warning: If rows belong together" in said


def test_compare_prints_what_a_model_compares_beside_the_difference(rows) -> None:
    given = ("--test", "mixed", "--item", "item", "--rater", "rater")
    said = run(compare_command.command, rows, *given)
    assert "contrast of the linear mixed model" in said


def test_compare_prints_json_and_nothing_else(rows) -> None:
    found = json.loads(run(compare_command.command, rows, "--correction", "bh", "--json"))

    assert found["test"] == "welch"
    assert [each["system"] for each in found["systems"]] == ["new", "old"]
    assert found["pairs"][0]["difference"] == pytest.approx(1.0)
    assert found["pairs"][0]["adjusted_p"] == found["pairs"][0]["p"]


def test_compare_says_whether_one_is_at_least_as_good(rows) -> None:
    said = run(compare_command.command, rows, "--margin", 0.5, "--at-least", "--word", "helpful")
    assert "new is at least as helpful as old, within a margin of 0.5." in said
    assert "Not shown: old is at least as helpful as new, within a margin of 0.5." in said


def test_compare_fits_models(rows) -> None:
    said = run(
        compare_command.command, rows, "--test", "mixed", "--item", "item", "--rater", "rater"
    )

    assert "Variances: item" in said


def test_undefined_pairs_say_why(tmp_path) -> None:
    path = tmp_path / "same.csv"
    path.write_text("system,value\na,3\na,3\nb,3\nb,3\n", encoding="utf-8")
    said = run(compare_command.command, path)
    found = json.loads(run(compare_command.command, path, "--json"))

    assert "a and b: no p-value, because no side varies" in said
    assert found["pairs"][0]["p"] is None
    assert found["pairs"][0]["reason"]


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("system,value\n", [], "no rows"),
        ("system,value\na,1\n,2\n", [], "row 3: the column 'system' is empty"),
        ("system,value\na,1\nb,x\n", [], "finite numbers"),
        ("system,value\na,1\nb,2\n", ["--value", "score"], "no column 'score'"),
        ("system,value\na,1\na,2\n", [], "Two or more systems"),
    ],
)
def test_bad_tables_are_refused(tmp_path, text, arguments, said) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        run(compare_command.command, path, *arguments)


def test_at_least_needs_a_margin(tmp_path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("system,value\na,1\nb,2\n", encoding="utf-8")
    said = CliRunner().invoke(compare_command.command, [str(path), "--at-least"])
    assert said.exit_code == 2
    assert "--margin" in said.output


@pytest.fixture
def home(tmp_path):
    """A home with a study of which four dialogues of two systems were judged by two raters."""
    folder = tmp_path / "home"
    folder.mkdir()
    store = Store(new_sqlite(folder / "palaver.db"))
    study = store.write_now(
        lambda c: register_study(
            c, name="judged", title="judged", digest="d", definition=STUDY, now=NOW
        )
    )
    judging = Judging(store, study)
    for system, points in (("chatty", [4, 5]), ("quiet", [2, 1])):
        for point in points:
            key = judging.dialogue(system=system)
            judging.say("quality", key, "ann", point)
            judging.say("quality", key, "bob", point)
    store.close()
    return folder


def test_a_study_is_compared_by_its_own_answers(home) -> None:
    found = json.loads(run(compare_command.command, home, "--json"))

    assert found["question"] == "quality"
    assert {each["system"]: each["value"] for each in found["systems"]} == {
        "chatty": 4.5,
        "quiet": 1.5,
    }
    assert found["rule"] == (
        "robust, because answers with the same rater or dialogue belong together"
    )
    # Both raters say the same: what varies is the dialogues, two of each system.
    assert found["pairs"][0]["p"] == pytest.approx(2 * stats.t.sf(3 / 0.5**0.5, 2), rel=1e-3)


def test_the_mixed_model_of_a_study_knows_dialogues_and_raters(home) -> None:
    found = json.loads(run(compare_command.command, home, "--json", "--test", "mixed"))
    names = {"dialogue", "rater", "rater × system", "residual"}
    assert set(found["model"]["components"]) == names
    assert "--cluster" not in run(compare_command.command, home, "--test", "mixed")


def test_a_question_nobody_answered_is_refused(home) -> None:
    with pytest.raises(InputError, match=r"no answers about systems to 'kindness'.*quality"):
        run(compare_command.command, home, "--question", "kindness")
