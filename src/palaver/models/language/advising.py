"""What a language model learns from situations and the advice that people gave on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from palaver.core.errors import InputError
from palaver.models.advice.cases import AdvisedCase, read_advised
from palaver.models.advice.inputs import AdviceQuestion, source_text, target_text
from palaver.models.language.fine_tuned import FineTuning
from palaver.models.language.learner import WrittenMatter
from palaver.models.language.rows import IGNORED, TokenExample, TokenRows
from palaver.models.language.tokens import LanguageTokens
from palaver.models.learner import DataNote, LearnerMaterial
from palaver.models.settings import COUNT, NATURAL, Bounds, option

# What a causal model reads behind the situation.
_ASKED = "\nAdvice:"
COUNTED = "all tokens of advice, the mark of its end included"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceMatter:
    """What of situations and advice is read, and what is held out."""

    longest: int = option(
        1280,
        "tokens of a situation; of longer ones whole paragraphs are left out",
        Bounds(least=32),
    )
    advice: int = option(512, "tokens of advice; what is longer is cut", Bounds(least=8))
    pieces: int = option(1, "of the advice on a situation the best so many are learnt", COUNT)
    folds: int = option(10, "one situation in so many is held out", Bounds(least=2))
    licence: str = option("as its file says", "of situations and advice")


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceAnswers:
    """How advice is written, once the model is asked."""

    temperature: float = option(1.0, "0: always the likeliest token", NATURAL)
    top_p: float = option(
        0.94, "share of the likeliest tokens that is drawn from", Bounds(least=0.01, most=1)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvicePrompts:
    """How situations and advice become tokens."""

    tokens: LanguageTokens
    longest: int
    advice: int
    is_seq2seq: bool

    @classmethod
    def of(cls, tuning: FineTuning, matter: AdviceMatter) -> "AdvicePrompts":
        """As a recipe says, and as the model can read; InputError where that leaves no room."""
        longest = matter.longest
        if not tuning.is_seq2seq:
            longest = min(longest, tuning.longest - matter.advice - tuning.tokens.size(_ASKED) - 2)
        if longest < 32:
            raise InputError(
                f"The model reads {tuning.longest:,} tokens, and data.advice takes {matter.advice:,} "
                "of them. Set data.advice lower."
            )
        return cls(
            tokens=tuning.tokens,
            longest=min(longest, tuning.longest - 2),
            advice=matter.advice,
            is_seq2seq=tuning.is_seq2seq,
        )

    def prompt(self, question: AdviceQuestion) -> list[int]:
        """What is read before the advice."""
        text = source_text(question, most=self.longest, size=self.tokens.size)
        if self.is_seq2seq:
            return self.tokens.whole(text)
        return [*self.tokens.begun(text), *self.tokens.numbers(_ASKED)]

    def example(self, question: AdviceQuestion, advice: str, unit: int) -> TokenExample:
        """Advice to be written after its situation."""
        prompt, text = self.prompt(question), target_text(advice)
        numbers = self.tokens.numbers(text if self.is_seq2seq else f" {text}")
        written = [*numbers[: self.advice - 1], self.tokens.end]
        if self.is_seq2seq:
            return TokenExample(prompt, written, unit)
        return TokenExample([*prompt, *written], [*[IGNORED] * len(prompt), *written], unit)


def advice_matter(
    matter: AdviceMatter, tuning: FineTuning, material: LearnerMaterial
) -> WrittenMatter:
    """The situations of the training files as rows, with those that are held out."""
    cases, without = read_advised(material.train)
    part = material.fold % matter.folds
    held = [each for each in cases if each.part(matter.folds, material.cut) == part]
    learnt = [each for each in cases if each.part(matter.folds, material.cut) != part]
    if not learnt or not held:
        raise InputError(
            f"One situation in {matter.folds} is held out, which leaves {len(learnt):,} to learn "
            f"from and {len(held):,} to measure on. Give more situations, or another number of "
            "'data.folds'."
        )
    prompts = AdvicePrompts.of(tuning, matter)

    def rows(part: Sequence[AdvisedCase]) -> TokenRows:
        return advice_rows(part, prompts, matter, tuning, material)

    def read(files: Sequence[Path]) -> TokenRows:
        return rows(read_advised(files)[0])

    return WrittenMatter(
        learnt=rows(learnt),
        held=rows(held),
        read=read,
        note=DataNote(
            about="Situations that somebody asks advice about, with the best advice of people",
            counts={
                "situations": len(cases),
                "of them held out": len(held),
                "lines without advice": without,
                "pieces of advice learnt": sum(
                    len(each.advice[: matter.pieces]) for each in learnt
                ),
            },
            licence=matter.licence,
        ),
        words={"task": ["advice"]},
        unit="situations",
        counted=COUNTED,
    )


def advice_rows(
    cases: Sequence[AdvisedCase],
    prompts: AdvicePrompts,
    matter: AdviceMatter,
    tuning: FineTuning,
    material: LearnerMaterial,
) -> TokenRows:
    """Situations with the best of their advice as rows."""
    examples = [
        prompts.example(case.question, advice, unit)
        for unit, case in enumerate(cases)
        for advice in case.advice[: matter.pieces]
    ]
    return TokenRows.of(examples, pad=tuning.tokens.pad, device=material.device)
