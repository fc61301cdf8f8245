"""What the commands about models have in common: which model is meant, and which task."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from palaver.cli.evaluation.home import if_there
from palaver.cli.options import parsed_options
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.tasks import Task
from palaver.evaluation.models.files import Description, read_description
from palaver.evaluation.tasks import builtin_task, find_task, load_task, stored_task

URL = click.option("--url", metavar="URL", help="The address of an endpoint.")
KIND = click.option(
    "--kind", metavar="KIND", help="How it is asked; see palaver model kinds. Default: torchserve."
)
OPTIONS = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="K=V",
    help="An option of the kind, as in model.yaml; may be given several times.",
)
# What an address is taken for when nobody says.
USUAL_KIND = "torchserve"
# Kinds whose address has another name.
URL_OPTION = {"openai": "base_url"}


def chosen_model(
    path: Path | None, *, url: str | None, kind: str | None, options: Sequence[str]
) -> Description:
    """The model that a command names: a folder, a YAML file, or an address with its options."""
    given = parsed_options(options)
    if url is None and kind is None:
        if path is None:
            raise click.UsageError(
                "Which model? Give a folder, a YAML file, or --url URL --kind KIND."
            )
        described = read_description(path)
        return replace(described, options={**described.options, **given})
    kind = kind or USUAL_KIND
    if url is not None:
        given = {URL_OPTION.get(kind, "url"): url, **given}
    base = None if path is None else read_description(path)
    return Description(
        kind=kind,
        options=given,
        folder=Path.cwd() if base is None else base.folder,
        task="" if base is None else base.task,
    )


def called_task(name: str, *, home: Path | None, folder: Path | None = None) -> Task:
    """The task of that name, stored or built in, or in the file of that name."""
    if name.endswith((".yaml", ".yml")):
        return load_task(_task_file(name, folder))
    with if_there(home) as opened:
        if opened is not None:
            try:
                return stored_task(opened.store.read_now(lambda c: find_task(c, name)))
            except UnknownNameError:
                pass  # it may be built in
    return builtin_task(name)


def _task_file(name: str, folder: Path | None) -> Path:
    """The file of a task: here, or beside the model that names it."""
    places = [Path(name), *([] if folder is None else [folder / name])]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise InputError(f"There is no task file {' or '.join(map(str, places))}.")
    return found
