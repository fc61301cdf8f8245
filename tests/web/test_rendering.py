"""Every template renders, escapes what people wrote, and keeps within the content policy."""

import re
from dataclasses import dataclass, replace
from typing import ClassVar, get_args

import pytest

from palaver.core.evaluation.rounds import RoundTerms, Standing
from palaver.core.questions import QUESTION_KINDS, Comparative, QuestionExample
from palaver.core.questions.text import FreeText
from palaver.evaluation.boards import SystemVotes, VoteBoard
from palaver.games.model_in_the_loop.form import FormField, WritingForm
from palaver.games.model_in_the_loop.writing import WritingBrief
from palaver.studies.file.definition import Consent, Study
from palaver.studies.run.dues import Owed, owed
from palaver.studies.run.own_examples import OwnExample
from palaver.studies.run.writing_visit import WritingVisit
from palaver.web.api.docs_page import ApiPage
from palaver.web.boards.routes import VoteBoardPage
from palaver.web.desk.frame import DeskShell, NavItem
from palaver.web.formatting import duration, percent, whole
from palaver.web.participant.examples import ExamplesPage, TakeBackPage
from palaver.web.participant.pages import (
    AgainPage,
    ConsentPage,
    DonePage,
    EndReason,
    ExpiredPage,
    InstructionsPage,
    LeavePage,
    MessageKind,
    MessagePage,
    PractisedPage,
    ProblemPage,
    RehearsalOverPage,
    ReturnPage,
    TrainingPage,
    WaitingPage,
    WithdrawPage,
)
from palaver.web.participant.rating.pages import (
    Asked,
    Feedback,
    Hidden,
    Line,
    NoticePage,
    Practice,
    RatePage,
    ShownTranscript,
)
from palaver.web.participant.rooms.pages import (
    ChatPage,
    OnlineQuestion,
    RoomView,
    ScenarioCard,
    SideBySidePage,
)
from palaver.web.participant.rooms.writing import WarningPage, WritePage, WritingPart
from palaver.web.rendering import HERE, LOOK, STATIC, Renderer, markdown, static_place
from palaver.web.shell import ChoiceLink, Shell
from support.cases import every_case
from support.made_studies import made_study

PARTICIPANT = HERE / "participant"


def with_text(study: Study, text: str | None) -> Study:
    """The study with another text of consent, or without consent."""
    consent = None if text is None else Consent(version="1", text=text)
    return study.model_copy(update={"consent": consent})


QUESTIONS = sorted((PARTICIPANT / "rating" / "questions").glob("[!_]*.html"))

