"""The flow question asks some steps only after certain answers.

The trees are those of `knowledge` and `transitions` in the ChatEvaluationPlatform, in our words.
"""

import pytest

from palaver.core.errors import AnswerError
from palaver.core.questions import Shown
from palaver.core.questions.flow import Flow
from palaver.core.questions.flow_tree import Step, StepAnswer

SEARCH = Step(
    "search",
    "What did you find?",
    (
        StepAnswer("right", "All is accurate.", label="correct fact"),
        StepAnswer("wrong", "Something is not.", label="incorrect fact"),
        StepAnswer("unclear", "Sources disagree."),
    ),
)
ACCURACY = Step(
    "accuracy",
    "Is it true?",
    (
        StepAnswer("yes", "Yes, I know.", label="correct fact"),
        StepAnswer("no", "No, I know.", label="incorrect fact"),
        StepAnswer("unsure", "I don't know for sure.", ask=(SEARCH,)),
    ),
)
FACTS = Step(
    "facts", "Facts", (StepAnswer("fact", "It states a fact.", ask=(ACCURACY,)),), "checkbox"
)
KNOWLEDGE = Flow(name="knowledge", text="Facts?", speaker="system", display="open", ask=(FACTS,))

TRANSITIONS = Flow(
    name="transitions",
    text="How does it follow?",
    required=False,
    ask=(
        Step(
            "ack",
            "Acknowledged?",
            (StepAnswer("yes", "Yes"), StepAnswer("no", "No", label="ignore")),
        ),
        Step(
            "topic",
            "New topic?",
            (StepAnswer("yes", "Yes", "topic switch"), StepAnswer("no", "No")),
        ),
    ),
)
PERSONAL = Flow(
    name="personal",
    text="What is told?",
    ask=(
        Step(
            "told",
            "Tick what is told.",
            (
                StepAnswer("taste", "A taste", "preference info"),
                StepAnswer("life", "A life", "life info"),
            ),
            type="checkbox",
        ),
    ),
)


def read(question: Flow, answer: object) -> dict[str, object]:
    return question.read(answer, Shown())


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ({}, {}),
        ({"facts": ["fact"], "accuracy": "yes"}, {"facts": ["fact"], "accuracy": "yes"}),
        ({"accuracy": "yes", "facts": "fact"}, {"facts": ["fact"], "accuracy": "yes"}),
        (
            {"search": "wrong", "accuracy": "unsure", "facts": ["fact"]},
            {"facts": ["fact"], "accuracy": "unsure", "search": "wrong"},
        ),
        ({"facts": "", "accuracy": None, "search": []}, {}),
    ],
)
def test_the_value_holds_the_answers_in_the_order_of_the_flow(answer, value):
    assert list(read(KNOWLEDGE, answer).items()) == list(value.items())


def test_steps_and_answers_may_be_named_by_their_texts():
    answer = {
        "Facts": "It states a fact.",
        "Is it true?": "I don't know for sure.",
        "What did you find?": "Sources disagree.",
    }

    assert read(KNOWLEDGE, answer) == {
        "facts": ["fact"],
        "accuracy": "unsure",
        "search": "unclear",
    }


def test_a_checkbox_step_takes_several_answers_in_its_own_order():
    assert read(PERSONAL, {"told": ["life", "taste", "life"]}) == {"told": ["taste", "life"]}
    assert read(PERSONAL, {"told": ["", "life"]}) == {"told": ["life"]}


def test_a_step_that_is_not_asked_takes_no_answer():
    with pytest.raises(AnswerError) as caught:
        read(KNOWLEDGE, {"facts": ["fact"], "accuracy": "yes", "search": "right"})

    assert str(caught.value) == (
        "Question 'knowledge': 'search' was answered, but it is only asked after 'unsure' is chosen "
        "for 'accuracy'."
    )


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"facts": ["fact"]}, "'knowledge' needs an answer to 'accuracy'"),
        ({"facts": ["fact"], "accuracy": "unsure"}, "'knowledge' needs an answer to 'search'"),
        (
            {"acuracy": "yes"},
            "'knowledge' takes answers to 'facts', 'accuracy', 'search'; got 'acu",
        ),
        ({"facts": ["fake"]}, "'knowledge': 'facts' takes 'fact'; got 'fake'"),
        (
            {"facts": ["fact"], "accuracy": "maybe"},
            "'knowledge': 'accuracy' takes 'yes', 'no', 'unsure'; got 'maybe'",
        ),
        ({"facts": ["fact"], "accuracy": ["yes", "no"]}, "'accuracy' takes one answer; got 2"),
        ({"facts": True}, "'knowledge': 'facts' takes 'fact'; got True"),
        ({"facts": "fact", "Facts": "fact"}, "'knowledge': 'facts' was answered twice"),
        ({"accuracy": "yes"}, "only asked after 'fact' is chosen for 'facts'"),
        ([], "'knowledge' takes an answer for each step; got"),
    ],
)
def test_anything_else_is_refused(answer, problem):
    with pytest.raises(AnswerError, match=problem):
        read(KNOWLEDGE, answer)


