"""BLEU and spBLEU, as sacrebleu computes them."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, MissingExtraError
from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import TEXT, TEXTS, one_of, yes_or_no
from palaver.metrics.text.library import corpus_score, sacrebleu_metrics

# Those that need no download and no further package.
TOKENIZERS = ("13a", "intl", "zh", "char", "none")
SMOOTHING = ("exp", "floor", "add-k", "none")
ORDER = 4
PARTS = ("precisions", "bp", "sys_len", "ref_len")
# As many predictions that end in a lone period suggest that they were cut into tokens before.
LOOKS_TOKENISED = 100

SHORT = (
    "No prediction has four words, so BLEU is 0 whatever it says; "
    "option effective_order counts only the orders that occur."
)
TOKENISED = "Many predictions end in ' .', as if they were tokenised; BLEU expects them as written."
COMMON = {
    "lowercase": "true: upper and lower case are the same",
    "smooth": "what an order without a match counts as: exp (default), floor, add-k or none",
    "effective_order": "true: leave out orders that are longer than every prediction",
}
POST = "M. Post (2018), A call for clarity in reporting BLEU scores, WMT"


def bleu(
    predictions: Sequence[str],
    references: Sequence[tuple[str, ...]],
    *,
    tokenize: str = "13a",
    lowercase: bool = False,
    smooth: str = "exp",
    effective_order: bool = False,
) -> Score:
    """Corpus BLEU: the geometric mean of the 1- to 4-gram precisions, times the brevity penalty.

        100 · BP · exp(Σₙ log pₙ / 4), BP = min(1, exp(1 − r/c))

    with pₙ the share of the n-grams of all predictions that occur in a reference of their item, c
    the length of all predictions and r that of the closest references. It is a number for a whole
    set; the mean of single texts is another. Undefined when neither side has a text of four words.
    """
    metric = bleu_scorer(
        tokenize=tokenize, lowercase=lowercase, smooth=smooth, effective_order=effective_order
    )
    return _scored(metric, predictions, references)


def bleu_scorer(
    *,
    tokenize: str = "13a",
    lowercase: bool = False,
    smooth: str = "exp",
    effective_order: bool = False,
) -> Any:
    return sacrebleu_metrics("BLEU").BLEU(
        tokenize=one_of("tokenize", tokenize, TOKENIZERS),
        lowercase=yes_or_no("lowercase", lowercase),
        smooth_method=one_of("smooth", smooth, SMOOTHING),
        effective_order=yes_or_no("effective_order", effective_order),
        force=True,
    )


def sp_bleu(
    predictions: Sequence[str],
    references: Sequence[tuple[str, ...]],
    *,
    model: str | Path | None = None,
    lowercase: bool = False,
    smooth: str = "exp",
    effective_order: bool = False,
) -> Score:
    """BLEU over the pieces of a SentencePiece model instead of words, for any script.

    `model` is the path of that model; the published numbers use the one of FLORES-101 or FLORES-200.
    """
    metric, processor, stamp = sp_bleu_scorer(
        model=model, lowercase=lowercase, smooth=smooth, effective_order=effective_order
    )
    found = _scored(metric, *cut_pieces(processor, predictions, references))
    return replace(found, signature=found.signature.replace("tok:none", f"tok:{stamp}"))


def sp_bleu_scorer(
    *,
    model: str | Path | None = None,
    lowercase: bool = False,
    smooth: str = "exp",
    effective_order: bool = False,
) -> tuple[Any, Any, str]:
    """sacrebleu's BLEU with these options, what cuts texts for it, and a name for the latter."""
    processor, stamp = _pieces(model)
    metric = bleu_scorer(
        tokenize="none", lowercase=lowercase, smooth=smooth, effective_order=effective_order
    )
    return metric, processor, stamp


def cut_pieces(
    processor: Any, predictions: Sequence[str], references: Sequence[tuple[str, ...]]
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Both sides as pieces with spaces between them."""

    def cut(text: str) -> str:
        return " ".join(processor.encode(text.rstrip(), out_type=str))

    return (
        [cut(text) for text in predictions],
        [tuple(cut(text) for text in several) for several in references],
    )


def _scored(
    metric: Any, predictions: Sequence[str], references: Sequence[tuple[str, ...]]
) -> Score:
    tokenised = sum(text.endswith(" .") for text in predictions) >= LOOKS_TOKENISED
    warnings = [TOKENISED] if tokenised else []
    if not metric.effective_order and not any(is_long(metric, text) for text in predictions):
        if not any(is_long(metric, text) for several in references for text in several):
            return Score.undefined("no text has four words, and BLEU counts runs of four")
        warnings.append(SHORT)
    return corpus_score(metric, predictions, references, parts=PARTS, warnings=warnings)


def is_long(metric: Any, text: str) -> bool:
    """Whether a text has four words, as the metric cuts it."""
    return len(metric.tokenizer(text.rstrip()).split()) >= ORDER


def _pieces(model: str | Path | None) -> tuple[Any, str]:
    """The SentencePiece processor of a model file, and a name with its checksum for the signature."""
    if model is None:
        raise InputError(
            "spBLEU needs a SentencePiece model: download the one of FLORES-200 and give its path "
            "as option 'model'."
        )
    path = Path(model)
    if not path.is_file():
        raise InputError(f"Option 'model' takes the path of a SentencePiece model; no file {path}.")
    try:
        import sentencepiece
    except ImportError as error:
        raise MissingExtraError("spBLEU", "metrics") from error
    try:
        processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    except (OSError, RuntimeError) as error:
        raise InputError(f"{path} is not a SentencePiece model.") from error
    return processor, f"{path.stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}"


BLEU = Metric(
    name="bleu",
    title="BLEU",
    family="text",
    about="How many runs of one to four words the texts share with their references, as a set.",
    unit="points",
    high=100,
    paper="K. Papineni, S. Roukos, T. Ward, W.-J. Zhu (2002), BLEU, ACL; computed by sacrebleu: "
    f"{POST}.",
    predictions=TEXT,
    references=TEXTS,
    options={"tokenize": f"how texts are tokenised: {', '.join(TOKENIZERS)} (default 13a)"}
    | COMMON,
    function=bleu,
    example=Example(
        ["the cat sat on the mat", "a dog runs"],
        ["the cat is on the mat", ["the dog runs", "a dog ran"]],
        38.141656,
    ),
    extra="metrics",
)
SP_BLEU = Metric(
    name="sp_bleu",
    title="spBLEU",
    family="text",
    about="BLEU over the pieces of a SentencePiece model, so that every language is tokenised alike.",
    unit="points",
    high=100,
    paper="N. Goyal et al. (2022), The FLORES-101 evaluation benchmark, TACL 10, 522–538; "
    f"computed by sacrebleu: {POST}.",
    predictions=TEXT,
    references=TEXTS,
    options={"model": "the path of the SentencePiece model; must be given"} | COMMON,
    function=sp_bleu,
    extra="metrics",
)
