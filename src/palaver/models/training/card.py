"""The model card: what was learnt from, how, with which result, and where; written for people."""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import torch

from palaver import __version__
from palaver.models.learner import DataNote
from palaver.models.measured import MeasuredFigure
from palaver.models.training.curve import CurveRow, shown, sparkline


@dataclass(frozen=True, slots=True, kw_only=True)
class CardParts:
    """What a card is written from."""

    name: str
    about: str
    recipe: Mapping[str, Any]
    note: DataNote
    data: Mapping[str, str]
    tested: Mapping[str, str]
    rows: Sequence[CurveRow]
    watched: str
    best_epoch: int
    seconds: float
    figures: Sequence[MeasuredFigure]
    parameters: int
    environment: Mapping[str, str]


def environment_of(device: torch.device, *, processes: int = 1) -> dict[str, str]:
    """What a training ran on."""
    named = torch.cuda.get_device_name(device) if device.type == "cuda" else _processor()
    return {
        "palaver": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "device": f"{device.type} ({named})",
        "processes": str(processes),
        "threads": str(torch.get_num_threads()),
    }


def written_card(parts: CardParts) -> str:
    """The card as Markdown."""
    sections = [
        f"# {parts.name}\n\n{parts.about or 'A model trained with Palaver.'}",
        _data(parts),
        _results(parts),
        _curve(parts),
        _recipe(parts),
        _environment(parts),
    ]
    return "\n\n".join(sections) + "\n"


def interval_text(figure: MeasuredFigure) -> str:
    """A figure with its interval, as cards and commands print it.

    >>> interval_text(MeasuredFigure(name="perplexity", value=5.5, low=5.3, high=5.7))
    '5.5 [5.3, 5.7]'
    """
    if figure.low is None or figure.high is None:
        return shown(figure.value)
    return f"{shown(figure.value)} [{shown(figure.low)}, {shown(figure.high)}]"


def _data(parts: CardParts) -> str:
    lines = [parts.note.about or "Nothing is known of the data."]
    lines += [f"- {name}: {count:,}" for name, count in parts.note.counts.items()]
    lines.append(f"- licence: {parts.note.licence or 'not stated'}")
    lines += [f"- file `{name}`, SHA-256 `{digest[:16]}…`" for name, digest in parts.data.items()]
    return "## Data\n\n" + "\n".join(lines)


def _results(parts: CardParts) -> str:
    if not parts.figures:
        return (
            "## Results\n\nNot measured on a file that was not trained on; see the curve for what "
            "was held out."
        )
    files = ", ".join(f"`{name}`" for name in parts.tested)
    rows = [
        f"| {each.name.replace('_', ' ')} | {interval_text(each)} | {each.n:,} {each.unit} | "
        f"{each.about} |"
        for each in parts.figures
    ]
    head = "| measure | value [95 % interval] | n | what is counted |\n|---|---|---|---|"
    drawn = "Intervals draw the units of n anew (percentile bootstrap)."
    return f"## Results\n\nMeasured once, on {files}. {drawn}\n\n{head}\n" + "\n".join(rows)


def _curve(parts: CardParts) -> str:
    values = [row.measured[parts.watched] for row in parts.rows if parts.watched in row.measured]
    if not values:
        return "## Training\n\nNothing was fitted step by step."
    measure = parts.watched.replace("_", " ")
    return (
        f"## Training\n\n{parts.parameters:,} parameters, {len(parts.rows)} epochs, "
        f"{parts.seconds:,.0f} s. The weights are those of epoch {parts.best_epoch}, the best on the "
        f"part of the training data that was held out: {measure} {shown(min(values))}.\n\n"
        f"`{sparkline(values, width=60)}` {measure} by epoch, from {shown(values[0])} to "
        f"{shown(values[-1])}; every epoch is in `curve.json` and, as a picture, in `curve.html`."
    )


def _recipe(parts: CardParts) -> str:
    text = json.dumps(parts.recipe, indent=1, ensure_ascii=False)
    return f"## Recipe\n\nSeed {parts.recipe.get('seed')}.\n\n```json\n{text}\n```"


def _environment(parts: CardParts) -> str:
    lines = [f"- {name}: {value}" for name, value in parts.environment.items()]
    return "## Environment\n\n" + "\n".join(lines)


def _processor() -> str:
    return platform.processor() or platform.machine()
