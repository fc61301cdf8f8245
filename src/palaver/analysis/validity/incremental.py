"""Incremental validity: which labels explain quality together, and which add nothing to the rest?

S. E. Finch, J. D. Finch and J. D. Choi (2023), Don't forget your ABC's, ACL, 15044–15071, search
backwards with a beam of ten.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log, pi
from typing import ClassVar, NamedTuple

from palaver.analysis.validity.predictive import is_flat
from palaver.analysis.validity.scores import DialogueScores
from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, html_table
from palaver.core.numeric import Numbers, np, stats
from palaver.core.serial import if_any, key, plain

BEAM = 10
CRITERION = "the set whose adjusted R² is highest"
METHOD = (
    "backward elimination: from all labels, one fewer at each step; the {beam} best sets of each "
    "size are carried on"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EliminationStep:
    """The best set found of one size; `dropped` were in the best set that is one larger.

    `returned` are in this set and were not in that one, which a beam can bring about. `p` is that
    of the F test of this set against all labels.
    """

    derived: ClassVar[tuple[str, ...]] = ("size",)

    labels: tuple[str, ...]
    dropped: tuple[str, ...]
    returned: tuple[str, ...]
    r2: float
    adjusted: float
    aic: float
    p: float = key("p_against_all")

    @property
    def size(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Incremental:
    """The steps from all labels to one, and the set that the criterion chooses.

    `left_out` names labels that could not take part, and why; `incomplete` dialogues lacked a label
    or quality. Where there are no steps, `reason` says why.
    """

    steps: tuple[EliminationStep, ...]
    chosen: EliminationStep | None
    dialogues: int
    incomplete: int
    left_out: dict[str, str]
    method: str
    criterion: str = CRITERION
    reason: str = if_any("")
    warnings: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        return html_table(plain(self.steps), caption=self.method)


def incremental_validity(scores: DialogueScores, quality: str, *, beam: int = BEAM) -> Incremental:
    """Leave labels out one by one, always the one that explains least beside the others.

    Quality is regressed on the dialogue means of all k labels, over the n dialogues that have them
    all. With RSS the residual and TSS the total sum of squares,

        R² = 1 − RSS / TSS,    adjusted R² = 1 − (1 − R²)(n − 1) / (n − k − 1),
        AIC = n ln(RSS / n) + n (1 + ln 2π) + 2 (k + 1).

    Dropping label j from a set raises RSS by b_j² / (X'X)⁻¹_jj. Of each size the `beam` sets with
    the highest R² are kept and the best is reported; with `beam` 1 this is plain greedy elimination.
    Among sets of one size R², adjusted R² and AIC agree, so the sequence does not depend on which of
    them one prefers; where to stop does, and the criterion stated is the highest adjusted R².

    A label that does not vary, or that is a linear combination of the others, is left out by name.
    There are no steps where dialogues do not outnumber labels by two or more. The R² of a chosen set
    is that of the same dialogues that chose it, which flatters it.
    """
    if beam < 1:
        raise InputError(f"A beam keeps one set or more of each size; got {beam}.")
    names = scores.others(quality)
    if not names:
        raise InputError(f"There is no label besides '{quality}' to predict it from.")
    y = scores.mean_of(quality)
    x = scores.means[:, [scores.place(name) for name in names]]
    complete = np.isfinite(x).all(axis=1) & np.isfinite(y)
    judged = np.isfinite(y) | np.isfinite(x).any(axis=1)
    x, y = x[complete], y[complete]
    n, incomplete = len(y), int((judged & ~complete).sum())
    left_out = _left_out(names, x) if n else {}
    kept = [name for name in names if name not in left_out]
    method = METHOD.format(beam=beam)
    reason = _why_not(n, len(kept), y)
    if reason:
        return Incremental(
            steps=(),
            chosen=None,
            dialogues=n,
            incomplete=incomplete,
            left_out=left_out,
            method=method,
            reason=reason,
        )
    data = _Data(kept, x[:, [names.index(name) for name in kept]], y)
    steps = tuple(_steps(data, beam))
    return Incremental(
        steps=steps,
        chosen=max(steps, key=lambda step: (step.adjusted, -len(step.labels))),
        dialogues=n,
        incomplete=incomplete,
        left_out=left_out,
        method=method,
        warnings=_warnings(n, len(kept), incomplete),
    )


def _why_not(n: int, labels: int, y: Numbers) -> str:
    if n == 0:
        return "no dialogue has quality and all labels"
    if labels == 0:
        return "no label varies between dialogues"
    if n < labels + 2:
        return f"{labels} labels need at least {labels + 2} dialogues that have them all; there are {n}"
    if is_flat(y):
        return "quality is the same in every dialogue"
    return ""


def _warnings(n: int, labels: int, incomplete: int) -> tuple[str, ...]:
    found = []
    if n < 10 * labels:
        found.append(
            f"{n} dialogues for {labels} labels: below ten dialogues per label, R² is inflated and "
            "the order in which labels leave is unstable."
        )
    if incomplete:
        found.append(f"{incomplete} dialogues lack quality or a label and were left out.")
    return tuple(found)


def _left_out(names: list[str], x: Numbers) -> dict[str, str]:
    """Labels that do not vary, and those that the labels before them already determine."""
    found: dict[str, str] = {}
    taken = np.empty((len(x), 0))
    for place, name in enumerate(names):
        column = x[:, place]
        if is_flat(column):
            found[name] = "it is the same in every dialogue"
            continue
        column = (column - column.mean()) / column.std()
        wider = np.column_stack([taken, column])
        if len(x) > wider.shape[1] and np.linalg.matrix_rank(wider) < wider.shape[1]:
            found[name] = "it is a linear combination of other labels"
            continue
        taken = wider
    return found


class _Data:
    """Centred and scaled columns, so that sums of squares are well conditioned."""

    def __init__(self, names: list[str], x: Numbers, y: Numbers) -> None:
        centred = x - x.mean(axis=0)
        self.names = names
        self.n = len(y)
        self.scale_y = float(((y - y.mean()) ** 2).sum())
        scaled = centred / np.sqrt((centred**2).sum(axis=0))
        target = (y - y.mean()) / np.sqrt(self.scale_y)
        self.gram = scaled.T @ scaled
        self.cross = scaled.T @ target


class _Set(NamedTuple):
    """Labels by place, and 1 − R²."""

    places: tuple[int, ...]
    unexplained: float


def _steps(data: _Data, beam: int) -> Iterator[EliminationStep]:
    everything = tuple(range(len(data.names)))
    full = _Set(everything, _unexplained(data, everything))
    before, level = full, [full]
    while True:
        yield _step(data, level[0], before, full)
        if len(level[0].places) == 1:
            return
        before = level[0]
        found: dict[tuple[int, ...], float] = {}
        for each in level:
            found.update(_one_fewer(data, each))
        ordered = sorted(found.items(), key=lambda item: (item[1], item[0]))[:beam]
        # The rise of RSS is read off one inverse; the sets that are kept are computed afresh.
        level = [_Set(places, _unexplained(data, places)) for places, _ in ordered]


def _unexplained(data: _Data, places: tuple[int, ...]) -> float:
    here = list(places)
    slopes = np.linalg.solve(data.gram[np.ix_(here, here)], data.cross[here])
    return float(np.clip(1 - slopes @ data.cross[here], 0, 1))


def _one_fewer(data: _Data, of: _Set) -> Iterator[tuple[tuple[int, ...], float]]:
    here = list(of.places)
    inverse = np.linalg.inv(data.gram[np.ix_(here, here)])
    rise = (inverse @ data.cross[here]) ** 2 / np.diag(inverse)
    for place, more in zip(here, rise, strict=True):
        yield tuple(each for each in here if each != place), of.unexplained + float(more)


def _step(data: _Data, here: _Set, before: _Set, full: _Set) -> EliminationStep:
    n, k, unexplained = data.n, len(here.places), here.unexplained
    rss = unexplained * data.scale_y
    return EliminationStep(
        labels=tuple(data.names[place] for place in here.places),
        dropped=tuple(data.names[p] for p in before.places if p not in here.places),
        returned=tuple(data.names[p] for p in here.places if p not in before.places),
        r2=1 - unexplained,
        adjusted=1 - unexplained * (n - 1) / (n - k - 1),
        aic=n * log(rss / n) + n * (1 + log(2 * pi)) + 2 * (k + 1) if rss > 0 else MISSING,
        p=_p(data, here, full),
    )


def _p(data: _Data, here: _Set, full: _Set) -> float:
    fewer = len(full.places) - len(here.places)
    spare = data.n - len(full.places) - 1
    if fewer == 0 or full.unexplained <= 0:
        return MISSING
    ratio = (here.unexplained - full.unexplained) / fewer / (full.unexplained / spare)
    return float(stats.f.sf(max(ratio, 0.0), fewer, spare))
