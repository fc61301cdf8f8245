"""The Hydra configuration of a project, typed: what the platform read out of it, and what it did not.

Defaults are the platform's own. A key that its code does not know is kept in `unknown`, to be
reported. Other files that `defaults` names are read first, from the same folder.

`model_opts.yaml` has a ParlAI command line for each model. A class of the project is attached as
`kind: agent`; any other model becomes a system of the kind `unconfigured`, whose note keeps the command
line for whoever puts a system of their own in its place, or runs it where ParlAI is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import InputError, StudyError
from palaver.formats.chateval.agents import internal_agent
from palaver.formats.chateval.located import MarkedFile, read_yaml
from palaver.formats.chateval.project import TASK_DIR, Project
from palaver.formats.json_places import Steps

_INTERPOLATION = re.compile(r"\$\{([\w.]+)\}")
_DEEPEST = 10
_BLOCKED = "worker_blocklist_paths"
NEEDED = "conversations_needed_string"
NEEDED_FORM = "'model:20' or 'modelA|modelB:20', several of them separated by commas"


class Blueprint(msgspec.Struct, frozen=True, kw_only=True):
    """`mephisto.blueprint`."""

    do_collect_dialogue: bool = False
    do_external_annotations: bool = True
    num_bots: int = 1
    conversations_needed_string: str | None = None
    num_turns: int = 6
    max_resp_time: int = 180
    conversation_start_mode: str = "hi"
    include_persona: bool = False
    check_acceptability: bool = False
    do_interactive_online_annotations: str | None = ""
    do_interactive_offline_annotations: list[list[str]] = []
    annotation_duration_in_seconds: int = 300
    annotations_config_path: str | None = ""
    data_jsonl: str | None = None
    gold_jsonl: str | None = None
    screen_json: str | None = None
    allowed_gold_mistakes: int = 0
    model_opt_path: str | None = None
    left_pane_text_path: str | None = None
    chat_startup_instructions_path: str | None = None
    task_config_path: str | None = None
    custom_source_dir: str | None = None
    world_file: str | None = None
    task_model_parallel: bool = True
    max_concurrent_responses: int = 1
    random_seed: int = 42
    override_opt: dict[str, Any] = {}
    worker_blocklist_paths: str | None = None
    onboard_task_data_path: str | bool | None = False
    final_rating_question: Any = None
    context_seed: Any = None
    max_onboard_time: Any = None
    block_qualification: str | None = None
    gold_qualification_base: str | None = None
    passed_qualification_name: str | None = None
    use_golds: bool = False
    min_golds: int = 1
    max_incorrect_golds: int = 0
    use_screening_task: bool = False
    max_screening_units: int | None = None
    onboarding_qualification: str | None = None


class MephistoTask(msgspec.Struct, frozen=True, kw_only=True):
    """`mephisto.task`."""

    task_name: str = "task"
    task_title: str = ""
    task_description: str = ""
    task_reward: float = 0.0
    task_tags: str | list[str] = ""
    assignment_duration_in_seconds: int = 1800
    allowed_concurrent: int = 0
    maximum_units_per_worker: int = 0
    max_num_concurrent_units: int = 0


class Architect(msgspec.Struct, frozen=True, kw_only=True):
    """`mephisto.architect`."""

    hostname: str = "localhost"
    port: str | int = "3000"


# The parts that are typed, and the keys beside them that are known and say nothing here.
PARTS: dict[Steps, type[msgspec.Struct]] = {
    ("mephisto", "blueprint"): Blueprint,
    ("mephisto", "task"): MephistoTask,
    ("mephisto", "architect"): Architect,
}
OTHERS = (
    ("defaults",),
    ("mephisto", "log_level"),
    ("monitoring_log_rate",),
    ("mturk", "worker_blocklist_paths"),
    ("mephisto", "provider"),
)


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration as the platform would run it."""

    marked: MarkedFile
    blueprint: Blueprint
    task: MephistoTask
    architect: Architect
    # 'mock' or one of MTurk's; 'local' or 'heroku'.
    provider: str = "mock"
    architect_kind: str = "local"
    # Files with people who may not take part.
    blocklists: tuple[str, ...] = ()
    # Keys that are in the file, as `part.key`, and those of them that nobody reads.
    given: frozenset[str] = frozenset()
    # Keys beside the parts that are in the file, by their steps.
    beside: frozenset[tuple[str, ...]] = frozenset()
    unknown: tuple[str, ...] = ()

    def problem(self, key: str, message: str, *, part: str = "blueprint") -> StudyError:
        return self.marked.error(("mephisto", part, key), message)


