"""From a project to a study folder: everything is prepared first, then put in place at once."""

import re
import shutil
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, StudyError
from palaver.formats.chateval.config import read_config
from palaver.formats.chateval.project import find_project
from palaver.formats.chateval.prose import markdown_of
from palaver.formats.chateval.task_files import read_blocklist
from palaver.formats.masking import origin_pseudonym
from palaver.studies.file.definition import load_study
from palaver.studies.home import DATABASE, STUDY_FILE
from palaver.studies.intake.chateval.chat_stage import add_chat
from palaver.studies.intake.chateval.draft import Draft, markdown_file, new_salt, shown
from palaver.studies.intake.chateval.rate_stages import add_rating
from palaver.studies.intake.chateval.report import Report
from palaver.studies.intake.chateval.unmapped import report_unmapped
from palaver.studies.intake.chateval.written import study_text

REPORT_FILE = "import-report.md"
BLOCKED_FILE = "blocked.txt"


def import_project(
    folder: Path, conf: str, target: Path, *, overwrite: bool = False, salt: str | None = None
) -> Report:
    """Write the study for a configuration into `target`; what became of everything.

    Nothing is written where something is wrong. A folder that holds something is replaced only
    with `overwrite`, and never if it holds what a study has collected.
    """
    _check_target(target, overwrite=overwrite)
    project = find_project(folder)
    config = read_config(project, conf)
    draft = Draft(project, config, new_salt(salt), Report(source=config.marked.file))
    draft.read_buckets()
    blueprint = config.blueprint
    if blueprint.do_collect_dialogue:
        add_chat(draft)
    elif blueprint.do_external_annotations:
        add_rating(draft)
    else:
        raise config.problem(
            "do_external_annotations",
            "Neither 'do_collect_dialogue' nor 'do_external_annotations' is on: there is nothing "
            "to do.",
        )
    text = _study(draft)
    draft.finish_report()
    report_unmapped(draft)
    draft.files |= {STUDY_FILE: text, REPORT_FILE: draft.report.text()}
    _put_in_place(draft.files, target)
    return draft.report


def _study(draft: Draft) -> str:
    config, task = draft.config, draft.config.task
    name = _name(task.task_name)
    report = draft.report
    report.map("task_name", f"`name: {name}`")
    report.map("task_title", "`title`")
    pay = None
    if task.task_reward:
        pay = {"amount": float(task.task_reward), "currency": "USD"}
        report.map("task_reward", "`pay`, in US dollars")
    instructions = _instructions(draft)
    crowd: dict[str, Any] = {"kind": "chateval", **_blocked(draft)}
    report.map("?worker_id=…&assignment_id=…", "`crowd.kind: chateval`")
    head = [
        f"Imported from {Path(config.marked.file).name} of a ChatEvaluationPlatform project.",
        f"What became of every key is in {REPORT_FILE}.",
    ]
    return study_text(
        head,
        [
            ("title", task.task_title or name, ["From task_title and task_name."]),
            ("name", name, []),
            ("instructions", instructions, ["From task_description and the project's HTML files."]),
            ("pay", pay, ["From task_reward."]),
            ("crowd", crowd, ["People arrive with ?worker_id=…&assignment_id=…, as before."]),
            (
                "systems",
                draft.systems,
                [
                    "From model_opts.yaml. ParlAI's models cannot run here: put your own systems",
                    "in their places. 'palaver serve' refuses until then.",
                ],
            ),
            (
                "questions",
                draft.questions,
                ["From annotation_buckets.json. SPEAKER_X and SPEAKER_Y become names on the page."],
            ),
            ("stages", draft.stages, draft.remarks),
        ],
    )


def _name(task_name: str) -> str:
    plain = task_name.removesuffix("_local").lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:64] or "study"


def _instructions(draft: Draft) -> str | None:
    blueprint, task = draft.config.blueprint, draft.config.task
    pieces = [markdown_of(task.task_description)]
    if pieces[0]:
        draft.report.map("task_description", "`instructions`")
    for key in ("chat_startup_instructions_path", "left_pane_text_path"):
        written = getattr(blueprint, key)
        html = markdown_file(draft.project, written)
        if html is not None:
            pieces.append(markdown_of(html))
            draft.report.map(key, "`instructions`")
        elif written:
            draft.report.lose(key, f"{shown(written)} is not in the project")
    return "\n\n".join(piece for piece in pieces if piece) or None


def _blocked(draft: Draft) -> dict[str, Any]:
    """The people who may not take part, as pseudonyms."""
    if not draft.config.blocklists:
        return {}
    key = "worker_blocklist_paths"
    people: list[str] = []
    for written in draft.config.blocklists:
        file = draft.project.locate(written)
        if file is not None:
            people += read_blocklist(file)
        elif draft.config.provider == "mock":
            draft.report.lose(
                key, f"{shown(written)} is not here; the platform read it on MTurk only"
            )
        else:
            return {"blocked": draft.missing(key, written)}
    names = sorted({origin_pseudonym(draft.salt, person) for person in people})
    if not names:
        return {}
    draft.files[BLOCKED_FILE] = "\n".join(names) + "\n"
    draft.report.map(key, "`crowd.blocked`")
    draft.report.pseudonymised.append(
        f"{len(names)} people of the blocklist; the server knows them by `crowd.blocked_salt`."
    )
    if draft.config.provider == "mock":
        draft.report.mended.append("The blocklist applies wherever people come from.")
    return {"blocked": BLOCKED_FILE, "blocked_salt": draft.salt}


# --- The folder -----------------------------------------------------------------------------------


def _check_target(target: Path, *, overwrite: bool) -> None:
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file; choose a folder for the study.")
    if not target.is_dir() or not any(target.iterdir()):
        return
    if (target / DATABASE).exists():
        raise InputError(
            f"{target} contains what a study has collected ({DATABASE}). Choose another folder."
        )
    if not overwrite:
        raise InputError(f"{target} is not empty. Choose another folder, or add --overwrite.")


def _put_in_place(files: dict[str, str], target: Path) -> None:
    """Write the files beside the target, check that they make a study, and swap folders."""
    staging = target.with_name(f".{target.name}.importing")
    old = target.with_name(f".{target.name}.replaced")
    try:
        shutil.rmtree(staging, ignore_errors=True)
        for path, content in files.items():
            place = staging / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content, encoding="utf-8")
        load_study(staging)
        if target.exists():
            shutil.rmtree(old, ignore_errors=True)
            target.rename(old)
        staging.rename(target)
    except StudyError as error:
        raise InputError(
            f"This would not make a valid study, so nothing was written: {error}"
        ) from error
    except OSError as error:
        if old.exists() and not target.exists():
            old.rename(target)
        raise InputError(f"The study cannot be written to {target}: {error.strerror}.") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)
