"""The studies that the stories in `flows/` are told with."""

from typing import Any

from support.houses import study

PREFERENCE = {"better": {"kind": "comparative", "text": "Which was better?"}}
SHORT = {"exactly": 4}
TIMELESS = {"message": None, "dialogue": None, "idle": None, "disconnect": None, "waiting": None}


def paired(display: str, **given: Any) -> dict[str, Any]:
    """Two systems, one person, one question."""
    chat = {
        "arrangement": "paired",
        "display": display,
        "turns": SHORT,
        "conditions": [{"systems": ["tern", "plover"], "needed": 40}],
        "limits": TIMELESS,
        **given,
    }
    built = study(chat, questions=PREFERENCE)
    built["stages"].append({"rate": {"ask": ["better"]}})
    return built


def system(*, conditions: str = "tern", turns: Any = SHORT, **given: Any) -> dict[str, Any]:
    """One person talks with one system."""
    chat_keys = {"limits", "opens", "taking", "seeds", "personas", "blind", "pace", "scenarios"}
    chat = {key: given.pop(key) for key in chat_keys & given.keys()}
    limits = chat.pop("limits", TIMELESS)
    return study({"conditions": conditions, "turns": turns, "limits": limits, **chat}, **given)


def people(*, limits: dict[str, Any], **chat: Any) -> dict[str, Any]:
    """Two people talk with each other."""
    conditions = chat.pop("conditions", [{"people": True}])
    return study(
        {
            "arrangement": "people",
            "conditions": conditions,
            "turns": {"exactly": 6},
            "limits": {**TIMELESS, **limits},
            **chat,
        }
    )


STUDIES: dict[str, dict[str, Any]] = {
    "chat": system(),
    "invited": system(),
    "prolific": system(
        crowd={
            "kind": "prolific",
            "completion_code": "C0DE1234",
            "completion_url": "https://app.prolific.com/submissions/complete?cc={code}",
        }
    ),
    "three-codes": system(
        crowd={
            "kind": "prolific",
            "completion_code": "C0DEALL99",
            "part_code": "C0DEPART99",
            "return_code": "C0DEBACK99",
            "completion_url": "https://app.prolific.com/submissions/complete?cc={code}",
        },
        pay={"amount": 2.5, "currency": "GBP", "early": 0.5},
        conditions="tern:1",
    ),
    "part-idle": system(
        limits={**TIMELESS, "idle": 2}, pay={"amount": 2, "currency": "EUR", "early": 0.75}
    ),
    "chateval": system(crowd={"kind": "chateval"}),
    "panel": system(
        crowd={"kind": "parameters", "participant": "who", "assignment": "task"},
        conditions="tern:4,plover:3",
    ),
    "panel-again": system(
        crowd={
            "kind": "parameters",
            "participant": "who",
            "assignment": "task",
            "repeats": True,
        },
        conditions="tern:4,plover:3",
    ),
    "in-turn": paired("in_turn"),
    "stopping": {**paired("in_turn"), "board": {"stop": {"at_most": 40}}},
    "side-by-side": paired("side_by_side"),
    "side-by-side-hurry": paired("side_by_side", limits={**TIMELESS, "message": 4}),
    "people": people(limits={}),
    "alone-paid": people(limits={"waiting": 1}),
    "alone-stand-in": people(limits={"waiting": 1}, nobody_comes="tern"),
    "leaver-paid": people(limits={"disconnect": 2}),
    "leaver-replaced": people(limits={"disconnect": 2}, partner_leaves="plover"),
    "sleeper-replaced": people(
        limits={"message": 2}, partner_leaves="plover", taking="alternate", opens="first"
    ),
    "idle": system(limits={**TIMELESS, "idle": 2}, conditions="tern:2"),
    "slow-message": system(limits={**TIMELESS, "message": 2}),
    "short-dialogue": system(limits={**TIMELESS, "dialogue": 2}),
    "quota": system(conditions="tern:5"),
    "full": system(conditions="tern:1"),
    "exact": system(turns={"exactly": 4}),
    "erasable": system(conditions="tern:9"),
    "minimum": system(turns={"at_least": 4}),
    "system-opens": system(opens="system", turns={"exactly": 3}),
    "either-opens": system(opens="either"),
    "free": system(taking="free", turns={"exactly": 12}),
    "seeded": system(
        seeds=[{"by": "person", "text": "Good day"}, {"by": "partner", "text": "Same to you"}]
    ),
    "personas": people(
        limits={},
        personas={"person": ["You love mountains"], "partner": ["You fear heights"]},
    ),
    "blind": system(
        blind=True, pace={"reading": 1.0, "characters_per_second": 1000.0, "at_most": 5.0}
    ),
}