def read_config(project: Project, name: str) -> Config:
    """The configuration called `name`; StudyError where it cannot be understood."""
    file = project.conf_file(name)
    marked = _merged(file, project, ())
    _check_shape(marked)
    data = {key: value for key, value in marked.data.items() if key != "defaults"}
    resolved = _resolve(data, data, marked, ())
    mephisto = resolved.get("mephisto", {})
    groups = _groups(marked)
    parts = {
        steps: _convert(kind, mephisto.get(steps[-1]) or {}, marked, steps)
        for steps, kind in PARTS.items()
    }
    blueprint, task, architect = parts.values()
    assert isinstance(blueprint, Blueprint)
    assert isinstance(task, MephistoTask)
    assert isinstance(architect, Architect)
    written = (blueprint.worker_blocklist_paths, _beneath(resolved, "mturk").get(_BLOCKED))
    return Config(
        marked=marked,
        blueprint=blueprint,
        task=task,
        architect=architect,
        provider=groups.get("/mephisto/provider", "mock"),
        architect_kind=groups.get("/mephisto/architect", "local"),
        blocklists=tuple(path for text in written for path in _listed(text)),
        given=frozenset(f"{s[-1]}.{key}" for s in PARTS for key in _beneath(mephisto, str(s[-1]))),
        beside=frozenset(steps for steps in OTHERS if _is_given(marked.data, steps)),
        unknown=tuple(_unknown(marked.data)),
    )


@dataclass(frozen=True, slots=True)
class Needed:
    """One condition: the models in the order written, and how many conversations are needed."""

    models: tuple[str, ...]
    count: int


def conversations_needed(config: Config) -> list[Needed]:
    """The conditions of a configuration; StudyError where they cannot be held here."""
    written = config.blueprint.conversations_needed_string
    if written is None:
        raise config.problem(NEEDED, f"'{NEEDED}' is missing; it takes {NEEDED_FORM}.")
    needed = [_condition(config, part) for part in written.split(",")]
    sizes = {len(each.models) for each in needed}
    if len(sizes) > 1:
        raise config.problem(
            NEEDED, f"'{NEEDED}' mixes single models with pairs. Make two studies: one of each."
        )
    if max(sizes) > 2:
        raise config.problem(
            NEEDED,
            f"'{NEEDED}' names {max(sizes)} models at once; one or two can be compared here.",
        )
    return needed


def read_model_options(file: Path) -> dict[str, str]:
    """The command line of each model; StudyError where one is not text."""
    marked = read_yaml(file)
    for name, flags in marked.data.items():
        if not isinstance(flags, str):
            raise marked.error(
                (str(name),), f"Model '{name}' takes ParlAI's options as text; got {flags!r}."
            )
    return {str(name): " ".join(flags.split()) for name, flags in marked.data.items()}


def system_entry(project: Project, model: str, options: dict[str, str]) -> dict[str, Any]:
    """A model as a system of a study file."""
    flags = options.get(model)
    if flags is None:
        note = f"The model '{model}' is not in any model_opts.yaml."
        return {"kind": "unconfigured", "note": note}
    note = f"A ParlAI model: {flags}"
    try:
        agent = internal_agent(project, flags)
    except InputError as error:
        return {"kind": "unconfigured", "note": f"{note} ({error})"}
    return {"kind": "unconfigured", "note": note} if agent is None else agent.entry(flags)


def _merged(file: Path, project: Project, seen: tuple[Path, ...]) -> MarkedFile:
    """A file with the files that its `defaults` name laid under it."""
    marked = read_yaml(file)
    if file in seen:
        raise marked.error(("defaults",), f"'defaults' leads back to {file.name}.")
    data: dict[str, Any] = {}
    for entry in _entries(marked.data.get("defaults")):
        for group, value in entry.items():
            beneath = project.confs / f"{value}.yaml"
            if not group.startswith("/mephisto/") and beneath.is_file():
                data = _laid_over(data, _merged(beneath, project, (*seen, file)).data)
    return MarkedFile(marked.file, _laid_over(data, marked.data), marked.locate)


def _entries(defaults: Any) -> Iterator[dict[str, str]]:
    for entry in defaults if isinstance(defaults, list) else []:
        if isinstance(entry, dict):
            yield {str(key): str(value) for key, value in entry.items()}
        elif entry != "_self_":
            yield {"": str(entry)}


