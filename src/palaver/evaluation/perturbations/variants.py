"""Variants of records: each perturbation applied to all records of a piece, and what came of it."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from palaver.core.errors import InputError, PalaverError
from palaver.core.evaluation.datasets import VariantTally
from palaver.core.evaluation.variant_counts import few_variants
from palaver.core.numeric import np
from palaver.core.serial import key
from palaver.evaluation.perturbations.corpus import DIGIT, GLUE, LETTER, Corpus, Span, class_of
from palaver.evaluation.perturbations.dialogue_records import changed_talk, user_turns
from palaver.evaluation.perturbations.draws import Draws, make_draws, variant_seeds
from palaver.evaluation.perturbations.edits import changed_texts
from palaver.evaluation.perturbations.layout import IDS, Layout
from palaver.evaluation.perturbations.perturbation import Perturbation

Record = dict[str, Any]

_WORD = LETTER | DIGIT | GLUE
_NAMES = re.compile(r"[^\W\d_][\w'’-]+")


@dataclass(frozen=True, slots=True)
class Variants:
    """The variants of some records in their order, linked by `input_id`; a tally per perturbation.

    `originals` are the records, `with_variants` those that have one; `warnings` say where these are few.
    """

    derived: ClassVar[tuple[str, ...]] = ("with_variants", "warnings")

    originals: int
    records: list[Record] = key("variants")
    tallies: dict[str, VariantTally] = key("perturbations")

    @property
    def with_variants(self) -> int:
        return len({record["input_id"] for record in self.records})

    @property
    def warnings(self) -> tuple[str, ...]:
        said = few_variants(self.with_variants, self.originals)
        return (said,) if said else ()


def make_variants(
    records: Sequence[Record], layout: Layout, perturbations: Sequence[Perturbation], *, seed: int
) -> Variants:
    """Every perturbation applied to every record; what did not change is left out."""
    laid_out: dict[tuple[bool, bool], _Texts] = {}
    made: list[list[Record]] = [[] for _ in records]
    tallies: dict[str, VariantTally] = {}
    for perturbation in perturbations:
        uids = [f"{uid_of(record)}_{perturbation.name}" for record in records]
        seeds = variant_seeds(seed, uids)
        if perturbation.level == "dialogue":
            changed = _changed_talks(records, layout, perturbation, seeds.tolist())
        else:
            key = (perturbation.user_only, perturbation.kind == "fairness")
            if key not in laid_out:
                laid_out[key] = _texts_of(records, layout, user_only=key[0], names=key[1])
            changed = _changed_texts(laid_out[key], records, perturbation, seeds)
        lost = 0
        for n, variant in changed.items():
            if _keeps_gold(records[n], variant, layout):
                made[n].append(_linked(variant, uids[n], uid_of(records[n])))
            else:
                lost += 1
        tallies[perturbation.name] = VariantTally(
            variants=len(changed) - lost, unchanged=len(records) - len(changed), gold_lost=lost
        )
    found = [variant for several in made for variant in several]
    return Variants(originals=len(records), records=found, tallies=tallies)


def uid_of(record: Mapping[str, Any]) -> str:
    return str(next(record[key] for key in IDS if record.get(key) not in (None, "")))


def protected_spans(text: str, gold: Iterable[str], *, names: bool = False) -> list[Span]:
    """Where gold values stand in a text, sorted and without overlaps.

    A value is protected where it stands as whole words; where it never does, wherever it stands.
    With `names` also each capitalised word of a gold value is, so that a person who is the answer
    keeps the name everywhere.
    """
    wanted = [value for value in dict.fromkeys(gold) if value]
    spans = [span for value in wanted for span in _occurrences(text, value)]
    if names:
        parts = {word for value in wanted for word in _NAMES.findall(value) if word[0].isupper()}
        spans += [span for part in parts for span in _found(text, part) if _is_whole(text, span)]
    return _merged(spans)


def free_parts(text: str, spans: Sequence[Span]) -> list[tuple[str, bool]]:
    """A text in parts, each with whether it may be changed.

    >>> free_parts("born in Ulm, 1879", [(8, 11)])
    [('born in ', True), ('Ulm', False), (', 1879', True)]
    """
    parts: list[tuple[str, bool]] = []
    at = 0
    for start, stop in spans:
        parts += [(text[at:start], True), (text[start:stop], False)]
        at = stop
    return [part for part in (*parts, (text[at:], True)) if part[0]]


def _linked(variant: Record, uid: str, original: str) -> Record:
    rest = {key: value for key, value in variant.items() if key not in (*IDS, "input_id")}
    return {"uid": uid, "input_id": original, **rest}


def _keeps_gold(original: Record, variant: Record, layout: Layout) -> bool:
    """Whether every gold span that stood in its field still does."""
    for selection in layout.selections:
        before, after = (
            str(original.get(selection.reference)),
            str(variant.get(selection.reference)),
        )
        if any(value in before and value not in after for value in selection.values(original)):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of all records end to end: whose each is, where it stands, and the spans in it."""

    corpus: Corpus
    spans: list[list[Span]]
    owners: list[int]
    numbers: list[int]
    places: list[tuple[str, int | None]]


