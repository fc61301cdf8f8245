"""`palaver advice`: the live challenge, from situations to the board; one module per command."""

from importlib import import_module

import click

from palaver.core.registry import near

COMMANDS = {
    "run": "Take a round from situations to its report, step by step.",
    "prepare": "Make a set of situations with advice from Reddit-style dumps.",
    "testset": "Make a test set of new situations from Reddit-style dumps.",
    "ask": "Ask models for advice on situations.",
    "serve": "Serve a model by the web API of the challenge.",
    "hits": "Write the rows that a crowd service is handed.",
    "import": "Take in what a crowd service sent back.",
    "results": "Say how models did against people, from a study or a file.",
}


class _Lazy(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        found = import_module(f"palaver.cli.evaluation.advice_{cmd_name}").command
        assert isinstance(found, click.Command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"There is no command 'advice {args[0]}'.{near(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group("advice", cls=_Lazy)
def command() -> None:
    """Models advise people in real situations; raters say whose advice helps more."""