EVIL = "<b onclick=\"x()\">'bold'</b> & <script>alert(1)</script>"
BARE = Shell()
FULL = Shell(
    title=EVIL,
    lang="ar",
    dir="rtl",
    step=2,
    steps=4,
    started_at=1000.0,
    now=1400.0,
    problem_url="/problem",
    withdraw_url="/withdraw",
    csrf="token-1",
    examples_url="/examples",
    preview=True,
    notice=EVIL,
)
EXAMPLE = QuestionExample(response=EVIL, context=(EVIL,), applies=False, answer=EVIL, why=EVIL)
QUESTION = Comparative(
    name="better",
    text=f"Which is better? {EVIL}",
    help=EVIL,
    definition=EVIL,
    examples=(EXAMPLE, QuestionExample(response=EVIL)),
    required=False,
)
ASKED = Asked(question=QUESTION, field="answer-better", speaker=EVIL, answer="a", error=EVIL)
ONLINE = OnlineQuestion(asked=ASKED, url="/online", dialogue=EVIL, required=True, answers={2: EVIL})
ROOM = RoomView(socket="/ws/1", seat=0)
FULL_ROOM = RoomView(
    socket="/ws/1",
    seat=1,
    at_least=4,
    blind=True,
    partner=EVIL,
    letter="A",
    count=3,
    over=True,
    next_url="/next",
    quit_note=EVIL,
    online=ONLINE,
)
CARD = ScenarioCard(title=EVIL, text=EVIL, lines=(EVIL,))
EVIL_FIELD = FormField(name="said", title=EVIL, about=EVIL)
WRITTEN = WritingBrief(
    round=1,
    context_id="c",
    context={
        "read": EVIL,
        "seen": "https://example.org/a.png",
        "drawn": "data:image/png;base64,AA==",
        "odd": EVIL,
        "talk": [{"speaker": EVIL, "text": EVIL}],
    },
    form=WritingForm(
        reads=(
            FormField(name="read", title=EVIL),
            *(FormField(name=each, title=each, form="image") for each in ("seen", "drawn", "odd")),
            FormField(name="talk", title="talk", form="turns"),
        ),
        writes=(
            EVIL_FIELD,
            FormField(name="one", title="one", form="choice", labels=(EVIL, "b"), is_gold=True),
            FormField(name="all", title=EVIL, form="several", labels=(EVIL, "b"), is_gold=True),
            FormField(name="part", title="part", form="span", reference="read", is_gold=True),
        ),
    ),
)
WRITING = WritingPart(
    asked=WRITTEN,
    visit=WritingVisit(number=2, texts=5, finished=1, fooled=1, streak=1, skips_left=1),
    terms=RoundTerms(bonus={"verified": 0.5, "fooling": 0.1}),
    currency="GBP",
    moves_template="games/model_in_the_loop/moves.html",
    element="games/model_in_the_loop/loop-parts.js",
    style="loop.css",
)
ASKS_FOR_ONE = replace(WRITING, asked=replace(WRITTEN, goal={"one": EVIL}), visit=WritingVisit())
TALKING = replace(
    ASKS_FOR_ONE,
    moves_template="",
    knowledge_template="games/model_in_the_loop/talk.html",
    side="What to find",
)
MINE = OwnExample(
    uid=f"d-{EVIL}",
    written=(("said", EVIL),),
    own=EVIL,
    model=EVIL,
    time=1.0,
    retracted=False,
    standing="waiting",
    judged=1,
    needed=3,
)
LINES = (
    Line(side="own", speaker="You", text=EVIL),
    Line(side="partner", speaker=EVIL, text=None),
    Line(side="house", speaker="", text=EVIL),
)
JUDGED = (
    replace(LINES[0], asked=(ASKED,), feedback=Feedback(why=EVIL, right=(EVIL,))),
    replace(LINES[1], feedback=Feedback(why="", mended=True)),
    LINES[2],
)
A, B = ShownTranscript(letter="A", lines=LINES), ShownTranscript(letter="B", lines=())
NO_VOTES = SystemVotes(system="Owl", wins=0, ties=0, losses=0, n=0, rate=None, low=None, high=None)
VOTES = SystemVotes(
    system=EVIL, wins=3, ties=1, losses=2, n=6, rate=0.58, low=0.3, high=0.8, truth=0.6
)
NO_BOARD = VoteBoard(
    title="Pilot", state="provisional", votes=0, needed=9, raters="all", systems=(), updated=1.0
)
OPEN_BOARD = replace(NO_BOARD, needed=None)
FULL_BOARD = replace(NO_BOARD, state="final", systems=(VOTES, NO_VOTES), answer=EVIL)
TEXT = f"# Hello\n\n**Well** {EVIL} [link](javascript:x()) [site](https://example.org)"
SMALL_STUDY = made_study(
    title="Pilot",
    consent={"version": "1", "text": "Agree?"},
    stages=[{"rate": {"ask": ["thumbs"], "data": "dialogues.jsonl"}}],
)
FULL_STUDY = made_study(
    title=EVIL,
    contact=EVIL,
    consent={"version": EVIL, "text": TEXT},
    instructions=TEXT,
    thanks=TEXT,
    pay={"amount": 1.8, "currency": "GBP", "waiting_per_minute": 0.2},
    crowd={"completion_url": "https://example.org/{code}"},
    stages=[
        {"screen": {"training": "empathy", "minutes": 2}},
        {
            "chat": {"arrangement": "people", "turns": {"at_least": 4}, "minutes": 9}
            | {"conditions": [{"people": True}]}
        },
        {"rate": {"ask": ["thumbs"], "minutes": 1}},
    ],
)
PART = Owed("part", 0.8, 0.3, "GBP")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skeleton:
    """The researcher's frame with nothing in it."""

    template: ClassVar[str] = "desk/frame.html"
    shell: DeskShell


