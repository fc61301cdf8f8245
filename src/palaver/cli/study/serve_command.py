"""`palaver serve`: run a study, or a folder of studies."""

from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import HOME, STUDY_PATH, VERBOSE
from palaver.cli.output import log_to_stderr
from palaver.cli.server import serve_home
from palaver.studies.file.reader import load_studies
from palaver.studies.home import STUDY_FILE, find_home, is_bare_home
from palaver.studies.intake.unconfigured import waits_for_answers


@click.command("serve")
@STUDY_PATH
@HOME
@options.host("Where to listen; 0.0.0.0 lets others connect.")
@options.port()
@VERBOSE
def command(path: Path, home: Path | None, host: str, port: int | None, verbose: bool) -> None:
    """Serve the study at PATH, or every study in the folder PATH, or the tasks of a home."""
    log_to_stderr(verbose=verbose)
    studies = [] if is_bare_home(path) else load_studies(path)
    waiting = [study for study in studies if waits_for_answers(study)]
    # A round whose models are still to be asked keeps nobody from the rest.
    if len(waiting) < len(studies):
        studies = [study for study in studies if study not in waiting]
        for study in waiting:
            told = f"'{study.name}' is not served yet: no model has advised. Ask them: "
            click.echo(f"{told}palaver advice run {study.folder}", err=True)
    folder = path if path.is_dir() and not (path / STUDY_FILE).exists() else None
    serve_home(find_home(path, home), studies, host=host, port=port, studies_folder=folder)
