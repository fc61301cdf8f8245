"""`palaver model diagnose`: a checkpoint as text, as a page, as JSON, and what may be in the way."""

import importlib.util
import json
import re
from html import unescape
from pathlib import Path

import pytest

from palaver.models.diagnosis.record import FigureColumn
from palaver.models.measured import MeasuredFigure
from support.deal_lines import write_made_lines
from support.helpdesk import helpdesk_dialogues, helpdesk_file, lines_file

from ..conftest import Palaver

DEAL = """\
model: deal-talk
about: A GRU of four units.
data: {least: 1}
network: {embedding: 4, hidden: 4, context: 2}
selection: {hidden: 2, attention: 2, layer: 4}
training: {epochs: 2, batch: 8, rate: 0.1}
"""
JUDGE = """\
model: dialeval-turns
data: {least: 1, folds: 5}
network: {words: 4, picks: 1, phrases: 2, width: 4, layers: 1, heads: 1}
training: {epochs: 1, batch: 8}
"""


@pytest.fixture
def agent(palaver: Palaver, tmp_path: Path) -> str:
    """A checkpoint that has seen some deals."""
    (tmp_path / "deal.yaml").write_text(DEAL)
    write_made_lines(tmp_path / "deals.txt", dialogues=40)
    write_made_lines(tmp_path / "new.txt", dialogues=6, seed=2)
    said = palaver("train", "deal.yaml", "--data", "deals.txt", "-o", "agent")
    assert said.status == 0, said.err
    return "agent"


@pytest.fixture
def judge(palaver: Palaver, tmp_path: Path) -> str:
    """A checkpoint that has seen some dialogues of a help desk."""
    (tmp_path / "judge.yaml").write_text(JUDGE)
    helpdesk_file(tmp_path / "learnt.jsonl", 20)
    helpdesk_file(tmp_path / "dev.jsonl", 6, seed=2)
    said = palaver("train", "judge.yaml", "--data", "learnt.jsonl", "-o", "judge")
    assert said.status == 0, said.err
    return "judge"


def text_of(page: Path) -> str:
    body = page.read_text().partition("<body>")[2]
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def test_an_agent_is_told_in_a_terminal(palaver: Palaver, agent: str) -> None:
    said = palaver(
        "model", "diagnose", agent, "--data", "new.txt", "--dialogues", "4", "-o", "d.html"
    )

    assert said.status == 0, said.err
    first, *rest = said.out.splitlines()
    assert re.fullmatch(
        r"agent: Perplexity [\d.]+ \[[\d., ]+\]; [\d.]+( \[[\d., ]+\])? points against itself, "
        r"[\d.]+ % \[[\d.%, ]+\] agreed",
        first,
    )
    told = "\n".join(rest)
    assert "How it reads. 12 lines of new.txt. It was not trained on this file." in told
    assert "measure [95 % interval]" in told
    assert re.search(r"perplexity +exp of the mean NLL of all tokens after the first", told)
    assert re.search(r"agreed +\d+\.\d % .*87\.9 %", told)
    assert "Where it looks to say who gets what." in told
    assert "  The model as A, the same as B:\n    " in told
    assert "  People:\n    " in told
    assert said.out.endswith("\nWritten to d.html\n")


def test_the_page_has_the_numbers_of_the_json(
    palaver: Palaver, agent: str, judge: str, tmp_path: Path
) -> None:
    for name, data in ((agent, "new.txt"), (judge, "dev.jsonl")):
        asked = ("--data", data, "--dialogues", "4", "-o", "d.html")
        told = json.loads(palaver("model", "diagnose", name, *asked, "--json").out)
        page = text_of(tmp_path / "d.html")
        assert told["headline"] in page
        figures = 0
        for table in told["tables"]:
            columns = {each["name"]: FigureColumn(**each) for each in table["columns"]}
            for row in table["rows"]:
                for key, figure in row["figures"].items():
                    if key in columns:
                        figures += 1
                        assert columns[key].text(MeasuredFigure(**figure)) in page, (name, key)
        assert figures > 8
        for sample in told["judged"]:
            for part in sample["parts"]:
                assert part["text"] in page
                for each in part["shares"]:
                    assert f"{each['label']} {100 * each['ours']:.0f} %" in page