PAGES = [
    ApiPage(
        shell=BARE,
        version="1",
        about=EVIL,
        address="http://here",
        document_url="openapi.json",
        groups=(),
        shapes=(),
    ),
    ConsentPage(shell=BARE, action="/a", study=SMALL_STUDY),
    ConsentPage(shell=FULL, action="/a", study=FULL_STUDY),
    ConsentPage(shell=FULL, action="/a", study=with_text(FULL_STUDY, TEXT * 20)),
    InstructionsPage(shell=BARE, action="/a", text="", study=SMALL_STUDY),
    InstructionsPage(shell=FULL, action="/a", text=TEXT, study=with_text(FULL_STUDY, None)),
    WaitingPage(shell=BARE, socket="/w", check_url="/", leave_url="/", estimate="", nobody=""),
    WaitingPage(
        shell=FULL, socket="/w", check_url="/", leave_url="/", estimate=EVIL, nobody=EVIL, waited=75
    ),
    LeavePage(shell=BARE, action="/a", back_url="/"),
    LeavePage(shell=FULL, action="/a", back_url="/", owed=PART, gives_code=False),
    *(AgainPage(shell=FULL, action="/a", reason=reason) for reason in ("idle", "disconnected", "")),
    AgainPage(shell=FULL, action="/a", reason="idle", owed=PART),
    AgainPage(shell=FULL, action="/a", reason="insufficient", words=EVIL, owed=PART),
    PractisedPage(shell=BARE, action="/a"),
    PractisedPage(shell=FULL, action="/a", is_complete=False, words=EVIL),
    ChatPage(shell=BARE, room=ROOM),
    ChatPage(shell=FULL, room=FULL_ROOM, label=EVIL, scenario=CARD, instructions=TEXT),
    ChatPage(shell=FULL, room=replace(ROOM, exactly=10, can_quit=False)),
    SideBySidePage(
        shell=BARE, rooms=(replace(ROOM, letter="A"), replace(ROOM, letter="B")), next_url="/n"
    ),
    SideBySidePage(
        shell=FULL,
        rooms=(FULL_ROOM, replace(FULL_ROOM, letter="B", online=None)),
        next_url="/n",
        scenario=CARD,
        instructions=TEXT,
    ),
    *(
        WritePage(shell=BARE, room=replace(ROOM, game=part, next_url="/n"), part=part)
        for part in (WRITING, ASKS_FOR_ONE)
    ),
    WritePage(
        shell=FULL,
        room=replace(FULL_ROOM, game=WRITING),
        part=WRITING,
        instructions=TEXT,
        action="/a",
    ),
    ChatPage(shell=FULL, room=replace(ROOM, game=TALKING)),
    WarningPage(shell=BARE, action="/a", text="Rude words."),
    WarningPage(shell=FULL, action="/a", text=EVIL, goes_on=True),
    ExamplesPage(shell=BARE, examples=(), url="/e", back_url="/"),
    ExamplesPage(
        shell=FULL,
        examples=(
            MINE,
            replace(MINE, retracted=True),
            *(replace(MINE, standing=each, written=()) for each in get_args(Standing)),
        ),
        url="/e",
        back_url="/",
    ),
    TakeBackPage(shell=FULL, action="/a", example=MINE, back_url="/e"),
    *(
        DonePage(shell=FULL, study=FULL_STUDY, written=WritingVisit(finished=n, fooled=fooled))
        for n, fooled in ((1, 1), (3, 2), (2, 0))
    ),
    RatePage(shell=BARE, action="/a", conversations=(replace(B, letter="A"), B), asked=()),
    RatePage(
        shell=FULL,
        action="/a",
        conversations=(A, B),
        asked=(ASKED,),
        hidden=(Hidden(name="assignment", value=EVIL),),
        screen=2,
        screens=3,
        position=1,
        total=3,
        back=True,
        last=False,
        guides=(QUESTION,),
        instructions=TEXT,
    ),
    RatePage(
        shell=FULL,
        action="/a",
        conversations=(ShownTranscript(letter="", lines=JUDGED),),
        title=EVIL,
        guides=(QUESTION, Comparative(name="other", text="Other?")),
        practice=Practice(round=1, rounds=3, mending=True, left=1),
    ),
    *(
        RatePage(
            shell=BARE,
            action="/a",
            conversations=(ShownTranscript(letter="", lines=LINES),),
            practice=Practice(round=2, rounds=3, counts=counts, allowed=allowed),
        )
        for counts, allowed in ((False, 0), (True, 0), (True, 1), (True, 2))
    ),
    TrainingPage(shell=BARE, action="/a", text="", rounds=1, rule=""),
    TrainingPage(shell=FULL, action="/a", text=TEXT, rounds=3, rule=EVIL, guides=(QUESTION,)),
    *(DonePage(shell=BARE, reason=reason) for reason in get_args(EndReason)),
    DonePage(shell=FULL, code=EVIL, study=FULL_STUDY, waited=90, owed=PART),
    DonePage(shell=FULL, code=EVIL, study=SMALL_STUDY, reason="quit"),
    ProblemPage(shell=BARE, action="/a", back_url="/"),
    ProblemPage(shell=FULL, action="/a", back_url="/", sent_along=(EVIL,), text=EVIL, error=EVIL),
    ProblemPage(shell=FULL, action="/a", back_url="/", sent=True),
    WithdrawPage(shell=BARE, action="/a", back_url="/", study=SMALL_STUDY),
    WithdrawPage(shell=FULL, action="/a", back_url="/", study=FULL_STUDY, error=EVIL, owed=PART),
    NoticePage(shell=BARE, notice="grief", read="/"),
    NoticePage(shell=FULL, notice=EVIL, read="/", skip="/skip", left=3),
    ReturnPage(shell=BARE, action="/a"),
    ReturnPage(shell=FULL, action="/a", error=EVIL, contact=EVIL),
    ExpiredPage(shell=BARE, detail=""),
    ExpiredPage(shell=FULL, detail=EVIL, withdraw_url="/w"),
    ConsentPage(shell=FULL, action="/a", study=FULL_STUDY, return_code="BCDFG-HJKMN"),
    *(MessagePage(shell=BARE, kind=kind) for kind in get_args(MessageKind)),
    RehearsalOverPage(shell=BARE, study="pilot"),
    MessagePage(shell=FULL, kind="store", detail=EVIL, retry_url="/", retry_seconds=30),
    VoteBoardPage(shell=BARE, board=NO_BOARD),
    VoteBoardPage(shell=BARE, board=OPEN_BOARD),
    VoteBoardPage(
        shell=FULL,
        board=FULL_BOARD,
        data_url="/board.json",
        choices=(ChoiceLink(label=EVIL, url="/", current=True),),
    ),
    Skeleton(shell=DeskShell()),
    Skeleton(
        shell=DeskShell(
            nav=(NavItem(label=EVIL, url="/", icon="users", current=True),),
            person=EVIL,
            sign_out_url="/out",
            preview=True,
        )
    ),
]


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer()


