"""`palaver import dynabench`: task configurations of Dynabench as task files."""

import re
import textwrap
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from palaver.cli import options
from palaver.cli.evaluation.home import at_home, opened_home
from palaver.cli.options import IN_FILE, JSON, OUT_PATH, OVERWRITE
from palaver.cli.output import print_json, prose_width
from palaver.core.errors import InputError, StudyError
from palaver.core.registry import near
from palaver.core.serial import plain
from palaver.core.tasks import Task
from palaver.evaluation.tasks import add_task, load_task
from palaver.evaluation.tasks.definition import task_yaml
from palaver.formats.dynabench import (
    DynabenchSource,
    TaskDraft,
    check_module,
    convert,
    read_sources,
)


@dataclass(frozen=True, slots=True)
class _Written:
    """A task file that was written, and the task in it, unless it has problems."""

    file: Path
    draft: TaskDraft
    task: Task | None
    problems: list[str]


@click.command("dynabench")
@click.argument("file", type=IN_FILE)
@options.output(
    "The task file to write, or a folder for several. Default: TASK.yaml, here.",
    OUT_PATH,
    metavar="PATH",
)
@click.option("--task", "wanted", metavar="CODE", help="Only this one of several tasks.")
@click.option("--name", metavar="NAME", help="What the task is called here. Default: its code.")
@click.option(
    "--verify",
    is_flag=True,
    help="Let 'verify_response' of FILE check every answer: its Python is then run.",
)
@OVERWRITE
@options.home("Also add the task to the state in this folder.")
@JSON
def command(
    file: Path,
    output: Path | None,
    wanted: str | None,
    name: str | None,
    verify: bool,
    overwrite: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Make a task file from FILE, a task configuration of Dynabench.

    FILE is a task_config.py, a YAML or JSON configuration, a row or archive that holds one, or a
    TaskIO module of dynalab. Python is read and not run, unless you say --verify.
    """
    sources = _chosen(read_sources(file), wanted, name, file)
    check = _check_name(sources, file) if verify else ""
    drafts = [_converted(source, file, check) for source in sources]
    files = [_place(draft.name, output, len(drafts)) for draft in drafts]
    beside = _beside(file, files[0].parent, check) if check else {}
    if not overwrite:
        _refuse_existing([*files, *beside])
    _write_files(beside)
    written = [_write(draft, path) for draft, path in zip(drafts, files, strict=True)]
    if as_json:
        print_json(_document(written))
    else:
        for each in written:
            _say(each, to_add=home is None)
    if home is not None:
        _store(written, home)
    if home is not None and not as_json:
        click.echo(f"Added to {home}. Next:\n")
        click.echo("  " + at_home(f"palaver dataset add {drafts[0].name} NAME FILE"))


def _chosen(
    sources: list[DynabenchSource], wanted: str | None, name: str | None, file: Path
) -> list[DynabenchSource]:
    names = [source.name for source in sources]
    found = [source for source in sources if wanted in (None, source.name)]
    if not found:
        hint = near(str(wanted), names) or f" It has: {', '.join(names)}."
        raise InputError(f"{file} has no task '{wanted}'.{hint}")
    if name is None:
        return found
    if len(found) > 1:
        raise InputError(f"--name is for one task; choose with --task: {', '.join(names)}.")
    (one,) = found
    return [replace(one, name=name)]


def _check_name(sources: list[DynabenchSource], file: Path) -> str:
    """What the module is called that runs the check of the file."""
    if not all(source.has_check for source in sources):
        raise InputError(
            f"--verify is for a TaskIO module, which has 'verify_response'; {file} has none."
        )
    name = re.sub(r"\W", "_", f"{sources[0].name}_check")
    return f"{name}s" if f"{name}.py" == file.name else name


def _beside(file: Path, folder: Path, check: str) -> dict[Path, str]:
    """What must lie beside the task file: the module with the check, and what runs it."""
    found = {folder / f"{check}.py": check_module(file.name)}
    copied = folder / file.name
    if not copied.exists() or not copied.samefile(file):
        found[copied] = file.read_text(encoding="utf-8-sig")
    return found


def _write_files(files: Mapping[Path, str]) -> None:
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}.") from error


def _converted(source: DynabenchSource, file: Path, check: str) -> TaskDraft:
    try:
        return convert(source, verify=f"{check}:verify" if check else "")
    except InputError as error:
        raise InputError(f"{file}, task '{source.name}': {error}") from error


def _place(name: str, output: Path | None, tasks: int) -> Path:
    if output is not None and output.suffix in (".yaml", ".yml"):
        if tasks > 1:
            raise InputError(
                f"{output} is one file, but there are {tasks} tasks. Choose one with --task, or "
                "name a folder."
            )
        return output
    return (output or Path()) / f"{name}.yaml"


def _refuse_existing(files: list[Path]) -> None:
    there = [str(path) for path in files if path.exists()]
    if there:
        raise InputError(
            f"{', '.join(there)} would be overwritten. Choose another with -o, or use --overwrite."
        )


def _write(draft: TaskDraft, file: Path) -> _Written:
    _write_files({file: task_yaml(draft.data)})
    try:
        return _Written(file, draft, load_task(file), [])
    except StudyError as error:
        return _Written(file, draft, None, [str(problem) for problem in error.problems])


def _store(written: list[_Written], home: Path) -> None:
    bad = [str(each.file) for each in written if each.task is None]
    if bad:
        raise InputError(f"Written, but not added: {', '.join(bad)} does not pass the check yet.")
    with opened_home(home) as opened:
        for each in written:
            assert each.task is not None
            opened.store.write_now(partial(add_task, task=each.task, now=time.time()))


def _document(written: list[_Written]) -> dict[str, Any]:
    return {
        "tasks": [
            {"file": str(each.file), **plain(each.draft), "problems": each.problems}
            for each in written
        ]
    }


def _say(each: _Written, *, to_add: bool) -> None:
    draft = each.draft
    click.echo(f"{draft.name}: written to {each.file}\n")
    _section("Taken over", draft.taken)
    _section("Changed", draft.changed)
    _section("Left out", draft.left_out)
    _section("Look at this", draft.look_at)
    if each.problems:
        _section("It does not pass the check yet", each.problems)
        click.echo(f"Fix {each.file}, then\n\n  palaver task show {each.file}\n")
    elif to_add:
        click.echo(f"It passes the check. Next:\n\n  palaver task add {each.file}\n")


def _section(title: str, lines: list[str]) -> None:
    if not lines:
        return
    click.echo(title)
    for line in lines:
        click.echo(
            textwrap.fill(
                line,
                prose_width(),
                initial_indent="  - ",
                subsequent_indent="    ",
                break_on_hyphens=False,
                break_long_words=False,
            )
        )
    click.echo()
