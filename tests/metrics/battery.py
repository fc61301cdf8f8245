"""The table of every metric with the properties it promises; `test_contract.py` holds it to them."""

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

LETTERS = st.sampled_from(["a", "b", "c"])
WORDS = st.lists(st.sampled_from(["the", "cat", "sat", "on", "mat", "dog"]), max_size=7)
TEXTS = st.builds(" ".join, WORDS)
SPOKEN = TEXTS.filter(bool)
ANSWERS = st.lists(TEXTS, max_size=3)
PEOPLE = st.lists(st.sampled_from(["two", "2", "red", "a dog"]), min_size=2, max_size=10)
MASSES = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any)
FLAGS = st.booleans()
NUMBERS = st.floats(-100, 100)
GAMES = st.fixed_dictionaries({"success": FLAGS, "turns": st.integers(1, 20)})

TALK = ["the cat sat on the mat", "a dog ran over the hill", "we will meet at noon today"]
OTHER_TALK = ["one two three four five", "six seven eight nine ten", "red green blue black white"]
UNICODE_TALK = [
    "schöne Grüße aus dem Süden heute",
    "на улице сегодня очень холодно",
    "猫 坐 在 垫子 上 了",
]
SURE = [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.2, 0.3, 0.5]]


@dataclass(frozen=True, kw_only=True)
class Contract:
    """What a metric promises.

    `perfect` are predictions (and references) that score `best`. Each of `ladder` are predictions
    against the same references, each no better than the one before and the last worse than the
    first; without a direction there is none. `symmetric` says whether predictions and references
    may be exchanged; where not, `asymmetry` is a pair for which it matters. `doubling`: the same
    items twice give the same score. `items` and `partners` are what random items are made of.
    """

    perfect: list[Any]
    references: list[Any] | None = None
    best: float | None = None
    ladder: list[list[Any]] = field(default_factory=list)
    symmetric: bool | None = None
    asymmetry: tuple[list[Any], list[Any]] | None = None
    doubling: bool = True
    items: st.SearchStrategy[Any]
    partners: st.SearchStrategy[Any] | None = None
    wrong: tuple[Any, ...] = (None, float("nan"), object())
    unicode: list[Any] | None = None
    unicode_options: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


def turns_distance() -> Contract:
    """What distances between the turns of dialogues have in common: each is a dialogue of two."""

    def dialogues(rows: list[Any]) -> list[Any]:
        return [[["customer", row], ["helpdesk", [1.0, 0.0]]] for row in rows]

    ladder = distance().ladder
    helpdesk = ["helpdesk", [1.0, 0.0]]
    masses = MASSES.map(lambda row: [["customer", row], helpdesk])
    return distance(
        perfect=dialogues(SURE),
        references=dialogues(SURE),
        ladder=[dialogues(rows) for rows in ladder],
        items=masses,
        partners=masses,
        wrong=(None, "text", [], [["customer"]], [["customer", [1, -1]], helpdesk], [[1, [1, 0]]]),
    )


def labels(**changes: Any) -> Contract:
    """What metrics over labels have in common."""
    true = ["a", "b", "b", "c", "a", "c"]
    shared: dict[str, Any] = {
        "perfect": true,
        "references": true,
        "best": 1.0,
        "ladder": [
            true,
            ["a", "b", "b", "c", "a", "a"],
            ["a", "b", "b", "b", "a", "a"],
            ["b", "c", "c", "a", "b", "a"],
        ],
        "items": LETTERS,
        "partners": LETTERS,
        "wrong": (None, float("nan"), 1.5, object(), ["a", "b"]),
        "unicode": ["да", "нет", "да", "мож"],
    }
    return Contract(**(shared | changes))


def overlap(**changes: Any) -> Contract:
    """What metrics of a text against references have in common."""
    shared: dict[str, Any] = {
        "perfect": TALK,
        "references": TALK,
        "ladder": [
            TALK,
            ["the cat sat on the hat", *TALK[1:]],
            ["the cat sat on the hat", "a dog ran under no hill", TALK[2]],
            OTHER_TALK,
        ],
        "items": TEXTS,
        "partners": SPOKEN | st.lists(SPOKEN, min_size=1, max_size=3),
        "wrong": (None, float("nan"), 3, ["two", "texts", 3], object()),
        "unicode": UNICODE_TALK,
    }
    return Contract(**(shared | changes))


def alone(**changes: Any) -> Contract:
    """What metrics of texts without references have in common."""
    shared: dict[str, Any] = {
        "perfect": TALK,
        "items": SPOKEN,
        "wrong": (None, float("nan"), 3, ["a", "list"], object()),
        "unicode": UNICODE_TALK,
    }
    return Contract(**(shared | changes))


