"""`palaver advice serve`: a model behind the web API of the challenge, with a page to try it."""

from contextlib import closing
from math import prod
from pathlib import Path
from typing import Any

import click

from palaver.cli import options
from palaver.cli.addresses import base_url
from palaver.cli.options import IN_FOLDER, IN_PATH
from palaver.cli.output import log_to_stderr
from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.core.situations import AdvisingModel
from palaver.evaluation.models.files import FILE as DESCRIPTION
from palaver.evaluation.models.files import read_description
from palaver.formats.marked_yaml import read_marked
from palaver.models.checkpoints.folder import SETTINGS, Checkpoint, open_checkpoint
from palaver.studies.advice.models_file import DEFAULTS, FILE, ModelEntry, read_models_file
from palaver.systems.build import build_predictor
from palaver.web.advice_server import LEGACY, AdvisingServer, Legacy, advice_app
from palaver.web.model_server import ServedModel, serve_app
from palaver.web.socket import listen, port_of

TASK = "advice"
# Seconds that a batch may take of a checkpoint: who asks has a patience of their own.
LONGEST = 43_200.0
# The ways of looking advice up, which need a file and nothing else.
RETRIEVAL = {"tfidf": "TF-IDF retrieval", "bm25": "BM25 retrieval"}


@click.command("serve")
@click.option(
    "--model",
    metavar="MODEL",
    help="A name in the file of --models; a models.yaml or a model's folder; tfidf or bm25.",
)
@click.option(
    "--models", type=IN_PATH, metavar="FILE", help="The models to choose from: models.yaml."
)
@click.option(
    "--data",
    type=IN_PATH,
    metavar="FILE",
    help="With tfidf or bm25: the situations whose advice is given.",
)
@click.option(
    "--checkpoint",
    type=IN_FOLDER,
    metavar="FOLDER",
    help="A model that palaver train has made; instead of --model.",
)
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    help="With --checkpoint: where it computes. Default: a GPU where there is one.",
)
@click.option(
    "--legacy",
    type=click.Choice(LEGACY),
    help="Answer requests that are wrong as the first server of that name did.",
)
@options.host("Where to listen.")
@options.port(usual=5000)
def command(
    model: str | None,
    models: Path | None,
    data: Path | None,
    checkpoint: Path | None,
    device: str | None,
    legacy: Legacy | None,
    host: str,
    port: int,
) -> None:
    """Serve a model that gives advice.

    POST /api/askbatch and /api/ask are what the challenge asks; the page at / is for people. Stop it
    with Ctrl-C or SIGTERM.
    """
    log_to_stderr(verbose=False)
    if checkpoint is None:
        if device is not None:
            raise click.UsageError("--device says where a --checkpoint computes; give one.")
        entry = chosen_entry(model, models=models, data=data)
    elif model is None and models is None and data is None:
        entry = checkpoint_entry(checkpoint, device=device or "auto")
    else:
        raise click.UsageError("--checkpoint is a model by itself: leave out --model and --data.")
    folder = entry.folder or Path.cwd()
    predictor = build_predictor(entry.kind, entry.options, folder=folder)
    server = AdvisingServer(
        model=ServedModel(entry.name, predictor), card=entry.card, kind=entry.kind, legacy=legacy
    )

    def say() -> None:
        click.echo(f"Serving {entry.name} ({entry.kind})")
        click.echo(f"  {base}/  to try it")
        click.echo(f"  POST {base}/api/askbatch   {base}/api/ask")
        click.echo("\nAsk it from another terminal, with this in models.yaml:\n")
        click.echo(f"  models:\n    {entry.name}: {{kind: askbatch, url: {base}}}\n")
        click.echo("  palaver advice ask SITUATIONS --models models.yaml")
        click.echo("\nPress Ctrl-C to stop.")

    with closing(listen(host, port, choose="--port")) as listening:
        base = base_url(host, port_of(listening), "").rstrip("/")
        click.echo("The model is being loaded.", err=True)
        serve_app(advice_app(server), predictor, listening, started=say)


def chosen_entry(model: str | None, *, models: Path | None, data: Path | None) -> ModelEntry:
    """The model that the options name; InputError says what there is instead."""
    if models is not None:
        return _named(read_models_file(models), model, str(models))
    if model is None:
        raise click.UsageError("Which model? Give --model, or --models FILE and --model NAME.")
    if model in RETRIEVAL:
        if data is None:
            raise click.UsageError(
                f"--model {model} needs --data: the situations with their advice."
            )
        given = {"method": model, "file": str(data.resolve())}
        return _entry(model, "advice_retrieval", given, title=RETRIEVAL[model])
    if Path(model).exists():
        return _in_file(Path(model))
    if Path(FILE).is_file():
        return _named(read_models_file(Path(FILE)), model, FILE)
    raise InputError(
        f"There is no file '{model}' and no {FILE} here that could name it. Give a models.yaml "
        f"(--models FILE --model NAME), a model's folder, or one of {', '.join(RETRIEVAL)} with --data."
    )


def checkpoint_entry(folder: Path, *, device: str = "auto") -> ModelEntry:
    """The model of a checkpoint; InputError unless it has learnt to advise."""
    found = open_checkpoint(folder)
    for each in found.all:
        if TASK not in each.words.get("task", ()):
            raise InputError(
                f"{folder} holds a model of kind '{found.model}', which gives no advice. Expected a "
                "checkpoint that has learnt the task 'advice', such as one of palaver train "
                "advice-tiny."
            )
    name = folder.resolve().name
    return ModelEntry(
        name=name,
        kind="checkpoint",
        options={"checkpoint": str(folder.resolve()), "device": device, "timeout": LONGEST},
        card=AdvisingModel(name=name, title=name, parameters=_parameters(found)),
    )


def _parameters(checkpoint: Checkpoint) -> float:
    """How many numbers all members have."""
    return float(sum(prod(size) for each in checkpoint.all for size in each.shapes().values()))


def is_checkpoint(path: Path) -> bool:
    """Whether a folder was written by palaver train, and describes no other model."""
    return (path / SETTINGS).is_file() and not any(
        (path / name).is_file() for name in (FILE, DESCRIPTION)
    )


def _in_file(path: Path) -> ModelEntry:
    """The model of a models.yaml that has just one, of a model.yaml, or of a checkpoint."""
    if is_checkpoint(path):
        return checkpoint_entry(path)
    if path.is_dir() and not (path / FILE).is_file():
        described = read_description(path)
    else:
        file = path / FILE if path.is_dir() else path
        if "models" in read_marked(file).data:
            return _named(read_models_file(file), None, str(file))
        described = read_description(path)
    name = described.folder.resolve().name
    found = _entry(name, described.kind, dict(described.options))
    return ModelEntry(
        name=name,
        kind=found.kind,
        options=found.options,
        card=AdvisingModel(name=name, title=name, link=described.link),
        folder=described.folder,
    )


def _entry(name: str, kind: str, given: dict[str, Any], *, title: str = "") -> ModelEntry:
    return ModelEntry(
        name=name,
        kind=kind,
        options={**DEFAULTS.get(kind, {}), **given},
        card=AdvisingModel(name=name, title=title or name),
    )


def _named(found: dict[str, ModelEntry], name: str | None, file: str) -> ModelEntry:
    if name is None and len(found) == 1:
        return next(iter(found.values()))
    if name is None:
        raise InputError(
            f"{file} has {len(found)} models: {', '.join(found)}. Choose with --model."
        )
    if name not in found:
        hint = near(name, found) or f" It has: {', '.join(found)}."
        raise InputError(f"{file} has no model '{name}'.{hint}")
    return found[name]
