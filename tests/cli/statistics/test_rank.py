"""`palaver rank`: votes of arena files as they are, of a study, and what is wrong with others."""

import csv
import json
import random
from pathlib import Path
from typing import Any

import polars
import pytest
from click.testing import CliRunner, Result

from palaver.analysis.choice import draw_preference
from palaver.cli.statistics.rank_command import command
from palaver.core.errors import PalaverError
from palaver.storage import Store
from palaver.storage.studies.studies import register_study
from support.databases import new_sqlite
from support.reviewing import STUDY, Judging
from support.seeding import NOW

STRENGTHS = {"ann": 3.0, "bob": 1.3, "cat": 1.0, "dan": 0.3}
WORDS = {"first": "model_a", "second": "model_b"}


def rank(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(each) for each in arguments])


def document(*arguments: object) -> dict[str, Any]:
    said = rank(*arguments, "--json")
    assert said.exit_code == 0, (said.output, said.exception)
    return json.loads(said.stdout)


def refused(*arguments: object) -> str:
    said = rank(*arguments)
    assert isinstance(said.exception, PalaverError), said.output
    return str(said.exception)


@pytest.fixture(scope="module")
def battles() -> list[dict[str, str]]:
    dice = random.Random(5)
    rows = []
    for _ in range(500):
        one, other = dice.sample(list(STRENGTHS), 2)
        said = draw_preference(dice, STRENGTHS[one], STRENGTHS[other], 0.2)
        winner = WORDS.get(said) or dice.choice(["tie", "tie (bothbad)"])
        rows.append(
            {
                "model_a": one,
                "model_b": other,
                "winner": winner,
                "judge": f"j{dice.randrange(30)}",
                "talk": f"t{dice.randrange(80)}",
            }
        )
    return rows


@pytest.fixture
def votes(battles: list[dict[str, str]], tmp_path: Path) -> Path:
    path = tmp_path / "battles.csv"
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, battles[0])
        writer.writeheader()
        writer.writerows(battles)
    return path


def test_a_strangers_table(votes: Path) -> None:
    said = rank(votes, "--cluster", "judge", "--planned", "900", "--elo")
    lines = said.stdout.splitlines()
    assert lines[0] == "ann leads; bob and cat cannot be distinguished; dan follows."
    assert lines[1] == "Provisional: 500 of 900 planned votes are in."
    head = "system strength [95 % interval] rank votes win rate Elo"
    assert " ".join(lines[3].split()) == head
    assert [line.split()[0] for line in lines[4:8]] == ["ann", "bob", "cat", "dan"]
    assert "Strength: log-odds of winning, mean 0." in said.stdout
    assert "95 % wild cluster bootstrap of judges, 1,000 samples" in said.stdout
    assert "Votes that share a judge may depend on each other" in said.stdout
    assert "  bob, cat" in lines
    assert "Warning: Elo ratings depend on the order" in said.stdout


def test_the_json(votes: Path) -> None:
    found = document(votes)
    assert found["votes"] == 500
    first = found["systems"][0]
    assert first["system"] == "ann"
    assert first["interval"][0] < first["strength"] < first["interval"][1]
    assert first["rank_interval"] == [1, 1]
    assert found["tied_sets"] == [["ann"], ["bob", "cat"], ["dan"]]
    assert sum(each["strength"] for each in found["systems"]) == pytest.approx(0, abs=1e-9)
    assert found["scale"] == "log-odds of winning, mean 0"
    assert found["assumption"].startswith("Every vote is assumed to be independent of every other.")
    assert found["separated"] == 0
    assert "state" not in found
    assert found["ties"] > found["both_bad"] > 0


def test_planned_votes_that_are_in(votes: Path) -> None:
    found = document(votes, "--planned", "500", "--interval", "sandwich")
    assert (found["state"], found["planned"]) == ("final", 500)
    assert "Final: all 500 planned votes are in." in rank(votes, "--planned", "500").stdout


@pytest.mark.parametrize("kind", ["tsv", "parquet", "jsonl", "json"])
def test_every_kind_of_table(votes: Path, battles: list[dict[str, str]], kind: str) -> None:
    path = votes.with_suffix(f".{kind}")
    if kind == "tsv":
        path.write_text(votes.read_text().replace(",", "\t"))
    elif kind == "parquet":
        polars.DataFrame(battles).write_parquet(path)
    elif kind == "json":
        path.write_text(json.dumps(battles))
    else:
        path.write_text("\n".join(json.dumps(row) for row in battles))
    assert document(path, "--cluster", "judge") == document(votes, "--cluster", "judge")


def test_other_columns_both_clusters_and_scales(votes: Path, tmp_path: Path) -> None:
    text = votes.read_text().replace("model_a,model_b,winner", "left,right,said", 1)
    other = tmp_path / "other.csv"
    other.write_text(text)
    columns = ("--a", "left", "--b", "right", "--winner", "said")
    clusters = ("--cluster", "judge", "--cluster", "talk", "--bootstrap", "200")
    found = document(other, *columns, *clusters, "--scale", "elo")
    assert "wild cluster bootstrap of judges and talks" in found["method"]
    assert "share a judge or a talk" in found["assumption"]
    assert sum(each["strength"] for each in found["systems"]) == pytest.approx(4000)


