"""A project of the ChatEvaluationPlatform becomes a study that loads, with a report of everything."""

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from palaver.core.errors import InputError, StudyError
from palaver.formats.chateval.config import Architect, Blueprint, MephistoTask
from palaver.formats.pseudonyms import origin_pseudonym
from palaver.studies.check import check_study
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_study
from palaver.studies.intake.chateval import ImportReport, import_project
from palaver.studies.intake.materials import load_material
from palaver.studies.run.participation import is_blocked
from palaver.studies.stages import ChatStage, RateStage, ScreenStage
from support.chateval import (
    BUCKETS,
    COLLECTING,
    JUDGING,
    OTHER_TURNS,
    dialogue,
    training,
    write_json,
    write_lines,
    write_project,
)
from support.shared import ABC_EVAL

real_files = pytest.mark.skipif(not ABC_EVAL.exists(), reason="the shared files are not here")
SALT = "pepper"


def _fields(kind: type[msgspec.Struct]) -> list[tuple[str, Any]]:
    return [(field.name, field) for field in msgspec.structs.fields(kind)]


def _import(tmp_path: Path, blueprint: dict[str, Any], **given: Any) -> tuple[Study, ImportReport]:
    folder = write_project(tmp_path / "checkout", blueprint, **given)
    report = import_project(folder, "own", tmp_path / "study", salt=SALT)
    return load_study(tmp_path / "study"), report


@real_files
@pytest.mark.parametrize("name", ["empathy", "comparative", "collect_dialogues"])
def test_the_platforms_own_projects(tmp_path: Path, name: str) -> None:
    report = import_project(ABC_EVAL, name, tmp_path / name)
    study = load_study(tmp_path / name)
    assert study.name == name.replace("_", "-")
    assert study.crowd.kind == "chateval"
    problems = [p for p in check_study(tmp_path / name) if not p.warning]
    assert problems == []
    assert (tmp_path / name / "import-report.md").read_text() == report.text()
    text = "".join(f.read_text() for f in (tmp_path / name).rglob("*") if f.is_file())
    assert "w266cfda7" not in text


def test_judging(tmp_path: Path) -> None:
    study, report = _import(
        tmp_path,
        JUDGING,
        task={"task_reward": 0.32, "allowed_concurrent": 3, "maximum_units_per_worker": 9},
    )
    screen, rate = study.stages
    assert isinstance(screen, ScreenStage)
    assert screen.passing is not None
    assert (screen.passing.rounds, screen.passing.mistakes) == ((3,), 2)
    assert (screen.ask, screen.at_most, screen.qualification) == ("mood", 7, "mood_screen")
    assert isinstance(rate, RateStage)
    assert (rate.at_once, rate.per_rater, rate.per_visit, rate.order) == (3, 9, 1, "file")
    assert (rate.time_limit, rate.shuffle, rate.origin_salt) == (300.0, True, SALT)
    assert study.pay is not None
    assert (study.pay.amount, study.pay.currency) == (0.32, "USD")
    [line] = (study.folder / str(rate.data)).read_text().splitlines()
    assert json.loads(line)["data"][0]["origin_worker_id"] == origin_pseudonym(SALT, "student-17")
    assert (study.folder / str(screen.training)).exists()
    assert "1 people in `origin_worker_id`" in report.pseudonymised[0]
    assert any("gold_jsonl" in line for line in report.mended)


def test_collecting(tmp_path: Path) -> None:
    study, report = _import(tmp_path, COLLECTING)
    chat, rate = study.stages
    assert isinstance(chat, ChatStage)
    assert chat.arrangement == "paired"
    assert [(c.name, c.needed) for c in chat.conditions] == [("tern|plover", 20), ("tern|gull", 5)]
    assert chat.game.options["turns"] == {"exactly": 4}
    assert [seed.text for seed in chat.seeds] == ["Hi!"]
    assert (chat.limits.message, chat.limits.idle) == (180.0, None)
    assert isinstance(rate, RateStage)
    assert (rate.ask, rate.when) == (("quality_likert", "quality_comparative"), "after_each")
    assert rate.shuffle
    assert {choice.kind for choice in study.systems.values()} == {"unconfigured"}
    assert "not in any model_opts.yaml" in str(study.systems["gull"].options["note"])
    assert len(report.unconfigured) == 3
    warnings = check_study(study.folder)
    assert warnings
    assert all(problem.warning for problem in warnings)


