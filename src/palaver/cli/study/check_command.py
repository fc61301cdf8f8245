"""`palaver check`: what is wrong with a study, before anybody is paid."""

import sys
from pathlib import Path

import click

from palaver.cli.options import STUDY_PATH
from palaver.core.errors import Problem, StudyError
from palaver.studies.check import check_stored, check_study
from palaver.studies.file.reader import study_files
from palaver.studies.home import find_home


@click.command("check")
@STUDY_PATH
def command(path: Path) -> None:
    """Say what is wrong with the study at PATH, or with each study in a folder.

    Exit status 1 if there is a problem; warnings alone leave it 0.
    """
    try:
        files = study_files(path)
    except StudyError as error:
        files = []
        _show(error.problems)
        sys.exit(1)
    problems = [problem for file in files for problem in check_study(file)]
    home = find_home(path)
    problems += check_stored(files, home)
    if exposure := home.exposure():
        problems.append(Problem(str(home.folder), 0, 0, exposure, warning=True))
    _show(problems)
    wrong = [problem for problem in problems if not problem.warning]
    warnings = len(problems) - len(wrong)
    if wrong:
        click.echo(f"\n{_count(len(wrong), 'problem')}, {_count(warnings, 'warning')}.")
        sys.exit(1)
    click.echo(f"{_count(len(files), 'study', 'studies')} in order, {_count(warnings, 'warning')}.")


def _show(problems: list[Problem]) -> None:
    for problem in problems:
        click.echo(str(problem))


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
