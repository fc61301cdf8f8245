"""The ranking question: some options, best first."""

from collections import Counter
from typing import Any

from palaver.core.errors import AnswerError
from palaver.core.questions.options import Option, check_options, meanings, offered
from palaver.core.questions.question import Fields, Level, Shown, Stem
from palaver.core.questions.refusals import listed, refuse


class Ranking(Stem, frozen=True, kw_only=True, omit_defaults=True, tag="ranking"):
    """In which order some options stand; every option has its own place."""

    options: tuple[Option, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_options(self.options, least=2)

    @property
    def kind(self) -> str:
        """The registry name."""
        return "ranking"

    @property
    def level(self) -> Level:
        """Places."""
        return "ordinal"

    @property
    def label_names(self) -> tuple[str, ...]:
        """The label of each option."""
        return meanings(self.options)

    def options_for(self, shown: Shown) -> tuple[Option, ...]:
        """The options that the page offers."""
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
        if isinstance(answer, dict):
            raise self._places_refused(answer, ids)
        if not isinstance(answer, list | tuple):
            raise refuse(self.name, f"a list of {listed(ids)}, best first", answer)
        for given in answer:
            if not isinstance(given, str) or given not in ids:
                raise refuse(self.name, listed(ids), given)
            if answer.count(given) > 1:
                raise AnswerError(
                    f"Question '{self.name}' takes each option once; got '{given}' again."
                )
        missing = [option for option in ids if option not in answer]
        if missing:
            raise AnswerError(f"Question '{self.name}' needs a place for {listed(missing)}.")
        return list(answer)

    def labels(self, value: Any) -> tuple[str, ...]:
        """None: an order speaks for itself."""
        return ()

    def _places_refused(self, given: dict[Any, Any], ids: list[str]) -> AnswerError:
        """What is wrong with places that make no order."""
        places = [str(n) for n in range(1, len(ids) + 1)]
        for option, place in given.items():
            if option not in ids:
                return refuse(self.name, listed(ids), option)
            if not isinstance(place, str) or place not in places:
                return refuse(self.name, f"the places 1 to {len(ids)}", place)
        for place, count in Counter(given.values()).items():
            if count > 1:
                rivals = listed(option for option in ids if given.get(option) == place)
                return AnswerError(f"Question '{self.name}' has place {place} twice: {rivals}.")
        missing = [option for option in ids if option not in given]
        return AnswerError(f"Question '{self.name}' needs a place for {listed(missing)}.")
