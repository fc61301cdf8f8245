"""What a new study file would spoil of what was collected under the one before, in sentences.

Conversations, sheets and practice belong to the number of a stage, places to the name of a condition,
answers to the name of a question: a new file may add to these, and may not give another meaning to
what has data. What is merely worded anew is no matter: answers carry the version of their question.
"""

from collections.abc import Iterator, Mapping

from palaver.core.questions import Question
from palaver.core.studies.versions import StageWork, StudyWork
from palaver.core.words import counted, listed
from palaver.studies.file.definition import Study
from palaver.studies.stages import AnyStage, ChatStage, RateStage, ScreenStage, WriteStage

# Levels at which another set of values is another scale.
SCALES = frozenset({"ordinal", "interval", "ratio"})
NO_WORK = StageWork(dialogues={}, places={}, sheets={})


def refusals(old: Study, new: Study, work: StudyWork) -> tuple[str, ...]:
    """Why a new file must not follow an old one; none where nothing is spoilt."""
    return tuple(_refusals(old, new, work))


def _refusals(old: Study, new: Study, work: StudyWork) -> Iterator[str]:
    if new.name != old.name:
        yield (
            f"'name' is '{new.name}'; the study is '{old.name}', and everything collected belongs to "
            "that name. Leave it, or serve the file as a new study."
        )
        return
    if work.visits and new.crowd.kind != old.crowd.kind:
        yield (
            f"'crowd › kind' is '{new.crowd.kind}'; {counted(work.visits, 'visit')} came by "
            f"'{old.crowd.kind}', and would not be recognised. Leave it."
        )
    for index in range(max(len(old.stages), *(n + 1 for n in work.stages), 0)):
        yield from _of_stage(old, new, index, work.stages.get(index, NO_WORK))
    yield from _of_questions(old.questions, new, work.answers)
    for system in sorted(work.speaking.keys() & old.systems.keys() - new.systems.keys()):
        talking = counted(work.speaking[system], "conversation")
        yield (
            f"System '{system}' is taken out, and talks in {talking} now. Pause the study and wait "
            "until they have ended."
        )


def _of_stage(old: Study, new: Study, index: int, work: StageWork) -> Iterator[str]:
    here = f"Stage {index + 1}"
    after = new.stages[index] if index < len(new.stages) else None
    before = old.stages[index] if index < len(old.stages) else None
    if before is None or (work.is_empty and not work.visits):
        return
    has = _held_words(work)
    if after is None:
        yield f"{here} ({before.kind}) is taken out, and it has {has}. Leave it."
        return
    if after.kind != before.kind:
        yield (
            f"{here} is a {after.kind} stage; it was a {before.kind} stage and has {has}. Stages with "
            "data keep their place and kind; put new ones behind them."
        )
        return
    if work.is_empty:
        return
    moved = _moved_to(before, after, new)
    if moved is not None:
        yield (
            f"{here} would become stage {moved + 1}, and it has {has}. Stages with data keep their "
            "place; put new ones behind them."
        )
        return
    if isinstance(before, WriteStage) and isinstance(after, WriteStage):
        if before.task != after.task:
            yield (
                f"{here} writes for the task '{after.task}'; it has {has} of '{before.task}'. Leave it."
            )
    elif isinstance(before, ChatStage) and isinstance(after, ChatStage):
        yield from _of_chat(here, before, after, work)
    elif isinstance(before, RateStage) and isinstance(after, RateStage):
        yield from _of_rate(here, before, after, work)
    elif isinstance(before, ScreenStage) and isinstance(after, ScreenStage):
        if before.qualification == after.qualification:
            return
        yield (
            f"{here} records its result under another 'qualification', and it has {has}: people who "
            "passed would be asked again. Leave it."
        )


def _moved_to(before: AnyStage, after: AnyStage, new: Study) -> int | None:
    """Where a stage stands in the new file, if it changed its place and nothing else."""
    if after == before or before not in new.stages:
        return None
    return new.stages.index(before)


def _held_words(work: StageWork) -> str:
    told = []
    if work.dialogues:
        told.append(counted(sum(work.dialogues.values()), "conversation"))
    elif work.places:
        told.append(counted(sum(work.places.values()), "place in use", "places in use"))
    if work.sheets:
        raters = sum(raters * count for raters, count in work.sheets.items())
        told.append(
            counted(raters, "sheet that raters hold or did", "sheets that raters hold or did")
        )
    if work.screenings:
        told.append(counted(work.screenings, "practice", "practices"))
    if work.visits:
        told.append(f"{counted(work.visits, 'person', 'people')} in it now")
    return listed(told)


