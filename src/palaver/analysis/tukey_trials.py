"""The trials of the randomised Tukey HSD test: how far shuffled systems come to lie apart.

In a trial each topic's scores are shuffled, and the largest difference between two systems' sums is
noted. Small problems are shuffled score by score. Large ones would take minutes, so their trials come
in rounds: at the start of a round every topic is shuffled anew and topics are added up in groups;
in each trial of the round every group is turned by a distance of its own, and the groups are added
up. A shuffle that is turned is a shuffle, so every trial by itself is drawn exactly from the null
distribution. Trials of one round share their groups and are not quite independent of each other; the
groups are so many that this does not matter (docs/design/turned-groups.md has the numbers).
"""

from collections.abc import Callable
from itertools import pairwise

from palaver.core.numeric import Numbers, np

# Called with how many trials are done, and how many there are.
TrialProgress = Callable[[int, int], None]

# How many trials are shuffled at once, score by score.
BLOCK = 8_192
# Below this many scores to shuffle (topics × systems × trials), each is shuffled by itself.
LARGE = 200_000_000
# How many numbers are added up in a trial of a round (groups × systems), and the most groups.
GROUPED = 16_384
MOST_GROUPS = 1_024
# How many trials a round has.
ROUND = 64


def largest_differences(
    stack: Numbers, trials: int, seed: int, progress: TrialProgress | None = None
) -> Numbers:
    """The largest difference of two means in each trial: trials × measures.

    `stack` is topics × systems × measures; a trial shuffles all measures of a topic in the same way,
    and what it finds for one measure does not depend on which others there are.
    """
    topics, systems, _ = stack.shape
    if topics * systems * trials <= LARGE or topics * systems <= GROUPED:
        one_by_one = [
            _shuffled(scores, trials, seed, _shifted(progress, n, stack.shape[2]))
            for n, scores in enumerate(np.moveaxis(stack, 2, 0))
        ]
        return np.column_stack(one_by_one)
    return _turned(stack, trials, seed, progress)


def _shifted(progress: TrialProgress | None, measure: int, measures: int) -> TrialProgress | None:
    """The progress of one measure as that of all of them."""
    if progress is None:
        return None
    return lambda done, trials: progress((measure * trials + done) // measures, trials)


def _shuffled(
    scores: Numbers, trials: int, seed: int, progress: TrialProgress | None = None
) -> Numbers:
    """One measure, every score shuffled in every trial."""
    dice = np.random.Generator(np.random.SFC64(seed))
    # A topic on which all systems score the same stays the same however it is shuffled.
    varied = scores[np.ptp(scores, axis=1) > 0]
    found = np.zeros(trials)
    for start in range(0, trials, BLOCK):
        size = min(BLOCK, trials - start)
        sums = np.zeros((size, scores.shape[1]))
        rows = np.empty_like(sums)
        for topic in varied:
            rows[:] = topic
            dice.permuted(rows, axis=1, out=rows)
            sums += rows
        found[start : start + size] = np.ptp(sums, axis=1) / len(scores)
        if progress:
            progress(start + size, trials)
    return found


def _turned(stack: Numbers, trials: int, seed: int, progress: TrialProgress | None) -> Numbers:
    """All measures, in rounds of groups that are turned."""
    topics, systems, measures = stack.shape
    dice = np.random.Generator(np.random.SFC64(seed))
    groups = min(MOST_GROUPS, max(2, GROUPED // systems), topics)
    scores = np.ascontiguousarray(stack).reshape(topics * systems, measures)
    found = np.zeros((trials, measures))
    for start in range(0, trials, ROUND):
        # Each group stands there twice, so that one that is turned is a piece of it.
        sums = _group_sums(scores, topics, systems, groups, dice)
        twice = np.concatenate([sums, sums[:, :-1]], axis=1)
        pieces = np.lib.stride_tricks.sliding_window_view(twice, systems, axis=1)
        pieces = np.moveaxis(pieces, 3, 2)
        size = min(ROUND, trials - start)
        turns = dice.integers(systems, size=(ROUND, groups))
        for trial in range(size):
            column_sums = pieces[np.arange(groups), turns[trial]].sum(axis=0)
            found[start + trial] = np.ptp(column_sums, axis=0)
        if progress:
            progress(start + size, trials)
    found /= topics
    return found


def _group_sums(
    scores: Numbers, topics: int, systems: int, groups: int, dice: np.random.Generator
) -> Numbers:
    """The sums of groups of shuffled topics: groups × systems × measures."""
    ends = np.linspace(0, topics, groups + 1).astype(np.intp)
    found = np.empty((groups, systems, scores.shape[1]))
    for group, (first, end) in enumerate(pairwise(ends)):
        places = np.arange(first * systems, end * systems).reshape(end - first, systems)
        dice.permuted(places, axis=1, out=places)
        taken = scores.take(places.ravel(), axis=0)
        found[group] = taken.reshape(end - first, systems, -1).sum(axis=0)
    return found
