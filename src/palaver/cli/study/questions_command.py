"""`palaver questions`: the built-in questions, to choose from and to copy."""

import io
import textwrap
from collections.abc import Iterable
from typing import Any

import click
import msgspec
from ruamel.yaml import YAML

from palaver.cli.output import prose_width, table_text
from palaver.core.questions import Question, QuestionExample
from palaver.core.questions.question import Stem
from palaver.studies import library
from palaver.studies.file.questions import (
    QuestionGroup,
    built_in_groups,
    entry_text,
    find_built_in,
    training_for,
)


@click.command("questions")
@click.argument("name", required=False)
@click.option("--yaml", "as_yaml", is_flag=True, help="Print NAME as an entry for a study file.")
def command(name: str | None, as_yaml: bool) -> None:
    """List the built-in questions, or show what NAME asks, with its answers and examples.

    A study asks a built-in question by its name; nothing has to be copied.
    """
    if name is None:
        if as_yaml:
            raise click.UsageError("--yaml needs the NAME of a question.")
        _list(built_in_groups())
    elif as_yaml:
        click.echo(entry_text(name), nl=False)
    else:
        _show(find_built_in(name))


def _list(found: Iterable[QuestionGroup]) -> None:
    for group in found:
        click.echo(f"{group.name}: {group.title}")
        rows = [("question", "kind", "level", "about", "labels")]
        for question in group.questions:
            labels = ", ".join(question.label_names) or _own_fields(question).get("label", "")
            rows.append((question.name, question.kind, question.level, _about(question), labels))
        click.echo(f"{table_text(rows, indent='  ')}\n")
    sets = ", ".join(library.training_names())
    click.echo(textwrap.fill(f"Training sets (for a screen stage): {sets}", prose_width()))
    click.echo(
        "\nMore about one: palaver questions NAME. To change it: palaver questions NAME --yaml"
    )


def _about(question: Question) -> str:
    """What it is about, and whose turns."""
    whose = "" if question.speaker in (None, "any") else f" ({question.speaker})"
    return f"{question.about}{whose}"


def _show(question: Question) -> None:
    click.echo(f"{question.name}: {question.text}")
    if question.help:
        click.echo(f"  {question.help}")
    click.echo(
        f"\nkind {question.kind}, level {question.level}, about {_about(question)}, ", nl=False
    )
    click.echo(f"{'must' if question.required else 'may'} be answered, version {question.version}")
    if question.label_names:
        click.echo(f"labels: {', '.join(question.label_names)}")
    for name in training_for(question.name):
        click.echo(f"training set: {name}")
    if question.definition:
        click.echo(f"\n{question.definition.rstrip()}")
    own = _own_fields(question)
    if own:
        click.echo(f"\nAnswers\n{textwrap.indent(_yaml(own), '  ').rstrip()}")
    for number, example in enumerate(question.examples, start=1):
        click.echo(f"\nExample {number}: {_example(example)}")


def _own_fields(question: Question) -> dict[str, Any]:
    """What its kind adds to what every question has."""
    said = msgspec.to_builtins(question, str_keys=True)
    shared = {"type", *(field.encode_name for field in msgspec.structs.fields(Stem))}
    return {key: value for key, value in said.items() if key not in shared}


def _example(example: QuestionExample) -> str:
    verdict = "it applies" if example.applies else "it does not apply"
    lines = [verdict, *(f"    {line}" for line in example.context), f"  > {example.response}"]
    lines += [f"  {line}" for line in (example.answer, example.why) if line]
    return "\n".join(lines)


def _yaml(value: Any) -> str:
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    writer.width = prose_width()
    out = io.StringIO()
    writer.dump(value, out)
    return out.getvalue()
