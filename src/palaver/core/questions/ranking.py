"""The ranking question: some options, best first."""

from typing import Any

from palaver.core.errors import AnswerError
from palaver.core.questions.options import Option, check_options, coded, meanings, offered, worded
from palaver.core.questions.question import CodedValue, Fields, Level, Shown, Stem
from palaver.core.questions.refusals import listed, refuse
from palaver.core.questions.scale import read_point


class Ranking(Stem, frozen=True, kw_only=True, omit_defaults=True, tag="ranking"):
    """In which order some options stand; every option has its own place."""

    options: tuple[Option, ...]

    def in_words(self, value: Any) -> str:
        """The options, best first."""
        return " > ".join(worded(self.options, [option]) for option in value)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_options(self.options, least=2)

    @property
    def kind(self) -> str:
        return "ranking"

    @property
    def level(self) -> Level:
        """Places."""
        return "ordinal"

    @property
    def label_names(self) -> tuple[str, ...]:
        return meanings(self.options)

    @property
    def stored_as(self) -> str:
        return "a list of the ids of all options, best first"

    @property
    def codebook(self) -> tuple[CodedValue, ...]:
        return coded(self.options)

    def options_for(self, shown: Shown) -> tuple[Option, ...]:
        return offered(self.options, shown)

    def parse(self, fields: Fields) -> list[str] | dict[str, str] | None:
        """The ids by place; the places as they were given where they make no order."""
        given = {option: next((v for v in values if v), "") for option, values in fields.items()}
        given = {option: place for option, place in given.items() if place}
        by_place = {place: option for option, place in given.items()}
        places = [str(n) for n in range(1, len(given) + 1)]
        if by_place.keys() == set(places):
            return [by_place[place] for place in places] or None
        return given

    def read(self, answer: Any, shown: Shown) -> list[str]:
        """The ids of all options, best first."""
        ids = [option.id for option in self.options_for(shown)]
        order = self._in_order(answer, ids) if isinstance(answer, dict) else answer
        if not isinstance(order, list | tuple):
            raise refuse(self.name, f"a list of {listed(ids)}, best first", answer)
        for given in order:
            if not isinstance(given, str) or given not in ids:
                raise refuse(self.name, listed(ids), given)
            if order.count(given) > 1:
                raise AnswerError(f"Question '{self.name}' takes '{given}' once; got it twice.")
        missing = [option for option in ids if option not in order]
        if missing:
            raise AnswerError(f"Question '{self.name}' needs a place for {listed(missing)}.")
        return list(order)

    def labels(self, value: Any) -> tuple[str, ...]:
        """None: an order speaks for itself."""
        return ()

    def _in_order(self, given: dict[Any, Any], ids: list[str]) -> list[Any]:
        """The options by their places, which must differ."""
        by_place: dict[int, Any] = {}
        for option, named in given.items():
            if option not in ids:
                raise refuse(self.name, listed(ids), option)
            place = read_point(self.name, range(1, len(ids) + 1), named, of=option)
            if place in by_place:
                rivals = f"'{by_place[place]}' and '{option}'"
                raise AnswerError(f"Question '{self.name}' gives place {place} to {rivals}.")
            by_place[place] = option
        return [by_place[place] for place in sorted(by_place)]