def test_the_fields_of_a_form_are_named_after_the_steps():
    fields = {"facts": ["fact"], "accuracy": ["unsure"], "search": ["right"]}

    assert KNOWLEDGE.parse(fields) == {"facts": ["fact"], "accuracy": "unsure", "search": "right"}


def test_none_of_these_is_ticked_and_stored_as_nothing():
    answer = KNOWLEDGE.parse({"facts": [""]})

    assert (answer, KNOWLEDGE.left_open(answer)) == ({"facts": []}, False)
    assert read(KNOWLEDGE, answer) == {}
    assert KNOWLEDGE.on_form({}) == answer


def test_an_empty_form_is_no_answer():
    assert KNOWLEDGE.parse({}) is None
    assert TRANSITIONS.parse({"ack": [""], "topic": []}) is None


def test_a_step_without_a_tick_is_open_and_none_of_these_stands_alone():
    two = tuple(
        Step(name, name, (StepAnswer("yes", "Yes"),), "checkbox") for name in ("one", "two")
    )
    both = Flow(name="q", text="?", ask=two)
    optional = Flow(name="q", text="?", ask=two, required=False)

    assert both.left_open(both.parse({"one": ["yes"]}))
    assert not optional.left_open(optional.parse({"one": ["yes"]}))
    assert not both.left_open(both.parse({"one": ["yes"], "two": [""]}))
    assert optional.left_open(optional.parse({"one": ["yes", ""]}))


def test_a_flow_that_was_begun_must_be_finished():
    with pytest.raises(AnswerError, match="'transitions' needs an answer to 'topic'"):
        read(TRANSITIONS, TRANSITIONS.parse({"ack": ["no"]}))


def test_a_step_may_say_itself_whether_it_is_required():
    two = (StepAnswer("a", "A"), StepAnswer("b", "B"))
    free = Flow(name="q", text="?", ask=(Step("s", "S", two, required=False),))
    bound = Flow(name="q", text="?", ask=(Step("s", "S", two, "checkbox", required=True),))

    assert (free.parse({}), read(free, {})) == (None, {})
    assert bound.parse({}) is None
    with pytest.raises(AnswerError, match="needs an answer to 's'"):
        read(bound, {})


@pytest.mark.parametrize(
    ("answer", "steps"),
    [
        ({}, ["facts"]),
        ({"facts": ["fact"]}, ["facts", "accuracy"]),
        ({"facts": "fact", "accuracy": "yes"}, ["facts", "accuracy"]),
        ({"facts": "fact", "accuracy": "unsure"}, ["facts", "accuracy", "search"]),
        ({"accuracy": "unsure"}, ["facts"]),
        ({"facts": ["fact", 7], "accuracy": "maybe"}, ["facts", "accuracy"]),
    ],
)
def test_what_is_asked_follows_from_the_answers_so_far(answer, steps):
    assert [step.id for step in KNOWLEDGE.visible(answer)] == steps


def test_the_depth_counts_the_answers_above():
    assert [KNOWLEDGE.depth(step) for step in ("facts", "accuracy", "search")] == [0, 1, 2]


@pytest.mark.parametrize(
    ("question", "value", "labels"),
    [
        (KNOWLEDGE, {}, ()),
        (KNOWLEDGE, {"facts": ["fact"], "accuracy": "no"}, ("incorrect fact",)),
        (KNOWLEDGE, {"facts": ["fact"], "accuracy": "unsure", "search": "unclear"}, ()),
        (TRANSITIONS, {"ack": "no", "topic": "yes"}, ("ignore", "topic switch")),
        (PERSONAL, {"told": ["taste", "life"]}, ("preference info", "life info")),
    ],
)
def test_the_labels_are_those_of_the_chosen_answers(question, value, labels):
    assert question.labels(value) == labels


def test_every_label_is_announced_once():
    assert KNOWLEDGE.label_names == ("correct fact", "incorrect fact")
    assert KNOWLEDGE.level == "nominal"


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        ((), "'ask' is empty"),
        ((FACTS, ACCURACY), "The id 'accuracy' is listed twice under 'ask'"),
        (
            (Step("s", "S", (StepAnswer("a", "A"),)),),
            "'answers' of 's' needs 2 or more entries; got 1",
        ),
        ((Step("s", "S", (), "checkbox"),), "'answers' of 's' needs 1 or more entries; got 0"),
        (
            (Step("s", "S", (StepAnswer("a", "A"), StepAnswer("a", "B"))),),
            "The id 'a' is listed twice under 'answers of s'",
        ),
    ],
)
def test_a_tree_that_cannot_be_told_apart_is_refused(ask, problem):
    with pytest.raises(ValueError, match=problem):
        Flow(name="q", text="?", ask=ask)
