"""`model_opts.yaml`: a ParlAI command line for each model, which nothing here can run.

A model becomes a system of the kind `unconfigured`, whose note keeps the command line for whoever
puts a system of their own in its place.
"""

from pathlib import Path
from typing import Any

from palaver.formats.chateval.located import read_yaml


def read_model_options(file: Path) -> dict[str, str]:
    """The command line of each model; StudyError where one is no text."""
    marked = read_yaml(file)
    for name, flags in marked.data.items():
        if not isinstance(flags, str):
            raise marked.error(
                (str(name),), f"Model '{name}' takes ParlAI's options as text; got {flags!r}."
            )
    return {str(name): " ".join(flags.split()) for name, flags in marked.data.items()}


def system_entry(model: str, options: dict[str, str]) -> dict[str, Any]:
    """A model as a system of a study file."""
    flags = options.get(model)
    if flags is None:
        note = f"The model '{model}' is not in any model_opts.yaml."
    else:
        note = f"A ParlAI model: {flags}"
    return {"kind": "unconfigured", "note": note}
