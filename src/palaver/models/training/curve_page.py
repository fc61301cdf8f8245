"""The curve of a training as one page that needs nothing else; while it runs the page renews itself."""

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path

from palaver.models.training.curve import shown
from palaver.models.training.snapshot import TrainingState

_PAGE = Path(__file__).parent / "curve_page.html"
_TOKENS = Path(__file__).parents[2] / "look" / "tokens.css"
_REFRESH = '<meta http-equiv="refresh" content="5">'


def curve_page(state: TrainingState, *, name: str, watched: str, epochs: int, done: bool) -> str:
    """The page; its first line says how good the best epoch was."""
    if state.rows:
        measure = watched.replace("_", " ")
        headline = f"{name}: {measure} {shown(state.best)}, best in epoch {state.best_epoch}"
    else:
        headline = f"{name}: no epoch is done yet"
    standing = (
        f"{'Finished' if done else 'Running'}: {state.epoch} of {epochs} epochs in "
        f"{state.seconds:,.0f} s. The weights of the best epoch are kept."
        if state.rows
        else "The curve begins with the first epoch; this page renews itself."
    )
    curve = {"watched": watched, "rows": [row.as_json() for row in state.rows]}
    return _filled(
        {
            "refresh": "" if done else _REFRESH,
            "title": html.escape(headline),
            "standing": html.escape(standing),
            "css": _TOKENS.read_text(encoding="utf-8") + _text(".css"),
            "curve": html.escape(json.dumps(curve)),
            "script": _text(".js"),
        }
    )


def _filled(values: Mapping[str, str]) -> str:
    """The template with its places filled; a bare PyTorch environment has no library for that."""
    return re.sub(r"\{\{ (\w+) \}\}", lambda found: values[found[1]], _text(".html"))


def _text(suffix: str) -> str:
    return _PAGE.with_suffix(suffix).read_text(encoding="utf-8")
