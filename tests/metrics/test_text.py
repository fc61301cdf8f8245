"""Metrics of texts against sacrebleu and rouge-score, and by hand."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

from palaver.core.errors import InputError, MissingExtraError
from palaver.metrics import find_metric
from palaver.metrics.text.rouge import common_length

WORDS = st.lists(st.sampled_from(["The", "cat", "sat.", "on", "mat,", "dog's", "été", "7"]))
TEXT = st.builds(" ".join, WORDS)
SPOKEN = TEXT.filter(bool)
ITEMS = st.lists(st.tuples(TEXT, st.lists(SPOKEN, min_size=1, max_size=3)), min_size=1, max_size=6)
quick = settings(max_examples=50, deadline=None)

SAID = ["The dog bit the man in the park.", "It was not surprising at all.", "He was bitten."]
MEANT = [
    ["The dog bit the man there.", "A dog had bitten the man in the park."],
    ["It wasn't surprising at all."],
    ["The man had just bitten him.", "He was bitten by it.", "Bitten he was."],
]


def streams(references: list[list[str]]) -> list[list[str | None]]:
    """References as sacrebleu takes them."""
    most = max(map(len, references))
    padded = [[*several, *[None] * (most - len(several))] for several in references]
    return [list(stream) for stream in zip(*padded, strict=True)]


@pytest.mark.parametrize(
    ("name", "options", "oracle"),
    [
        ("bleu", {}, lambda said, refs: sacrebleu.corpus_bleu(said, refs)),
        (
            "bleu",
            {"lowercase": True, "tokenize": "intl"},
            lambda said, refs: sacrebleu.corpus_bleu(said, refs, lowercase=True, tokenize="intl"),
        ),
        (
            "bleu",
            {"smooth": "floor"},
            lambda said, refs: sacrebleu.corpus_bleu(said, refs, smooth_method="floor"),
        ),
        ("chrf", {}, lambda said, refs: sacrebleu.corpus_chrf(said, refs)),
        ("chrf_pp", {}, lambda said, refs: sacrebleu.corpus_chrf(said, refs, word_order=2)),
        ("ter", {}, lambda said, refs: sacrebleu.corpus_ter(said, refs)),
        (
            "ter",
            {"case_sensitive": True, "no_punct": True},
            lambda said, refs: sacrebleu.corpus_ter(said, refs, case_sensitive=True, no_punct=True),
        ),
    ],
)
def test_as_sacrebleu(
    name: str, options: dict[str, Any], oracle: Callable[[Any, Any], Any]
) -> None:
    found = find_metric(name).compute(SAID, MEANT, **options)
    assert found.value == oracle(SAID, streams(MEANT)).score
    assert 0 < found.value < 100
    assert "nrefs:var" in found.signature
    assert f"version:{sacrebleu.__version__}" in found.signature


def test_bleu_by_hand() -> None:
    """Papineni et al. (2002), section 2: precisions counted by hand, no reference shorter."""
    found = find_metric("bleu").compute(
        ["the cat sat on the mat today"], ["the cat sat on a mat today"]
    )
    assert found.parts["precisions"] == pytest.approx([600 / 7, 400 / 6, 200 / 5, 100 / 4])
    expected = 100 * (6 / 7 * 4 / 6 * 2 / 5 * 1 / 4) ** 0.25
    assert found.value == pytest.approx(expected)


def test_bleu_of_texts_shorter_than_four_words() -> None:
    bleu = find_metric("bleu")
    assert bleu.compute(["yes"], ["yes"]).reason.startswith("no text has four words")
    short = bleu.compute(["yes"], ["yes it is so"])
    assert short.value == 0.0
    assert "No prediction has four words" in short.warnings[0]
    assert bleu.compute(["yes"], ["yes"], effective_order=True).value == pytest.approx(100)


def test_texts_that_were_cut_before_are_noticed() -> None:
    found = find_metric("bleu").compute(["this is it now ."] * 100, ["this is it now ."] * 100)
    assert "as if they were tokenised" in found.warnings[0]


@pytest.mark.parametrize("name", ["bleu", "chrf", "chrf_pp", "ter", "rouge_1"])
def test_references_without_words(name: str) -> None:
    options = {"effective_order": True} if name == "bleu" else {}
    found = find_metric(name).compute(["a b c d"], ["  "], **options)
    assert not found.is_defined
    assert "reference" in found.reason


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bleu", {"tokenize": "flores200"}),
        ("bleu", {"smooth": "a lot"}),
        ("bleu", {"lowercase": "yes"}),
        ("ter", {"no_punct": 1}),
        ("rouge_1", {"tokens": "german"}),
        ("distinct_1", {"tokens": 3}),
    ],
)
def test_wrong_options(name: str, options: dict[str, Any]) -> None:
    sides = [SAID] if name == "distinct_1" else [SAID, SAID]
    with pytest.raises(InputError, match=f"Option '{next(iter(options))}' takes"):
        find_metric(name).compute(*sides, **options)


def test_sacrebleu_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(MissingExtraError, match=r"BLEU needs the extra 'metrics'"):
        find_metric("bleu").compute(SAID, SAID)


def test_spbleu_needs_its_model(tmp_path: Path) -> None:
    metric = find_metric("sp_bleu")
    with pytest.raises(InputError, match="spBLEU needs a SentencePiece model"):
        metric.compute(SAID, SAID)
    with pytest.raises(InputError, match="no file"):
        metric.compute(SAID, SAID, model=tmp_path / "none.model")


def test_spbleu_may_lack_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    model = tmp_path / "some.model"
    model.write_bytes(b"model")
    with pytest.raises(MissingExtraError, match="spBLEU needs the extra 'metrics'"):
        find_metric("sp_bleu").compute(SAID, SAID, model=model)


def test_spbleu_refuses_another_file(tmp_path: Path) -> None:
    pytest.importorskip("sentencepiece", reason="spBLEU needs sentencepiece")
    model = tmp_path / "some.model"
    model.write_bytes(b"no model")
    with pytest.raises(InputError, match="is not a SentencePiece model"):
        find_metric("sp_bleu").compute(SAID, SAID, model=model)


def test_spbleu_is_bleu_of_the_pieces(tmp_path: Path) -> None:
    pieces = pytest.importorskip("sentencepiece", reason="spBLEU needs sentencepiece")
    pieces.SentencePieceTrainer.train(
        sentence_iterator=iter(SAID * 20),
        model_prefix=str(tmp_path / "small"),
        vocab_size=40,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    model = tmp_path / "small.model"
    cutter = pieces.SentencePieceProcessor(model_file=str(model))

    def cut(text: str) -> str:
        return " ".join(cutter.EncodeAsPieces(text))

    found = find_metric("sp_bleu").compute(SAID, MEANT, model=str(model))
    cut_references = [[cut(text) for text in several] for several in MEANT]
    expected = sacrebleu.corpus_bleu(
        [cut(text) for text in SAID], streams(cut_references), tokenize="none", force=True
    )
    assert found.value == expected.score
    assert "tok:small-" in found.signature


@pytest.mark.parametrize(
    ("name", "kind"), [("rouge_1", "rouge1"), ("rouge_2", "rouge2"), ("rouge_l", "rougeL")]
)
@quick
@given(items=ITEMS)
def test_as_rouge_score(name: str, kind: str, items: list[tuple[str, list[str]]]) -> None:
    scorer = RougeScorer([kind])
    expected = [scorer.score_multi(references, text)[kind] for text, references in items]
    found = find_metric(name).compute(*map(list, zip(*items, strict=True)))
    if not found.is_defined:
        assert all(each.fmeasure == 0 for each in expected)
        return
    assert found.per_item == pytest.approx([each.fmeasure for each in expected], abs=1e-12)
    if all(len(references) == 1 for _, references in items):  # no ties between references
        recall = sum(each.recall for each in expected) / len(expected)
        assert found.parts["recall"] == pytest.approx(recall, abs=1e-12)
        precision = sum(each.precision for each in expected) / len(expected)
        assert found.parts["precision"] == pytest.approx(precision, abs=1e-12)


def test_rouge_of_another_script() -> None:
    rouge = find_metric("rouge_1")
    assert (
        rouge.compute(["猫"], ["猫"]).reason == "no reference has a token when tokenised by 'ascii'"
    )
    assert rouge.compute(["猫"], ["猫"], tokens="words").value == 1.0
    some = rouge.compute(["猫", "cat"], ["猫", "cat"])
    assert some.value == 0.5
    assert some.warnings[0].startswith("1 of 2 items have no token in their references")


@quick
@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_the_longest_common_subsequence(first: list[str], second: list[str]) -> None:
    """The textbook recursion on prefixes, kept in a table."""
    table = {(i, 0): 0 for i in range(len(first) + 1)} | {(0, j): 0 for j in range(len(second) + 1)}
    for i, left in enumerate(first, 1):
        for j, right in enumerate(second, 1):
            table[i, j] = (
                table[i - 1, j - 1] + 1 if left == right else max(table[i - 1, j], table[i, j - 1])
            )
    assert common_length(first, second) == table[len(first), len(second)]


@quick
@given(st.lists(TEXT, min_size=2, max_size=6))
def test_self_bleu_is_sacrebleu_of_each_against_the_others(texts: list[str]) -> None:
    metric = BLEU(effective_order=True)
    expected = [
        metric.sentence_score(text, texts[:n] + texts[n + 1 :]).score
        for n, text in enumerate(texts)
    ]
    found = find_metric("self_bleu").compute(texts)
    assert found.per_item == pytest.approx(expected, abs=1e-9)


def test_self_bleu_needs_two_texts() -> None:
    assert find_metric("self_bleu").compute(["one"]).reason.endswith("needs two")
    assert find_metric("self_bleu").compute(["one two three four five"] * 2).value == (
        pytest.approx(100)
    )


def test_distinct_by_hand() -> None:
    said = ["I do not know.", "I do."]
    # Words and marks: i do not know . i do . → 8, of which i do not know . differ.
    assert find_metric("distinct_1").compute(said).parts == {"different": 5, "all": 8}
    # i-do do-not not-know know-. | i-do do-. → 6, of which 5 differ.
    assert find_metric("distinct_2").compute(said).parts == {"different": 5, "all": 6}
    assert find_metric("distinct_1").compute(said, tokens="spaces").parts["all"] == 6
    assert find_metric("distinct_2").compute(["yes", "no"]).reason == "no text has 2 tokens"
    assert find_metric("distinct_1").compute(["", " "]).reason == "no text has 1 token"


def test_lengths() -> None:
    said = ["Yes.", "", "¿Qué tal, amigo?"]
    assert find_metric("length_tokens").compute(said).per_item == (2, 0, 6)
    assert find_metric("length_characters").compute(said).per_item == (4, 0, 16)
    found = find_metric("length_tokens").compute(said, tokens="spaces")
    assert found.parts == {"median": 1, "shortest": 0, "longest": 3}
