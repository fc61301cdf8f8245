"""Filters of a study as its file names them: looked up in the panel's catalogue, counted, changed.

A file says what it means in the panel's words ("United Kingdom") or by the ids of the choices; both are
found, and what is not is named with what comes near.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from palaver.core.audit import Actor
from palaver.core.errors import ConflictError, InputError
from palaver.core.registry import near
from palaver.core.words import counted, listed
from palaver.crowds.prolific.records import FilterEntry, StudyFilter
from palaver.formats.edited_yaml import Value, with_value, without_key
from palaver.storage.studies.versions import file_of
from palaver.studies.file.definition import Study
from palaver.studies.file.recruiting_terms import FilterRange
from palaver.studies.recruiting.clients import PanelClients
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.versions import change_study

Wanted = Mapping[str, tuple[str, ...] | FilterRange]
# The panel tells no smaller number, so that nobody can be singled out.
FEWEST = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterList:
    """Filters of a panel's catalogue."""

    filters: tuple[FilterEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EligiblePeople:
    """How many people at a panel pass some filters; 0 stands for fewer than 25."""

    derived: ClassVar[tuple[str, ...]] = ("words",)

    count: int

    @property
    def words(self) -> str:
        """How many they are, in words."""
        return (
            counted(self.count, "person", "people") if self.count else f"fewer than {FEWEST} people"
        )


def filters_of(study: Study) -> Wanted:
    """The filters that a study's file names."""
    return {} if study.recruit is None else study.recruit.filters


def filter_words(value: tuple[str, ...] | FilterRange) -> str:
    """What is chosen of a filter, in words."""
    if isinstance(value, tuple):
        return listed(value, "or", most=6)
    ends = {"from": value.lower, "to": value.upper}
    return " ".join(f"{word} {end:g}" for word, end in ends.items() if end is not None)


async def count_eligible(deployment: Deployment, wanted: Wanted) -> EligiblePeople:
    """How many people at the panel pass all of these filters, and may be asked to take part."""
    client = await PanelClients.of(deployment).prolific()
    chosen = chosen_filters(wanted, await client.people.filters())
    return EligiblePeople(count=await client.people.eligible(chosen))


async def write_filters(
    deployment: Deployment, name: str, wanted: Wanted, *, actor: Actor, base: int | None = None
) -> None:
    """Have a study's file name these filters and no others: a new version of it.

    InputError with everything that is not in the catalogue, ConflictError where these are the filters
    already or the file was changed since version `base`.
    """
    running = deployment.study(name)
    before = filters_of(running.definition)
    client = await PanelClients.of(deployment).prolific()
    catalogue = await client.people.filters()
    chosen_filters(wanted, catalogue)
    entries = {entry.filter_id: entry for entry in catalogue}
    text = await deployment.store.read(lambda c: file_of(c, running.id))
    changed = changed_filters(before, wanted, catalogue)
    if not changed:
        raise ConflictError("These are the filters of the study already. Nothing was changed.")
    for each in changed:
        steps = ("recruit", "filters", each)
        if each in wanted:
            text = with_value(text, steps, _written(entries[each], wanted[each]))
        else:
            text = without_key(text, steps)
    await change_study(
        deployment,
        name,
        text,
        actor=actor,
        note="filters of recruiting",
        base=running.version if base is None else base,
    )


def changed_filters(
    before: Wanted, after: Wanted, catalogue: Sequence[FilterEntry]
) -> tuple[str, ...]:
    """The filters that are new, gone or mean something else, whichever words they are written in."""
    entries = {entry.filter_id: entry for entry in catalogue}

    def meaning(filters: Wanted, name: str) -> object:
        value, entry = filters.get(name), entries.get(name)
        if entry is None or not isinstance(value, tuple):
            return value
        ids, unknown = found_choices(entry, value)
        return frozenset(ids), *unknown

    every = dict.fromkeys((*before, *after))
    return tuple(name for name in every if meaning(before, name) != meaning(after, name))


def can_be_chosen(entry: FilterEntry) -> bool:
    """Whether a study file can say a filter: not those of ids that the catalogue does not list."""
    return bool(entry.choices) or entry.type != "select"


def _written(entry: FilterEntry, value: tuple[str, ...] | FilterRange) -> Value:
    """A filter as a file says it: in the panel's words where they name one choice alone."""
    if isinstance(value, FilterRange):
        ends = {"from": value.lower, "to": value.upper}
        return {name: _number(end) for name, end in ends.items() if end is not None}
    titles = [title.casefold() for title in entry.choices.values()]
    ids, _ = found_choices(entry, value)
    told = {each: entry.choices[each] for each in ids}
    # A number as a title may be the id of another choice, and ids are looked up first.
    return [
        title if titles.count(title.casefold()) == 1 and title not in entry.choices else each
        for each, title in told.items()
    ]


def _number(end: float) -> int | float:
    return int(end) if float(end).is_integer() else end


async def find_filters(deployment: Deployment, words: str = "") -> FilterList:
    """The panel's filters, or those whose id, title, question or choices have all these words."""
    client = await PanelClients.of(deployment).prolific()
    catalogue = await client.people.filters()
    return FilterList(filters=tuple(each for each in catalogue if has_words(each, words)))


def has_words(entry: FilterEntry, words: str) -> bool:
    """Whether a filter's id, title, question or choices have all these words."""
    told = (entry.filter_id, entry.title, entry.question, *entry.choices.values())
    text = " ".join(told).casefold()
    return all(word in text for word in words.casefold().split())


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
            ids, unknown = found_choices(entry, value)
            problems += unknown
            found.append(StudyFilter(filter_id=name, selected_values=ids))
    if problems:
        raise InputError(" ".join(problems))
    return tuple(found)


def found_choices(entry: FilterEntry, wanted: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
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