def _laid_over(lower: dict[str, Any], upper: dict[str, Any]) -> dict[str, Any]:
    both = {**lower, **upper}
    for key in lower.keys() & upper.keys():
        if isinstance(lower[key], dict) and isinstance(upper[key], dict):
            both[key] = _laid_over(lower[key], upper[key])
    return both


def _check_shape(marked: MarkedFile) -> None:
    mephisto = marked.data.get("mephisto")
    if not isinstance(mephisto, dict) or not isinstance(mephisto.get("blueprint"), dict):
        raise marked.error(
            ("mephisto",),
            "This is not a configuration of the platform: 'mephisto.blueprint' is missing.",
        )
    for steps in PARTS:
        part = mephisto.get(str(steps[-1]))
        if part is not None and not isinstance(part, dict):
            raise marked.error(steps, f"'{steps[-1]}' takes a mapping; got {part!r}.")


def _resolve(value: Any, root: dict[str, Any], marked: MarkedFile, steps: Steps) -> Any:
    """The value with `${part.key}` replaced; `${task_dir}` stays for the project to find."""
    if isinstance(value, dict):
        return {key: _resolve(v, root, marked, (*steps, str(key))) for key, v in value.items()}
    if isinstance(value, list):
        return [_resolve(v, root, marked, (*steps, n)) for n, v in enumerate(value)]
    for _ in range(_DEEPEST):
        found = isinstance(value, str) and [
            match for match in _INTERPOLATION.finditer(value) if match.group() != TASK_DIR
        ]
        if not found:
            return value
        match = found[0]
        named = _at(root, match.group(1))
        if named is None or isinstance(named, dict | list):
            raise marked.error(
                steps, f"'{match.group()}' does not name anything in this configuration."
            )
        value = named if value == match.group() else value.replace(match.group(), str(named))
    raise marked.error(steps, f"'{value}' is circular.")


def _at(root: Any, path: str) -> Any:
    for key in path.split("."):
        root = root.get(key) if isinstance(root, dict) else None
    return root


def _is_given(data: Any, steps: tuple[str, ...]) -> bool:
    for key in steps[:-1]:
        data = data.get(key) if isinstance(data, dict) else None
    return isinstance(data, dict) and steps[-1] in data


def _convert(
    kind: type[msgspec.Struct], given: dict[str, Any], marked: MarkedFile, steps: Steps
) -> msgspec.Struct:
    # A key that is written and left empty means its default, as in the platform.
    values = {key: value for key, value in given.items() if value is not None}
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at ")
        key = re.findall(r"\.(\w+)", where)[:1]
        subject = f"'{key[0]}'" if key else f"'{steps[-1]}'"
        raise marked.error((*steps, *key), f"{subject}: {message}.") from error


def _groups(marked: MarkedFile) -> dict[str, str]:
    """What `defaults` chooses of the platform's own parts."""
    return {
        group: value
        for entry in _entries(marked.data.get("defaults"))
        for group, value in entry.items()
    }


def _unknown(data: dict[str, Any]) -> Iterator[str]:
    known = set(OTHERS)
    for steps, kind in PARTS.items():
        known |= {tuple(map(str, (*steps, name))) for name in kind.__struct_fields__}
    for path in _leaves(data, ()):
        if not any(path[: len(steps)] == steps for steps in known):
            yield ".".join(map(str, path))


def _leaves(data: Any, steps: Steps) -> Iterator[Steps]:
    # The parts are two deep; what stands under a key of theirs is its value.
    if isinstance(data, dict) and len(steps) < 3:
        for key, value in data.items():
            yield from _leaves(value, (*steps, str(key)))
    elif steps:
        yield steps


def _beneath(data: dict[str, Any], key: str) -> dict[str, Any]:
    part = data.get(key)
    return part if isinstance(part, dict) else {}


def _listed(written: Any) -> list[str]:
    return [part.strip() for part in str(written or "").split(",") if part.strip()]


def _condition(config: Config, part: str) -> Needed:
    names, colon, count = part.rpartition(":")
    models = tuple(name.strip() for name in names.split("|"))
    count = count.strip()
    if not colon or not all(models) or not (count.isascii() and count.isdecimal()):
        raise config.problem(NEEDED, f"'{NEEDED}' takes {NEEDED_FORM}; got '{part.strip()}'.")
    return Needed(models, int(count))