def test_classes_of_the_project_are_attached(tmp_path: Path) -> None:
    folder = write_project(
        tmp_path / "checkout", {**COLLECTING, "conversations_needed_string": "tern|plover:2"}
    )
    inner = folder / "collection_and_annotations" / "task_config"
    inner.joinpath("model_opts.yaml").write_text(
        "tern: --model internal:tern\nplover: --model internal:plover\n"
    )
    agent = "class {}Agent:\n    def observe(self, m): ...\n    def act(self): return {{}}\n"
    for name, code in (("Tern", agent), ("Plover", "import parlai.core\n" + agent)):
        file = folder / "parlai_internal" / "agents" / name.lower() / f"{name.lower()}.py"
        file.parent.mkdir(parents=True)
        file.write_text(code.format(name))
    report = import_project(folder, "own", tmp_path / "study")
    study = load_study(tmp_path / "study")
    assert {system.kind for system in study.systems.values()} == {"agent"}
    assert study.systems["tern"].options["class"] == "parlai_internal.agents.tern.tern:TernAgent"
    [to_do] = report.unconfigured
    assert "System 'plover': fill in `python`" in to_do
    told = [problem for problem in check_study(study.folder) if "plover" in problem.message]
    assert [problem.warning for problem in told] == [True]
    assert "'python' is missing" in told[0].message
    with pytest.raises(StudyError, match="'plover' is not configured yet"):
        load_material(study)
    text = study.file.read_text()
    start = text.index("    python:")
    end = text.index("\n", text.index("unconfigured", start))
    study.file.write_text(f"{text[:start]}    python: {sys.executable}{text[end:]}")
    assert [p for p in check_study(study.folder) if "plover" in p.message] == []


def test_single_models_and_an_online_question(tmp_path: Path) -> None:
    study, report = _import(
        tmp_path,
        {
            **COLLECTING,
            "num_bots": 1,
            "conversations_needed_string": "tern:3, plover:0",
            "do_interactive_online_annotations": "faults",
            "do_interactive_offline_annotations": [
                ["quality_likert", "mood", "quality_comparative"]
            ],
            "include_persona": True,
        },
    )
    chat, rate = study.stages
    assert isinstance(chat, ChatStage)
    assert (chat.arrangement, [c.name for c in chat.conditions]) == ("system", ["tern"])
    assert chat.online is not None
    assert (chat.online.ask, chat.online.required) == ("faults", True)
    assert isinstance(rate, RateStage)
    assert rate.ask == ("quality_likert", "mood")
    lost = dict(report.without)
    assert "nothing can be compared" in lost["quality_comparative"]
    assert "blender" in lost["include_persona"]
    assert any("silently dropped mood" in line for line in report.mended)


def test_an_optional_online_question(tmp_path: Path) -> None:
    folder = write_project(
        tmp_path / "checkout",
        {**COLLECTING, "do_interactive_online_annotations": "faults_optional"},
    )
    file = folder / "collection_and_annotations" / "task_config" / "annotation_buckets.json"
    write_json(file, {"config": {**BUCKETS, "faults_optional": BUCKETS["faults"]}})
    import_project(folder, "own", tmp_path / "study")
    chat = load_study(tmp_path / "study").chat
    assert chat is not None
    assert chat.online is not None
    assert not chat.online.required


