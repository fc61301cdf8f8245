"""Hydra configurations: typed, resolved, and errors with file, line and key."""

from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, StudyError
from palaver.formats.chateval.config import (
    Config,
    conversations_needed,
    read_config,
    read_model_options,
    system_entry,
)
from palaver.formats.chateval.project import Project, find_project
from palaver.formats.chateval.prose import markdown_of
from support.chateval import COLLECTING, JUDGING, write_project
from support.shared import ABC_EVAL

real_files = pytest.mark.skipif(not ABC_EVAL.exists(), reason="the shared files are not here")


def _config(tmp_path: Path, blueprint: dict[str, Any], **given: Any) -> Config:
    return read_config(find_project(write_project(tmp_path, blueprint, **given)), "own")


@real_files
@pytest.mark.parametrize(
    ("name", "reward", "unknown"),
    [
        ("empathy", 0.32, ()),
        ("comparative.yaml", 0.8, ()),
        ("collect_dialogues", 1.0, ("mephisto.blueprint.units_per_assignment",)),
    ],
)
def test_the_platforms_own_configurations(
    name: str, reward: float, unknown: tuple[str, ...]
) -> None:
    config = read_config(find_project(ABC_EVAL), name)
    assert config.task.task_reward == reward
    assert config.unknown == unknown
    assert config.provider == "mock"


def test_a_checkout_and_the_folder_inside_it_are_the_same(tmp_path: Path) -> None:
    checkout = write_project(tmp_path, JUDGING)
    inner = checkout / "collection_and_annotations"
    assert find_project(checkout) == find_project(inner)
    assert find_project(checkout).locate("${task_dir}/task_config/model_opts.yaml") is not None
    assert find_project(checkout).locate("${task_dir}/task_config/none.yaml") is None


def test_defaults_and_interpolation(tmp_path: Path) -> None:
    blueprint = {"num_turns": "8", "random_seed": "${mephisto.blueprint.num_turns}"}
    config = _config(tmp_path, blueprint)
    assert (config.blueprint.num_turns, config.blueprint.random_seed) == (8, 8)
    assert config.blueprint.max_resp_time == 180
    assert config.architect.port == "3000"


def test_a_file_named_in_defaults_is_laid_under(tmp_path: Path) -> None:
    folder = write_project(
        tmp_path, {"num_turns": 8}, defaults=["base", {"/mephisto/provider": "mturk"}]
    )
    base = folder / "collection_and_annotations" / "hydra_configs" / "conf" / "base.yaml"
    base.write_text("mephisto:\n  blueprint:\n    num_turns: 2\n    max_resp_time: 99\n")
    config = read_config(find_project(folder), "own")
    assert (config.blueprint.num_turns, config.blueprint.max_resp_time) == (8, 99)
    assert config.provider == "mturk"


@pytest.mark.parametrize(
    ("blueprint", "message"),
    [
        ({"num_turns": "many"}, "'num_turns': "),
        ({"do_interactive_offline_annotations": ["quality"]}, "do_interactive_offline_annotations"),
        ({"data_jsonl": "${nothing}/x"}, "'${nothing}' does not name anything"),
    ],
)
def test_what_is_wrong_names_file_line_and_key(
    tmp_path: Path, blueprint: dict[str, Any], message: str
) -> None:
    with pytest.raises(StudyError) as raised:
        _config(tmp_path, blueprint)
    [problem] = raised.value.problems
    assert message in problem.message
    assert problem.file.endswith("own.yaml")
    assert problem.line > 5


def test_no_such_configuration(tmp_path: Path) -> None:
    project = find_project(write_project(tmp_path, JUDGING))
    with pytest.raises(InputError, match=r"There is no configuration 'owm'.*Near: 'own'"):
        read_config(project, "owm")


