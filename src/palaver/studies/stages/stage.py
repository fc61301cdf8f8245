"""One entry under `stages`: a mapping with one key, the kind of the stage."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Discriminator, Tag

from palaver.core.registry import near
from palaver.formats.key_problems import shown
from palaver.studies.stages.chat import ChatStage
from palaver.studies.stages.rate import RateStage
from palaver.studies.stages.screen import ScreenStage
from palaver.studies.stages.write import WriteStage

AnyStage = ChatStage | WriteStage | RateStage | ScreenStage
STAGE_KINDS = ("chat", "write", "rate", "screen")


def _check_kind(given: Any) -> Any:
    if isinstance(given, AnyStage) or _stage_kind(given) in STAGE_KINDS:
        return given
    keys = [str(key) for key in given] if isinstance(given, dict) else []
    got = ", ".join(repr(key) for key in keys) or shown(given)
    hint = near(keys[0], STAGE_KINDS) if len(keys) == 1 else ""
    kinds = ", ".join(repr(kind) for kind in STAGE_KINDS[:-1]) + f" or '{STAGE_KINDS[-1]}'"
    expected = f"A stage is one key, {kinds}, with the rest indented under it"
    raise ValueError(f"{expected}; got {got}.{hint}")


def _stage_kind(given: Any) -> str | None:
    if isinstance(given, AnyStage):
        return given.kind
    return next(iter(given)) if isinstance(given, dict) and len(given) == 1 else None


def _unwrap(given: Any) -> Any:
    return next(iter(given.values())) if isinstance(given, dict) else given


Stage = Annotated[
    Annotated[ChatStage, BeforeValidator(_unwrap), Tag("chat")]
    | Annotated[WriteStage, BeforeValidator(_unwrap), Tag("write")]
    | Annotated[RateStage, BeforeValidator(_unwrap), Tag("rate")]
    | Annotated[ScreenStage, BeforeValidator(_unwrap), Tag("screen")],
    Discriminator(_stage_kind),
    BeforeValidator(_check_kind),
]
