"""What needs no network: the commonest answer to a task, and where its context is given back."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from palaver.models.baselines.examples import GoldExample, GoldExamples, NothingToLearnError
from palaver.models.baselines.features import Question
from palaver.models.baselines.layout import AskedPart, LayoutWords, TaskGoal, TaskLayout
from palaver.models.baselines.parts import label_shares, normalised_shares, read_shares
from palaver.models.baselines.spans import runs_of
from palaver.models.baselines.text_model import beside
from palaver.models.baselines.tokens import lower_words, placed_words


def commonest_words(data: GoldExamples) -> dict[str, list[str]]:
    """The mean shares of each goal's labels, and the commonest place of a span, as a vocabulary."""
    found: dict[str, list[str]] = {}
    for goal in data.layout.goals:
        if goal.kind == "turns":
            for speaker, shares in _turn_shares(goal, data.examples).items():
                found[_shares_key(goal, speaker)] = list(map(repr, shares))
        elif goal.kind == "span":
            first, words = _commonest_place(goal, data.examples)
            found[_place_key(goal)] = [str(first), str(words)]
        else:
            rows = [label_shares(goal, each.gold[goal.name]) for each in data.examples]
            found[_shares_key(goal)] = list(map(repr, _mean(rows)))
    return found


def commonest_answer(layout: TaskLayout, words: LayoutWords, question: Question) -> dict[str, Any]:
    """The same for every question, as far as a question lets it: spans are cut to their text."""
    values: dict[str, Any] = {}
    known: dict[str, Any] = {}
    for goal in layout.goals:
        if goal.kind == "turns":
            values[goal.name] = [
                _by_label(
                    goal.by_speaker[turn["speaker"]], words[_shares_key(goal, turn["speaker"])]
                )
                for turn in question[goal.reference]
            ]
        elif goal.kind == "span":
            first, size = map(int, words[_place_key(goal)])
            values[goal.name] = _words_at(str(question[goal.reference]), first, size)
        else:
            shares = list(map(float, words[_shares_key(goal)]))
            values[goal.name] = read_shares(goal, shares)
            if goal.kind == "one":
                known[goal.name] = dict(zip(goal.labels, shares, strict=True))
    return values | beside(layout, known)


def returned_words(data: GoldExamples) -> dict[str, list[str]]:
    """The field that is given back for each goal: a span's text, else a dialogue, else the longest."""
    layout = data.layout
    found = {}
    for goal in layout.goals:
        if goal.kind == "span":
            field = goal.reference
        elif layout.dialogues:
            field = layout.dialogues[-1].name
        else:
            field = _longest_text(layout.texts, data.examples).name
        found[_returned_key(goal)] = [field]
    return found


def returned_answer(layout: TaskLayout, words: LayoutWords, question: Question) -> dict[str, Any]:
    """The whole text, or the last turn of the dialogue."""
    values = {}
    for goal in layout.goals:
        (field,) = words[_returned_key(goal)]
        given = question[field]
        if isinstance(given, list):
            given = given[-1]["text"] if given else ""
        values[goal.name] = str(given)
    return values


def _turn_shares(goal: TaskGoal, examples: Sequence[GoldExample]) -> Mapping[str, list[float]]:
    """The mean distribution of each speaker's turns; equal shares where nobody has one."""
    rows: dict[str, list[list[float]]] = {speaker: [] for speaker in goal.by_speaker}
    for each in examples:
        turns = each.question[goal.reference]
        for turn, masses in zip(turns, each.gold[goal.name], strict=True):
            speaker = turn["speaker"]
            rows[speaker].append(normalised_shares(goal.by_speaker[speaker], masses))
    return {
        speaker: _mean(own or [[1 / len(labels)] * len(labels)])
        for (speaker, own), labels in zip(rows.items(), goal.by_speaker.values(), strict=True)
    }


def _commonest_place(goal: TaskGoal, examples: Sequence[GoldExample]) -> tuple[int, int]:
    """The first word and the number of words of most spans; of equally many, the earlier, shorter."""
    counts: Counter[tuple[int, int]] = Counter()
    for each in examples:
        text, gold = str(each.question[goal.reference]), each.gold[goal.name]
        words = placed_words(text)
        for answer in gold if isinstance(gold, list) else [gold]:
            runs = runs_of(answer, text, words)[:1]
            counts.update((first, last - first + 1) for first, last in runs)
    if not counts:
        raise NothingToLearnError(
            f"No '{goal.name}' of these examples has words: there is nothing to learn."
        )
    return min(counts, key=lambda place: (-counts[place], place))


def _words_at(text: str, first: int, size: int) -> str:
    words = placed_words(text)
    if not words:
        return ""
    begin = min(first, max(0, len(words) - size))
    return text[words[begin].start : words[min(begin + size, len(words)) - 1].end]


def _longest_text(texts: Sequence[AskedPart], examples: Sequence[GoldExample]) -> AskedPart:
    return max(
        texts, key=lambda part: sum(len(lower_words(str(e.question[part.name]))) for e in examples)
    )


def _mean(rows: Sequence[Sequence[float]]) -> list[float]:
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


def _by_label(labels: Sequence[str], shares: Sequence[str]) -> dict[str, float]:
    return dict(zip(labels, map(float, shares), strict=True))


def _shares_key(goal: TaskGoal, speaker: str = "") -> str:
    return f"shares: {goal.name}: {speaker}" if speaker else f"shares: {goal.name}"


def _place_key(goal: TaskGoal) -> str:
    return f"first word and words: {goal.name}"


def _returned_key(goal: TaskGoal) -> str:
    return f"given back: {goal.name}"
