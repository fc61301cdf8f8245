"""The choice question: exactly one of some options."""

from typing import Any, Literal

from palaver.core.questions.options import Option, check_options, coded, meanings, offered, worded
from palaver.core.questions.question import CodedValue, Shown, Stem
from palaver.core.questions.refusals import listed, refuse


class Choice(Stem, frozen=True, kw_only=True, omit_defaults=True, tag="choice"):
    """Which one of some options holds; `level` says whether they are in an order."""

    options: tuple[Option, ...]
    level: Literal["nominal", "ordinal"] = "nominal"

    def in_words(self, value: Any) -> str:
        return worded(self.options, [value])

    def __post_init__(self) -> None:
        super().__post_init__()
        check_options(self.options, least=2)

    @property
    def kind(self) -> str:
        return "choice"

    @property
    def label_names(self) -> tuple[str, ...]:
        return meanings(self.options)

    @property
    def stored_as(self) -> str:
        return "the id of the option that was chosen"

    @property
    def codebook(self) -> tuple[CodedValue, ...]:
        return coded(self.options)

    def options_for(self, shown: Shown) -> tuple[Option, ...]:
        return offered(self.options, shown)

    def read(self, answer: Any, shown: Shown) -> str:
        ids = [option.id for option in self.options_for(shown)]
        if not isinstance(answer, str) or answer not in ids:
            raise refuse(self.name, listed(ids), answer)
        return answer

    def labels(self, value: Any) -> tuple[str, ...]:
        return meanings(option for option in self.options if option.id == value)
