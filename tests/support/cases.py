"""A test that goes through many cheap cases and names every one that fails, with its reason."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

Case = Callable[[str], AbstractContextManager[None]]


@contextmanager
def every_case() -> Iterator[Case]:
    """What a test puts around each case; a case that fails is noted, and all are told at the end."""
    failed: list[str] = []
    tried = 0

    @contextmanager
    def case(name: str) -> Iterator[None]:
        nonlocal tried
        tried += 1
        try:
            yield
        # Whatever is wrong with one, the others are tried; a group need not be an Exception.
        except (Exception, BaseExceptionGroup) as error:  # noqa: BLE001
            failed.append(f"{name}: {_reason(error)}")

    yield case
    assert tried, "no case was tried"
    assert not failed, f"{len(failed)} failed\n\n" + "\n\n".join(failed)


def _reason(error: BaseException) -> str:
    """What went wrong, also in each part of a group."""
    if isinstance(error, BaseExceptionGroup):
        return "\n".join(_reason(part) for part in error.exceptions)
    return f"{type(error).__name__}: {error}"