def test_a_judge_is_told_turn_by_turn(palaver: Palaver, judge: str) -> None:
    said = palaver("model", "diagnose", judge, "--data", "dev.jsonl", "--samples", "1")

    assert said.status == 0, said.err
    figure = r"0\.\d+ \[0\.\d+, 0\.\d+\]"
    assert re.match(
        rf"judge: JSD {figure}, RSNOD {figure} from the annotators of dev\.jsonl\n", said.out
    )
    assert "Dialogue h2-0: what it says (what annotators said)\n  Customer: " in said.out
    assert re.search(r"CNUG0 \d+ % \(89 %\)", said.out)
    told = said.out.replace("\n  ", "\n")
    assert "\nWhat is counted: mean share of the label (n = 6 dialogues)\n" in told
    assert "all labels alike" in said.out


def test_what_people_wrote_keeps_to_its_line_and_steers_no_terminal(
    palaver: Palaver, judge: str, tmp_path: Path
) -> None:
    evil = {"sender": "customer", "utterances": ["one\ntwo\x9b2J", "\u202ethree"]}
    lines_file(tmp_path / "evil.jsonl", [{"id": "d\n7", "turns": [evil]}])

    said = palaver("model", "diagnose", judge, "--data", "evil.jsonl")

    assert said.status == 0, said.err
    assert "\nDialogue d 7: what it says\n  Customer: one two 2J  three\n" in said.out


def test_data_that_was_trained_on_is_told(palaver: Palaver, judge: str) -> None:
    said = palaver("model", "diagnose", judge, "--data", "learnt.jsonl", "--samples", "0")
    told = " ".join(said.out.split())
    assert "It was trained on learnt.jsonl, so that this says little of new dialogues." in told


def test_what_cannot_be_diagnosed_is_said_in_a_sentence(
    palaver: Palaver, agent: str, judge: str, tmp_path: Path
) -> None:
    (tmp_path / "nothing").mkdir()
    (tmp_path / "empty.txt").write_text("\n")
    lines_file(tmp_path / "bare.jsonl", [{**helpdesk_dialogues(1)[0], "turns": []}])
    for arguments, told in {
        ("nothing",): "nothing is no checkpoint: it has no settings.json.",
        ("nowhere",): "Directory 'nowhere' does not exist.",
        (agent, "--data", "gone.txt"): "File 'gone.txt' does not exist.",
        (agent, "--data", "dev.jsonl"): "dev.jsonl:1: Expected <input>",
        (agent, "--data", "empty.txt"): "There is no dialogue in empty.txt.",
        (agent, "--scenarios", "new.txt"): "new.txt:1: a context has six whole numbers",
        (agent, "--against", judge): "--against takes a model that plays Deal or No Deal",
        (agent, "-o", "gone/d.html"): "gone/d.html cannot be written: there is no folder gone.",
        (judge,): "judge judges help-desk dialogues: give some with --data FILE",
        (judge, "--data", "new.txt"): "new.txt is not a DCH-2 data set",
        (judge, "--data", "bare.jsonl"): "'turns' is a list of what was said; got []",
        (judge, "--data", "dev.jsonl", "--against", agent): "judges dialogues and plays none",
    }.items():
        said = palaver("model", "diagnose", *arguments)
        assert said.status != 0, arguments
        assert said.err.startswith("palaver: "), arguments
        assert told in said.err, (arguments, said.err)
        assert "Traceback" not in said.err


def test_without_the_extra_one_sentence_says_what_to_install(
    palaver: Palaver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "model").mkdir()
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "torch" else there(name)
    )

    said = palaver("model", "diagnose", "model")

    assert said.status == 1
    assert said.err == (
        "palaver: Diagnosing a checkpoint needs the extra 'torch': pip install 'palaver[torch]'\n"
    )