def test_no_such_project(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a project of the ChatEvaluationPlatform"):
        find_project(tmp_path)
    with pytest.raises(InputError, match="There is no folder"):
        find_project(tmp_path / "none")


def test_no_blueprint(tmp_path: Path) -> None:
    folder = write_project(tmp_path, JUDGING)
    conf = folder / "collection_and_annotations" / "hydra_configs" / "conf" / "own.yaml"
    conf.write_text("mephisto: {task: {}}\n")
    with pytest.raises(StudyError, match=r"own\.yaml:1:1: .*'mephisto\.blueprint' is missing"):
        read_config(find_project(folder), "own")
    conf.write_text("a: [\n")
    with pytest.raises(StudyError, match=r"own\.yaml:2:1: Not YAML"):
        read_config(find_project(folder), "own")


def test_conversations_needed(tmp_path: Path) -> None:
    needed = conversations_needed(_config(tmp_path, COLLECTING))
    assert [(each.models, each.count) for each in needed] == [
        (("tern", "plover"), 20),
        (("tern", "gull"), 5),
    ]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("tern", "takes 'model:20'"),
        ("tern:x", "got 'tern:x'"),
        ("tern|:3", "got 'tern|:3'"),
        ("tern:3,tern|plover:3", "mixes single models with pairs"),
        ("a|b|c:3", "names 3 models at once"),
        (None, "is missing"),
    ],
)
def test_conversations_needed_that_cannot_be_held(
    tmp_path: Path, written: str | None, message: str
) -> None:
    config = _config(tmp_path, {**COLLECTING, "conversations_needed_string": written})
    with pytest.raises(StudyError) as raised:
        conversations_needed(config)
    assert message in raised.value.problems[0].message
    assert raised.value.problems[0].line > 5


def test_models(tmp_path: Path) -> None:
    file = tmp_path / "model_opts.yaml"
    file.write_text("tern: >\n    --model-file zoo:tern\n    --topk 40\n\nplover: --model p\n")
    options = read_model_options(file)
    assert options == {"tern": "--model-file zoo:tern --topk 40", "plover": "--model p"}
    project = Project(tmp_path, tmp_path)
    tern = system_entry(project, "tern", options)
    assert tern["note"].endswith("--model-file zoo:tern --topk 40")
    assert "not in any model_opts.yaml" in system_entry(project, "gull", options)["note"]
    file.write_text("tern: {a: 1}\n")
    with pytest.raises(StudyError, match=r"model_opts\.yaml:1:1: Model 'tern'"):
        read_model_options(file)


AGENT = "import json\nclass RainBotAgent:\n    def observe(self, m): ...\n    def act(self): ...\n"


@pytest.mark.parametrize(
    "flags", ["--model internal:rain_bot", "-m internal:rain_bot:RainBotAgent"]
)
def test_a_class_of_the_project_is_attached(tmp_path: Path, flags: str) -> None:
    file = tmp_path / "parlai_internal" / "agents" / "rain_bot" / "rain_bot.py"
    file.parent.mkdir(parents=True)
    inner = tmp_path / "collection_and_annotations"
    project = Project(inner, inner / "conf")
    missing = system_entry(project, "rain", {"rain": flags})
    assert missing["kind"] == "unconfigured"
    assert "rain_bot.py is not in the project" in missing["note"]
    file.write_text(AGENT)
    attached = system_entry(project, "rain", {"rain": f"{flags} --beam-size 3 --quiet"})
    assert attached == {
        "kind": "agent",
        "class": "parlai_internal.agents.rain_bot.rain_bot:RainBotAgent",
        "path": str(tmp_path.resolve()),
        "opt": {
            flags.split()[0].strip("-"): flags.split()[1],
            "beam_size": "3",
            "quiet": True,
        },
    }
    file.write_text("from parlai.core.agents import Agent\n" + AGENT)
    elsewhere = system_entry(project, "rain", {"rain": flags})
    assert (elsewhere["kind"], elsewhere["flags"]) == ("agent", flags)
    assert "environment that has parlai" in elsewhere["python"]["unconfigured"]


@pytest.mark.parametrize(
    ("code", "message"),
    [("x = 1", "has no class 'RainAgent'"), ("class {", "is not Python that can be read")],
)
def test_a_class_that_is_not_there(tmp_path: Path, code: str, message: str) -> None:
    file = tmp_path / "parlai_internal" / "agents" / "rain" / "rain.py"
    file.parent.mkdir(parents=True)
    file.write_text(code)
    entry = system_entry(Project(tmp_path, tmp_path), "rain", {"rain": "--model internal:rain"})
    assert entry["kind"] == "unconfigured"
    assert message in entry["note"]


def test_html_becomes_markdown() -> None:
    html = (
        "<h2>Welcome!</h2><br/><p>Please <b>do</b> read&nbsp;this.<br/>Twice.</p><script>x</script>"
    )
    assert markdown_of(html) == "## Welcome!\n\nPlease **do** read this.\nTwice."
