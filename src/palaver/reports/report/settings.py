"""What can be chosen about a report."""

from dataclasses import dataclass

from palaver.analysis.resampling import BootstrapSettings
from palaver.core.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSettings(BootstrapSettings):
    """The seed and size of every bootstrap, the question that is overall quality, the hourly pay."""

    quality: str | None = None
    pay: float | None = None

    def __post_init__(self) -> None:
        if self.seed < 0 or self.resamples < 100:
            raise InputError(
                f"A report takes a seed from 0 and 100 or more draws; got {self.seed} and "
                f"{self.resamples}."
            )
        if self.pay is not None and not 0 <= self.pay < float("inf"):
            raise InputError(f"An hourly pay is a number from 0 up; got {self.pay}.")