def test_gold_in_use_and_not(tmp_path: Path) -> None:
    gold = {"gold_jsonl": "${task_dir}/task_config/gold_data/mood.jsonl"}
    folder = write_project(tmp_path / "checkout", {**JUDGING, **gold, "allowed_gold_mistakes": 5})
    answers = {"Is this reply kind?": "Yes, it is."}
    turns = [["user", "Hi!"], ["system", "Hello.", answers, None]]
    item = {"dialogue_id": "mood_gold_1", "annotation_tasks": ["mood"], "turns": turns}
    config = folder / "collection_and_annotations" / "task_config"
    write_lines(config / "gold_data" / "mood.jsonl", [{"data": [item]}])
    import_project(folder, "own", tmp_path / "off")
    text = (tmp_path / "off" / "study.yaml").read_text()
    assert "#   gold: {file: gold_data/mood.jsonl, after: 0, allowed_mistakes: 5" in text
    assert (tmp_path / "off" / "gold_data" / "mood.jsonl").exists()
    write_project(
        tmp_path / "checkout",
        {**JUDGING, **gold, "use_golds": True, "min_golds": 0, "gold_qualification_base": "mg"},
    )
    import_project(folder, "own", tmp_path / "on")
    rate = load_study(tmp_path / "on").stages[1]
    assert isinstance(rate, RateStage)
    assert rate.gold is not None
    assert (rate.gold.file, rate.gold.after, rate.gold.on_fail) == (
        "gold_data/mood.jsonl",
        4,
        "bar",
    )
    assert rate.qualification == "mg"


def test_files_that_are_not_here_become_unconfigured(tmp_path: Path) -> None:
    folder = write_project(tmp_path / "checkout", JUDGING)
    config = folder / "collection_and_annotations" / "task_config"
    for file in ("task_data/mood.jsonl", "task_data/mood_units.json", "onboarding_data/mood.json"):
        (config / file).unlink()
    report = import_project(folder, "own", tmp_path / "study")
    screen, rate = load_study(tmp_path / "study").stages
    assert isinstance(screen, ScreenStage)
    assert isinstance(rate, RateStage)
    assert not any(isinstance(f, str) for f in (screen.training, rate.data, rate.units))
    assert len(report.unconfigured) == 3
    assert all(problem.warning for problem in check_study(tmp_path / "study"))


def test_a_blocklist_holds_pseudonyms(tmp_path: Path) -> None:
    folder = write_project(
        tmp_path / "checkout",
        {**JUDGING, "worker_blocklist_paths": "${task_dir}/task_config/b.txt"},
    )
    (folder / "collection_and_annotations" / "task_config" / "b.txt").write_text("A39S\n\nB2\n")
    import_project(folder, "own", tmp_path / "study", salt=SALT)
    study = load_study(tmp_path / "study")
    assert "A39S" not in (tmp_path / "study" / "blocked.txt").read_text()
    assert is_blocked(study, "A39S")
    assert not is_blocked(study, "A39T")
    (tmp_path / "study" / "blocked.txt").write_text("A39T\n")
    assert is_blocked(study, "A39T")
    assert not is_blocked(study, "A39S")


def test_texts_become_instructions(tmp_path: Path) -> None:
    folder = write_project(
        tmp_path / "checkout",
        {**COLLECTING, "chat_startup_instructions_path": "${task_dir}/task_config/start.html"},
        task={"task_description": "<b>Chat</b> well."},
    )
    start = folder / "collection_and_annotations" / "task_config" / "start.html"
    start.write_text("<h2>Welcome</h2><p>Be kind.</p>")
    import_project(folder, "own", tmp_path / "study")
    instructions = load_study(tmp_path / "study").instructions
    assert instructions is not None
    assert instructions.strip() == "**Chat** well.\n\n## Welcome\n\nBe kind."