@pytest.fixture(scope="module")
def rendered(renderer: Renderer) -> list[tuple[str, str]]:
    """Every page: what it is called, and its HTML."""
    return [
        (f"{number} {type(page).__name__}", renderer.render(page))
        for number, page in enumerate(PAGES)
    ]


def test_pages_keep_within_the_content_policy(rendered: list[tuple[str, str]]) -> None:
    with every_case() as case:
        for name, html in rendered:
            with case(name):
                assert html.startswith("<!doctype html>")
                assert "<b onclick" not in html
                assert not re.search(r"<script(?![^>]* src=)", html)
                assert not re.search(
                    r"<style|<[^>]* style=|<[^>]* on[a-z]+=\"|=\"javascript:", html
                )


def test_pages_refer_only_to_static_files_that_exist(rendered: list[tuple[str, str]]) -> None:
    with every_case() as case:
        for name, html in rendered:
            with case(name):
                found = re.findall(r'(?:src|href)="/static/([^"?]+)\?v=[0-9a-f]{12}"', html)
                assert found
                places = [static_place(file, own=STATIC) for file in found]
                assert [name for folder, name in places if not (folder / name).is_file()] == []


def test_every_posting_form_carries_the_token(rendered: list[tuple[str, str]]) -> None:
    with every_case() as case:
        for name, html in rendered:
            with case(name):
                forms = re.findall(r'<form method="post".*?</form>', html, re.DOTALL)
                assert [form for form in forms if 'name="csrf"' not in form] == []


def test_ids_on_a_page_are_unique_and_labels_find_theirs(
    rendered: list[tuple[str, str]],
) -> None:
    with every_case() as case:
        for name, html in rendered:
            with case(name):
                ids = re.findall(r'\sid="([^"]+)"', html)
                assert len(ids) == len(set(ids))
                assert set(re.findall(r'\sfor="([^"]+)"', html)) <= set(ids)


def test_every_page_template_is_rendered_here() -> None:
    found = {str(path.relative_to(HERE)) for path in PARTICIPANT.rglob("[!_]*.html")}
    found -= {"participant/frame.html", *(str(q.relative_to(HERE)) for q in QUESTIONS)}
    assert found == {page.template for page in PAGES if page.template.startswith("participant/")}