def _texts_of(records: Sequence[Record], layout: Layout, *, user_only: bool, names: bool) -> _Texts:
    texts: list[str] = []
    spans: list[list[Span]] = []
    owners: list[int] = []
    numbers: list[int] = []
    places: list[tuple[str, int | None]] = []
    for owner, record in enumerate(records):
        gold = layout.gold(record)
        said = user_turns(record, layout) if user_only else None
        for number, (field, turn, text) in enumerate(layout.stretches(record)):
            if said is not None and (field, turn) not in said:
                continue
            texts.append(text)
            spans.append(protected_spans(text, gold, names=names) if gold else [])
            owners.append(owner)
            numbers.append(number)
            places.append((field, turn))
    return _Texts(Corpus(texts, spans), spans, owners, numbers, places)


def _changed_texts(
    texts: _Texts, records: Sequence[Record], perturbation: Perturbation, seeds: Any
) -> dict[int, Record]:
    """The records that changed, by their number."""
    if not texts.owners:
        return {}
    owners = np.array(texts.owners, dtype=np.int64)
    draws = make_draws(seeds, owners, np.array(texts.numbers, dtype=np.int64))
    news = _guarded(perturbation, lambda: _perturbed(texts, perturbation, draws))
    differs = _differs_in_letters if perturbation.kind == "fairness" else _differs
    olds = texts.corpus.texts
    changed: dict[int, Record] = {}
    seen: set[int] = set()
    for owner, place, old, new in zip(texts.owners, texts.places, olds, news, strict=True):
        if old != new:
            variant = changed.get(owner)
            if variant is None:
                variant = changed[owner] = dict(records[owner])
            _put(variant, records[owner], place, new)
            if differs(old, new):
                seen.add(owner)
    return {owner: variant for owner, variant in changed.items() if owner in seen}


def _perturbed(texts: _Texts, perturbation: Perturbation, draws: Draws) -> list[str]:
    if perturbation.level != "text":
        return changed_texts(texts.corpus, perturbation.function(texts.corpus, draws))
    return [
        _one_text(perturbation, text, spans, draws, row)
        for row, (text, spans) in enumerate(zip(texts.corpus.texts, texts.spans, strict=True))
    ]


def _one_text(
    perturbation: Perturbation, text: str, spans: Sequence[Span], draws: Draws, row: int
) -> str:
    generator = draws.generator(row)
    parts = []
    for part, is_free in free_parts(text, spans):
        new = perturbation.function(part, generator) if is_free else part
        if not isinstance(new, str):
            raise InputError(f"it returned {new!r:.60}; expected a text")
        parts.append(new)
    return "".join(parts)


def _put(variant: Record, original: Record, place: tuple[str, int | None], text: str) -> None:
    field, turn = place
    if turn is None:
        variant[field] = text
        return
    if variant[field] is original[field]:
        variant[field] = list(original[field])
    variant[field][turn] = {**variant[field][turn], "text": text}


def _differs(old: str, new: str) -> bool:
    return old != new


def _differs_in_letters(old: str, new: str) -> bool:
    return "".join(old.split()) != "".join(new.split())


def _changed_talks(
    records: Sequence[Record], layout: Layout, perturbation: Perturbation, seeds: Sequence[int]
) -> dict[int, Record]:
    changed = {}
    for n, (record, seed) in enumerate(zip(records, seeds, strict=True)):
        variant = _guarded(perturbation, partial(changed_talk, record, layout, perturbation, seed))
        if variant is not None:
            changed[n] = variant
    return changed


def _guarded(perturbation: Perturbation, work: Callable[[], Any]) -> Any:
    try:
        return work()
    except InputError as error:
        raise InputError(f"Perturbation '{perturbation.name}' failed: {error}.") from error
    except PalaverError:
        raise
    except Exception as error:
        # A researcher's function may raise anything.
        raise InputError(
            f"Perturbation '{perturbation.name}' failed: {type(error).__name__}: {error}"
        ) from error


def _occurrences(text: str, value: str) -> list[Span]:
    every = _found(text, value)
    whole = [span for span in every if _is_whole(text, span)]
    return whole or every


def _found(text: str, value: str) -> list[Span]:
    spans = []
    at = text.find(value)
    while at >= 0:
        spans.append((at, at + len(value)))
        at = text.find(value, at + 1)
    return spans


def _is_whole(text: str, span: Span) -> bool:
    """Whether no word goes on over either end."""
    start, stop = span
    return not (_joins(text, start) or _joins(text, stop))


def _joins(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = class_of(ord(text[at - 1])), class_of(ord(text[at]))
    return bool(after & GLUE) or bool(before & _WORD and after & _WORD)


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, stop in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(stop, merged[-1][1])
        else:
            merged.append((start, stop))
    return merged
