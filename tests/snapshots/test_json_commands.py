"""`--json` of every command: which keys it prints, and of which kinds the values are."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from palaver.cli.main import palaver
from palaver.core.evaluation.rounds import RoundTerms
from palaver.evaluation.home import open_evaluation
from palaver.evaluation.rounds.examples import read_examples
from palaver.storage import Store
from palaver.storage.studies.studies import register_study
from palaver.studies.file.reader import load_study
from palaver.studies.run.registered import register
from support.cocoa import DEAL_LINE, OTHER_DEAL_LINE
from support.deal_lines import write_made_lines
from support.dumps import long_comment, long_post, write_dump
from support.games import offer_games
from support.made_home import run_palaver
from support.points import points_in
from support.shapes import shape_of
from support.snapshots import assert_as_stored
from support.written import by_writers, put_round

from .test_json_crowd import COMMANDS as CROWD_COMMANDS

# Runs of the home: one that is done, with variants; one that failed; one that was cancelled.
DONE, FAILED, CANCELLED = (
    *("r_BjjMO7JLpwK9ECuWvwJM", "r_RQeWnqpJzM64dcDNSGmQ", "r_eWk5EewE81B9jB59n6Bl"),
)
DISTRIBUTIONS = "--gold shares.csv --pred shares.jsonl --item item --label label --prob p"
COLUMNS = "--unit unit --rater rater --value value"

# By command, the ways in which it is called; `--json` is added to each.
CALLS: dict[str, list[str]] = {
    "plan": [
        "--difference 0.3 --raters 5 --outcome votes --simulations 20 --most 100",
        "--difference 1 --raters 3 --outcome rating --simulations 20 --most 100 --minutes 4 --pay 12",
    ],
    "games list": [""],
    "games measure": ["number_guess played.jsonl"],
    "selfplay": [
        "number_guess --systems rule random --count 4",
        "talk --systems one other --count 2",
    ],
    "task add": ["own.yaml --home home"],
    "task list": ["--home home"],
    "task set": ["qa --public --submissions 5 --hours 12 --home home"],
    "task show": ["nli --home home", "qa --home home", "flores"],
    "dataset add": [
        "nli more items.jsonl --access hidden --about Songs --later --home home",
        "nli vary variants.jsonl --parent dev --kind robustness --later --home home",
        "nli first items.jsonl --home new",
    ],
    "dataset list": ["--home home", "nli --home home"],
    "dataset readers": [""],
    "dataset set": ["nli dev --access standard --about Ours --home home"],
    "dataset show": ["nli test --home home", "nli fair --home home", "qa lakes --home home"],
    "train": [
        "--list",
        "toy.json --options",
        "toy.json --data lines.txt --dev more.txt --device cpu -o trained",
    ],
    "model baseline": ["nli --data many.jsonl --only majority -o least --home home"],
    "model diagnose": ["trained --data more.txt --dialogues 4 --samples 1 --device cpu"],
    "model predict": ["least/majority many.jsonl -o said.jsonl --device cpu"],
    "model add": ["nli sent --predictions test=answers.jsonl --about Sent --home home"],
    "model kinds": ["", "torchserve"],
    "model list": ["nli --home home", "qa --home home"],
    "model show": [f"nli {name} --home home" for name in ("rules", "broken", "blue-1", "old")],
    "model test": ["mine --data items.jsonl --records 2", "mine --task nli"],
    "evaluate": ["nli --model hidden --dataset secret --home home", "qa --home home"],
    "runs list": ["--home home", "nli --state failed --home home"],
    "runs show": [f"{key} --home home" for key in (DONE, FAILED, CANCELLED)],
    "rescore": ["nli --metric micro_f1 --model rules --home home"],
    "perturb": [
        "--list",
        "items.jsonl --task nli --kind fairness",
        "items.jsonl --task nli --kind robustness --only typos -o typos.jsonl",
        "test.jsonl --task nli --kind robustness --dataset dev --only casing --home home",
        "--task nli --dataset test --kind robustness --only typos -o more.jsonl --home home",
    ],
    "board": [
        "nli --draws 50 --home home",
        "nli --weight accuracy=2 --dataset-weight test=1 --draws 50 --fork Mine --home home",
        "nli --draws 50 --snapshot Autumn --home home",
        "nli --saved Spring --home home",
        "nli --saved Ours --draws 50 --home home",
        "qa --draws 50 --home home",
    ],
    "dynascore": ["models.csv --direction mem=-1 --offset mem=16"],
    "team add": [
        "nli Grey --affiliation 'Grey College' --link https://grey.example.org --home home"
    ],
    "team list": ["nli --home home"],
    "team renew": ["nli Red --home home"],
    "challenge add": ["cup/challenge.yaml --home home"],
    "challenge announce": ["cup said.txt --subject News --home home"],
    "challenge list": ["--home home"],
    "challenge show": ["cup --home home"],
    "challenge set": ["cup --public --home home"],
    "challenge teams": ["cup --home home"],
    "challenge add-team": ["cup Grey --contact grey@example.org --member Ada --home home"],
    "challenge renew": ["cup Plain --home home"],
    "challenge approve": ["cup Plain --home home"],
    "challenge refuse": ["cup Plain --home home"],
    "challenge entries": ["cup --home home"],
    "round list": ["--home home", "nli --home home"],
    "round show": ["nli --home home"],
    "round examples": ["nli --home home"],
    "round stop": ["nli --home home"],
    "round resume": ["nli --home home"],
    "round verdict": ["nli UID correct --why Yes --home home"],
    "round bonuses": ["nli --home home"],
    "round export": ["nli -o round.jsonl --home home"],
    "round import": ["nli kept.jsonl --study elsewhere --home home"],
    "round close": ["nli --later --home home"],
    "round open": ["loop --home home"],
    "advice results": ["advised.jsonl"],
    "advice prepare": ["dump.jsonl -o prepared"],
    "advice testset": ["dump.jsonl -o tested.jsonl --at 1600000000"],
    "advice ask": ["situations.jsonl --models advisers.yaml -o answers --home home"],
    "challenge close": ["cup --early --trials 50 --home home"],
    "challenge publish": ["cup --home home"],
    "challenge results": ["cup --home home"],
    "challenge runs": ["cup -o taken --home home"],
    "challenge submit": ["cup Plain said.jsonl --track english --run 2 --home home"],
    "submit": [
        "http://localhost/cup said.jsonl --track nli --check --data items.jsonl --task nli",
        "http://localhost/cup said.jsonl --track nli --check --gold items.jsonl --task nli",
    ],
    "crowd dry-run": ["hired --people 1"],
    "mail list": ["--home home"],
    "mail notices": ["home --study judging"],
    "mail send": ["--home home"],
    "raters": ["home --study judging", "home --study judging --flagged"],
    "rank": [
        "home --study crowd --bootstrap 50",
        "votes.csv --bootstrap 50 --elo --cluster judge",
    ],
    "compare": [
        "ratings.csv --bootstrap 50 --trials 50",
        "ratings.csv --test mixed --item item --rater rater",
        "home --study judging --question warmth --bootstrap 50 --trials 50",
    ],
    "tukey": ["matrix.csv --trials 100"],
    "agreement": [
        f"ratings.csv {COLUMNS} --level ordinal --bootstrap 50 --pairwise",
        f"ratings.csv {COLUMNS} --level nominal --by system --bootstrap 50",
        f"ratings.csv {COLUMNS} --judge r0 --positive 4 --by system --bootstrap 20",
        "home --study judging --bootstrap 20",
        "home --study screened --bootstrap 20 --raters",
    ],
    "aggregate": [
        "answers.csv",
        "answers.csv --soft --level ordinal --order no,yes",
        "answers.csv --method dawid-skene",
        "home --study judging --question polite",
    ],
    "validity": [
        "judged.csv --quality quality --pay 12 --width 0.2 --bootstrap 20",
        "judged.csv --quality quality --labels dull --labels behaviours --annotators first "
        "--bootstrap 20",
    ],
    "score dialeval": [
        "--gold gold.json --pred runs/A/run0/sub.json",
        "--gold gold.json --baseline popularity --neg-log2",
        "--gold gold.json --pred runs/A/run0/sub.json --check",
    ],
    "score distributions": [
        f"{DISTRIBUTIONS} --level nominal",
        f"{DISTRIBUTIONS} --level ordinal --labels low,middle,high",
    ],
    "sharedtask dialeval": ["runs --gold gold.json --trials 20"],
    "metrics": [
        "",
        "--family text",
        "macro_f1",
        "macro_f1 --pred said.jsonl --ref right.jsonl",
        "bleu --pred said.txt --ref right.txt",
    ],
    "erase": ["home P01 --study chatting --yes --home home"],
    "retention": ["home --ids 30 --words 90 --standing 30 --home home"],
    "verify": ["home --home home"],
    "convert": [
        "--list",
        "deals.txt deals.json --from deal-text --to cocoa",
        "deals.txt parts.jsonl --from deal-text --to palaver --split 0.5,0.5",
    ],
    "study show": ["live --home home"],
    "study pause": ["live --reason budget --home home"],
    "study resume": ["live --home home"],
    "study close": ["live --home home"],
    "study reopen": ["live --home home"],
    "study versions": ["live --home home"],
    "study diff": ["live 1 2 --home home"],
    "study apply": ["live --back-to 1 --home home", "live --dry-run --home home"],
    "study places": ["live one=9 --note more --home home"],
    "study raters": ["live 3 --stage 2 --home home"],
    "study dates": ["live --closes '2099-01-01 10:00' --zone Europe/Berlin --home home"],
    "import dynabench": ["config.json --name hate -o hate.yaml", "config.json --home home"],
}


LOOP = """\
title: Loop
stages:
  - write: {task: nli, contexts: contexts.jsonl, models: [overlap]}
