"""What the recogniser of prices, the reader of acts and the rules make of people's bargains.

An act is compared where a file says which one it is (`metadata.intent`), as CoCoA's own parser wrote it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

import msgspec

from palaver.core.events import MESSAGE
from palaver.core.records import DialogueRecord
from palaver.formats.cocoa.events import kept_in
from palaver.formats.cocoa.scenarios import BARGAIN
from palaver.games.craigslist_bargain.acts import MOVES, ActReader
from palaver.games.craigslist_bargain.metrics import agreed_price, margin_of
from palaver.games.craigslist_bargain.playback import SITE, STRICT, Refused, in_order, played_back
from palaver.games.craigslist_bargain.prices import find_prices, numbers_in
from palaver.games.craigslist_bargain.sides import BUYER, SELLER, side_of
from palaver.games.measurement import Confusion, Measured, Measurement


def measure(dialogues: Iterable[DialogueRecord]) -> Measurement:
    """Every share that the game can be measured by, with the tables behind them."""
    counts: Counter[str] = Counter()
    acts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    refused: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for record in dialogues:
        counts["dialogues"] += 1
        _count_deal(record, counts)
        for recorded, read in compared_acts(record):
            acts[recorded][read] += 1
        counts["strict"] += not isinstance(played_back(record, STRICT), Refused)
        played = played_back(record, SITE)
        if isinstance(played, Refused):
            refused[played.code][played.event.action] += 1
        else:
            counts["site"] += 1
    tables = (
        Confusion(title="Acts: recorded, and as read here", counts=acts),
        Confusion(title="First moves that the rules of the site refuse, by why", counts=refused),
    )
    return Measurement(
        game=BARGAIN,
        dialogues=counts["dialogues"],
        measures=_measures(counts, acts),
        tables=tuple(table for table in tables if table.counts),
    )


def compared_acts(record: DialogueRecord) -> list[tuple[str, str]]:
    """The recorded act of each turn that has one, and the act as it is read here."""
    if len(record.scenario.kbs) != 2:
        return []
    reader = ActReader(side_of(record.scenario.kb(0)))
    pairs: list[tuple[str, str]] = []
    for event in in_order(record.events):
        if event.seat is None or (event.action != MESSAGE and event.action not in MOVES):
            continue
        price = (event.data or {}).get("price")
        act = reader.read(event.seat, event.action, event.text, price)
        metadata = (kept_in(event.data) or {}).get("metadata")
        if isinstance(metadata, dict) and isinstance(metadata.get("intent"), str):
            pairs.append((metadata["intent"], act.intent))
    return pairs


def _count_deal(record: DialogueRecord, counts: Counter[str]) -> None:
    line = msgspec.to_builtins(record)
    price = agreed_price(line)
    if price is None:
        return
    counts["deals"] += 1
    texts = [event.text for event in record.events if event.action == MESSAGE]
    if price in numbers_in(tuple(texts)) and len(record.scenario.kbs) == 2:
        listing = side_of(record.scenario.kb(0))
        counts["said"] += 1
        counts["found"] += any(
            found.value == price for text in texts for found in find_prices(text, listing)
        )
    buyer, seller = margin_of(line, BUYER), margin_of(line, SELLER)
    if buyer is not None and seller is not None and buyer != seller:
        counts["decided"] += 1
        counts["seller_ahead"] += seller > buyer


def _measures(counts: Counter[str], acts: dict[str, Counter[str]]) -> tuple[Measured, ...]:
    turns = sum(sum(read.values()) for read in acts.values())
    same = sum(read[recorded] for recorded, read in acts.items())
    spoken = {recorded: read for recorded, read in acts.items() if recorded not in MOVES.values()}
    dialogues = counts["dialogues"]
    return (
        Measured(
            name="prices",
            about="deals whose price is said as a number, and found",
            found=counts["found"],
            of=counts["said"],
        ),
        Measured(
            name="acts",
            about="turns whose act is the recorded one",
            found=same,
            of=turns,
            per_dialogue=False,
        ),
        Measured(
            name="acts_of_messages",
            about="the same without offers, answers and quits",
            found=sum(read[recorded] for recorded, read in spoken.items()),
            of=sum(sum(read.values()) for read in spoken.values()),
            per_dialogue=False,
        ),
        Measured(
            name="played_back",
            about="dialogues that the rules of CoCoA's site allow from the first move to the last",
            found=counts["site"],
            of=dialogues,
        ),
        Measured(
            name="played_back_strict",
            about="the same under this game's own rules: one message each, an offer is answered",
            found=counts["strict"],
            of=dialogues,
        ),
        Measured(
            name="agreement", about="dialogues with a deal", found=counts["deals"], of=dialogues
        ),
        Measured(
            name="seller_ahead",
            about="deals nearer to the seller's target than to the buyer's",
            found=counts["seller_ahead"],
            of=counts["decided"],
        ),
    )
