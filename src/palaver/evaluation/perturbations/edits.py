"""Changes to a corpus: stretches of code points replaced by others, and how they are made.

A perturbation says which stretches become what. Whether it may is checked here, once for all: a
change that touches a protected part, reaches over the end of a text, overlaps another, or would part
a character from its marks, is not made.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from palaver.core.numeric import Numbers, np
from palaver.evaluation.perturbations.corpus import Corpus, text_of


@dataclass(frozen=True, slots=True)
class Edits:
    """Stretches [start, stop) that become `sizes` code points each, laid end to end in `fill`.

    `codes`, where given, is the corpus with code points exchanged one for one beforehand.
    """

    starts: Numbers
    stops: Numbers
    sizes: Numbers
    fill: Numbers
    codes: Numbers | None = None


def exchanged(codes: Numbers) -> Edits:
    """The whole corpus with code points exchanged one for one."""
    nothing = np.zeros(0, dtype=np.int64)
    return Edits(nothing, nothing, nothing, nothing.astype(np.uint32), codes)


def inserted(places: Numbers, codes: Numbers) -> Edits:
    """One code point put in before each place."""
    return Edits(places, places, np.ones_like(places), codes.astype(np.uint32))


def replaced(places: Numbers, codes: Numbers) -> Edits:
    """One code point instead of the one at each place."""
    return Edits(places, places + 1, np.ones_like(places), codes.astype(np.uint32))


def removed(places: Numbers) -> Edits:
    return Edits(places, places + 1, np.zeros_like(places), np.zeros(0, dtype=np.uint32))


def swapped(places: Numbers, codes: Numbers) -> Edits:
    """Each code point at these places exchanged with the one before it."""
    pairs = np.stack((codes[places], codes[places - 1]), axis=1).astype(np.uint32)
    return Edits(places - 1, places + 1, np.full_like(places, 2), pairs.ravel())


def written(starts: Numbers, stops: Numbers, which: Numbers, table: Sequence[str]) -> Edits:
    """Stretches replaced by texts of a table."""
    whole = "".join(table).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(whole, dtype=np.uint32)
    lengths = np.fromiter(map(len, table), dtype=np.int64, count=len(table))
    firsts = np.cumsum(lengths) - lengths
    sizes = lengths[which]
    return Edits(starts, stops, sizes, codes[ranges(firsts[which], sizes)])


def together(*parts: Edits) -> Edits:
    """Several changes as one, in the order of their places."""
    starts, stops, sizes, fill = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("starts", "stops", "sizes", "fill")
    )
    firsts = np.cumsum(sizes) - sizes
    order = np.lexsort((stops, starts))
    firsts, sizes = firsts[order], sizes[order]
    return Edits(starts[order], stops[order], sizes, fill[ranges(firsts, sizes)])


def changed_texts(corpus: Corpus, edits: Edits) -> list[str]:
    """The texts with the changes made that may be made."""
    codes = _exchanged(corpus, edits.codes)
    edits = _allowed(corpus, edits)
    rows = corpus.rows_of(edits.starts)
    lengths = corpus.stops - corpus.starts
    grown = edits.sizes - (edits.stops - edits.starts)
    if len(grown):
        lengths = lengths + np.bincount(rows, weights=grown, minlength=len(lengths)).astype(
            np.int64
        )
        codes = _spliced(codes, edits, grown)
    text = text_of(codes)
    stops = np.cumsum(lengths + 1) - 1
    bounds = zip((stops - lengths).tolist(), stops.tolist(), strict=True)
    return [text[start:stop] for start, stop in bounds]


def _exchanged(corpus: Corpus, codes: Numbers | None) -> Numbers:
    if codes is None:
        return corpus.codes
    separators = codes.copy()
    separators[corpus.stops] = ord("\n")
    return separators if corpus.free is None else np.where(corpus.free, separators, corpus.codes)


def _allowed(corpus: Corpus, edits: Edits) -> Edits:
    starts, stops = edits.starts, edits.stops
    if not len(starts):
        return edits
    fine = stops <= corpus.stops[corpus.rows_of(starts)]
    fine[1:] &= starts[1:] >= np.maximum.accumulate(stops)[:-1]
    if corpus.glue is not None:
        fine &= ~(corpus.glue[starts] | corpus.glue[stops])
    if corpus.free is not None:
        blocked = np.concatenate(([0], np.cumsum(~corpus.free)))
        within = ~corpus.free[starts] & ~corpus.free[np.maximum(starts - 1, 0)]
        fine &= (blocked[stops] == blocked[starts]) & ~((starts == stops) & within)
    if fine.all():
        return edits
    firsts, sizes = (np.cumsum(edits.sizes) - edits.sizes)[fine], edits.sizes[fine]
    return Edits(starts[fine], stops[fine], sizes, edits.fill[ranges(firsts, sizes)])


def _spliced(codes: Numbers, edits: Edits, grown: Numbers) -> Numbers:
    wide = codes.dtype.itemsize > 1 or (len(edits.fill) and int(edits.fill.max()) > 255)
    kept = np.ones(len(codes), dtype=bool)
    kept[ranges(edits.starts, edits.stops - edits.starts)] = False
    out = np.empty(len(codes) + int(grown.sum()), dtype=np.uint32 if wide else np.uint8)
    old = np.ones(len(out), dtype=bool)
    filled = ranges(edits.starts + np.cumsum(grown) - grown, edits.sizes)
    old[filled] = False
    out[old] = codes[kept]
    out[filled] = edits.fill
    return out


def ranges(firsts: Numbers, sizes: Numbers) -> Numbers:
    """The numbers first, first + 1, … of each range, laid end to end.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(firsts - (ends - sizes), sizes) + np.arange(total)
