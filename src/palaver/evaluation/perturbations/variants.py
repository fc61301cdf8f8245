"""Variants of records: each perturbation applied to all records of a piece, and what came of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from palaver.core.errors import InputError, PalaverError
from palaver.core.evaluation.datasets import VariantTally
from palaver.core.numeric import np
from palaver.core.serial import key
from palaver.evaluation.perturbations.corpus import Corpus, Span
from palaver.evaluation.perturbations.dialogue_records import changed_talk, user_turns
from palaver.evaluation.perturbations.draws import Draws, make_draws, variant_seeds
from palaver.evaluation.perturbations.edits import changed_texts
from palaver.evaluation.perturbations.layout import IDS, Layout
from palaver.evaluation.perturbations.perturbation import Perturbation
from palaver.evaluation.perturbations.protection import free_parts, protected_spans

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Variants:
    """The variants of some records in their order, linked by `input_id`; a tally per perturbation."""

    records: list[Record] = key("variants")
    tallies: dict[str, VariantTally] = key("perturbations")


def make_variants(
    records: Sequence[Record], layout: Layout, perturbations: Sequence[Perturbation], *, seed: int
) -> Variants:
    """Every perturbation applied to every record; what did not change is left out."""
    laid_out: dict[tuple[bool, bool], _Texts] = {}
    made: list[list[Record]] = [[] for _ in records]
    tallies: dict[str, VariantTally] = {}
    for each in perturbations:
        uids = [f"{uid_of(record)}_{each.name}" for record in records]
        seeds = variant_seeds(seed, uids)
        if each.level == "dialogue":
            changed = _changed_talks(records, layout, each, seeds.tolist())
        else:
            key = (each.user_only, each.kind == "fairness")
            if key not in laid_out:
                laid_out[key] = _texts_of(records, layout, user_only=key[0], names=key[1])
            changed = _changed_texts(laid_out[key], records, each, seeds)
        lost = 0
        for n, variant in changed.items():
            if _keeps_gold(records[n], variant, layout):
                made[n].append(_linked(variant, uids[n], uid_of(records[n])))
            else:
                lost += 1
        tallies[each.name] = VariantTally(
            variants=len(changed) - lost, unchanged=len(records) - len(changed), gold_lost=lost
        )
    return Variants([variant for several in made for variant in several], tallies)


def uid_of(record: Mapping[str, Any]) -> str:
    """The uid of a record."""
    return str(next(record[key] for key in IDS if record.get(key) not in (None, "")))


def _linked(variant: Record, uid: str, original: str) -> Record:
    rest = {key: value for key, value in variant.items() if key not in (*IDS, "input_id")}
    return {"uid": uid, "input_id": original, **rest}


def _keeps_gold(original: Record, variant: Record, layout: Layout) -> bool:
    """Whether every gold span that stood in its field still does."""
    for each in layout.selections:
        before, after = str(original.get(each.reference)), str(variant.get(each.reference))
        if any(value in before and value not in after for value in each.values(original)):
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
