"""CraigslistBargain as a game: everything that Palaver is told of it."""

from palaver.core.questions.likert import Likert
from palaver.core.questions.text import FreeText
from palaver.formats.cocoa.scenarios import BARGAIN
from palaver.games.craigslist_bargain.generator import BargainGenerator
from palaver.games.craigslist_bargain.options import FOLDER, BargainOptions
from palaver.games.craigslist_bargain.tags import brief, read_tag, tell, write_tag
from palaver.games.game import Game

_PACKAGE = "palaver.games.craigslist_bargain"
_AGREE: dict[int | str, str] = {1: "Not at all", 5: "Very much"}

# Their names are the columns of CoCoA's survey. Its site asked the first and the last.
SURVEY = (
    Likert(
        name="negotiator",
        text="Did your partner behave like a reasonable person would?",
        help="Think of how they talked and how they bargained.",
        anchors={1: "Not at all", 5: "Just like one"},
    ),
    Likert(name="fluent", text="Was what your partner wrote fluent English?", anchors=_AGREE),
    Likert(name="honest", text="Did your partner seem honest?", anchors=_AGREE),
    Likert(name="persuasive", text="Was your partner persuasive?", anchors=_AGREE),
    Likert(name="fair", text="Was your partner fair?", anchors=_AGREE),
    Likert(name="coherent", text="Did what your partner wrote fit together?", anchors=_AGREE),
    FreeText(name="comments", text="Is there anything you would like to tell us?", required=False),
)

GAME = Game(
    name=BARGAIN,
    folder=FOLDER,
    options_type=BargainOptions,
    knowledge="knowledge.html",
    moves="moves.html",
    element="bargain-moves.js",
    style="bargain.css",
    tell=tell,
    survey=SURVEY,
    metrics=tuple(
        f"{_PACKAGE}.metrics:{name}"
        for name in ("AGREEMENT", "BUYER_MARGIN", "SELLER_MARGIN", "FAIRNESS", "LENGTH")
    ),
    generator=BargainGenerator,
    bots={"rule": f"{_PACKAGE}.bots:RuleBargainer", "random": f"{_PACKAGE}.bots:RandomBargainer"},
    measure=f"{_PACKAGE}.measurement:measure",
    starter="bargain",
    brief=brief,
    read_tag=read_tag,
    write_tag=write_tag,
)