def test_texts_that_no_key_names_are_instructions_of_a_chat(tmp_path: Path) -> None:
    folder = write_project(tmp_path / "checkout", COLLECTING)
    config = folder / "collection_and_annotations" / "task_config"
    (config / "chat_startup_instructions.html").write_text("<p>Say hello.</p>")
    (config / "left_pane_text.html").write_text("<h4>Chat</h4>Be kind.<br/>")
    report = import_project(folder, "own", tmp_path / "study")
    study = load_study(tmp_path / "study")
    assert (study.instructions or "").strip() == "Say hello.\n\n#### Chat\n\nBe kind."
    assert study.guides == "open"
    assert dict(report.mapped)["left_pane_text.html"] == "`instructions`"
    write_project(tmp_path / "checkout", JUDGING)
    report = import_project(folder, "own", tmp_path / "judging")
    assert "about chatting" in dict(report.without)["left_pane_text.html"]
    assert load_study(tmp_path / "judging").instructions is None


def test_the_projects_own_words_explain_its_questions(tmp_path: Path) -> None:
    folder = write_project(tmp_path / "checkout", JUDGING)
    pages = folder / "collection_and_annotations" / "frontend" / "components"
    (pages / "task_descriptions").mkdir(parents=True)
    (pages / "task_descriptions" / "mood_instructions.jsx").write_text(
        "function get_mood_instructions() { return (<div><b>Warm</b> words.{today()}</div>) }"
    )
    (pages / "task_descriptions" / "mood_examples.jsx").write_text(
        "function get_mood_examples() { return (<code><span>Sam: Hi.</span></code>) }"
    )
    report = import_project(folder, "own", tmp_path / "study")
    study = load_study(tmp_path / "study")
    assert study.questions["mood"].definition.strip() == "**Warm** words.\n\n> Sam: Hi."
    assert study.guides == "open"
    mapped = dict(report.mapped)["frontend/components/task_descriptions"]
    assert mapped == "`definition` of mood, shown open (`guides: open`)"
    assert "left out of it: `today()`" in dict(report.without)["frontend, 'mood'"]


def test_what_is_not_known_is_reported(tmp_path: Path) -> None:
    _, report = _import(
        tmp_path,
        {**JUDGING, "units_per_assignment": 10, "override_opt": {"a": 1}},
        task={"task_tags": "chat", "task_name": "mood_local"},
        defaults=[{"/mephisto/provider": "mturk"}, {"/mephisto/architect": "heroku"}],
    )
    lost = dict(report.without)
    for key in (
        "mephisto.blueprint.units_per_assignment",
        "override_opt",
        "task_tags",
        "provider: mturk",
        "architect: heroku",
        "allowed_concurrent: 0",
    ):
        assert key in lost
    assert ("task_name", "`name: mood`") in report.mapped


# Every key that the platform reads, with a value that it may have.
KEYS: dict[str, Any] = {
    **{key: field.default for key, field in _fields(Blueprint)},
    "annotations_config_path": "${task_dir}/task_config/annotation_buckets.json",
    "do_interactive_offline_annotations": [],
    "override_opt": {},
    "gold_jsonl": "${task_dir}/task_config/gold_data/gone.jsonl",
    "max_screening_units": 7,
    "block_qualification": "block",
    "gold_qualification_base": "gold",
}


@pytest.mark.parametrize("mode", [JUDGING, {**JUDGING, "use_screening_task": False}, COLLECTING])
def test_every_key_has_a_line_of_its_own_in_the_report(
    tmp_path: Path, mode: dict[str, Any]
) -> None:
    folder = write_project(
        tmp_path / "checkout",
        {**KEYS, **mode},
        task={key: field.default for key, field in _fields(MephistoTask) if key != "task_name"},
    )
    conf = folder / "collection_and_annotations" / "hydra_configs" / "conf" / "own.yaml"
    whole = json.loads(conf.read_text().partition("\n")[2])
    whole["mephisto"] |= {"log_level": "debug", "architect": {"hostname": "h", "port": 1}}
    whole |= {"monitoring_log_rate": 30, "mturk": {"worker_blocklist_paths": None}}
    conf.write_text(json.dumps(whole))
    report = import_project(folder, "own", tmp_path / "study")
    told = [theirs for theirs, _ in (*report.mapped, *report.without)]
    keys = [key for kind in (Blueprint, MephistoTask, Architect) for key, _ in _fields(kind)]
    assert len(keys) == 41 + 9 + 2  # of the blueprint, the task and the architect
    for key in (*keys, "mephisto.log_level", "monitoring_log_rate"):
        assert any(theirs.partition(":")[0] == key for theirs in told), key
    # A key that was left out has one line, and no line speaks of several.
    assert not any("," in theirs for theirs, _ in report.without)


