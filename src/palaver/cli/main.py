"""`palaver`: finds the command that was asked for and imports only that one.

SQLAlchemy, the web framework and numpy take longer to import than `palaver --help` may take, so the
list of commands and their one-line descriptions stand here.
"""

import gc
import os
import signal
import sys
from importlib import import_module

import click

from palaver import __version__
from palaver.core.errors import PalaverError
from palaver.core.registry import near

SECTIONS = {
    "A study": {
        "init": "Write a commented study to start from.",
        "questions": "List the questions that are built in.",
        "plan": "Find out how large a study must be: dialogues, votes, money.",
        "check": "Say in plain words what is wrong with a study.",
        "serve": "Serve a study, a folder of studies, or the tasks of a home.",
        "study": "Pause, close and change a study; list its versions.",
        "demo": "Run the demonstration study with a simulated crowd.",
        "crowd": "Try the service that people come from.",
        "link": "Make signed links for participants; list and revoke them.",
        "panel": "Say what a panel must be told; verify its codes.",
        "games": "List the games; measure their parsers on dialogues.",
        "scenarios": "Generate scenarios for a game.",
        "selfplay": "Let systems talk to each other, or play a game.",
        "chat": "Talk or play with a system in the terminal.",
        "bridge": "Let ParlAI agents run in their own environment.",
    },
    "Models on data sets": {
        "task": "Look at tasks, make your own, decide who may submit.",
        "dataset": "Add data sets to a task, list them, look into them.",
        "model": "Start, test, add and serve models.",
        "train": "Train a model from a recipe into a checkpoint.",
        "evaluate": "Work through the runs that are due.",
        "runs": "List runs and why they failed; cancel or retry them.",
        "rescore": "Compute a metric on the kept predictions of old runs.",
        "perturb": "Write variants of a data set: fairness, robustness, dialogue.",
        "board": "Show, fork and freeze the board of a task.",
        "dynascore": "Compute Dynascores from any table.",
        "team": "Give teams tokens to submit models with.",
        "round": "Hold rounds in which people write what models get wrong.",
        "challenge": "Hold a challenge: tracks, phases, teams, entries.",
        "submit": "Check a file for a challenge and submit it.",
        "advice": "Ask models for advice and have it judged against people's own.",
    },
    "The numbers": {
        "report": "Write a page with figures, tables and methods.",
        "rank": "Rank systems from votes, with intervals and tied sets.",
        "compare": "Test whether two systems differ, or are as good as each other.",
        "tukey": "Test all pairs of systems on a matrix of topics.",
        "agreement": "Measure how well raters agree, with intervals.",
        "raters": "List who judged, how they worked, and who is flagged.",
        "aggregate": "Make one label from several raters' labels.",
        "validity": "Measure what labels predict, distinguish and cost.",
        "score": "Score predicted label distributions.",
        "sharedtask": "Score all runs of a shared task and write its tables.",
        "metrics": "List and explain the metrics; score a file with one.",
    },
    "Data and people": {
        "import": "Import projects and data from other systems.",
        "export": "Write what a study has collected.",
        "convert": "Convert dialogue files: CoCoA, Deal or No Deal, chat messages.",
        "open": "Look at an exported bundle, read-only.",
        "erase": "Erase what somebody gave in a study.",
        "retention": "Show or delete what is kept for too long.",
        "account": "Manage the researchers' accounts.",
        "mail": "List and send letters to teams; try the mail server.",
        "audit": "Print who did what, when, and from where.",
        "verify": "Verify that nothing was changed past Palaver.",
        "key": "Replace the key that signs links and sessions.",
        "migrate": "Bring a home of an older version up to date.",
    },
}
# In which folder the commands of a section are.
FOLDERS = {
    "A study": "study",
    "Models on data sets": "evaluation",
    "The numbers": "statistics",
    "Data and people": "study",
}
COMMANDS = {name: line for section in SECTIONS.values() for name, line in section.items()}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, in the order they are needed."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        # Importing makes many objects and no garbage: without the collector it takes a fifth less.
        gc.disable()
        folder = next(FOLDERS[title] for title, names in SECTIONS.items() if cmd_name in names)
        command = import_module(f"palaver.cli.{folder}.{cmd_name}_command").command
        gc.enable()
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was asked for; near matches if there is none."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"There is no command '{args[0]}'.{near(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        width = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), line) for name, line in commands.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="palaver")
def palaver() -> None:
    """Palaver measures conversation: collect dialogues, have them judged, see which is better."""


def main() -> None:
    """Run a command; an error becomes one message on standard error.

    The exit status is 2 where the command was called in a wrong way, and 1 for every other refusal.
    """
    # What a home holds, and what is written out of it, is its owner's alone.
    os.umask(0o077)
    # Whoever stops a process politely gets the same clean end as Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        status = palaver.main(prog_name="palaver", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.UsageError as error:
        asked = error.ctx.command_path if error.ctx is not None else "palaver"
        told = error.format_message()
        told += "" if told.endswith((".", "?", "!")) else "."
        click.echo(f"palaver: {told} See: {asked} --help", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        click.echo(f"palaver: {error.format_message()}", err=True)
        sys.exit(1)
    except PalaverError as error:
        click.echo(f"palaver: {error}", err=True)
        sys.exit(1)
    except click.Abort:
        sys.exit(130)
    sys.exit(status if isinstance(status, int) else 0)
