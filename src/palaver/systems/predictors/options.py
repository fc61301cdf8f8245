"""What every predictor can be told, whatever it asks."""

from typing import Annotated

from pydantic import AfterValidator, Field

from palaver.systems.options import CallOptions
from palaver.systems.web import check_url

Url = Annotated[str, AfterValidator(check_url)]


class PredictorOptions(CallOptions):
    """How patiently, how often, how many at a time and how fast a model is asked."""

    batch: int = Field(default=1, ge=1, le=10_000, description="questions that one call takes")
    requests_per_second: float | None = Field(
        default=None, gt=0, description="calls per second at most, retries included; none: no limit"
    )
    secret: str = Field(
        default="",
        description="what answers are signed with, as ${VARIABLE}; empty: signatures are not checked",
    )
    start_timeout: float = Field(
        default=600.0, gt=0, le=86_400, description="seconds that connecting or loading may take"
    )


class WebOptions(PredictorOptions):
    """A model that is asked over HTTP."""

    headers: dict[str, str] = Field(
        default={}, description="headers; ${VARIABLE} is filled in from the environment"
    )