def test_ids_that_look_like_true_and_false_are_quoted(tmp_path: Path) -> None:
    study, _ = _import(tmp_path, JUDGING)
    text = study.file.read_text()
    assert 'id: "yes"' in text
    assert 'id: "no"' in text


def test_the_system_of_a_dialogue_is_found_in_its_id(tmp_path: Path) -> None:
    folder = write_project(tmp_path / "checkout", JUDGING)
    data = folder / "collection_and_annotations" / "task_config" / "task_data" / "mood.jsonl"
    one = dialogue("(440,26)_rerank_blender")
    two = dialogue("(1,2)_tern|(1,2)_rerank_blender", turns2=OTHER_TURNS)
    two["annotation_tasks"] = ["quality_comparative"]
    write_lines(data, [{"data": [one]}, {"data": [two]}])
    report = import_project(folder, "own", tmp_path / "study")
    lines = (tmp_path / "study" / "task_data" / "mood.jsonl").read_text().splitlines()
    assert [json.loads(line)["data"][0]["system"] for line in lines] == [
        "rerank_blender",
        ["tern", "rerank_blender"],
    ]
    assert "rerank_blender 2, tern 1" in dict(report.mapped)["dialogue_id"]
    assert "dialogue_id" not in dict(report.without)
    judged = load_material(load_study(tmp_path / "study")).data[1]
    named = [[t.system for p in s.parts for t in p.dialogues] for s in judged.sheets()]
    assert named == [["rerank_blender"], ["tern", "rerank_blender"]]


def test_ids_that_name_no_system_are_told_with_what_to_do(tmp_path: Path) -> None:
    _, report = _import(tmp_path, JUDGING)
    lost = dict(report.without)["dialogue_id"]
    assert "1 of 1 lines have ids that name no system, such as 'd1'" in lost
    assert "--system-from PATTERN" in lost


@pytest.mark.parametrize("pattern", ["^([a-z])", "(?P<system>d)(1)"])
def test_a_pattern_finds_the_system(tmp_path: Path, pattern: str) -> None:
    folder = write_project(tmp_path / "checkout", JUDGING)
    report = import_project(folder, "own", tmp_path / "study", system_from=pattern)
    assert "d 1" in dict(report.mapped)["dialogue_id"]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("(", "'\\(' is none: missing \\)"), ("x", "has 0 groups"), ("(a)(b)", "has 2 groups")],
)
def test_a_pattern_that_finds_nothing_is_refused(
    tmp_path: Path, pattern: str, message: str
) -> None:
    folder = write_project(tmp_path / "checkout", JUDGING)
    with pytest.raises(InputError, match=message):
        import_project(folder, "own", tmp_path / "study", system_from=pattern)


