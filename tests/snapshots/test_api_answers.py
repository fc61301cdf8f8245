"""What the API answers on a home that an earlier Palaver made: every reading, and some changes."""

import json
import re
from typing import Any

import pytest

from support.points import points_in
from support.served_home import Answer, Held, ServedHome
from support.shapes import shape_of
from support.snapshots import assert_as_stored, stored

# What stands in an address: names that the home of these tests has something for. The board of a
# task is asked for as others ask, with weights.
NAMES = {
    "key": "dialogue",
    "name": "study",
    "task": "task",
    "run": "run",
    "model": "model",
    "dataset": "dataset",
}
WEIGHTS = "ordered_metric_weights=4%7C1%7C1%7C1&ordered_scoring_dataset_weights=1"
# Where what fits the name in general does not fit, or more must be said.
OWN = {
    "/studies/{name}/costs": ["/studies/chatting/costs"],
    "/studies/{name}/versions/{number}": ["/studies/chatting/versions/1"],
    "/studies/{name}/diff": ["/studies/chatting/diff?old=1&new=1"],
    "/metrics/{metric}": ["/metrics/accuracy", "/metrics/bleu"],
    "/perturbations": ["/perturbations", "/perturbations?kind=fairness"],
    "/runs": ["/runs", "/runs?task=nli&state=failed&limit=1", "/runs?task=nli&limit=2"],
    "/studies/{name}/board": ["/studies/comparing/board", "/studies/crowd/board?raters=all"],
    "/studies/{name}/export": ["/studies/chatting/export?format=messages&mask=true"],
    "/submissions": ["/submissions"],
    "/submissions/models/{model}": ["/submissions/models/blue-1"],
    "/submissions/questions/{dataset}": ["/submissions/questions/test"],
    "/submissions/team": ["/submissions/team"],
    "/tasks/{task}/board": ["/tasks/nli/board?metric_weight=accuracy%3D3", "/tasks/qa/board"],
    "/tasks/{task}/board/{format}": ["/tasks/nli/board/csv", "/tasks/nli/board/tex"],
    "/tasks/{task}/models/dynaboard": [f"/tasks/nli/models/dynaboard?{WEIGHTS}"],
    "/tasks/{task}/models/topleaderboardtags": ["/tasks/nli/models/topleaderboardtags"],
}
# Computed when they are first asked for: what they answer is a matter of time.
COMPUTED = ("/studies/{name}/results", "/studies/{name}/results/tables/{table}")
# The home is older than challenges: it has none (see tests/web/test_challenges_api.py).
CHALLENGE = "/challenges/{challenge}"
# And no rounds (see tests/actions/test_rounds.py), and recruits nobody (see
# tests/web/test_recruiting_api.py).
ROUNDS = "/tasks/{task}/rounds"
RECRUITING = ("/studies/{name}/recruiting", "/recruiting")
TASK_ALONE = re.compile(r"/tasks/\{task\}/(datasets|models)/\{")


def readings() -> list[str]:
    """Every address that the API can be read at."""
    operations = stored("openapi")["operations"]
    names = [name.removeprefix("GET ") for name in operations if name.startswith("GET ")]
    known = [name for name in names if not name.startswith((CHALLENGE, ROUNDS, *RECRUITING))]
    return [name for name in known if name not in COMPUTED]


def addresses(template: str, held: Held) -> list[str]:
    """An address with everything that stands for the last name in it."""
    if template in OWN:
        return OWN[template]
    if template == "/saved/{key}":
        return [f"/saved/{key}" for key in (*held["fork"], *held["snapshot"])]
    if TASK_ALONE.match(template):
        template = template.replace("{task}", "nli")
    names = re.findall(r"\{(\w+)\}", template)
    if not names:
        return [template]
    return [re.sub(r"\{\w+\}", value, template) for value in held[NAMES[names[-1]]]]


def shape_of_answers(*answers: Answer) -> Any:
    """The media type and the shape of JSON; of a table its head."""
    media = answers[0].media.partition(";")[0]
    if "json" not in media:
        return {"media": media, "begins": answers[0].text.splitlines()[0]}
    return {"media": media, "shape": shape_of(*(each.value for each in answers))}


def test_every_reading_is_answered_as_it_was(served_home: ServedHome, held: Held) -> None:
    found, refused = {}, []
    for template in readings():
        token = "Blue" if template.startswith("/submissions") else "olga"
        paths = addresses(template, held)
        answers = [served_home.api("GET", path, token=token) for path in paths]
        refused += [
            f"{path}: {each.status} {each.text[:200]}"
            for path, each in zip(paths, answers, strict=True)
            if each.status != 200
        ]
        documents = [each.value for each in answers if "json" in each.media]
        assert not list(points_in(documents, template))
        found[template] = shape_of_answers(*answers)
    assert not refused, "\n".join(refused)
    assert_as_stored("api-readings", found)


