"""`python -m palaver.models`: training where PyTorch is and Palaver's other dependencies are not.

It takes the options of `palaver train` that need no other package, and reads recipes as YAML where
ruamel.yaml or PyYAML is there, else as JSON.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from palaver.core.errors import PalaverError
from palaver.models.recipe import library_names, open_recipe
from palaver.models.train import TrainingResult, train
from palaver.models.training.card import interval_text
from palaver.models.training.curve import shown
from palaver.models.training.plan import TrainingPlan
from palaver.models.training.processes import chosen_device, is_first_process
from palaver.models.training.progress import TerminalProgress


def main(given: Sequence[str] | None = None) -> int:
    """Train; the exit status is 1 where something is in the way."""
    options = _parser().parse_args(given)
    try:
        file = open_recipe(options.recipe).with_options(options.set)
        plan = TrainingPlan(
            recipe=file.recipe(),
            train=tuple(options.data),
            test=tuple(options.dev),
            folder=options.output,
            device=chosen_device(options.device),
            overwrite=options.overwrite,
            base=file.folder,
        )
        result = train(plan, TerminalProgress())
    except PalaverError as error:
        print(f"palaver train: {error}", file=sys.stderr)  # noqa: T201
        return 1
    except KeyboardInterrupt:
        print("Stopped. The same command goes on after the last epoch.", file=sys.stderr)  # noqa: T201
        return 130
    if is_first_process():
        print("\n".join(result_lines(result)))  # noqa: T201
    return 0


def result_lines(result: TrainingResult) -> list[str]:
    """What came of a training, as a command prints it."""
    measured, folder = result.checkpoint.measured, result.checkpoint.folder
    lines = []
    if result.was_finished:
        lines.append(f"{folder} is finished; nothing was trained. --overwrite begins anew.")
    if measured.get("best") is not None:
        lines.append(
            f"Best on what was held out: {measured['watched'].replace('_', ' ')} "
            f"{shown(measured['best'])} in epoch {measured['best_epoch']} of {measured['epochs']} "
            f"({measured['seconds']:,.0f} s)"
        )
    tested = ", ".join(measured.get("tested", {}))
    if result.figures:
        lines.append(f"Measured on {tested}:")
        lines += [
            f"  {each.name.replace('_', ' ')}: {interval_text(each)}  (n = {each.n:,} {each.unit})"
            for each in result.figures
        ]
    if result.unmeasured:
        lines.append(
            f"Not measured on {', '.join(result.unmeasured)}: that is done once, when a training "
            "ends. What was learnt is measured on more files with palaver model diagnose."
        )
    lines.append(f"Checkpoint: {folder}  (its card: {folder / 'README.md'})")
    return lines


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m palaver.models", description=__doc__)
    parser.add_argument("recipe", help=f"A file, or one of {', '.join(library_names())}.")
    parser.add_argument("--data", type=Path, action="append", required=True, metavar="FILE")
    parser.add_argument("--dev", type=Path, action="append", default=[], metavar="FILE")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--set", action="append", default=[], metavar="OPTION=VALUE")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--overwrite", action="store_true")
    return parser


if __name__ == "__main__":
    sys.exit(main())