def test_both_bad_can_be_dropped(votes: Path) -> None:
    kept, dropped = document(votes), document(votes, "--bothbad", "drop")
    assert dropped["dropped"] == kept["both_bad"]
    assert dropped["votes"] == 500 - kept["both_bad"]
    assert any("call both bad are left out" in each for each in dropped["warnings"])


def test_no_samples_and_elo_over_shuffles(votes: Path) -> None:
    found = document(votes, "--bootstrap", "0", "--elo-shuffles", "5", "--elo-k", "16")
    assert found["systems"][0]["interval"] is None
    assert found["tied_sets"] == []
    assert found["elo"] == {"k": 16.0, "start": 1000.0, "votes": 500, "shuffles": 5}
    assert found["systems"][0]["elo"] > found["systems"][-1]["elo"]


def test_the_same_seed_says_the_same(votes: Path) -> None:
    assert document(votes, "--seed", "3") == document(votes, "--seed", "3")
    assert document(votes, "--seed", "3") != document(votes, "--seed", "4")


def test_what_votes_cannot_tell_is_null_with_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("model_a,model_b,winner\na,b,tie\na,b,tie\n")
    found = document(path)
    assert found["systems"][0]["strength"] is None
    assert "every vote is a tie" in found["systems"][0]["reason"]
    assert "undefined" in rank(path).stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model_a,model_b,winner\n", "bad.csv has no votes"),
        ("", "bad.csv is empty"),
        ("model_a,model_b,won\na,b,a\n", "no column 'winner'"),
        ("model_a,model_b,winner\na,b,a\na,b,neither\n", "bad.csv, row 3: the winner is 'neither'"),
        ("model_a,model_b,winner\na,,a\n", "bad.csv, row 2: the second system is missing"),
    ],
)
def test_bad_tables_are_refused_with_the_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    assert said in refused(path)


def test_options_for_the_other_kind_are_refused(votes: Path, tmp_path: Path) -> None:
    assert "confidence between 0 and 1" in refused(votes, "--confidence", "2")
    for path, option, value, why in (
        (votes, "--study", "x", "--study is for studies"),
        (votes, "--raters", "person", "--raters is for studies"),
        (tmp_path, "--a", "x", "--a is for tables"),
        (tmp_path / "none.csv", "--a", "x", "does not exist"),
    ):
        said = rank(path, option, value)
        assert said.exit_code == 2
        assert why in said.output


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """A study with two systems and twelve votes of four raters."""
    folder = tmp_path / "judged"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    store = Store(new_sqlite(folder / "palaver.db"))
    try:
        study_id = store.write_now(
            lambda c: register_study(
                c, name="judged", title="Judged", digest="d", definition=STUDY, now=NOW
            )
        )
        judging = Judging(store, study_id)
        terse = [judging.dialogue(system="terse") for _ in range(3)]
        chatty = [judging.dialogue(system="chatty") for _ in range(3)]
        for number, rater in enumerate(("r1", "r2", "r3", "r4")):
            for pair, (one, other) in enumerate(zip(terse, chatty, strict=True)):
                better = (other, one, other, None)[(number + pair) % 4]
                judging.prefer(better, one, other, rater)
    finally:
        store.close()
    return folder


def test_a_study(judged: Path) -> None:
    found = document(judged)
    assert [each["system"] for each in found["systems"]] == ["chatty", "terse"]
    assert (found["votes"], found["ties"]) == (12, 3)
    assert "Votes that share a rater may depend" in found["assumption"]
    assert (found["state"], found["planned"]) == ("final", 10)
    assert any("Votes are of 4 raters" in each for each in found["warnings"])
    assert document(judged, "--cluster", "dialogue", "--question", "preference")["votes"] == 12
    assert document(judged, "--raters", "simulated", "--planned", "20")["state"] == "provisional"


def test_a_study_that_cannot_be_ranked(judged: Path) -> None:
    assert "has no votes by person raters" in refused(judged, "--raters", "person")
    assert "no votes on 'preferense'. Near: 'preference'" in refused(
        judged, "--question", "preferense"
    )
    assert "no column 'judge'" in refused(judged, "--cluster", "judge")


def test_at_any_time(votes: Path) -> None:
    found = document(votes, "--anytime", "--cluster", "judge")
    assert found["inference"] == "anytime"
    assert (found["votes"], found["raters"], found["waiting"]) == (500, 30, 0)
    assert "undecided until 50 raters have judged each system" in found["answer"]
    assert len(found["pairs"]) == 6
    assert all(low < high for low, high in (each["rate"]["interval"] for each in found["systems"]))
    said = rank(votes, "--anytime").stdout
    assert said.startswith("ann leads; bob and cat cannot be distinguished; dan follows.")
    assert "hold whenever one looks and however often" in said
    assert "Warning: Every vote is taken for one of another rater" in said
    assert "clustered by rater alone" in refused(
        votes, "--anytime", "--cluster", "judge", "--cluster", "talk"
    )


def test_options_of_one_look_are_refused_while_votes_come(votes: Path) -> None:
    said = rank(votes, "--anytime", "--elo", "--bootstrap", "200")
    assert said.exit_code == 2
    assert "--bootstrap, --elo are for intervals of one look; give --fixed too" in said.output
    assert rank(votes, "--fixed", "--elo", "--bootstrap", "200").exit_code == 0
