"""Filters that are written into the study file: only what changed, in the panel's words."""

from pathlib import Path

import pytest

from palaver.core.errors import ConflictError, InputError
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.studies.file.recruiting_terms import FilterRange
from palaver.studies.recruiting.offering.filters import (
    changed_filters,
    count_eligible,
    filters_of,
    find_filters,
    write_filters,
)
from support.recruiting import ADA, Recruiting, deployed, write_study

pytestmark = pytest.mark.asyncio
COUNTRY = "current-country-of-residence"
COMMENTED = """\
recruit:
  # What people read before they come.
  description: You talk with a program for ten minutes.
  filters:
    current-country-of-residence:  # where the pilot was
      - United Kingdom
      - Ireland
    age: {from: 18, to: 40}        # adults
"""


async def saved(home: Recruiting, base: int | None = None, **wanted: object) -> str:
    """The study's file after its filters were saved; underscores stand for hyphens."""
    told = {name.replace("_", "-"): value for name, value in wanted.items()}
    await write_filters(home.deployment, "birds", told, actor=ADA, base=base)  # type: ignore[arg-type]
    return home.study.definition.file.read_text(encoding="utf-8")


def between(lower: float | None, upper: float | None = None) -> FilterRange:
    return FilterRange.model_validate({"from": lower, "to": upper})


async def test_only_what_changed_is_written_and_comments_stay(
    tmp_path: Path, stand_in: StandIn
) -> None:
    study = write_study(tmp_path, recruit=None)
    before = study.file.read_text(encoding="utf-8") + COMMENTED
    study.file.write_text(before, encoding="utf-8")
    async with deployed(tmp_path, tmp_path, stand_in) as home:
        text = await saved(
            home,
            current_country_of_residence=("2", "0"),
            age=between(21),
            first_language=("English", "1"),
        )
        changed = before.replace("{from: 18, to: 40}", "{from: 21}")
        assert text == f"{changed}    first-language: [English, German]\n"
        assert home.study.version == 2
        with pytest.raises(ConflictError, match="the filters of the study already"):
            await saved(home, **filters_of(home.study.definition))
        with pytest.raises(InputError, match=r"no filter 'agee'\. Near: 'age'"):
            await saved(home, agee=("1",))
        with pytest.raises(ConflictError, match="made of version 1, and version 2 is served"):
            await saved(home, base=1)
        assert "filters" not in await saved(home)
        assert filters_of(home.study.definition) == {}


async def test_people_are_counted_by_what_is_chosen(tmp_path: Path, stand_in: StandIn) -> None:
    write_study(tmp_path)
    async with deployed(tmp_path, tmp_path, stand_in) as home:
        everybody = await count_eligible(home.deployment, {})
        some = await count_eligible(home.deployment, {"age": between(18, 40)})
        none = await count_eligible(home.deployment, {"age": between(40, 40)})
        assert everybody.count > some.count > none.count == 0
        assert none.words == "fewer than 25 people"
        catalogue = (await find_filters(home.deployment)).filters
        same = {COUNTRY: ("united kingdom", "2")}
        assert changed_filters(same, {COUNTRY: ("Ireland", "0")}, catalogue) == ()
        assert changed_filters(same, {COUNTRY: ("Ireland",)}, catalogue) == (COUNTRY,)
