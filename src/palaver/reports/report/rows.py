"""The cells of written rows as the statistics take them."""

from palaver.formats.frames import Frame
from palaver.reports.report.subject import QuestionRatings


def cluster_column(frame: Frame) -> str:
    """What rows share that makes them alike: the dialogue where it is known, else the unit."""
    return "dialogue" if all(cell is not None for cell in frame.column("dialogue")) else "unit"


def has_clusters(frame: Frame) -> bool:
    """Whether units are judged inside of dialogues, so that dialogues are what is independent."""
    dialogues = frame.texts("dialogue")
    if not dialogues or any(each is None for each in dialogues):
        return False
    return len(set(dialogues)) < len(set(frame.texts("unit")))


def values_by_system(ratings: QuestionRatings) -> dict[str, list[int]]:
    """The places of each system's rows, systems in the order in which they occur."""
    rows: dict[str, list[int]] = {}
    for row, system in enumerate(ratings.frame.texts("system")):
        if system is not None:
            rows.setdefault(system, []).append(row)
    return rows


def answers_by_system(ratings: QuestionRatings) -> dict[str, dict[str, int]]:
    """How often each answer was given, by system; by "all" where systems are not known."""
    answers = ratings.frame.texts("answer")
    groups: dict[str, list[int]] = values_by_system(ratings)
    if not groups:
        groups = {"all": list(range(len(answers)))}
    found: dict[str, dict[str, int]] = {}
    for name, rows in groups.items():
        counts: dict[str, int] = {}
        for row in rows:
            answer = answers[row] or ""
            counts[answer] = counts.get(answer, 0) + 1
        found[name] = counts
    return found