def _of_chat(here: str, before: ChatStage, after: ChatStage, work: StageWork) -> Iterator[str]:
    talks = counted(sum(work.dialogues.values()), "conversation")
    for key, old, new in (
        ("arrangement", before.arrangement, after.arrangement),
        ("game", before.game.name, after.game.name),
        ("practice", before.practice, after.practice),
    ):
        if old != new:
            shown = [
                str(value).lower() if isinstance(value, bool) else value for value in (new, old)
            ]
            yield (
                f"{here}: '{key}' is '{shown[0]}'; it was '{shown[1]}' when {talks} began. Leave it."
            )
            return
    conditions = {condition.name: condition for condition in after.conditions}
    for name, count in work.dialogues.items():
        if name not in conditions and any(c.name == name for c in before.conditions):
            yield (
                f"{here}: the condition '{name}' is taken out, and it has "
                f"{counted(count, 'conversation')}. To let nobody more in, leave it with 'needed' as "
                "many as it has."
            )
    for name, condition in conditions.items():
        taken = sum(n for (place, _), n in work.places.items() if place == name)
        if condition.needed is not None and condition.needed < taken:
            yield (
                f"{here}: 'needed' of '{name}' is {condition.needed:,}, and {taken:,} are held or done "
                f"already. Take {taken:,} or more."
            )
        if condition.per_scenario is None:
            continue
        for (place, scenario), count in work.places.items():
            if place == name and scenario is not None and condition.per_scenario < count:
                yield (
                    f"{here}: 'per_scenario' of '{name}' is {condition.per_scenario:,}, and scenario "
                    f"'{scenario}' has {count:,} held or done already. Take {count:,} or more."
                )


def _of_rate(here: str, before: RateStage, after: RateStage, work: StageWork) -> Iterator[str]:
    if not work.sheets:
        return
    held = _held_words(work)
    for key, old, new in (
        ("from", before.source, after.source),
        ("format", before.format, after.format),
    ):
        if old != new:
            was = f"it was {_quoted(old)}, and it has {held}"
            yield f"{here}: '{key}' is {_quoted(new)}; {was}. Leave it."
            return
    if before.has_source != after.has_source:
        yield f"{here} judges something else, and it has {held}. Leave its 'data'."
        return
    most = max(work.sheets)
    if after.units is None and after.raters < min(most, before.raters):
        several = sum(count for raters, count in work.sheets.items() if raters > after.raters)
        has = "has" if several == 1 else "have"
        yield (
            f"{here}: 'raters' is {after.raters}, and {counted(several, 'sheet')} {has} up to {most} "
            f"held or done already. Take {most} or more."
        )


def _of_questions(
    old: Mapping[str, Question], new: Study, answers: Mapping[str, int]
) -> Iterator[str]:
    for name, count in answers.items():
        before, after = old.get(name), new.questions.get(name)
        if before is None:
            continue
        has = f"it has {counted(count, 'answer')}"
        if after is None:
            yield (
                f"Question '{name}' is taken out, and {has}. Leave it under 'questions'; a stage need "
                "not ask it any more."
            )
        elif (after.kind, after.about) != (before.kind, before.about):
            yield (
                f"Question '{name}' is of kind '{after.kind}' about a {after.about}; it was of kind "
                f"'{before.kind}' about a {before.about}, and {has}. Give the new one another name."
            )
        else:
            yield from _of_values(before, after, has)


def _of_values(before: Question, after: Question, has: str) -> Iterator[str]:
    """Values that answers have and the new question has not, or that mean something else there."""
    old, new = ([(c.of, c.value) for c in question.codebook] for question in (before, after))
    is_scale = before.level in SCALES
    gone = [str(value) for place, value in old if (place, value) not in new]
    if gone and not is_scale:
        yield (
            f"Question '{before.name}' no longer offers {listed(gone, most=4)}, and {has}. Give the "
            "new one another name."
        )
    # What a measured scale lists are the points that have words; what it takes says where it ends.
    elif before.stored_as != after.stored_as or (before.level == "ordinal" and old != new):
        yield (
            f"Question '{before.name}' has another scale, and {has}: old and new answers could not be "
            "compared. Give the new one another name."
        )


def _quoted(value: str | None) -> str:
    return "left out" if value is None else f"'{value}'"
