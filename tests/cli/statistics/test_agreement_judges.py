"""`palaver agreement --judge`: a judge beside people, of a table and of a study."""

import csv
import json
from pathlib import Path

import polars
import pytest
from click.testing import CliRunner, Result
from sklearn.metrics import f1_score

from palaver.cli.statistics.agreement_command import command
from palaver.core.errors import InputError
from support.reviewing import judged_home

COLUMNS = ("--unit", "turn", "--rater", "who", "--value", "said")
# Label by label, what each says of six turns in three dialogues; the judge leaves a gap.
SAID = {
    "rude": {"gpt": "110010", "Ann": "100010", "Bo": "111000"},
    "dull": {"gpt": "01-000", "Ann": "000000", "Bo": "010001"},
    "odd": {"gpt": "000000", "Ann": "000000", "Bo": "000000"},
}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(each) for each in arguments], catch_exceptions=False)


def as_json(*arguments: object):
    found = run(*arguments, "--json")
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def rows(yes: object = 1, no: object = 0) -> list[dict[str, object]]:
    return [
        {
            "turn": f"t{n}",
            "dialogue": f"d{n // 2}",
            "who": who,
            "label": label,
            "said": {"1": yes, "0": no, "-": None}[answer],
        }
        for label, answers in SAID.items()
        for who, given in answers.items()
        for n, answer in enumerate(given)
    ]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    polars.DataFrame(rows()).write_csv(tmp_path / "said.csv")
    return tmp_path / "said.csv"


def expected(label: str, positive: int) -> float:
    """The mean of scikit-learn's F1 against Ann and against Bo."""
    scores = []
    for person in ("Ann", "Bo"):
        both = [
            (int(one), int(other))
            for one, other in zip(SAID[label]["gpt"], SAID[label][person], strict=True)
            if "-" not in (one, other)
        ]
        judge, people = zip(*both, strict=True)
        scores.append(f1_score(people, judge, pos_label=positive, zero_division=0))
    return sum(scores) / 2


def test_each_label_is_measured_against_one_person_at_a_time(table: Path) -> None:
    found = as_json(table, *COLUMNS, "--by", "label", "--judge", "gpt", "--cluster", "dialogue")

    assert list(found) == ["rude", "dull", "odd"]
    for label in ("rude", "dull"):
        assert found[label]["f1_pos"] == pytest.approx(expected(label, 1))
        assert found[label]["f1_neg"] == pytest.approx(expected(label, 0))
    rude = found["rude"]
    assert (rude["n"], rude["positives"], rude["judge_positives"], rude["people"]) == (6, 2.5, 3, 2)
    assert rude["ceiling"]["f1_pos"] == pytest.approx(2 / 5)
    assert rude["clusters"] == [3]
    low, high = rude["intervals"]["f1_pos"]
    assert low <= rude["f1_pos"] <= high


def test_a_gap_of_the_judge_is_left_out_and_said(table: Path) -> None:
    found = as_json(table, *COLUMNS, "--by", "label", "--judge", "gpt")["dull"]

    assert (found["n"], found["gaps"]) == (5, 1)
    assert (
        "The judge has no answer for 1 unit that people judged; it is left out."
        in (found["warnings"])
    )
    assert "Rows without a value, left out: 1." in found["warnings"]


def test_nothing_positive_is_null_with_a_reason(table: Path) -> None:
    found = as_json(table, *COLUMNS, "--by", "label", "--judge", "gpt")["odd"]

    assert found["f1_pos"] is None
    assert found["reasons"]["f1_pos"] == "nobody said positive"
    assert (found["f1_neg"], found["accuracy"], found["positives"]) == (1.0, 1.0, 0)


@pytest.mark.parametrize(
    ("yes", "no", "more"),
    [
        ("Yes", "no", ()),
        (True, False, ()),
        (1.0, 0.0, ()),
        ("bad", "good", ("--positive", "Bad")),
    ],
)
def test_positive_is_one_true_or_yes_or_what_is_named(
    tmp_path: Path, table: Path, yes: object, no: object, more: tuple[str, ...]
) -> None:
    polars.DataFrame(rows(yes, no)).write_ndjson(tmp_path / "other.jsonl")
    given = (*COLUMNS, "--by", "label", "--judge", "gpt")

    assert as_json(tmp_path / "other.jsonl", *given, *more) == as_json(table, *given)


def test_without_a_column_to_group_by_the_key_is_the_value(tmp_path: Path) -> None:
    file = tmp_path / "rude.csv"
    polars.DataFrame([each for each in rows() if each["label"] == "rude"]).write_csv(file)

    assert list(as_json(file, *COLUMNS, "--judge", "gpt")) == ["said"]


def test_several_judges_are_nobodys_people(table: Path) -> None:
    found = as_json(table, *COLUMNS, "--by", "label", "--judge", "gpt", "--judge", "Bo")

    assert list(found) == ["gpt", "Bo"]
    assert found["gpt"]["rude"]["people"] == 1
    assert found["gpt"]["rude"]["f1_pos"] == pytest.approx(4 / 5)
    assert found["Bo"]["rude"]["ceiling"]["f1_pos"] is None


