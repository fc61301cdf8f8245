"""Boards of shared tasks with as many runs as a test wants, and names that nobody would choose."""

from palaver.core.numeric import np
from palaver.evaluation.standings.boards import TaskBoard
from palaver.evaluation.standings.make import StandingMeasure, StandingRun, stand

# Letters that TeX reads as commands, that its fonts do not hold, that nobody sees, and long words.
ROUGH = [
    "Équipe é à ö ß ł ñ ı đ",
    "中文队伍",
    r"a_b&c#d%e{f}g\h~i^j$k",
    "🚀 rocket ❤️",
    "[brackets] first",
    "*star",
    "quo\"te's `ticks` -- and --- dashes",
    "a<b>c|d",
    "τ α Ω ά ς ½ ² ① ﬁ Ａ",
    "W" * 60,
    "команда Ж",
    "tab\tand\nnewline\u200b\u202e",
    "فريق",
    r"\input{/etc/passwd}\end{document}",
    "Tiếng Việt",
    "",
]


def rough_names(count: int) -> list[str]:
    """So many names of runs, every one its own."""
    return [f"{ROUGH[n % len(ROUGH)]}-run{n}" for n in range(count)]


def rough_board(
    count: int,
    *,
    measures: int = 6,
    items: int = 60,
    key: str = "quality-english",
    trials: int = 200,
    names: list[str] | None = None,
) -> TaskBoard:
    """A board of so many runs; the first is an oracle, the last a baseline, the second is late."""
    dice = np.random.default_rng(count)
    hardness = dice.random(items)[:, None]
    names = names if names is not None else rough_names(count)
    means = np.linspace(0.1, 0.5, count) if count > 1 else np.array([0.1])
    scores = [
        np.clip(means + 0.2 * hardness + dice.normal(0, 0.08, (items, count)), 0, 1)
        for _ in range(measures)
    ]
    runs = [
        StandingRun(
            name=name,
            team=name.rpartition("-")[0],
            values={f"m_{m}": scores[m][:, n] for m in range(measures)},
            is_oracle=n == 0,
            is_late=n == 1,
            is_baseline=n == count - 1,
        )
        for n, name in enumerate(names)
    ]
    return stand(
        runs,
        [f"d{n}" for n in range(items)],
        key=key,
        title="Dialogue quality, English & more",
        measures=[StandingMeasure(f"m_{m}", f"RSNOD ({m})", "lower") for m in range(measures)],
        trials=trials,
    )
