"""Python of somebody's own is named on the server's command line, and never by a request."""

from palaver.core.errors import InputError


def refuse_python(target: str, what: str) -> None:
    """Raise InputError where a request names Python to be run on this machine."""
    if ":" in target:
        raise InputError(
            f"{what} '{target[:80]}' is your own Python, which can only be added on the server "
            "itself: see palaver task add, palaver rescore and palaver perturb."
        )
