"""`palaver init`: a commented study to start from."""

from pathlib import Path

import click

from palaver.cli.options import OUT_FOLDER
from palaver.core.words import listed
from palaver.studies.file.starter import find_template, templates, write_starter


def _list_templates(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    known = templates()
    width = max(map(len, known))
    for name, template in known.items():
        click.echo(f"{name:{width}}  {template.about}")
    context.exit()


@click.command("init")
@click.argument("folder", type=OUT_FOLDER)
@click.option(
    "--template",
    metavar="NAME",
    help="Which kind of study; --list names them. Default: compare, two systems blind.",
)
@click.option(
    "--title", metavar="TEXT", help="What the study is called. Default: as the template says."
)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_templates,
    help="Name the templates.",
)
def command(folder: Path, template: str | None, title: str | None) -> None:
    """Write a commented study.yaml, and what it needs, into FOLDER."""
    for path in write_starter(folder, template, title=title):
        click.echo(f"wrote {path}")
    chosen = None if template is None else find_template(template)
    then = chosen.then if chosen else "serve"
    edited = [str(folder / name) for name in (chosen.studies if chosen else ["study.yaml"])]
    click.echo(f"\nNext: edit {listed(edited)}, then\n")
    click.echo(f"  palaver check {folder}\n  palaver {then} {folder}")