def test_strangers_read_what_is_public(served_home: ServedHome) -> None:
    paths = ["/tasks", "/tasks/nli", "/tasks/nli/board", "/tasks/nli/saved", "/tasks/nli/tags"]
    answers = {path: served_home.api("GET", path, token="") for path in paths}
    assert {path: each.status for path, each in answers.items()} == dict.fromkeys(paths, 200)
    shapes = {path: shape_of_answers(each) for path, each in answers.items()}
    assert_as_stored("api-readings-of-strangers", shapes)
    assert served_home.api("GET", "/tasks/qa", token="").status in (401, 404)


# Changes

# What no answer of a test can show: the server would fetch from an address elsewhere.
UNTRIED = {"POST /tasks/{task}/datasets/{dataset}/fetch"}
JUDGE = {"rater": "model:judge-8b", "rater_kind": "model"}
ITEMS = [
    {"uid": f"x{n}", "context": "Mary sings.", "hypothesis": "She sings.", "label": label}
    for n, label in enumerate(("entailed", "neutral"))
]
TABLE = [{"model": "a", "perf": 60, "mem": 4}, {"model": "b", "perf": 70, "mem": 8}]
ANSWERS = "".join(f'{{"uid": "t{n}", "label": "neutral"}}\n' for n in range(15))
RUNS = "/runs?task=nli&limit=100"
SENTIMENT = {"name": "own", "title": "Ours"}


def form(fields: dict[str, str], files: dict[str, str]) -> tuple[bytes, str]:
    """A form with files as it is sent, and its media type."""
    parts = [
        *(f'name="{name}"\r\n\r\n{value}' for name, value in fields.items()),
        *(f'name="{n}"; filename="{n}.jsonl"\r\n\r\n{text}' for n, text in files.items()),
    ]
    begun = "".join(f"--part\r\nContent-Disposition: form-data; {part}\r\n" for part in parts)
    return f"{begun}--part--\r\n".encode(), "multipart/form-data; boundary=part"


