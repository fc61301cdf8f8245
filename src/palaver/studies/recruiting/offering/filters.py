"""Filters of a study as its file names them, looked up in the panel's catalogue.

A file says what it means in the panel's words ("United Kingdom") or by the ids of the choices; both are
found, and what is not is named with what comes near.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.crowds.prolific.records import FilterEntry, StudyFilter
from palaver.studies.file.recruiting_terms import FilterRange
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.run.deployment import Deployment

Wanted = Mapping[str, tuple[str, ...] | FilterRange]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterList:
    """Filters of a panel's catalogue."""

    filters: tuple[FilterEntry, ...]


async def find_filters(deployment: Deployment, words: str = "") -> FilterList:
    """The panel's filters, or those whose id, title, question or choices have all these words."""
    client = await PanelClients.of(deployment).prolific()
    wanted = words.casefold().split()
    return FilterList(
        filters=tuple(
            each
            for each in await client.people.filters()
            if all(word in _told_of(each) for word in wanted)
        )
    )


def _told_of(entry: FilterEntry) -> str:
    told = (entry.filter_id, entry.title, entry.question, *entry.choices.values())
    return " ".join(told).casefold()


def chosen_filters(wanted: Wanted, catalogue: Sequence[FilterEntry]) -> tuple[StudyFilter, ...]:
    """The filters that a study asks for; InputError with everything that is not in the catalogue."""
    entries = {entry.filter_id: entry for entry in catalogue}
    problems: list[str] = []
    found: list[StudyFilter] = []
    for name, value in wanted.items():
        entry = entries.get(name)
        if entry is None:
            problems.append(f"The panel has no filter '{name[:60]}'.{near(name, entries)}")
        elif isinstance(value, FilterRange):
            problems += _range_problems(entry, value)
            found.append(StudyFilter(filter_id=name, lower=value.lower, upper=value.upper))
        else:
            ids, unknown = _choices(entry, value)
            problems += unknown
            found.append(StudyFilter(filter_id=name, selected_values=ids))
    if problems:
        raise InputError(" ".join(problems))
    return tuple(found)


def _choices(entry: FilterEntry, wanted: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """The ids of the choices that are meant, and what is wrong with those that are not there."""
    if not entry.choices:
        return (), [
            f"The filter '{entry.filter_id}' takes a range: {entry.filter_id}: {{from: …, to: …}}."
        ]
    by_title = {title.casefold(): value for value, title in entry.choices.items()}
    ids: list[str] = []
    problems: list[str] = []
    for each in wanted:
        found = each if each in entry.choices else by_title.get(each.casefold())
        if found is None:
            hint = near(each, entry.choices.values())
            problems.append(f"The filter '{entry.filter_id}' has no choice '{each[:60]}'.{hint}")
        else:
            ids.append(found)
    return tuple(dict.fromkeys(ids)), problems


def _range_problems(entry: FilterEntry, wanted: FilterRange) -> list[str]:
    if entry.choices:
        return [f"The filter '{entry.filter_id}' takes choices, not a range."]
    for end in (wanted.lower, wanted.upper):
        low, high = entry.lower, entry.upper
        if end is not None and (
            (low is not None and end < low) or (high is not None and end > high)
        ):
            return [
                f"The filter '{entry.filter_id}' goes from {low:g} to {high:g}; got {end:g}."
                if low is not None and high is not None
                else f"The filter '{entry.filter_id}' does not go to {end:g}."
            ]
    return []
