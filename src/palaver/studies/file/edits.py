"""Small edits of a study file: places of conditions, raters of sheets, dates; comments stay."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.formats.edited_yaml import with_value
from palaver.formats.marked_yaml import parse_marked
from palaver.studies.file.definition import Study
from palaver.studies.stages import ChatStage, RateStage
from palaver.studies.stages.conditions import Condition, parse_conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionPlaces:
    """How many conversations a condition of a stage (from 0) is to have; None for no quota.

    Of a condition with a quota for each scenario, `needed` is that of each.
    """

    stage: int
    condition: str
    needed: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDates:
    """From when to when a study takes people in, as clocks of `zone` show it; empty for no limit."""

    opens: str = ""
    closes: str = ""
    zone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyEdit:
    """What is to be different in a study file, in a few numbers."""

    places: tuple[ConditionPlaces, ...] = ()
    # By the stage's place in the study, from 0.
    raters: Mapping[int, int] = field(default_factory=dict)
    dates: NewDates | None = None

    def applied(self, text: str, study: Study) -> str:
        """The text of a study's file with this edit."""
        for places in self.places:
            text = _with_places(text, study, places)
        for stage, raters in self.raters.items():
            text = _with_raters(text, study, stage, raters)
        return text if self.dates is None else _with_dates(text, study, self.dates)


def _with_places(text: str, study: Study, wanted: ConditionPlaces) -> str:
    stage = _stage(study, wanted.stage)
    if not isinstance(stage, ChatStage):
        raise InputError(f"Stage {wanted.stage + 1} is a {stage.kind} stage; it has no places.")
    names = [condition.name for condition in stage.conditions]
    if wanted.condition not in names:
        hint = near(wanted.condition, names) or f" It has: {', '.join(names)}."
        raise InputError(f"Stage {wanted.stage + 1} has no condition '{wanted.condition}'.{hint}")
    index = names.index(wanted.condition)
    key = "needed" if stage.conditions[index].per_scenario is None else "per_scenario"
    if getattr(stage.conditions[index], key) == wanted.needed:
        return text
    if wanted.needed is not None and wanted.needed < 1:
        raise InputError(f"'{key}' is 1 or more, or nothing for no quota; got {wanted.needed}.")
    here = ("stages", wanted.stage, stage.kind, "conditions")
    written = _at(parse_marked(text.encode(), file="").data, here)
    if isinstance(written, str):
        return with_value(text, here, _short_form(written, index, wanted.needed))
    return with_value(text, (*here, index, key), wanted.needed)


def _short_form(written: str, index: int, needed: int | None) -> str:
    """Conditions as `a|b:20,a:10`, one of them with another quota."""
    conditions = [Condition.model_validate(each) for each in parse_conditions(written)]
    quotas = [needed if n == index else c.needed for n, c in enumerate(conditions)]
    return ",".join(
        c.name if quota is None else f"{c.name}:{quota}"
        for c, quota in zip(conditions, quotas, strict=True)
    )


def _with_raters(text: str, study: Study, index: int, raters: int) -> str:
    stage = _stage(study, index)
    if not isinstance(stage, RateStage) or not stage.has_source:
        raise InputError(f"Stage {index + 1} hands out no sheets, so it has no 'raters'.")
    if stage.raters == raters:
        return text
    if raters < 1:
        raise InputError(f"'raters' is 1 or more; got {raters}.")
    return with_value(text, ("stages", index, "rate", "raters"), raters)


def _with_dates(text: str, study: Study, dates: NewDates) -> str:
    before = study.dates
    told: dict[str, tuple[str, str | None]] = {
        "opens": (dates.opens.strip(), None if before.opens is None else str(before.opens)),
        "closes": (dates.closes.strip(), None if before.closes is None else str(before.closes)),
        "zone": (dates.zone.strip() or before.zone, before.zone),
    }
    for key, (wanted, known) in told.items():
        given = wanted.replace("T", " ") if key != "zone" else wanted
        if given == (known or "") or (known is not None and f"{given}:00" == known):
            continue
        text = with_value(text, ("dates", key), given or None)
    return text


def _stage(study: Study, index: int) -> Any:
    if not 0 <= index < len(study.stages):
        raise InputError(f"The study has {len(study.stages)} stages; there is no {index + 1}.")
    return study.stages[index]


def _at(data: Any, steps: tuple[str | int, ...]) -> Any:
    for step in steps:
        data = data[step]
    return data
