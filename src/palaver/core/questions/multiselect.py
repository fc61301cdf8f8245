"""The multiselect question: any number of some options."""

from typing import Any

from palaver.core.errors import AnswerError
from palaver.core.questions.options import Option, check_options, coded, meanings, offered, worded
from palaver.core.questions.question import CodedValue, Fields, Level, Shown, Stem
from palaver.core.questions.refusals import listed, refuse


class Multiselect(Stem, frozen=True, kw_only=True, omit_defaults=True, tag="multiselect"):
    """Which of some options hold; none of them is an answer too, unless `least` says otherwise."""

    options: tuple[Option, ...]
    least: int = 0
    most: int | None = None

    def in_words(self, value: Any) -> str:
        return worded(self.options, value)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_options(self.options, least=1)
        most = len(self.options) if self.most is None else self.most
        if not 0 <= self.least <= most <= len(self.options) or most == 0:
            raise ValueError(
                f"'least' and 'most' take 0 to {len(self.options)}, 'least' no more than 'most'; "
                f"got {self.least} and {most}."
            )

    @property
    def kind(self) -> str:
        return "multiselect"

    @property
    def level(self) -> Level:
        """Sets of names."""
        return "nominal"

    @property
    def label_names(self) -> tuple[str, ...]:
        return meanings(self.options)

    @property
    def stored_as(self) -> str:
        return "a list of the ids of the options that were ticked; empty: none of them"

    @property
    def codebook(self) -> tuple[CodedValue, ...]:
        return coded(self.options)

    def options_for(self, shown: Shown) -> tuple[Option, ...]:
        return offered(self.options, shown)

    def parse(self, fields: Fields) -> list[str] | None:
        """The ids that were ticked, an empty list for "None of these"; None where nothing was."""
        # "None of these" sends an empty value. It stays beside others, for `read` to refuse.
        given = list(fields.get("", ()))
        if given == [""]:
            return None if self.least > 0 and not self.required else []
        return given or None

    def read(self, answer: Any, shown: Shown) -> list[str]:
        """The ids of the options that were chosen, in the order of the options."""
        ids = [option.id for option in self.options_for(shown)]
        if not isinstance(answer, list | tuple):
            raise refuse(self.name, f"a list of any of {listed(ids)}", answer)
        if "" in answer and len(answer) > 1:
            raise AnswerError(f"Question '{self.name}' takes some options or none, not both.")
        for given in answer:
            if not isinstance(given, str) or given not in ids:
                raise refuse(self.name, listed(ids), given)
        chosen = [option for option in ids if option in answer]
        self._check_count(len(chosen))
        return chosen

    def labels(self, value: Any) -> tuple[str, ...]:
        """The labels of the options that were chosen."""
        return meanings(option for option in self.options if option.id in value)

    def _check_count(self, count: int) -> None:
        if count < self.least:
            raise AnswerError(f"Question '{self.name}' takes {self.least} or more; got {count}.")
        if self.most is not None and count > self.most:
            raise AnswerError(f"Question '{self.name}' takes {self.most} at most; got {count}.")