@pytest.mark.parametrize(
    ("blueprint", "message"),
    [
        ({"do_external_annotations": False}, "there is nothing to do"),
        ({**JUDGING, "data_jsonl": None}, "'data_jsonl' is missing"),
        ({**JUDGING, "screen_json": None}, "'use_screening_task' needs 'screen_json'"),
        ({**JUDGING, "use_golds": True}, "'use_golds' needs 'gold_jsonl'"),
        ({**COLLECTING, "conversation_start_mode": "bye"}, "takes 'hi' or"),
        ({**COLLECTING, "conversations_needed_string": "tern|plover:0"}, "no conversation at all"),
    ],
)
def test_a_configuration_that_cannot_be(
    tmp_path: Path, blueprint: dict[str, Any], message: str
) -> None:
    given = {"annotations_config_path": JUDGING["annotations_config_path"], **blueprint}
    with pytest.raises(StudyError) as raised:
        _import(tmp_path, given)
    [problem] = raised.value.problems
    assert message in problem.message
    assert problem.file.endswith("own.yaml")
    assert not (tmp_path / "study").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["checkout"]


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("task_data/mood.jsonl", '{"data": [{"dialogue_id": "x"}]}', r":1:1: 'annotation_tasks'"),
        ("task_data/mood.jsonl", '{"data": []}', r":1:1: A line is"),
        ("task_data/mood.jsonl", "\n{", r":2:2: Not JSON"),
        (
            "task_data/mood.jsonl",
            json.dumps({"data": [dialogue("x", annotation_tasks=["temper"])]}),
            r"names the task 'temper'",
        ),
        ("task_data/mood_units.json", '{"g1": "two"}', r"Group 'g1' takes a whole number"),
        ("task_data/mood_units.json", '{"g2": 1}', r"the group 'g1' of the data is missing"),
        ("onboarding_data/mood.json", "[]", r"A training file is a mapping"),
        (
            "onboarding_data/mood.json",
            json.dumps({"a": {**training()["mood_onboarding_1"], "pass_criteria": "x"}}),
            r"'pass_criteria' takes a whole number",
        ),
    ],
)
def test_a_file_that_is_wrong_stops_everything(
    tmp_path: Path, file: str, content: str, message: str
) -> None:
    folder = write_project(tmp_path / "checkout", JUDGING)
    (folder / "collection_and_annotations" / "task_config" / file).write_text(content)
    with pytest.raises(StudyError, match=message):
        import_project(folder, "own", tmp_path / "study")
    assert [path.name for path in tmp_path.iterdir()] == ["checkout"]


def test_a_folder_that_holds_something(tmp_path: Path) -> None:
    folder = write_project(tmp_path / "checkout", JUDGING)
    target = tmp_path / "study"
    target.mkdir()
    import_project(folder, "own", target)
    (target / "mine.txt").write_text("mine")
    with pytest.raises(
        InputError, match=r"is not empty\. Choose another folder, or add --overwrite"
    ):
        import_project(folder, "own", target)
    import_project(folder, "own", target, overwrite=True)
    assert not (target / "mine.txt").exists()
    (target / "palaver.db").write_text("")
    with pytest.raises(InputError, match="contains what a study has collected"):
        import_project(folder, "own", target, overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkout", "study"]


def test_a_blocklist_that_is_not_there(tmp_path: Path) -> None:
    blocked = {"worker_blocklist_paths": "${task_dir}/task_config/gone.txt"}
    study, report = _import(tmp_path, {**JUDGING, **blocked})
    assert study.crowd.blocked is None
    assert "MTurk only" in dict(report.without)["worker_blocklist_paths"]
    folder = write_project(
        tmp_path / "mturk", {**JUDGING, **blocked}, defaults=[{"/mephisto/provider": "mturk"}]
    )
    import_project(folder, "own", tmp_path / "asked")
    warnings = [str(problem) for problem in check_study(tmp_path / "asked")]
    assert any("'blocked' is not configured yet" in warning for warning in warnings)
    file = tmp_path / "study" / "study.yaml"
    file.write_text(file.read_text().replace("kind: chateval", "kind: chateval\n  blocked: b.txt"))
    assert any("There is no file" in str(problem) for problem in check_study(tmp_path / "study"))
    with pytest.raises(InputError, match="cannot be joined"):
        is_blocked(load_study(tmp_path / "study"), "anybody")