class Changes:
    """Sends changes one after the other and keeps what they are answered with."""

    def __init__(self, served: ServedHome) -> None:
        self.served = served
        self.answers: dict[str, Any] = {}

    def send(
        self,
        operation: str,
        body: Any = None,
        *,
        token: str = "olga",
        media: str = "",
        **names: object,
    ) -> Any:
        """Send one change; the JSON of its answer."""
        method, _, template = operation.partition(" ")
        headers = {"content-type": media} if media else {}
        path = template.format_map(names)
        answer = self.served.api(method, path, token=token, body=body, **headers)
        assert answer.status < 300, f"{operation}: {answer.status} {answer.text}"
        self.answers[operation] = {"status": answer.status, **shape_of_answers(answer)}
        return answer.value

    def models(self) -> None:
        """Tasks, data sets and models."""
        self.send("PUT /tasks/{name}/builtin", name="sentiment")
        definition = self.served.api("GET", "/tasks/sentiment").value["definition"]
        self.send("POST /tasks", {**definition, **SENTIMENT})
        self.send(
            "PATCH /tasks/{task}/policy",
            {"public": True, "terms": "Be kind.", "most_submissions": 9},
            task="qa",
        )
        lines = "".join(json.dumps(each) + "\n" for each in ITEMS).encode()
        added = "POST /tasks/{task}/datasets/{dataset}"
        self.send(added, lines, media="application/octet-stream", task="nli", dataset="more")
        changed = {"access": "hidden", "about": "Songs."}
        self.send("PATCH /tasks/{task}/datasets/{dataset}", changed, task="nli", dataset="more")
        varied = {"kind": "fairness", "only": ["gendered_words"]}
        self.send("POST /tasks/{task}/perturb", {**varied, "records": ITEMS}, task="nli")
        self.send(
            "POST /tasks/{task}/datasets/{dataset}/perturb", varied, task="nli", dataset="dev"
        )
        reached = {"name": "posted", "kind": "http", "options": {"url": "http://127.0.0.1:9/"}}
        self.send("POST /tasks/{task}/models", reached, task="nli")
        told = {"about": "By hand.", "published": True, "tags": ["x"]}
        self.send("PATCH /tasks/{task}/models/{model}", told, task="nli", model="uploaded")
        body, media = form({"about": "By hand"}, {"test": ANSWERS})
        sent = "POST /tasks/{task}/models/{model}/predictions"
        self.send(sent, body, media=media, task="nli", model="sent")

    def runs(self) -> None:
        """Runs, scores and boards."""
        runs = {(each["model"], each["dataset"]): each for each in self.served.rows(RUNS, "runs")}
        self.send("POST /runs/{run}/cancel", run=runs["later", "test"]["key"])
        self.send("POST /runs/{run}/retry", run=runs["broken", "test"]["key"])
        wanted = {"model": "broken", "dataset": "secret"}
        self.send("POST /tasks/{task}/evaluate", wanted, task="nli")
        self.send("POST /tasks/{task}/rescore", {"metric": "micro_f1"}, task="nli")
        weights = {"name": "Mine", "metric_weights": {"accuracy": 2.0}}
        self.send("POST /tasks/{task}/forks", weights, task="nli")
        self.send("POST /tasks/{task}/snapshots", {"name": "Autumn"}, task="nli")
        self.send("POST /dynascore", {"table": TABLE, "directions": {"mem": -1}})

    def teams(self) -> None:
        """Teams and what they submit."""
        team = {"team": "Grey", "affiliation": "Grey College", "link": "https://grey.example.org"}
        added = self.send("POST /tasks/{task}/teams", team, task="nli")["id"]
        self.send("POST /tasks/{task}/teams/{team}/renew", task="nli", team=added)
        self.send("POST /tasks/{task}/teams/{team}/revoke", task="nli", team=added)
        terms = self.served.api("GET", "/submissions/team", token="Blue").value["terms_digest"]
        self.send("POST /submissions/terms", {"digest": terms}, token="Blue")
        body, media = form({"name": "blue-2"}, {"test": ANSWERS})
        self.send("POST /submissions/predictions", body, media=media, token="Blue")
        reached = {"name": "blue-3", "kind": "http", "options": {"url": "http://127.0.0.1:9/"}}
        self.send("POST /submissions/endpoint", reached, token="Blue")
        shown = {"published": True, "anonymous": True}
        published = "POST /submissions/models/{model}/publication"
        self.send(published, shown, token="Blue", model="blue-1")
        withdrawn = "POST /submissions/models/{model}/withdrawal"
        self.send(withdrawn, token="Blue", model="blue-1")

    def studies(self) -> None:
        """Labels, links and raters of a study."""
        talk = self.served.rows("/studies/judging/dialogues", "dialogues")[0]["id"]
        labels = [
            {"unit": {"dialogue": talk}, "question": "warmth", "answer": 3, **JUDGE},
            {"unit": {"dialogue": talk, "turn": 2}, "question": "polite", "answer": "no", **JUDGE},
        ]
        self.send("POST /studies/{name}/labels", labels, name="judging")
        self.send("POST /studies/{name}/links", {"count": 2}, name="chatting")
        named = {"names": ["Ann", "Ben"], "hours": 24}
        made = self.send("POST /studies/{name}/named-links", named, name="chatting")
        revoked = "POST /studies/{name}/named-links/{link}/revocation"
        self.send(revoked, name="chatting", link=made["links"][0]["id"])
        self.send("POST /studies/{name}/credits/retry", name="chatting")
        rater = self.served.rows("/studies/judging/raters", "raters")[0]["rater"]
        why = {"excluded": True, "reason": "Too quick"}
        self.send("POST /studies/{name}/raters/{alias}/exclusion", why, name="judging", alias=rater)
        self.send("POST /studies/{name}/erasures", {"who": "P01"}, name="chatting")
        text = self.served.api("GET", "/studies/chatting/versions/1", token="olga").value[
            "definition"
        ]
        edited = {"text": f"{text}\n# Ours.\n", "note": "why"}
        self.send("POST /studies/{name}/definition/check", edited, name="chatting")
        self.send("PUT /studies/{name}/definition", edited, name="chatting")
        dates = {"dates": {"closes": "2099-01-01 10:00", "zone": "Europe/Berlin"}}
        self.send("PATCH /studies/{name}/definition", dates, name="chatting")
        paused = {"move": "pause", "reason": "budget"}
        self.send("POST /studies/{name}/state", paused, name="chatting")


def test_every_change_is_answered_as_it_was(changing_home: ServedHome) -> None:
    changes = Changes(changing_home)
    changes.runs()
    changes.teams()
    changes.studies()
    changes.models()
    assert_as_stored("api-changes", changes.answers)
    known = {name for name in stored("openapi")["operations"] if not name.startswith("GET ")}
    left_out = (CHALLENGE, ROUNDS, *RECRUITING)
    known = {name for name in known if not any(each in name for each in left_out)}
    assert changes.answers.keys() == known - UNTRIED


@pytest.mark.parametrize(
    ("status", "method", "path", "token", "body"),
    [
        (401, "GET", "/studies", "", None),
        (401, "GET", "/submissions", "Red", None),
        (403, "POST", "/tasks/nli/forks", "vera", {"name": "No"}),
        (404, "GET", "/tasks/nil", "olga", None),
        (405, "DELETE", "/studies", "olga", None),
        (422, "PATCH", "/tasks/nli/policy", "olga", {"public": "perhaps"}),
    ],
)
def test_what_is_refused_has_one_shape(
    served_home: ServedHome, status: int, method: str, path: str, token: str, body: Any
) -> None:
    answer = served_home.api(method, path, token=token, body=body)
    assert answer.status == status
    assert shape_of(answer.value) == {"error": {"code": "text", "message": "text"}}
