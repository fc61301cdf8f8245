"""A game of another package by its name: self-play, the terminal, scenarios and measures."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palaver.cli.main import palaver
from palaver.formats.palaver import read_dialogues
from palaver.studies.play.selfplay import cut
from support.endpoints import serving, speaking
from support.games import write_guessing

pytestmark = pytest.mark.usefixtures("offered")

RULES = ("selfplay", "number_guess", "--systems", "rule", "rule")
AGAINST = ("selfplay", "number_guess", "--systems", "rule", "random")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*arguments: object, said: str | None = None) -> Result:
    return CliRunner().invoke(palaver, [str(each) for each in arguments], input=said)


def ok(*arguments: object, said: str | None = None) -> str:
    done = run(*arguments, said=said)
    assert done.exit_code == 0, f"{done.output}\n{done.exception!r}"
    return done.stdout


def refused(*arguments: object) -> str:
    done = run(*arguments)
    assert done.exit_code != 0
    return f"{done.output}{done.exception}"


def records(name: str) -> list:
    with Path(name).open("rb") as stream:
        return list(read_dialogues(stream))


# Scenarios


def generate(name: str = "s.json", count: int = 3, *more: object) -> str:
    return ok("scenarios", "generate", "number_guess", "--count", count, "-o", name, *more)


def test_scenarios_are_generated_with_the_options_of_the_game() -> None:
    assert "3 scenarios of 'number_guess' written to s.json" in generate(
        "s.json", 3, "--digits", 2, "--unequal", "--order", "rising"
    )
    made = json.loads(Path("s.json").read_text())
    assert [(s["id"], s["game"]) for s in made] == [
        (f"numbers-{n}", "number_guess") for n in (1, 2, 3)
    ]
    assert all(10 <= s["kbs"][0]["number"] < s["kbs"][1]["number"] < 100 for s in made)
    generate("again.json", 3, "--digits", 2, "--unequal", "--order", "rising")
    assert Path("again.json").read_bytes() == Path("s.json").read_bytes()
    generate("other.json", 3, "--digits", 2, "--unequal", "--order", "rising", "--seed", 2)
    assert Path("other.json").read_bytes() != Path("s.json").read_bytes()


def test_the_help_of_a_game_lists_its_options() -> None:
    told = ok("scenarios", "generate", "number_guess", "--help")
    assert "--digits INTEGER" in told
    assert "Never give both seats the same number." in told
    assert "--digits" not in ok("scenarios", "generate", "--help")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["number_gess", "-o", "x.json"], "No game 'number_gess'. Near: 'number_guess'."),
        (["open_chat", "-o", "x.json"], "has no generator of scenarios. These have one:"),
        (["number_guess", "--digits", 99, "-o", "x.json"], "'digits' takes 12 or less; got 99."),
        (["number_guess", "--digit", 2, "-o", "x.json"], "No such option"),
        (["number_guess", "--order", "up", "-o", "x.json"], "'up' is not one of"),
        (["number_guess", "--count", 0, "-o", "x.json"], "0 is not in the range"),
        (["number_guess", "-o", "no/x.json"], "cannot be written"),
        (
            ["number_guess", "--digits", 1, "--unequal", "--order", "rising", "-o", "x.json"],
            "One digit leaves too few",
        ),
    ],
)
def test_a_wrong_generator_is_refused_and_writes_nothing(arguments: list, said: str) -> None:
    assert said in refused("scenarios", "generate", *arguments)
    assert list(Path().iterdir()) == []


# Self-play


def test_each_scenario_is_played_as_often_and_with_seats_exchanged() -> None:
    generate(count=3)
    ok(*AGAINST, "--count", 12, "--scenarios", "s.json", "-o", "d.jsonl")
    played = [
        (record.scenario.id, record.seats[0].occupant, record.seats[1].occupant)
        for record in records("d.jsonl")
    ]
    pairs = [("rule", "random"), ("random", "rule")]
    assert played == 2 * [(f"numbers-{n}", *pair) for n in (1, 2, 3) for pair in pairs]

    ok(*AGAINST, "--count", 3, "--scenarios", "s.json", "--no-swap", "-o", "e.jsonl")
    assert [r.seats[0].occupant for r in records("e.jsonl")] == ["rule"] * 3


def test_the_dialogues_are_the_same_whatever_the_number_of_workers() -> None:
    ok(*AGAINST, "--count", 12, "-o", "one.jsonl", "--workers", 1)
    ok(*AGAINST, "--count", 12, "-o", "two.jsonl", "--workers", 2)
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()
    assert len(cut(None, 0, 12, 2)) == 12  # type: ignore[arg-type]  # it was spread


def test_the_metrics_have_intervals_and_each_system_its_reward() -> None:
    told = ok(*RULES, "--count", 3)
    # Wilson's of 2 of 2: three dialogues are on two scenarios.
    assert "Guessed right    1.0000 [0.3424, 1.0000]  3" in told
    assert "Reward of" not in told
    result = json.loads(ok(*AGAINST, "--count", 6, "--json"))
    assert (result["game"], result["dialogues"], result["endings"]) == (
        "number_guess",
        6,
        {"complete": 6},
    )
    assert [each["title"] for each in result["metrics"]] == ["Guessed right", "Completion rate"]
    assert [(each["system"], each["n"]) for each in result["rewards"]] == [
        ("rule", 6),
        ("random", 6),
    ]


def test_a_study_plays_with_its_systems_and_the_bots_of_its_game() -> None:
    write_guessing(Path("guessing"))
    told = ok("selfplay", "guessing", "--systems", "teller", "rule", "--count", 2)
    assert "2 dialogues between 'teller' and 'rule'" in told


def test_options_of_the_game_can_be_given() -> None:
    ok(*RULES, "--count", 1, "--option", "digits=7", "-o", "d.jsonl")
    assert len(str(records("d.jsonl")[0].scenario.kb(0)["number"])) == 7


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["number_gess", "--systems", "a", "b"], "no game of that name. Near: 'number_guess'."),
        (["number_guess", "--systems", "rul", "random"], "has no system 'rul'. Near: 'rule'."),
        (["number_guess", "--systems", "rule", "openai:x"], "Expected openai:URL"),
        ([*RULES[1:], "--option", "digits=99"], "'digits' takes 12 or less; got 99."),
        (["open_chat", "--systems", "a", "b"], "'turns' is missing"),
        ([*RULES[1:], "--count", 0], "0 is not in the range"),
        ([*RULES[1:], "--store"], "for a game use --output"),
        ([*RULES[1:], "--resume"], "--resume needs --output or --store"),
        ([*RULES[1:], "--scenarios", "none.json"], "does not exist"),
        ([*RULES[1:], "--scenarios", "other.json"], "is of the game 'open_chat'; expected"),
        ([*RULES[1:], "--scenarios", "empty.json"], "has no scenarios. Make some: palaver"),
        ([*RULES[1:], "--scenarios", "broken.json"], "broken.json"),
    ],
)
def test_what_cannot_be_played_is_named(arguments: list, said: str) -> None:
    Path("other.json").write_text('[{"id": "x", "game": "open_chat"}]')
    Path("empty.json").write_text("[]")
    Path("broken.json").write_text('[{"id": 7, "game": "number_guess"}]')
    assert said in refused("selfplay", *arguments)


def test_a_model_that_never_answers_ends_the_dialogue() -> None:
    with serving(speaking(lambda messages: "hi")) as endpoint:
        endpoint.left = 0  # it takes every question and answers none
        told = ok(
            *("selfplay", "number_guess", "--count", 1, "--patience", 0.05, "--no-swap"),
            *("--systems", f"openai:{endpoint.url}#tiny", "rule"),
        )
        endpoint.left = None
    assert "1 dialogue between 'tiny' and 'rule'" in told
    assert "ended with 'system_failed': 1" in told
    assert "No answer within 0.05 s" in told


def test_dead_systems_stop_the_run_and_what_was_played_is_kept() -> None:
    told = refused(
        *("selfplay", "number_guess", "--count", 50, "-o", "d.jsonl", "--patience", 0.5),
        *("--systems", "rule", "openai:http://127.0.0.1:9#gone"),
    )
    assert "A system failed in 20 dialogues in a row" in told
    assert Path(".d.jsonl.partial").read_bytes().count(b"\n") == 20


# Going on after a break


def test_a_torn_file_is_gone_on_with() -> None:
    ok(*AGAINST, "--count", 8, "-o", "whole.jsonl")
    whole = Path("whole.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    Path(".d.jsonl.partial").write_bytes(b"".join(lines[:5]) + lines[5][:40])

    assert "An earlier run left .d.jsonl.partial" in refused(
        *AGAINST, "--count", 8, "-o", "d.jsonl"
    )
    done = run(*AGAINST, "--count", 8, "-o", "d.jsonl", "--resume")
    assert "The last line was torn and is dropped" in done.output
    assert "of them there before: 5" in done.output
    assert "8 dialogues between" in done.output
    assert Path("d.jsonl").read_bytes() == whole
    assert not Path(".d.jsonl.partial").exists()
    assert "of them there before: 8" in ok(*AGAINST, "--count", 8, "-o", "d.jsonl", "--resume")

    longer = ok(*AGAINST, "--count", 10, "-o", "d.jsonl", "--resume")
    assert "10 dialogues between" in longer
    assert Path("d.jsonl").read_bytes().startswith(whole)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*AGAINST, "--seed", 2], "Give the same --seed"),
        ([*RULES], "Give the same systems"),
        ([*AGAINST, "--no-swap"], "Give --swap, or --no-swap, as before"),
        ([*AGAINST, "--option", "digits=5"], "Give the same --scenarios and options"),
        ([*AGAINST, "--count", 2], "has 4 dialogues already; --count is 2"),
    ],
)
def test_another_run_is_not_gone_on_with(arguments: list, said: str) -> None:
    ok(*AGAINST, "--count", 4, "-o", "d.jsonl")
    before = Path("d.jsonl").read_bytes()
    count = [] if "--count" in arguments else ["--count", 6]
    assert said in refused(*arguments, *count, "-o", "d.jsonl", "--resume")
    assert Path("d.jsonl").read_bytes() == before


def test_a_run_that_is_killed_loses_and_doubles_nothing() -> None:
    call = [sys.executable, "-m", "palaver", *AGAINST, "--count", "400", "-o", "d.jsonl"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = subprocess.Popen([*call, "--workers", "2"], env=environment, start_new_session=True)
    partial = Path(".d.jsonl.partial")
    while running.poll() is None and not (partial.exists() and partial.stat().st_size):
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    assert not Path("d.jsonl").exists()
    there = partial.read_bytes().count(b"\n")
    assert 0 < there < 400
    assert f"of them there before: {there}" in ok(*call[3:], "--resume", "--workers", 1)
    assert [r.id for r in records("d.jsonl")] == [f"selfplay-1-{n}" for n in range(400)]
    ok(*AGAINST, "--count", 400, "-o", "whole.jsonl", "--workers", 1)
    assert Path("d.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()


def test_stored_dialogues_are_gone_on_with() -> None:
    folder = write_guessing(Path("guessing"))
    stored = ("selfplay", folder, "--systems", "teller", "rule", "--store")
    assert "There is nothing to go on with" in refused(*stored, "--count", 2, "--resume")
    ok(*stored, "--count", 3)
    told = ok(*stored, "--count", 5, "--resume")
    assert "5 dialogues between 'teller' and 'rule'" in told
    assert "of them there before: 3" in told
    assert "of them there before: 5" in ok(*stored, "--count", 5, "--resume")
    assert "There is nothing to go on with" in refused(*stored, "--resume", "--seed", 9)


# The terminal


def test_somebody_plays_with_a_bot_through_a_pipe() -> None:
    generate()
    number = json.loads(Path("s.json").read_text())[1]["kbs"]
    chat = ("chat", "number_guess", "--with", "rule", "--scenarios", "s.json")
    said = f"Hi!\n<offer> 3\n<guess> x\nMine is {number[0]['number']}.\n<guess> {number[1]['number']}\n"
    told = ok(*chat, "--scenario", "numbers-2", said=said)
    assert f"Your number is {number[0]['number']};" in told
    assert f"rule: Mine is {number[1]['number']}." in told
    assert "(not sent) There is no tag '<offer>'" in told
    assert "(not sent) <guess> takes a number; got 'x'." in told
    assert f"You guessed {number[1]['number']}.\n" in told
    assert told.endswith("The end. You earned 10 points.\n")


def test_the_end_of_the_input_ends_it_politely() -> None:
    told = ok("chat", "number_guess", "--with", "rule", "--seat", 1, said="")
    assert told.endswith("The end (quit).\n")
    assert "The end (quit).\n" in ok("chat", "number_guess", "--with", "rule", said="<quit>\n")


def test_a_study_is_played_in_the_terminal() -> None:
    write_guessing(Path("guessing"))
    told = ok("chat", "guessing", "--with", "teller", said="Hello\n")
    assert "teller: Mine is " in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["number_guess", "--with", "rul"], "has no system 'rul'. Near: 'rule'."),
        (["number_gess", "--with", "rule"], "no game of that name. Near: 'number_guess'."),
        (["number_guess", "--with", "rule", "--seat", 2], "2 is not in the range"),
        (["number_guess", "--with", "rule", "--scenario", "x"], "There is no scenario 'x'."),
        (
            ["number_guess", "--with", "rule", "--scenarios", "s.json", "--scenario", "numbers-22"],
            "There is no scenario 'numbers-22'. Near: 'numbers-2'",
        ),
    ],
)
def test_a_chat_that_cannot_be_is_named(arguments: list, said: str) -> None:
    generate()
    assert said in refused("chat", *arguments)


# Measures


def test_games_are_listed_with_their_bots() -> None:
    listed = ok("games")
    assert re.search(r"^number_guess +rule, random +numbers +2 +yes +yes$", listed, re.M)
    games = {each["name"]: each for each in json.loads(ok("games", "list", "--json"))["games"]}
    assert games["number_guess"]["bots"] == ["rule", "random"]
    assert games["open_chat"]["has_tags"] is False


def test_a_game_is_measured_on_dialogues() -> None:
    ok(*RULES, "--count", 3, "-o", "d.jsonl")
    told = ok("games", "measure", "number_guess", "d.jsonl")
    assert "heard    100.0 % [61.0 %, 100.0 %]" in told  # Wilson's of 6 of 6
    found = json.loads(ok("games", "measure", "number_guess", "d.jsonl", "d.jsonl", "--json"))
    [heard] = found["measures"]
    assert (heard["found"], heard["of"], heard["share"]) == (12, 12, 1.0)
    assert found["tables"][0]["counts"] == {"seat 0": {"right": 6}, "seat 1": {"right": 6}}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["open_chat", "d.jsonl"], "has no parsers to measure. These do:"),
        (["number_guess", "what.txt"], "what.txt: its format is not recognised. Name it with"),
        (["number_guess", "d.jsonl", "--from", "labels"], "'labels' holds labels; expected"),
        (["number_guess", "d.jsonl", "--from", "palver"], "Near: 'palaver'"),
        (["number_guess", "m.jsonl"], "is of the game 'open_chat'; expected 'number_guess'"),
    ],
)
def test_what_cannot_be_measured_is_named(arguments: list, said: str) -> None:
    ok(*RULES, "--count", 1, "-o", "d.jsonl")
    Path("what.txt").write_text("what?")
    Path("m.jsonl").write_text('{"messages": [{"role": "user", "content": "Hi"}]}\n')
    assert said in refused("games", "measure", *arguments)
