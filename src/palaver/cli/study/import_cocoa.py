"""`palaver import cocoa-config`: a site of CoCoA as a study."""

from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import IN_FILE, OUT_FOLDER, OVERWRITE
from palaver.studies.intake.cocoa_config import import_site


@click.command("cocoa-config")
@click.argument("file", type=IN_FILE)
@click.option(
    "--scenarios",
    type=IN_FILE,
    metavar="FILE",
    help="The scenarios that CoCoA was started with; they tell the game.",
)
@click.option("--schema", type=IN_FILE, metavar="FILE", help="Their schema, where they need one.")
@click.option("--game", metavar="NAME", help="The game, where no scenarios are given.")
@options.output("The folder of the new study.", OUT_FOLDER, metavar="STUDY", required=True)
@OVERWRITE
def command(
    file: Path,
    scenarios: Path | None,
    schema: Path | None,
    game: str | None,
    output: Path,
    overwrite: bool,
) -> None:
    """Make a study from FILE, the app_params.json of a site of CoCoA."""
    report = import_site(
        file, output, scenarios=scenarios, schema=schema, game=game, overwrite=overwrite
    )
    click.echo(report.text())
    for missing in report.unconfigured:
        click.echo(f"Warning: still to be provided: {missing}", err=True)
    click.echo(f"Written to {output}. Next:\n\n  palaver check {output}")
