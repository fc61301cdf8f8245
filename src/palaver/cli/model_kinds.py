"""`palaver model kinds`: how a model can be reached, and the options of each kind."""

from typing import Any

import click

from palaver.cli.options import JSON
from palaver.cli.printing import json_line, print_json
from palaver.cli.tables import table_text
from palaver.systems.build import KindOption, PredictorKind, describe_predictor, predictor_kinds


@click.command("kinds")
@click.argument("kind", required=False)
@JSON
def kinds(kind: str | None, as_json: bool) -> None:
    """List the kinds of models, or show which options KIND takes.

    They are written in model.yaml, or given as --kind KIND --option OPTION=VALUE.
    """
    if kind is not None:
        found = describe_predictor(kind)
        if as_json:
            print_json(found)
        else:
            click.echo(_sheet(found))
        return
    every = [describe_predictor(name) for name in predictor_kinds()]
    if as_json:
        print_json({"kinds": every})
        return
    rows = [("kind", "what it is", "needs"), *(_row(each) for each in every)]
    click.echo(f"{table_text(rows)}\n\nMore about one: palaver model kinds KIND")


def _row(kind: PredictorKind) -> tuple[str, ...]:
    needed = [each.option for each in kind.options if each.required]
    return kind.kind, kind.about, ", ".join(needed) or "–"


def _sheet(kind: PredictorKind) -> str:
    rows = [("option", "type", "default", "meaning")]
    rows += [(each.option, each.type, _default(each), each.about) for each in kind.options]
    return f"{kind.kind}: {kind.about}\n\n{table_text(rows)}"


def _default(option: KindOption) -> str:
    if option.required:
        return "required"
    return "none" if _is_empty(option.default) else json_line(option.default)


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", {}, [])