"""
LIVE = """\
title: Live
systems: {one: {kind: scripted, lines: [Hi]}}
questions: {good: {kind: likert, text: Good?}}
stages:
  - chat: {turns: {exactly: 2}, conditions: "one:4"}
  - rate: {data: said.jsonl, ask: [good]}
"""
HIRED = """\
title: Hired
minutes: 10
pay: {amount: 2.0, currency: GBP}
crowd: {kind: prolific}
recruit: {description: You talk with a program.}
systems: {one: {kind: scripted, lines: [Hi]}}
stages:
  - chat: {turns: {exactly: 2}, conditions: "one:4"}
"""
TOY = {
    "model": "deal-talk",
    "data": {"least": 1, "folds": 4},
    "network": {"embedding": 8, "hidden": 8, "context": 4},
    "selection": {"hidden": 4, "attention": 4, "layer": 4},
    "training": {"epochs": 1},
}
ADVISERS = "models: {heron: {kind: advice_retrieval, file: known.jsonl, method: bm25}}\n"


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its name."""
    context = click.Context(palaver)

    def below(group: click.Group, words: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
        for name in group.list_commands(context):
            found = group.get_command(context, name)
            assert found is not None
            if isinstance(found, click.Group):
                yield from below(found, (*words, name))
            else:
                yield " ".join((*words, name)), found

    yield from below(palaver, ())


def test_no_command_with_json_is_left_out() -> None:
    with_json = {
        name
        for name, command in commands()
        if any("--json" in parameter.opts for parameter in command.params)
    }
    assert with_json == set(CALLS) | CROWD_COMMANDS


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.usefixtures("home")
def test_a_command_prints_what_it_printed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_inputs()
    if name in ("games list", "games measure", "selfplay"):
        offer_games(monkeypatch)
        calls = "selfplay number_guess --systems rule rule --count 2 -o played.jsonl"
        run_palaver(*calls.split())
    if name in ("task add", "model test"):
        run_palaver("task", "init", "own", "--from", "sentiment", "-o", "own.yaml")
        run_palaver("model", "init", "mine", "--task", "nli")
    if name == "model diagnose":
        run_palaver(
            *["train", "toy.json", "--data", "lines.txt", "--device", "cpu", "-o", "trained"]
        )
    if name == "model predict":
        made = "model baseline nli --data many.jsonl --only majority -o least --home home"
        run_palaver(*made.split())
    if name.startswith("challenge"):
        hold_challenge()
    if name in ("challenge publish", "challenge results"):
        run_palaver("challenge", "close", "cup", "--early", "--trials", "50", "--home", "home")
    calls = CALLS[name]
    if name.startswith("round"):
        uid = hold_round()
        calls = [call.replace("UID", uid) for call in calls]
    if name == "round open":
        run_palaver("round", "close", "nli", "--later", "--home", "home")
    if name.startswith("study"):
        serve_live()
    if name in ("study resume", "study reopen"):
        before = "pause" if name == "study resume" else "close"
        run_palaver("study", before, "live", "--home", "home")
    if name == "mail send":
        monkeypatch.setenv("PALAVER_SMTP_URL", "smtp://localhost:25")
        monkeypatch.setenv("PALAVER_MAIL_FROM", "us@example.org")
    found = {}
    for call, stable in zip(calls, CALLS[name], strict=True):
        printed = run_palaver(*name.split(), *shlex.split(call), "--json")
        document = json.loads(printed)
        assert not list(points_in(document))
        found[f"{name} {stable}".strip()] = shape_of(document)
    assert_as_stored(f"json/{name.replace(' ', '-')}", found)


# What the commands read


def hold_round() -> str:
    """A round with what two people wrote, its file, and a study that opens the next; a uid of it."""
    url = f"sqlite:///{Path('home', 'palaver.db')}"
    with open_evaluation(Path("home"), url) as home:
        terms = RoundTerms(bonus={"verified": 0.5})
        held = put_round(home, by_writers(2, 2), terms=terms)
        (uid, *_) = (each.uid for each in home.store.read_now(lambda c: read_examples(c, held)))
        home.store.write_now(
            lambda c: register_study(
                c, name="loop", title="Loop", digest="d", definition="{}", now=held.opened
            )
        )
    run_palaver("round", "export", "nli", "-o", "kept.jsonl", "--home", "home")
    Path("loop").mkdir()
    Path("loop", "study.yaml").write_text(LOOP, encoding="utf-8")
    Path("loop", "contexts.jsonl").write_text('{"context": {"context": "A boat."}}\n')
    return uid


def serve_live() -> None:
    """A study that was served once, and changed since."""
    Path("live").mkdir()
    Path("live", "study.yaml").write_text(LIVE, encoding="utf-8")
    Path("live", "said.jsonl").write_text(
        '{"id": "d1", "turns": [{"speaker": "user", "text": "Hi"}]}\n', encoding="utf-8"
    )
    study = load_study(Path("live"))
    store = Store(f"sqlite:///{Path('home', 'palaver.db')}")
    store.write_now(lambda c: register(c, study, now=1.0))
    store.close()
    run_palaver("study", "places", "live", "one=5", "--home", "home")


def hold_challenge() -> None:
    """A challenge that takes entries, with a baseline and an entry of it."""
    run_palaver("challenge", "init", "cup")
    file = Path("cup", "challenge.yaml")
    text = file.read_text(encoding="utf-8")
    opens = next(line for line in text.splitlines() if line.startswith("    opens: "))
    file.write_text(text.replace(opens, "    opens: 2020-01-01 00:00 AoE", 1), encoding="utf-8")
    for name in ("dev-en", "test-en"):
        calls = f"dataset add nli {name} items.jsonl --access hidden --later --home home"
        run_palaver(*calls.split())
    for call in (
        "add cup/challenge.yaml",
        "add-team cup Plain --baseline",
        "submit cup Plain right.jsonl --track english",
    ):
        run_palaver("challenge", *call.split(), "--home", "home")


def advised(number: int) -> dict[str, Any]:
    """A line of results: one model, judged against people."""
    told = {"q1_intensifier": 2, "q2_helpful_or_not": "nothelpful", "q3_justification": "neutral"}
    return {
        "situation": {
            "id": f"s{number}",
            "title": "Cold",
            "selftext": "It is.",
            "subreddit": "love",
        },
        "best_advice": {"bestadvice_body": "Put on a coat."},
        "model_advice": {"heron": "Move."},
        "turk_ratings": {"heron": {"is_preferred": number == 0, "diagnostics": [told]}},
    }


def write_inputs() -> None:
    """Small files for every command, in the folder of the test."""
    items = [
        {"uid": f"x{n}", "context": f"Mary sings {n}.", "hypothesis": "She sings.", "label": label}
        for n, label in enumerate(("entailed", "neutral", "contradictory", "entailed"))
    ]
    lines("items.jsonl", items)
    lines("test.jsonl", [{**each, "uid": f"d{n}"} for n, each in enumerate(items)])
    many = [{**items[n % 4], "uid": f"m{n}", "context": f"Song {n} ends."} for n in range(40)]
    lines("many.jsonl", many)
    write_made_lines(Path("lines.txt"), 30)
    write_made_lines(Path("more.txt"), 6, seed=2)
    Path("toy.json").write_text(json.dumps(TOY), encoding="utf-8")
    lines("variants.jsonl", [{**items[0], "uid": "d0_v", "input_id": "d0"}])
    lines("answers.jsonl", [{"uid": f"t{n}", "label": "neutral"} for n in range(15)])
    lines("said.jsonl", [{"id": f"x{n}", "label": each["label"]} for n, each in enumerate(items)])
    lines("right.jsonl", [{"id": f"x{n}", "label": "entailed"} for n in range(4)])
    lines("advised.jsonl", [advised(n) for n in range(6)])
    write_dump(Path("dump.jsonl"), [long_post("a"), long_comment("b", "a")])
    asked = [{"id": f"s{n}", "title": "Cold", "selftext": "It is very cold."} for n in range(3)]
    known = {
        **asked[0],
        "id": "k",
        "title": "Ice",
        "good_comments": [{"id": "c", "body": "Put on a coat."}],
    }
    lines("situations.jsonl", asked)
    lines("known.jsonl", [known])
    Path("advisers.yaml").write_text(ADVISERS, encoding="utf-8")
    Path("said.txt").write_text("a bird sings\nrain falls on Ulm today\n", encoding="utf-8")
    Path("right.txt").write_text("a bird sang\nrain falls on Bern today\n", encoding="utf-8")
    Path("deals.txt").write_text(f"{DEAL_LINE}\n{OTHER_DEAL_LINE}\n", encoding="utf-8")
    Path("hired").mkdir()
    Path("hired", "study.yaml").write_text(HIRED, encoding="utf-8")
    Path("talk").mkdir()
    Path("talk", "study.yaml").write_text(TALK, encoding="utf-8")
    table("models.csv", "model perf eps mem", ["a 60 10 4", "b 70 6 8", "c 65 8 2"])
    wins = ["model_a", "model_a", "model_b", "tie", "model_a", "model_b"]
    table(
        "votes.csv",
        "model_a model_b winner judge",
        [
            f"{pair} {wins[(n + k) % 6]} j{n % 4}"
            for n in range(8)
            for k, pair in enumerate(("ann bob", "bob cat", "ann cat"))
        ],
    )
    scale = {"new": (4, 5, 3, 5, 4, 4), "old": (3, 3, 3, 4, 2, 4)}
    table(
        "ratings.csv",
        "system item unit rater value",
        [
            f"{system} i{n} {system}-{n} r{rater} {min(5, value + (n + rater) % 2)}"
            for system, values in scale.items()
            for n, value in enumerate(values)
            for rater in range(3)
        ],
    )
    matrix = ["d1 .7 .5 .1", "d2 .6 .2 .1", "d3 .8 .6 .3", "d4 .7 .5 .2", "d5 .9 .4 .3"]
    table("matrix.csv", "topic one two three", matrix)
    said = ["1 a yes", "1 b yes", "1 c no", "2 a no", "2 b yes", "3 a no", "3 b no", "3 c yes"]
    table("answers.csv", "unit rater value", said)
    table("judged.csv", "dialogue unit system label value rater seconds", list(judgements()))
    table("shares.csv", "item label", ["a low", "a low", "a high", "b middle"])
    shares = [("a", "low", 1), ("b", "high", 0.5), ("b", "low", 0.5)]
    lines("shares.jsonl", [{"item": i, "label": label, "p": p} for i, label, p in shares])
    write_shared_task()
    Path("config.json").write_text(json.dumps(DYNABENCH), encoding="utf-8")


def judgements() -> Iterator[str]:
    """Dialogues of two systems: two turns that are dull or not, relevance and quality."""
    for n in range(24):
        good = (n * 7) % 5 + 1
        about = f"{'AB'[n % 2]}"
        for turn in range(2):
            dull = "yes" if (n + turn) % 6 >= good else "no"
            yield f"d{n} d{n}.{turn} {about} dull {dull} r{n % 5} 4"
        yield f"d{n} d{n} {about} relevant {(n * 3) % 5 + 1} r0 9"
        yield f"d{n} d{n} {about} quality {good} r{n % 5} 20"


def write_shared_task() -> None:
    """Help-desk dialogues with the labels of two annotators, and two runs on them."""
    gold, runs = [], {"A": [], "B": []}
    scales = {"A": ["2", "1", "0", "-1", "-2"]} | {s: ["2", "1", "0", "-1", "-2"] for s in "SE"}
    nuggets = (["CNUG0", "CNUG", "CNUG*", "CNaN"], ["HNUG", "HNUG*", "HNaN"])
    for n in range(12):
        quality = {"A": n % 3, "S": 1, "E": 0}
        gold.append(
            {
                "id": f"d{n}",
                "turns": [
                    {"sender": sender, "utterances": ["…"]} for sender in ("customer", "helpdesk")
                ],
                "annotations": [
                    {"nugget": ["CNUG0", "HNUG"], "quality": quality},
                    {"nugget": ["CNUG", "HNUG*"], "quality": {**quality, "A": -(n % 3)}},
                ],
            }
        )
        for team, tilt in (("A", 0.2), ("B", 30.0)):
            first = 1 + tilt * (1 + n % 2)
            runs[team].append(
                {
                    "id": f"d{n}",
                    "nugget": [shares_of(labels, first) for labels in nuggets],
                    "quality": {
                        scale: shares_of(points, first) for scale, points in scales.items()
                    },
                }
            )
    Path("gold.json").write_text(json.dumps(gold), encoding="utf-8")
    for team, entries in runs.items():
        folder = Path("runs", team, "run0")
        folder.mkdir(parents=True)
        (folder / "sub.json").write_text(json.dumps(entries), encoding="utf-8")


def shares_of(labels: list[str], first: float) -> dict[str, float]:
    """A distribution that leans to its first label."""
    return {label: first if n == 0 else 1.0 for n, label in enumerate(labels)}


def lines(name: str, records: list[dict[str, Any]]) -> None:
    """A file of JSON lines."""
    text = "".join(json.dumps(record) + "\n" for record in records)
    Path(name).write_text(text, encoding="utf-8")


def table(name: str, head: str, rows: list[str]) -> None:
    """A CSV file; the columns are separated by spaces here."""
    text = "\n".join([head, *rows]).replace(" ", ",")
    Path(name).write_text(f"{text}\n", encoding="utf-8")


TALK = """\
title: Talk
consent: {version: "1", text: Do you agree?}
systems:
  one: {kind: scripted, lines: [Hello.]}
  other: {kind: scripted, lines: [Good day.], fails: [1]}
stages:
  - chat: {turns: {exactly: 4}, conditions: one}
"""

DYNABENCH = {
    "perf_metric": {"type": "accuracy", "reference_name": "label"},
    "input": [
        {"name": "text", "type": "string"},
        {"name": "label", "type": "multiclass", "labels": ["not-hateful", "hateful"]},
    ],
    "output": [{"name": "label"}],
    "metadata": {"create": []},
    "surprise": True,
}
