"""What every connector can be told, whatever it connects to."""

from pydantic import BaseModel, ConfigDict, Field


class CallOptions(BaseModel):
    """How patiently, how often and how many at a time a system is asked."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    timeout: float = Field(
        default=30.0, gt=0, le=600, description="seconds that one attempt at an answer may take"
    )
    retries: int = Field(
        default=2, ge=0, le=10, description="further attempts after a failure that may pass"
    )
    backoff: float = Field(
        default=0.5, ge=0, le=60, description="seconds before the first retry, doubled each time"
    )
    concurrency: int = Field(
        default=8, ge=1, le=1000, description="answers this system may work on at the same time"
    )