def test_every_question_kind_has_a_template() -> None:
    kinds = {path.stem for path in QUESTIONS}
    assert kinds == set(QUESTION_KINDS.names())


def test_modules_import_only_modules_that_exist() -> None:
    for module in STATIC.glob("*.js"):
        imported = re.findall(r'(?:from|import) "\./([^"]+)"', module.read_text())
        assert all((STATIC / name).is_file() for name in imported), module.name


def test_scripts_put_text_in_as_text() -> None:
    for module in STATIC.glob("*.js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|eval\(", module.read_text())


def test_the_two_dark_palettes_are_alike() -> None:
    css = (LOOK / "tokens.css").read_text()
    wished = css.split(':root:not([data-theme="light"]) {')[1].split("}")[0]
    chosen = css.split('\n  :root[data-theme="dark"] {')[1].split("}")[0]
    assert wished.split() == chosen.split()


def test_a_rater_page_names_no_system(renderer: Renderer) -> None:
    rooms = (replace(ROOM, letter="A"), replace(ROOM, letter="B"))
    html = renderer.render(SideBySidePage(shell=BARE, rooms=rooms, next_url="/n"))
    assert "system" not in html.lower()


def test_what_was_chosen_is_kept_when_an_answer_is_missing(renderer: Renderer) -> None:
    asked = (
        Asked(question=Comparative(name="one", text="One?"), field="answer-one", answer="tie"),
        Asked(question=Comparative(name="two", text="Two?"), field="answer-two", error="Choose."),
    )
    html = renderer.render(RatePage(shell=BARE, action="/", conversations=(A, B), asked=asked))
    assert 'name="answer-one" value="tie" checked' in html
    assert '<a href="#answer-two">Two?</a>' in html


def test_the_first_page_tells_everything_in_order_and_then_asks(renderer: Renderer) -> None:
    parts = (
        *("thank you for coming", "About 12 minutes", "1.80 GBP", "also if your partner leaves"),
        *("0.20 GBP for each minute of waiting", "Read what to do", "Practise", ">2 min<"),
        *("Chat with a partner", "at most 3 minutes", "At least 4 messages in all", ">9 min<"),
        *("Say what you thought", "1 question.", ">1 min<", "We take you back", "Your rights"),
        *("You may leave at any time", "Take part?", 'value="agree"', 'value="decline"'),
    )
    page = ConsentPage(shell=BARE, action="/", study=FULL_STUDY)
    short = renderer.render(page).partition("<main")[2]
    places = [short.index(part) for part in parts]
    assert places == sorted(places)
    assert short.index("<strong>Well</strong>") < short.index("1.80 GBP")

    long = with_text(FULL_STUDY, TEXT + "\n\n" + "We keep what you say. " * 40)
    html = renderer.render(ConsentPage(shell=BARE, action="/", study=long))
    rights, text, asked = (html.index(s) for s in ("Your rights", "<strong>Well</", "Take part?"))
    assert rights < text < asked


def test_the_first_page_says_nothing_that_the_study_does_not_say(renderer: Renderer) -> None:
    html = renderer.render(ConsentPage(shell=BARE, action="/", study=SMALL_STUDY))
    for word in ("minute", " min<", "GBP", "Pay", "keyboard", "Read what to do"):
        assert word not in html


@pytest.mark.parametrize(
    ("reason", "waited", "pay"),
    [
        ("complete", 0.0, "1.80 GBP"),
        ("complete", 90.0, "2.10 GBP"),
        ("partner_left", 0.0, "1.80 GBP"),
        ("waited", 90.0, "0.30 GBP"),
        ("waited", 0.0, ""),
        ("quit", 90.0, "0.30 GBP"),
        ("quit", 0.0, ""),
        ("full", 0.0, ""),
    ],
)
def test_the_end_says_what_is_paid(
    reason: EndReason, waited: float, pay: str, renderer: Renderer
) -> None:
    due = owed(FULL_STUDY.pay, state="finished", reason=reason, waited=waited)
    page = DonePage(shell=BARE, reason=reason, study=FULL_STUDY, code="C", waited=waited, owed=due)
    html = renderer.render(page)
    assert re.findall(r'"pay-figure">([^<]*)<', html) == ([pay] if pay else [])
    assert ("This visit is not paid." in html) == (not pay)


