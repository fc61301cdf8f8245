"""The labelling configuration that Label Studio needs to show a study's tasks and their answers.

A choice has the words that raters read as its value and the stored id as its alias; results hold
aliases.
"""

from collections.abc import Iterable, Sequence
from functools import singledispatch
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from palaver.core.questions import Comparative, Question
from palaver.core.questions.aspects import Aspects
from palaver.core.questions.choice import Choice
from palaver.core.questions.comparative import FIRST, SECOND, side_of
from palaver.core.questions.flow import Flow
from palaver.core.questions.flow_tree import walk
from palaver.core.questions.likert import Likert
from palaver.core.questions.multiselect import Multiselect
from palaver.core.questions.question import BETTER, BETTER_ONE, WORSE, WORSE_ONE
from palaver.core.questions.slider import Slider
from palaver.core.questions.spans import Spans
from palaver.core.questions.text import FreeText
from palaver.core.questions.thumbs import DOWN, UP, Thumbs
from palaver.formats import label_studio
from palaver.formats.label_studio import DIALOGUE, TURN, are_stars

# What the texts of questions call the two speakers, in words that fit every task.
_WORDS = {
    WORSE: WORSE_ONE,
    BETTER: BETTER_ONE,
    "{speaker}": "the speaker",
    "SPEAKER_X": "the speaker",
    "{partner}": "the other person",
    "SPEAKER_Y": "the other person",
}


def config(questions: Iterable[Question]) -> str:
    asked = list(questions)
    view = Element("View")
    _add_paragraphs(view, DIALOGUE)
    if any(question.about == "pair" for question in asked):
        _add_paragraphs(view, label_studio.SECOND)
    if any(question.about == "turn" and not isinstance(question, Spans) for question in asked):
        turns = Element("ParagraphLabels", name=TURN, toName=DIALOGUE)
        turns.append(Element("Label", value=TURN))
        view.append(turns)
    for question in asked:
        view.append(Element("Header", value=_worded(question.text)))
        for control in controls(question):
            if question.about == "turn" and control.tag not in ("Header", "ParagraphLabels"):
                control.set("perRegion", "true")
            view.append(control)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode") + "\n"


@singledispatch
def controls(question: Question) -> list[Element]:
    """The controls that ask a question; a text field where its kind has none."""
    return [_control("TextArea", question.name)]


@controls.register
def _(question: Likert) -> list[Element]:
    return [_points(question.name, question.points)]


@controls.register
def _(question: Aspects) -> list[Element]:
    return [
        element
        for aspect in question.aspects
        for element in (
            Element("Header", value=_worded(aspect.text), size="5"),
            _points(f"{question.name}.{aspect.id}", question.points),
        )
    ]


@controls.register
def _(question: Slider) -> list[Element]:
    ends = {"min": question.least, "max": question.most, "step": question.step}
    return [_control("Number", question.name, **{key: f"{n:g}" for key, n in ends.items()})]


@controls.register
def _(question: Choice) -> list[Element]:
    return [_choices(question.name, [(o.id, o.text) for o in question.options])]


@controls.register
def _(question: Multiselect) -> list[Element]:
    options = [(option.id, option.text) for option in question.options]
    return [_choices(question.name, options, several=True)]


@controls.register
def _(question: Thumbs) -> list[Element]:
    return [_choices(question.name, [(UP, question.up), (DOWN, question.down)])]


@controls.register
def _(question: Comparative) -> list[Element]:
    labels = {FIRST: question.label_a, SECOND: question.label_b}
    coded = [(str(each.value), each.text) for each in question.codebook]
    named = [
        (value, " ".join([labels.get(side_of(value), text), *question.degree_words(value)]))
        for value, text in coded
    ]
    return [_choices(question.name, named)]


@controls.register
def _(question: Flow) -> list[Element]:
    return [
        element
        for step in (place.step for place in walk(question.ask))
        for element in (
            Element("Header", value=_worded(step.text), size="5"),
            _choices(
                f"{question.name}.{step.id}",
                [(answer.id, answer.text) for answer in step.answers],
                several=step.type == "checkbox",
            ),
        )
    ]


@controls.register
def _(question: FreeText) -> list[Element]:
    return [_control("TextArea", question.name, rows=str(question.lines))]


@controls.register
def _(question: Spans) -> list[Element]:
    marks = _control("ParagraphLabels", question.name)
    marks.extend(Element("Label", alias=o.id, value=_worded(o.text)) for o in question.options)
    return [marks]


def _add_paragraphs(view: Element, name: str) -> None:
    view.append(
        Element(
            *("Paragraphs",),
            {"name": name, "value": f"${name}", "layout": "dialogue"},
            nameKey="author",
            textKey="text",
        )
    )


def _control(tag: str, name: str, **more: str) -> Element:
    return Element(tag, {"name": name, "toName": DIALOGUE, **more})


def _choices(name: str, options: Sequence[tuple[str, str]], *, several: bool = False) -> Element:
    control = _control("Choices", name, choice="multiple" if several else "single")
    control.extend(Element("Choice", alias=id_, value=_worded(text)) for id_, text in options)
    return control


def _points(name: str, points: Sequence[int]) -> Element:
    if are_stars(points):
        return _control("Rating", name, maxRating=str(len(points)))
    return _control("Number", name, min=str(min(points)), max=str(max(points)))


def _worded(text: str) -> str:
    for sign, words in _WORDS.items():
        text = text.replace(sign, words)
    return text
