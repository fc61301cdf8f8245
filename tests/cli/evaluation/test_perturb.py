"""`palaver perturb`, as a stranger uses it."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from palaver.cli.evaluation.dataset_command import command as dataset
from palaver.cli.evaluation.model_command import command as model
from palaver.cli.evaluation.perturb_command import command
from palaver.core.errors import InputError, PalaverError
from palaver.storage.objects import open_objects
from support.s3 import s3_server
from support.shared import SHARED

NLI = [
    {"uid": "a", "context": "Mary gave John his book.", "hypothesis": "John has it.", "label": "e"},
    {
        "uid": "b",
        "context": "It rains in Ulm.",
        "hypothesis": "It's wet.",
        "label": ["entailed", "neutral"],
        "tags": ["weather"],
    },
]
SAMPLES = SHARED / "data" / "datasets"
TURNS = [["user", "Good evening"], ["system", "What can I do?"], ["user", "A table for two"]]

Perturb = Callable[..., str]


def _lines(*records: Any) -> str:
    return "\n".join(json.dumps(record) for record in records)


@pytest.fixture
def perturb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Perturb:
    """Runs the command in an empty folder and gives what it prints; errors are raised."""
    monkeypatch.chdir(tmp_path)
    for name in ("PALAVER_HOME", "PALAVER_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(command, arguments, catch_exceptions=True)
        if done.exception is not None:
            raise done.exception
        return done.stdout

    return run


@pytest.fixture
def nli(tmp_path: Path) -> Path:
    """A small data set, without a final line break."""
    file = tmp_path / "rain.jsonl"
    file.write_text(_lines(*NLI))
    return file


def _cells(said: str) -> list[list[str]]:
    return [line.split() for line in said.splitlines()]


def _made(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_it_writes_beside_the_file_and_says_what_to_do(perturb: Perturb, nli: Path) -> None:
    said = perturb("rain.jsonl", "--task", "nli", "--kind", "fairness")
    made = _made(nli.with_name("fairness-rain.jsonl"))

    assert "2 originals, 2 variants for 1 of 2 items (50.0 %)" in said
    assert "perturbation    variants  of items  unchanged  gold lost" in said
    assert ["gendered_words", "1", "50.0", "%", "1", "0"] in _cells(said)
    assert "[Mary] gave [John] [his] book." in said
    assert (
        "palaver dataset add nli fairness-rain fairness-rain.jsonl --parent rain --kind fairness"
    ) in said
    assert [(each["uid"], each["input_id"]) for each in made] == [
        ("a_ethnic_names", "a"),
        ("a_gendered_words", "a"),
    ]
    # Gold stays as the file has it, old codes and lists too.
    assert {each["label"] for each in made} == {"e"}


def test_json_is_one_document(perturb: Perturb, nli: Path) -> None:
    said = json.loads(
        perturb(
            *("rain.jsonl", "--task", "nli", "--kind", "robustness", "--only", "contractions"),
            *("--json", "-o", "out/mine.jsonl", "--sample", "1"),
        )
    )

    assert said["originals"] == 2
    assert said["perturbations"] == {
        "contractions": {"variants": 1, "unchanged": 1, "gold_lost": 0}
    }
    assert said["samples"][0]["variant"]["hypothesis"] == "It is wet."
    assert said["samples"][0]["variant"]["label"] == ["entailed", "neutral"]
    assert said["registered"] is None
    assert Path(said["output"]).is_file()


def _sparse(items: int, with_names: int, *, with_words: int = 0) -> str:
    """Items of which some have a name in them, and some of the others a gendered word."""
    texts = ["Maria met Jose."] * with_names + ["He slept."] * with_words
    texts += ["It rains."] * (items - len(texts))
    return _lines(
        *(
            {"uid": f"i{n}", "context": text, "hypothesis": "So.", "label": "neutral"}
            for n, text in enumerate(texts)
        )
    )


@pytest.mark.parametrize(
    ("content", "warnings"),
    [
        (_sparse(120, 3), ["variants for 3 of 120 items (2.5 %), which is too few to say much"]),
        (_sparse(400, 35), ["variants for 35 of 400 items (8.8 %), which is too few to say much"]),
        (
            _sparse(120, 0),
            ["variants for 0 of 120 items (0.0 %): nothing can be measured with them"],
        ),
        (
            _sparse(120, 3, with_words=40),
            [
                "ethnic_names: variants for 3 of 120 items (2.5 %), which is too few to say much",
            ],
        ),
        (_sparse(120, 40), []),
    ],
)
def test_few_variants_are_a_warning_with_their_share(
    perturb: Perturb, nli: Path, content: str, warnings: list[str]
) -> None:
    nli.write_text(content)
    common = ("rain.jsonl", "--task", "nli", "--kind", "fairness", "--overwrite")

    assert json.loads(perturb(*common, "--json"))["warnings"] == warnings
    said = [line.strip() for line in perturb(*common).splitlines() if "Warning" in line]
    assert said == [f"Warning: {warning}." for warning in warnings]


def test_registering_nothing_is_no_success(perturb: Perturb, nli: Path) -> None:
    nli.write_text(_sparse(5, 0))
    assert CliRunner().invoke(dataset, ["add", "nli", "rain", "rain.jsonl"]).exit_code == 0
    arguments = ["rain.jsonl", "--task", "nli", "--kind", "fairness", "--register"]
    done = CliRunner().invoke(command, arguments)

    assert done.exit_code == 1
    assert "nothing to register" in done.stdout


def test_it_registers_beside_the_parent(perturb: Perturb, nli: Path) -> None:
    with pytest.raises(InputError, match=r"Nothing is stored .* dataset add"):
        perturb("rain.jsonl", "--task", "nli", "--kind", "robustness", "--register", "--home", "h")
    arguments = ["add", "nli", "rain", "rain.jsonl", "--home", "h"]
    assert CliRunner().invoke(dataset, arguments).exit_code == 0
    with pytest.raises(InputError, match=r"dataset add nli sun rain\.jsonl"):
        perturb(
            *("rain.jsonl", "--task", "nli", "--kind", "robustness", "--register", "--home", "h"),
            *("--dataset", "sun"),
        )
    said = perturb(
        "rain.jsonl", "--task", "nli", "--kind", "robustness", "--register", "--home", "h"
    )

    assert "Registered as robustness-rain, version 1" in said
    shown = CliRunner().invoke(dataset, ["list", "nli", "--home", "h", "--json"])
    assert "robustness-rain" in shown.stdout


def test_registering_evaluates_the_models(perturb: Perturb, nli: Path) -> None:
    for group, arguments in (
        (dataset, ["add", "nli", "rain", "rain.jsonl", "--home", "h"]),
        (model, ["init", "bot", "--task", "nli", "--home", "h"]),
        (model, ["add", "nli", "bot", "bot", "--home", "h"]),
    ):
        assert CliRunner().invoke(group, arguments).exit_code == 0
    common = ("rain.jsonl", "--task", "nli", "--kind", "fairness", "--register", "--home", "h")
    said = json.loads(perturb(*common, "--json"))

    assert said["registered"]["states"] == {"bot": "done"}
    assert "no run is due" in perturb(*common, "--overwrite")


def test_a_stored_data_set_is_perturbed_by_its_name(
    perturb: Perturb, nli: Path, tmp_path: Path
) -> None:
    add = ["add", "nli", "weather", "rain.jsonl", "--home", "h"]
    assert CliRunner().invoke(dataset, add).exit_code == 0
    nli.unlink()
    stored = ("--task", "nli", "--dataset", "weather", "--kind", "fairness", "--home", "h")
    said = json.loads(perturb(*stored, "--json"))

    assert (said["originals"], said["output"]) == (2, "fairness-weather.jsonl")
    made = _made(tmp_path / "fairness-weather.jsonl")
    assert [each["input_id"] for each in made] == ["a", "a"]
    assert {each["label"] for each in made} == {"entailed"}
    printed = said["command"].split()
    assert printed[2:6] == ["add", "nli", "fairness-weather", "fairness-weather.jsonl"]
    registered = perturb(*stored, "--register", "--overwrite")
    assert "Registered as fairness-weather, version 1" in registered
    with pytest.raises(InputError, match="is itself a perturbed set"):
        perturb(
            *("--task", "nli", "--dataset", "fairness-weather", "--kind", "fairness"),
            *("--home", "h", "-o", "again.jsonl"),
        )
    with pytest.raises(InputError, match=r"No data set 'wether' is stored here\. Near: 'weather'"):
        perturb("--task", "nli", "--dataset", "wether", "--kind", "fairness", "--home", "h")


@pytest.mark.parametrize("as_option", [True, False])
def test_a_data_set_in_an_object_store_is_perturbed(
    as_option: bool, perturb: Perturb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "s3://data/deep/rain.jsonl"
    with s3_server(monkeypatch, "data"):
        open_objects("s3://data", folder=tmp_path).put("deep/rain.jsonl", _lines(*NLI).encode())
        add = ["add", "nli", "weather", address, "--home", "h"]
        assert CliRunner().invoke(dataset, add).exit_code == 0
        named = ("--dataset", address) if as_option else (address,)
        said = perturb(*named, "--task", "nli", "--kind", "fairness", "--register", "--home", "h")

    assert "2 originals, 2 variants" in said
    assert "Wrote fairness-rain.jsonl" in said
    assert "Registered as fairness-weather, version 1" in said
    assert len(_made(tmp_path / "fairness-rain.jsonl")) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--kind", "fairness"], "Give FILE, or --task and --dataset, and --kind; or --list."),
        (["--dataset", "x", "--kind", "fairness"], "Which task has the data set 'x'?"),
        (["--task", "nli", "--dataset", "x"], "and --kind"),
        (["none.jsonl", "--task", "nli", "--kind", "fairness"], "'none.jsonl' does not exist"),
        (["--task", "nli", "--kind", "kindness"], "is not one of"),
    ],
)
def test_usage_errors(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(command, arguments)
    assert said.exit_code == 2
    assert message in said.output


@pytest.mark.parametrize("name", ["rain", "weather"])
def test_the_printed_command_registers_the_result(perturb: Perturb, nli: Path, name: str) -> None:
    add = ["add", "nli", name, "rain.jsonl", "--home", "h"]
    assert CliRunner().invoke(dataset, add).exit_code == 0
    said = json.loads(
        perturb("rain.jsonl", "--task", "nli", "--kind", "fairness", "--home", "h", "--json")
    )
    printed = said["command"].split()

    assert printed[:5] == ["palaver", "dataset", "add", "nli", f"fairness-{name}"]
    assert CliRunner().invoke(dataset, printed[2:]).exit_code == 0


def test_a_data_set_that_is_called_after_the_file_goes_first(perturb: Perturb, nli: Path) -> None:
    for name in ("rain", "weather"):
        add = ["add", "nli", name, "rain.jsonl", "--home", "h"]
        assert CliRunner().invoke(dataset, add).exit_code == 0
    said = perturb("rain.jsonl", "--task", "nli", "--kind", "fairness", "--home", "h")
    assert "--parent rain --kind fairness" in said


def test_an_engine_makes_the_same_file(perturb: Perturb, nli: Path, tmp_path: Path) -> None:
    common = ("rain.jsonl", "--task", "nli", "--kind", "robustness")
    perturb(*common, "-o", "one.jsonl")
    perturb(*common, "-o", "two.jsonl", "--engine", "local://3")

    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    with pytest.raises(PalaverError, match="No engine 'sparc'"):
        perturb(*common, "-o", "three.jsonl", "--engine", "sparc://x")
    assert not (tmp_path / "three.jsonl").exists()


def test_lines_of_text_need_no_task(perturb: Perturb, tmp_path: Path) -> None:
    (tmp_path / "said.txt").write_text("Where is the king?\n\nHe is here.\n")
    perturb("said.txt", "--kind", "fairness")

    assert _made(tmp_path / "fairness-said.jsonl") == [
        {"uid": "1_gendered_words", "input_id": "1", "text": "Where is the queen?"},
        {"uid": "3_gendered_words", "input_id": "3", "text": "She is here."},
    ]


@pytest.mark.parametrize(
    "record",
    [
        {"id": "d", "turns": TURNS},
        {"uid": "d", "turns": [{"speaker": s, "text": t} for s, t in TURNS]},
        {
            "id": "d",
            "messages": [
                {"role": "user" if s == "user" else "assistant", "content": t} for s, t in TURNS
            ],
        },
    ],
)
def test_dialogues_in_any_shape(perturb: Perturb, tmp_path: Path, record: dict[str, Any]) -> None:
    (tmp_path / "talk.jsonl").write_text(_lines(record))
    said = perturb("talk.jsonl", "--kind", "dialogue", "--only", "turn_repetition")
    (made,) = _made(tmp_path / "dialogue-talk.jsonl")

    assert made["uid"] == "d_turn_repetition"
    assert len(made["turns"]) == 4
    assert {turn["speaker"] for turn in made["turns"]} == {"user", "system"}
    assert "    + user:" in said or "    + system:" in said


def test_a_dialogue_task_is_perturbed_and_registered(perturb: Perturb, tmp_path: Path) -> None:
    turns = [{"speaker": s, "text": t} for s, t in TURNS]
    (tmp_path / "talk.jsonl").write_text(_lines({"uid": "d", "turns": turns, "response": "When?"}))
    add = ["add", "response-generation", "talk", "talk.jsonl", "--home", "h"]
    assert CliRunner().invoke(dataset, add).exit_code == 0
    said = perturb(
        *("talk.jsonl", "--task", "response-generation", "--kind", "dialogue"),
        *("--register", "--home", "h"),
    )

    assert "1 original, 5 variants" in said
    assert "Registered as dialogue-talk" in said


def test_a_gzip_file_with_a_byte_order_mark(perturb: Perturb, tmp_path: Path) -> None:
    content = "\ufeff" + _lines(*NLI)
    (tmp_path / "rain.jsonl.gz").write_bytes(gzip.compress(content.encode()))
    perturb("rain.jsonl.gz", "--task", "nli", "--kind", "fairness")

    assert len(_made(tmp_path / "fairness-rain.jsonl")) == 2


def test_a_function_of_ones_own(perturb: Perturb, nli: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def shout(text, random):\n    return text + '!'\n")
    perturb("rain.jsonl", "--task", "nli", "--kind", "robustness", "--only", "mine:shout")

    assert _made(tmp_path / "robustness-rain.jsonl")[0]["hypothesis"] == "John has it.!"


def test_a_function_of_ones_own_is_of_the_kind_that_is_asked_for(
    perturb: Perturb, nli: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(
        "def wide(text, random):\n    return text.replace(' ', '  ')\n"
    )
    only = ("--only", "mine:wide")
    robust = perturb("rain.jsonl", "--task", "nli", "--kind", "robustness", *only)
    fair = perturb("rain.jsonl", "--task", "nli", "--kind", "fairness", *only)

    assert "2 originals, 2 variants" in robust
    assert "2 originals, 0 variants" in fair
    assert "nothing to register" in fair


def test_the_list(perturb: Perturb) -> None:
    assert "ethnic_names" in perturb("--list")
    found = json.loads(perturb("--list", "--kind", "dialogue", "--json"))["perturbations"]
    assert [each["name"] for each in found] == [
        *("dropped_context", "topic_jump", "typo_user", "persona_switch", "turn_repetition")
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (_lines(NLI[0], NLI[0]), r"rain.jsonl:2: the uid 'a' is already used in line 1"),
        (_lines(NLI[0], {**NLI[1], "uid": ""}), r"rain.jsonl:2: The item has no 'uid'"),
        (_lines(NLI[0], {**NLI[1], "label": "maybe"}), r"rain.jsonl:2: Item b: 'label'"),
        (_lines({"uid": "a", "context": "x"}), r"rain.jsonl:1: Item a.*'hypothesis'"),
        (_lines(NLI[0]) + '\n{"uid": "b", "con', r"rain.jsonl:2"),
        ("", "no item"),
        ("<!doctype html>", "web page"),
    ],
)
def test_bad_input_is_named(perturb: Perturb, nli: Path, content: str, said: str) -> None:
    nli.write_text(content)
    with pytest.raises(PalaverError, match=said):
        perturb("rain.jsonl", "--task", "nli", "--kind", "fairness")
    assert not nli.with_name("fairness-rain.jsonl").exists()


def test_a_record_without_a_dialogue_is_named(perturb: Perturb, nli: Path) -> None:
    with pytest.raises(InputError, match=r"rain\.jsonl:1: Item a has no dialogue"):
        perturb("rain.jsonl", "--kind", "dialogue")


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the shared data sets are not here")
@pytest.mark.parametrize("kind", ["fairness", "robustness"])
def test_answers_stay_in_real_passages(perturb: Perturb, tmp_path: Path, kind: str) -> None:
    source = str(SAMPLES / "mrqa_newsqa_sample.jsonl")
    said = json.loads(perturb(source, "--task", "qa", "--kind", kind, "-o", "out.jsonl", "--json"))
    made = _made(tmp_path / "out.jsonl")

    assert said["variants"] == len(made) > said["originals"]
    assert all(each["gold_lost"] == 0 for each in said["perturbations"].values())
    for each in made:
        answers = each["answer"] if isinstance(each["answer"], list) else [each["answer"]]
        assert all(answer in each["context"] for answer in answers)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the shared data sets are not here")
def test_a_data_set_of_others_is_read(perturb: Perturb, tmp_path: Path) -> None:
    source = str(SAMPLES / "hatecheck_sample.csv")
    perturb(source, "--task", "hs", "--kind", "robustness", "--only", "typos", "-o", "out.jsonl")
    made = _made(tmp_path / "out.jsonl")

    assert {each["label"] for each in made} <= {"hateful", "not-hateful"}
    assert all(each["uid"] == f"{each['input_id']}_typos" for each in made)


def test_wishes_that_cannot_be_met(perturb: Perturb, nli: Path) -> None:
    with pytest.raises(InputError, match="has no dialogue among its fields"):
        perturb("rain.jsonl", "--task", "nli", "--kind", "dialogue")
    with pytest.raises(InputError, match="Name the task with --task"):
        perturb("rain.jsonl", "--kind", "fairness")
    with pytest.raises(PalaverError, match="Near: 'typos'"):
        perturb("rain.jsonl", "--task", "nli", "--kind", "robustness", "--only", "typo")
    with pytest.raises(PalaverError, match="No task 'nlp'"):
        perturb("rain.jsonl", "--task", "nlp", "--kind", "fairness")
    perturb("rain.jsonl", "--task", "nli", "--kind", "fairness")
    with pytest.raises(InputError, match="already exists"):
        perturb("rain.jsonl", "--task", "nli", "--kind", "fairness")
    perturb("rain.jsonl", "--task", "nli", "--kind", "fairness", "--overwrite")