@pytest.mark.parametrize(("bonus", "fooled"), [("verified", 1), ("verified", 0), ("fooling", 1)])
def test_the_end_says_that_more_may_come_where_others_decide_it(
    bonus: str, fooled: int, renderer: Renderer
) -> None:
    stage = {"task": "nli", "contexts": "c.jsonl", "models": ["overlap"], "bonus": {bonus: 0.25}}
    study = made_study(stages=[{"write": stage}], pay={"amount": 2, "currency": "GBP"})
    due = owed(study.pay, state="finished", reason="complete", waited=0.0)
    visit = WritingVisit(finished=1, fooled=fooled)
    html = renderer.render(DonePage(shell=BARE, study=study, owed=due, written=visit))
    assert ("comes on top, once they have judged them" in html) == (
        bonus == "verified" and fooled > 0
    )


@pytest.mark.parametrize("made", [True, False])
def test_who_withdraws_reads_what_stays_of_closed_rounds(made: bool, renderer: Renderer) -> None:
    page = WithdrawPage(
        shell=BARE, action="/a", back_url="/", study=SMALL_STUDY, has_made_data=made
    )
    assert ("in the data sets that were made of it" in renderer.render(page)) == made


def test_no_page_speaks_of_money_where_the_study_does_not(renderer: Renderer) -> None:
    pages = [
        ConsentPage(shell=FULL, action="/", study=SMALL_STUDY),
        InstructionsPage(shell=FULL, action="/", text="", study=with_text(SMALL_STUDY, None)),
        LeavePage(shell=FULL, action="/", back_url="/"),
        AgainPage(shell=FULL, action="/", reason="idle"),
        ProblemPage(shell=FULL, action="/", back_url="/"),
        WithdrawPage(shell=FULL, action="/", back_url="/", study=SMALL_STUDY),
        *(
            DonePage(shell=FULL, reason=reason, study=SMALL_STUDY, code="C")
            for reason in get_args(EndReason)
        ),
    ]
    for page in pages:
        said = re.sub(r"<[^>]*>", " ", renderer.render(page).partition("<main")[2]).lower()
        assert not re.search(r"\b(pay|paid|money|gbp)\b", said), (page, said)


def test_without_a_consent_the_first_page_tells_the_terms_all_the_same(renderer: Renderer) -> None:
    page = InstructionsPage(shell=BARE, action="/", text="", study=with_text(FULL_STUDY, None))
    html = renderer.render(page)
    for told in ("About 12 minutes", "1.80 GBP", "You stop before the end", ">Nothing<"):
        assert told in html
    assert "You may take it back" in html
    assert "We keep what you write, your answers and when you gave them." in html


def test_what_is_counted_is_named_before_consent(renderer: Renderer) -> None:
    remark = {"remark": FreeText(name="remark", text="Anything else?")}
    talk = {"arrangement": "people", "turns": {"at_least": 4}, "conditions": [{"people": True}]}
    chat = {"chat": talk}
    worded = made_study(questions=remark, stages=[chat, {"rate": {"ask": ["remark"]}}])
    ticked, talked = (made_study(stages=s) for s in ([{"rate": {"ask": ["thumbs"]}}], [chat]))
    said = [
        " ".join(
            renderer.render(InstructionsPage(shell=BARE, action="/", text="", study=study)).split()
        )
        for study in (worded, ticked, talked)
    ]
    assert (
        "We count how long each answer takes, for how much of that time the page is in use and how "
        "often text is pasted, never what was pasted."
    ) in said[0]
    assert "takes and for how much of that time the page is in use.</span>" in said[1]
    assert "We count" not in said[2]


def test_every_end_thanks(renderer: Renderer) -> None:
    for reason in get_args(EndReason):
        assert "Thank you" in renderer.render(DonePage(shell=BARE, reason=reason)), reason


def test_markdown_is_cleaned_and_stands_below_the_page_title() -> None:
    html = markdown(TEXT)
    assert "<h2>Hello</h2>" in html
    assert "<script" not in html
    assert "javascript:" not in html.replace("(javascript:x())", "")
    assert 'href="https://example.org"' in html
    assert 'rel="noopener noreferrer"' in html


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (59.4, "59 seconds"),
        (60, "1 minute"),
        (3600, "1 hour"),
        (7500, "2 hours 5 minutes"),
    ],
)
def test_durations_are_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_numbers_are_written_plainly() -> None:
    assert (percent(0.583), percent(None)) == ("58.3 %", "–")
    assert (whole(1200), whole(2.5)) == ("1,200", "2.5")
