"""`palaver validity`: whose quality, which annotators, which labels, and exports as input."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from click.testing import CliRunner
from sqlalchemy import update

from palaver.cli.statistics.validity_command import command
from palaver.cli.study.export_command import command as export
from palaver.core.errors import PalaverError
from palaver.storage import Store
from palaver.storage.schema import dialogues
from support.databases import new_sqlite
from support.reviewing import registered

COLUMNS = ("dialogue", "unit", "label", "value", "rater", "held")


def told(*arguments: object) -> Any:
    done = CliRunner().invoke(
        command,
        [*map(str, arguments), "--bootstrap", "20", "--json"],
        catch_exceptions=False,
    )
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def words(*arguments: object) -> str:
    done = CliRunner().invoke(command, [*map(str, arguments), "--bootstrap", "20"])
    assert done.exit_code == 0, done.output
    return done.output


def fails(*arguments: object) -> str:
    with pytest.raises(PalaverError) as problem:
        told(*arguments)
    return str(problem.value)


def r2(found: Any, label: str) -> float:
    (value,) = [each["r2"] for each in found["predictive"] if each["label"] == label]
    return value


def judged(n: int = 40) -> list[tuple[Any, ...]]:
    """Each dialogue is judged by its own person, by two strangers and, turn by turn, by both."""
    dice = np.random.default_rng(7)
    rows: list[tuple[Any, ...]] = []
    for d in range(n):
        good = dice.normal()
        dialogue = f"d{d}"
        rows.append((dialogue, dialogue, "quality", round(3 + good, 2), f"p{d}", "yes"))
        for rater in ("ann", "bo"):
            other = round(3 + 0.5 * good + dice.normal(), 2)
            rows.append((dialogue, dialogue, "quality", other, rater, "no"))
            rows.append((dialogue, dialogue, "clear", round(3 + good + dice.normal()), rater, "no"))
            for turn in range(3):
                about = (dialogue, f"{dialogue}.{turn}")
                rows.append((*about, "rude", int(dice.normal() > good), rater, "no"))
                rows.append((*about, "lively", round(3 + good + 2 * dice.normal()), rater, "no"))
    return rows


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "judged.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        writer.writerows(judged())
    return path


def means(label: str, held: str | None = None, raters: tuple[str, ...] = ()) -> list[float]:
    """The mean of each dialogue, worked from the rows."""
    found: dict[str, list[float]] = {}
    for dialogue, _, name, value, rater, own in judged():
        if name == label and held in (None, own) and (not raters or rater in raters):
            found.setdefault(dialogue, []).append(float(value))
    return [float(np.mean(values)) for values in found.values()]


def explained(quality: list[float], *labels: list[float]) -> float:
    return float(sm.OLS(quality, sm.add_constant(np.column_stack(labels))).fit().rsquared)


@pytest.mark.parametrize(("whose", "held"), [("own", "yes"), ("others", "no")])
def test_quality_of_those_who_chatted_or_of_others(table: Path, whose: str, held: str) -> None:
    given = (table, "--quality", "quality", "--own", "held")
    found = told(*given, "--quality-by", whose)

    assert r2(found, "rude") == pytest.approx(explained(means("quality", held), means("rude")))
    other = "others" if whose == "own" else "own"
    beside = means("quality", "no" if held == "yes" else "yes")
    assert r2(found, f"quality ({other})") == pytest.approx(
        explained(means("quality", held), beside)
    )
    assert f"are the label 'quality ({other})'" in found["basis"][0]
    # Without the option both merge into one mean.
    both = told(table, "--quality", "quality")
    pointless = CliRunner().invoke(command, [*map(str, given)])
    assert "say whose quality: --quality-by" in pointless.output
    assert r2(both, "rude") == pytest.approx(explained(means("quality"), means("rude")))


def test_who_chatted_must_be_known_and_must_have_judged(table: Path, tmp_path: Path) -> None:
    given = ("--quality", "quality", "--quality-by", "own")

    assert "does not say who held the dialogues" in fails(table, *given)
    assert "with yes or no; got 'p0'" in fails(table, *given, "--own", "rater")
    strangers = tmp_path / "strangers.csv"
    strangers.write_text(table.read_text().replace(",yes\n", ",no\n"))
    problem = fails(strangers, *given, "--own", "held")
    assert "has no 'quality' by people who held the dialogue themselves; 120 judgements" in problem
    assert "Take --quality-by others" in problem


def test_sets_of_labels_are_compared_as_a_regression_on_each(table: Path) -> None:
    choice = ("--labels", "behaviours", "--labels", "likert_turn", "--labels", "clear,rude")

    found = told(table, "--quality", "quality", "--own", "held", "--quality-by", "own", *choice)

    quality = means("quality", "yes")
    sets = {each["name"]: each for each in found["sets"]}
    assert [each["labels"] for each in found["sets"]] == [["rude"], ["lively"], ["clear", "rude"]]
    assert found["incremental"] is None
    whole = sets["clear,rude"]["incremental"]["steps"][0]
    assert whole["r2"] == pytest.approx(explained(quality, means("clear"), means("rude")))
    assert sets["likert_turn"]["incremental"]["steps"][0]["r2"] == pytest.approx(
        explained(quality, means("lively"))
    )
    assert {each["label"] for each in found["predictive"]} == {"clear", "rude", "lively"}
    said = words(table, "--quality", "quality", *choice)
    assert "Sets of labels compared" in said
    assert "Incremental validity: clear,rude" in said


@pytest.mark.parametrize(
    ("asked", "labels"),
    [("likert", ["clear"]), ("l*", ["lively"]), ("behaviours, likert", ["clear", "rude"])],
)
def test_labels_by_name_pattern_or_named_set(table: Path, asked: str, labels: list[str]) -> None:
    found = told(table, "--quality", "quality", "--labels", asked)

    assert sorted(each["label"] for each in found["predictive"]) == labels


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ("rud", "has no label 'rud'. Near: 'rude'"),
        ("quality", "is the quality that labels predict; leave it out of --labels"),
        (",", "--labels names no label"),
    ],
)
def test_labels_that_are_not_there(table: Path, asked: str, problem: str) -> None:
    assert problem in fails(table, "--quality", "quality", "--labels", asked)


def test_a_set_that_is_empty_is_said_with_what_it_holds(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    rows = table.read_text().splitlines()
    path.write_text("\n".join(row for row in rows if ",rude," not in row))

    problem = fails(path, "--quality", "quality", "--labels", "behaviours")

    assert "has no labels for the set 'behaviours' (labels that are given or not)" in problem


def test_the_first_annotator_one_by_chance_or_all(table: Path) -> None:
    given = (table, "--quality", "quality", "--own", "held", "--quality-by", "own")
    quality = means("quality", "yes")

    first = told(*given, "--annotators", "first")
    drawn = {seed: told(*given, "--annotators", "one", "--seed", seed) for seed in (1, 2, 3)}

    assert r2(first, "clear") == pytest.approx(explained(quality, means("clear", None, ("ann",))))
    assert first["basis"][1].startswith("Annotators: the first where a dialogue has several")
    assert drawn[1] == told(*given, "--annotators", "one", "--seed", 1)
    assert len({r2(each, "clear") for each in drawn.values()}) == 3
    assert r2(told(*given), "clear") == pytest.approx(explained(quality, means("clear")))


def test_annotators_must_be_known(tmp_path: Path) -> None:
    path = tmp_path / "nobody.csv"
    path.write_text("dialogue,label,value\na,quality,1\na,rude,0\n")

    problem = fails(path, "--quality", "quality", "--annotators", "first")

    assert "does not say who judged 'quality'; --annotators needs a column of raters" in problem


@pytest.fixture
def home(tmp_path: Path) -> Iterator[tuple[Path, Store]]:
    """Two studies: people judge their own chats in one, and strangers judge the same in another."""
    folder = tmp_path / "home"
    folder.mkdir()
    store = Store(new_sqlite(folder / "palaver.db"))

    chats, judging = registered(store, "chats"), registered(store)
    for n in range(8):
        key = chats.dialogue(system="terse" if n % 2 else "chatty")
        person = chats.seeder.people[-1]
        held = {"kind": "person", "participant_id": person.participant_id}
        chats.say("quality", key, person.alias, 1 + n % 5, **held)
        chats.say("quality", key, "stranger", 1 + (3 * n) % 5, kind="person")
        for rater in ("ann", "bo"):
            judging.say("warmth", key, rater, (3 * n) % 7 + (rater == "bo"), kind="person")
            judging.say("polite", key, rater, "yes" if n % 3 else "no", seq=3, kind="person")
            judging.say("faults", key, rater, ["dull"] if n % 4 == 0 else [], seq=3, kind="person")
        if n % 2:
            judging.say("quality", key, "ann", 3, kind="person")
    yield folder, store
    store.close()


def test_a_study_knows_who_held_its_dialogues(home: tuple[Path, Store]) -> None:
    given = (home[0], "--study", "chats", "--quality", "quality")

    found = told(*given, "--quality-by", "own")

    own, others = [1 + n % 5 for n in range(8)], [1 + (3 * n) % 5 for n in range(8)]
    assert r2(found, "quality (others)") == pytest.approx(np.corrcoef(own, others)[0, 1] ** 2)
    assert found["basis"] == [
        "Quality: 8 judgements by people who held the dialogue themselves; 8 by others are the "
        "label 'quality (others)'."
    ]
    strangers = (home[0], "--study", "judged", "--quality", "quality", "--quality-by", "own")
    assert "has no 'quality' by people who held the dialogue themselves" in fails(*strangers)


def test_quality_from_another_study_is_joined_by_key(home: tuple[Path, Store]) -> None:
    given = (home[0], "--study", "judged", "--quality", "quality", "--quality-from", "chats")

    found = told(*given, "--quality-by", "own")

    quality, warmth = [1 + n % 5 for n in range(8)], [(3 * n) % 7 + 0.5 for n in range(8)]
    assert r2(found, "warmth") == pytest.approx(np.corrcoef(quality, warmth)[0, 1] ** 2)
    assert found["basis"][0] == (
        "Quality is from the study 'chats': 8 of its 8 rated dialogues are judged here, 8 by key "
        "and 0 by the name in their file."
    )


def test_quality_from_another_study_is_joined_by_the_name_in_a_file(
    home: tuple[Path, Store],
) -> None:
    folder, store = home
    copies = registered(store, "copies")
    keys = store.read_now(
        lambda c: [row.key for row in c.execute(dialogues.select().order_by(dialogues.c.id))]
    )
    for n, key in enumerate(keys[:6]):
        # A copy that was taken in under the key of the dialogue it was made of.
        copy = copies.dialogue()
        store.write_now(
            lambda c, copy=copy, key=key: c.execute(
                update(dialogues).where(dialogues.c.key == copy).values(source_id=key)
            )
        )
        copies.say("warmth", copy, "ann", (2 * n) % 5, kind="person")

    found = told(
        *(folder, "--study", "copies", "--quality", "quality"),
        *("--quality-from", "chats", "--quality-by", "own"),
    )

    quality, warmth = [1 + n % 5 for n in range(6)], [(2 * n) % 5 for n in range(6)]
    assert r2(found, "warmth") == pytest.approx(np.corrcoef(quality, warmth)[0, 1] ** 2)
    assert "6 of its 8 rated dialogues are judged here, 0 by key and 6 by" in found["basis"][0]


def test_another_study_that_does_not_help(home: tuple[Path, Store]) -> None:
    given = (home[0], "--study", "judged", "--quality")

    assert "There is no study 'chat' in this store. Near: 'chats'" in fails(
        *given, "quality", "--quality-from", "chat"
    )
    assert "The study 'chats' has no label 'warmth'" in fails(
        *given, "warmth", "--quality-from", "chats"
    )
    registered(home[1], "empty")
    assert "The study 'empty' has no answers" in fails(*given, "quality", "--quality-from", "empty")


def test_labels_of_a_study_by_question_and_by_label(home: tuple[Path, Store]) -> None:
    given = (home[0], "--study", "judged", "--quality", "quality", "--quality-from", "chats")

    found = told(*given, "--labels", "faults", "--labels", "dull,warmth", "--labels", "behaviours")

    assert [each["labels"] for each in found["sets"]] == [
        ["faults: dull", "faults: wrong"],
        ["faults: dull", "warmth"],
        ["faults: dull", "faults: wrong", "polite = yes"],
    ]
    assert {each["label"] for each in found["cost"]} == {"faults", "warmth", "polite"}


@pytest.mark.parametrize("kind", ["csv", "parquet", "palaver"])
def test_our_own_exports_say_what_their_study_says(
    home: tuple[Path, Store], tmp_path: Path, kind: str
) -> None:
    folder, _ = home
    out = tmp_path / f"as-{kind}"
    done = CliRunner().invoke(
        export, [str(folder), "--study", "chats", "--format", kind, "-o", str(out)]
    )
    assert done.exit_code == 0, done.output
    file = out / f"labels.{'jsonl' if kind == 'palaver' else kind}"
    given = ("--quality", "quality", "--quality-by", "own", "--annotators", "first")

    found, study = told(file, *given), told(folder, "--study", "chats", *given)

    assert found["basis"][0] == "Read as the labels of an export of 'chats'."
    assert found["basis"][1:] == study["basis"]
    for part in ("dialogues", "predictive", "incremental", "sensitivity", "cost"):
        assert found[part] == study[part]


def test_the_labels_of_an_export_alone_are_enough_for_what_they_say(
    home: tuple[Path, Store], tmp_path: Path
) -> None:
    folder, _ = home
    out = tmp_path / "export"
    CliRunner().invoke(
        export, [str(folder), "--study", "judged", "--format", "palaver", "-o", str(out)]
    )
    alone = tmp_path / "palaver-labels.jsonl"
    alone.write_bytes((out / "labels.jsonl").read_bytes())

    found = told(alone, "--quality", "warmth", "--labels", "behaviours")

    assert "without questions, dialogues or raters beside it" in found["basis"][0]
    assert {each["label"] for each in found["predictive"]} >= {"faults: dull"}
    study = told(folder, "--study", "judged", "--quality", "warmth")
    assert r2(found, "faults: dull") == pytest.approx(r2(study, "faults: dull"))


def test_an_export_whose_files_were_changed_is_refused(
    home: tuple[Path, Store], tmp_path: Path
) -> None:
    folder, _ = home
    out = tmp_path / "export"
    CliRunner().invoke(export, [str(folder), "--study", "chats", "--format", "csv", "-o", str(out)])
    labels, questions = out / "labels.csv", out / "questions.csv"

    questions.write_text(questions.read_text().replace('{""kind""', '{""kind'))
    assert "is not JSON" in fails(labels, "--quality", "quality")
    lines = labels.read_text().splitlines(keepends=True)
    labels.write_text("".join(lines) + lines[1].replace("chats", "other", 1))
    assert "holds the labels of several studies: chats and other" in fails(
        labels, "--quality", "quality"
    )
    labels.write_text(lines[0])
    questions.unlink()
    assert "holds no answers that count" in fails(labels, "--quality", "quality")