def distance(**changes: Any) -> Contract:
    """What distances between distributions have in common."""
    shared: dict[str, Any] = {
        "perfect": SURE,
        "references": SURE,
        "best": 0.0,
        "ladder": [
            SURE,
            [[0.9, 0.1, 0.0], *SURE[1:]],
            [[0.0, 1.0, 0.0], *SURE[1:]],
            [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        ],
        "symmetric": True,
        "items": MASSES,
        "partners": MASSES,
        "wrong": (None, "text", [0.5], [0.5, -0.5], [0.5, float("nan")], [0, 0, 0], [0.5, None]),
    }
    return Contract(**(shared | changes))


def flags(name: str, **changes: Any) -> Contract:
    """What shares of dialogues have in common; `name` is the field they read."""
    yes, no = {name: True}, {name: False}
    shared: dict[str, Any] = {
        "perfect": [yes, yes, yes],
        "best": 1.0,
        "ladder": [[yes, yes, yes], [yes, no, yes], [no, no, no]],
        "items": FLAGS | FLAGS.map(lambda flag: {name: flag}),
        "wrong": (None, float("nan"), "yes", 0.5, {"other": 1}, {name: None}, {name: "yes"}),
    }
    return Contract(**(shared | changes))


CONTRACTS: dict[str, Contract] = {
    # classification
    "accuracy": labels(symmetric=True, wrong=(None, float("nan"), 1.5, object())),
    "balanced_accuracy": labels(
        symmetric=False, asymmetry=(["a", "b", "b", "b"], ["a", "a", "b", "b"])
    ),
    "f1": labels(
        perfect=[1, 0, 1, 0],
        references=[1, 0, 1, 0],
        ladder=[[1, 0, 1, 0], [1, 1, 1, 0], [1, 1, 0, 0], [0, 1, 0, 1]],
        symmetric=True,
        items=st.integers(0, 1),
        partners=st.integers(0, 1),
        unicode=["да", "нет", "да"],
        unicode_options={"positive": "да"},
    ),
    "fpr": labels(
        perfect=[1, 0, 1, 0],
        references=[1, 0, 1, 0],
        best=0.0,
        ladder=[[1, 0, 1, 0], [0, 1, 1, 0], [1, 1, 0, 1]],
        symmetric=False,
        asymmetry=([1, 1, 0, 0], [1, 0, 0, 0]),
        items=st.integers(0, 1),
        partners=st.integers(0, 1),
        unicode=["да", "нет", "да"],
        unicode_options={"positive": "да"},
    ),
    "dataperf_auc": labels(
        perfect=[0.9, 0.1, 0.8],
        references=[1, 0, 1],
        ladder=[[0.9, 0.1, 0.8], [0.9, 0.85, 0.8], [0.1, 0.9, 0.2]],
        items=st.floats(0, 1),
        partners=st.integers(0, 1),
        wrong=(None, float("nan"), "high", object()),
        unicode=None,
    ),
    "dataperf_balanced_accuracy": labels(
        symmetric=False, asymmetry=(["a", "b", "b", "b"], ["a", "a", "b", "b"])
    ),
    "dataperf_f1": labels(
        perfect=[["a"], ["a", "b"], []],
        references=[["a"], ["a", "b"], []],
        ladder=[[["a"], ["a", "b"], []], [["a"], ["b"], []], [["b"], ["b"], ["a"]]],
        symmetric=True,
        items=st.lists(LETTERS, unique=True),
        partners=st.lists(LETTERS, unique=True),
        wrong=(None, float("nan"), "a", ["a", "a"], object()),
        unicode=[["да"], ["да", "нет"], []],
    ),
    "dataperf_fraction_of_fixes": Contract(
        perfect=[0, 0, 0],
        references=[5, 5, 5],
        best=0.0,
        ladder=[[0, 0, 0], [1, 0, 2], [5, 5, 5]],
        symmetric=False,
        asymmetry=([1, 2], [4, 5]),
        items=st.integers(0, 9),
        partners=st.integers(0, 9),
        wrong=(None, float("nan"), "few", -1, object()),
    ),
    "macro_f1": labels(symmetric=True),
    "macro_precision": labels(
        symmetric=False, asymmetry=(["a", "b", "b", "b"], ["a", "a", "b", "b"])
    ),
    "macro_recall": labels(symmetric=False, asymmetry=(["a", "b", "b", "b"], ["a", "a", "b", "b"])),
    "mcc": labels(symmetric=True),
    "micro_f1": labels(symmetric=True),
    "weighted_f1": labels(symmetric=False, asymmetry=(["a", "b", "b", "b"], ["a", "a", "b", "b"])),
    # questions
    "squad_em": overlap(
        best=1.0,
        symmetric=True,
        partners=TEXTS | ANSWERS,
        ladder=[TALK, ["the cat", *TALK[1:]], ["the cat", "a dog", TALK[2]], OTHER_TALK],
    ),
    "squad_f1": overlap(best=1.0, symmetric=True, partners=TEXTS | ANSWERS),
    "vqa_accuracy": overlap(
        perfect=["two", "red", "a dog"],
        references=[["2"] * 10, ["Red."] * 10, ["dog"] * 10],
        best=1.0,
        ladder=[["two", "red", "a dog"], ["two", "red", "cat"], ["3", "blue", "cat"]],
        items=st.sampled_from(["two", "red", "dog", "x"]),
        partners=PEOPLE,
        wrong=(None, float("nan"), 3, ["one"], ["one", 2], object()),
        unicode=None,
    ),
    # texts
    # Smoothing makes an order without a match cost less in a small set, so doubling may matter.
    "bleu": overlap(
        best=100.0,
        symmetric=False,
        asymmetry=(["a b c d e f g"], ["a b c d e"]),
        doubling=False,
    ),
    "sp_bleu": overlap(
        best=100.0,
        symmetric=False,
        asymmetry=([TALK[0]], [f"{TALK[0]} and {TALK[1]}"]),
        doubling=False,
    ),
    "chrf": overlap(best=100.0, symmetric=False, asymmetry=(["the cat"], ["the cat sat"])),
    "chrf_pp": overlap(best=100.0, symmetric=False, asymmetry=(["the cat"], ["the cat sat"])),
    "cer": overlap(best=0.0, symmetric=False, asymmetry=(["the cat"], ["the cat sat"])),
    "wer": overlap(best=0.0, symmetric=False, asymmetry=(["the cat"], ["the cat sat"])),
    "ter": overlap(best=0.0, symmetric=False, asymmetry=(["the cat"], ["the cat sat"])),
    "rouge_1": overlap(best=1.0, symmetric=True, unicode_options={"tokens": "words"}),
    "rouge_2": overlap(best=1.0, symmetric=True, unicode_options={"tokens": "words"}),
    "rouge_l": overlap(best=1.0, symmetric=True, unicode_options={"tokens": "words"}),
    "distinct_1": alone(
        perfect=OTHER_TALK,
        best=1.0,
        ladder=[OTHER_TALK, [*OTHER_TALK[:2], "one two three red red"], ["yes yes", "yes", "yes"]],
        doubling=False,
    ),
    "distinct_2": alone(
        perfect=OTHER_TALK,
        best=1.0,
        ladder=[
            OTHER_TALK,
            [*OTHER_TALK[:2], "one two red green blue"],
            ["yes yes yes", "yes yes"],
        ],
        doubling=False,
    ),
    "self_bleu": alone(
        perfect=OTHER_TALK,
        best=0.0,
        ladder=[OTHER_TALK, [OTHER_TALK[0], OTHER_TALK[0], OTHER_TALK[1]], [OTHER_TALK[0]] * 3],
        doubling=False,
    ),
    "length_tokens": alone(),
    "length_characters": alone(),
    # distributions
    "jsd": distance(),
    "kl_divergence": distance(
        symmetric=False,
        asymmetry=([[0.9, 0.1]], [[0.5, 0.5]]),
        options={"smoothing": 1e-12},
    ),
    "nmd": distance(),
    "nugget_jsd": turns_distance(),
    "nugget_rnss": turns_distance(),
    "rnss": distance(),
    "rsnod": distance(),
    # outcomes
    "agreement_rate": flags("agreed"),
    "completion_rate": flags("completed"),
    "success_rate": flags("success"),
    "reward": Contract(
        perfect=[10, {"reward": 10}, {"reward": {"0": 12, "1": 8}}],
        best=10.0,
        ladder=[[10, 10], [10, {"reward": 4}], [0, 0]],
        items=NUMBERS | NUMBERS.map(lambda number: {"reward": {"0": number, "1": 1}}),
        wrong=(None, float("nan"), "5", True, {"points": 3}, {"reward": None}, {"reward": [1]}),
    ),
    "success_per_turn": Contract(
        perfect=[{"success": True, "turns": 1}] * 3,
        best=1.0,
        ladder=[
            [{"success": True, "turns": 1}, {"success": True, "turns": 2}],
            [{"success": True, "turns": 4}, {"success": True, "turns": 2}],
            [{"success": True, "turns": 4}, {"success": False, "turns": 2}],
        ],
        items=GAMES,
        wrong=(
            None,
            float("nan"),
            "yes",
            {"success": True},
            {"turns": 3},
            {"success": 1, "turns": -1},
        ),
    ),
    "turns": Contract(
        perfect=[{"turns": 4}, 6],
        items=st.integers(0, 50) | st.integers(0, 50).map(lambda turns: {"turns": turns}),
        wrong=(None, float("nan"), "5", -1, {"steps": 3}, {"turns": True}),
    ),
}