def test_in_words_as_csv_and_as_latex(table: Path, tmp_path: Path) -> None:
    files = ("--csv", tmp_path / "judge.csv", "--latex", tmp_path / "judge.tex")

    said = run(table, *COLUMNS, "--by", "label", "--judge", "gpt", *files).stdout

    assert "gpt beside people: against one person, averaged over people" in said
    assert "odd: no f1_pos, because nobody said positive." in said
    assert "Warning: dull: The judge has no answer for 1 unit" in said
    with (tmp_path / "judge.csv").open() as stream:
        first = next(csv.DictReader(stream))
    assert first["label"] == "rude"
    assert float(first["f1_pos"]) == pytest.approx(expected("rude", 1))
    latex = (tmp_path / "judge.tex").read_text()
    assert r"\begin{tabular}" in latex
    assert f"rude & {expected('rude', 1):.3f} &" in latex


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--judge", "gtp"), "has no rater 'gtp'. Near: 'gpt'"),
        (("--judge", "gpt", "--positive", "2"), "never holds '2'. It holds: '1' and '0'."),
    ],
)
def test_what_a_table_does_not_have(table: Path, arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError) as raised:
        run(table, *COLUMNS, "--by", "label", *arguments)
    assert said in str(raised.value)


def test_values_that_are_neither_yes_nor_no_need_a_name(tmp_path: Path) -> None:
    polars.DataFrame(rows(5, 3)).write_csv(tmp_path / "points.csv")

    with pytest.raises(InputError) as raised:
        run(tmp_path / "points.csv", *COLUMNS, "--by", "label", "--judge", "gpt")
    assert "it holds: '5' and '3'. Name the positive value with --positive." in str(raised.value)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--judge", "gpt", "--level", "ordinal"), "--level cannot be used with --judge"),
        (("--judge", "gpt", "--pairwise"), "--pairwise cannot be used with --judge"),
        (("--level", "nominal", "--csv", "x.csv"), "--csv goes with --judge NAME"),
    ],
)
def test_options_that_say_nothing_are_refused(
    table: Path, arguments: tuple[str, ...], said: str
) -> None:
    found = run(table, *COLUMNS, "--by", "label", *arguments)

    assert found.exit_code == 2
    assert said in found.output


@pytest.fixture
def home(tmp_path: Path) -> tuple[object, ...]:
    """A study that a model, two people and a simulated rater judged; what they said is `SAID`."""
    with judged_home(tmp_path) as (folder, where, judging):
        dialogues = [judging.dialogue("Hello", "I see.", "Well", "I see.") for _ in range(3)]
        for who, kind in (
            ("gpt", "model"),
            ("Ann", "person"),
            ("Bo", "person"),
            ("sim", "simulated"),
        ):
            for n in range(6):
                unit = {"seq": 2 * (n % 2) + 2, "kind": kind}
                given = {label: SAID[label].get(who, "111111")[n] for label in ("rude", "dull")}
                if given["rude"] != "-":
                    polite = "no" if given["rude"] == "1" else "yes"
                    judging.say("polite", dialogues[n // 2], who, polite, **unit)
                if given["dull"] != "-":
                    faults = ["dull"] if given["dull"] == "1" else []
                    judging.say("faults", dialogues[n // 2], who, faults, **unit)
                if n % 2 == 0:
                    judging.say("quality", dialogues[n // 2], who, 4, kind=kind)
    return folder, "--home", where


def test_a_study_knows_its_people_and_its_labels(home: tuple[object, ...], table: Path) -> None:
    found = as_json(*home, "--judge", "gpt")
    file = as_json(table, *COLUMNS, "--by", "label", "--judge", "gpt", "--cluster", "dialogue")

    assert list(found) == ["faults: dull", "faults: wrong", "polite"]
    # The question asks whether a reply is polite, so that rude turns are its negatives.
    assert found["polite"]["f1_neg"] == pytest.approx(file["rude"]["f1_pos"])
    for name in ("f1_pos", "f1_neg", "precision", "recall", "accuracy", "n", "gaps", "positives"):
        assert found["faults: dull"][name] == pytest.approx(file["dull"][name])
    assert found["polite"]["people"] == 2
    assert "Without a positive answer, left out: quality." in found["polite"]["warnings"]


def test_the_positive_answer_of_a_study_can_be_named(home: tuple[object, ...], table: Path) -> None:
    found = as_json(*home, "--judge", "gpt", "--question", "polite", "--positive", "no")
    file = as_json(table, *COLUMNS, "--by", "label", "--judge", "gpt", "--cluster", "dialogue")

    assert found["polite"]["f1_pos"] == pytest.approx(file["rude"]["f1_pos"])
    points = as_json(*home, "--judge", "gpt", "--question", "quality", "--positive", "4")
    assert (points["quality"]["accuracy"], points["quality"]["n"]) == (1.0, 3)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--judge", "gpd"), "has no rater 'gpd'. Near: 'gpt'. Its judges: gpt."),
        (("--judge", "gpt", "--question", "quality"), "name the positive answer with --positive"),
        (("--judge", "gpt", "--question", "polit"), "no answers to 'polit'"),
        (("--judge", "gpt", "--raters-kind", "anonymous"), "has no answers of anonymous"),
    ],
)
def test_what_a_study_does_not_have(
    home: tuple[object, ...], arguments: tuple[str, ...], said: str
) -> None:
    with pytest.raises(InputError) as raised:
        run(*home, *arguments)
    assert said in str(raised.value)
