"""From a project to a study folder: everything is prepared first, then put in place at once."""

import re
from pathlib import Path
from typing import Any

from palaver.formats.chateval.config import read_config
from palaver.formats.chateval.jsx import read_descriptions
from palaver.formats.chateval.names import system_pattern
from palaver.formats.chateval.project import TASK_CONFIG, find_project
from palaver.formats.chateval.prose import markdown_of
from palaver.formats.chateval.task_files import read_blocklist
from palaver.formats.pseudonyms import origin_pseudonym
from palaver.studies.home import STUDY_FILE
from palaver.studies.intake.chateval.chat_stage import add_chat
from palaver.studies.intake.chateval.draft import (
    ImportDraft,
    ImportReport,
    markdown_file,
    new_salt,
    shown,
)
from palaver.studies.intake.chateval.left_out import report_left_out
from palaver.studies.intake.chateval.rate_stages import add_rating
from palaver.studies.intake.study_folder import (
    REPORT_FILE,
    check_target,
    put_in_place,
    study_text,
)

BLOCKED_FILE = "blocked.txt"
# Where the pages of a project are.
COMPONENTS = "frontend/components"
# Texts about chatting, and where they are if no key names them.
TEXTS = {
    "chat_startup_instructions_path": "chat_startup_instructions.html",
    "left_pane_text_path": "left_pane_text.html",
}


def import_project(
    folder: Path,
    conf: str,
    target: Path,
    *,
    overwrite: bool = False,
    salt: str | None = None,
    system_from: str | None = None,
) -> ImportReport:
    """Write the study for a configuration into `target`; what became of everything.

    `system_from` is a regular expression that finds the system in the id of a dialogue.
    Nothing is written where something is wrong. A folder that holds something is replaced only
    with `overwrite`, and never if it holds what a study has collected.
    """
    check_target(target, overwrite=overwrite)
    project = find_project(folder)
    config = read_config(project, conf)
    draft = ImportDraft(
        project,
        config,
        new_salt(salt),
        ImportReport(source=config.marked.file),
        system_from=system_pattern(system_from),
        descriptions=read_descriptions(project.folder / COMPONENTS),
    )
    draft.read_buckets()
    blueprint = config.blueprint
    if blueprint.do_collect_dialogue:
        add_chat(draft)
        draft.report.map("do_collect_dialogue", "a `chat` stage")
    elif blueprint.do_external_annotations:
        add_rating(draft)
        draft.report.map("do_external_annotations", "a `rate` stage with `data`")
    else:
        raise config.problem(
            "do_external_annotations",
            "Neither 'do_collect_dialogue' nor 'do_external_annotations' is on: there is nothing "
            "to do.",
        )
    text = _study(draft)
    draft.finish_report()
    report_left_out(draft)
    draft.files |= {STUDY_FILE: text, REPORT_FILE: draft.report.text()}
    put_in_place(draft.files, target)
    return draft.report


def _study(draft: ImportDraft) -> str:
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
    crowd: dict[str, Any] = {"kind": "chateval", "repeats": True, **_blocked(draft)}
    report.map("?worker_id=…&assignment_id=…", "`crowd.kind: chateval`, with `repeats: true`")
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
            (
                "guides",
                "open" if draft.described or draft.has_own_texts else None,
                ["The project's own instructions stand open beside what is judged."],
            ),
            ("pay", pay, ["From task_reward."]),
            (
                "crowd",
                crowd,
                [
                    "People arrive with ?worker_id=…&assignment_id=…, as before, and may come again for",
                    "another assignment. Without 'repeats' one person takes part once.",
                ],
            ),
            (
                "systems",
                draft.systems,
                [
                    "From model_opts.yaml. Put your own systems in the places of ParlAI's models, or",
                    "let them run where ParlAI is (kind: agent, with python). 'palaver serve' refuses",
                    "until then.",
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


def _instructions(draft: ImportDraft) -> str | None:
    blueprint, task = draft.config.blueprint, draft.config.task
    pieces = [markdown_of(task.task_description)]
    if pieces[0]:
        draft.report.map("task_description", "`instructions`")
    for key, usual in TEXTS.items():
        named = getattr(blueprint, key)
        written = named or f"{TASK_CONFIG}/{usual}"
        html = markdown_file(draft.project, written)
        if html is None:
            if named:
                draft.report.lose(key, f"{shown(named)} is not in the project")
        elif named or blueprint.do_collect_dialogue:
            pieces.append(markdown_of(html))
            draft.has_own_texts = True
            draft.report.map(key if named else usual, "`instructions`")
        else:
            draft.report.lose(usual, "it is about chatting, and this configuration judges")
    return "\n\n".join(piece for piece in pieces if piece) or None


def _blocked(draft: ImportDraft) -> dict[str, Any]:
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
