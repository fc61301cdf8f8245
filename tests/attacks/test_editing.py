"""What somebody may not do to the server who may edit a study at the desk."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.accounts.rights import grant_study
from palaver.storage.people.accounts import create_account
from support.desks import PASSWORD, Desk, hashed, open_desk
from support.seeding import NOW
from support.seeding import write_study as write_second

STUDY = "/desk/studies/pilot-2"
PAGE = f"{STUDY}/edit"
SYSTEMS = "systems:\n"
# Each is put under `systems` and is to stay without any effect at all.
PROGRAMS = [
    "{kind: python, class: 'own:Bot'}",
    "{kind: python, class: 'subprocess:Popen', options: {args: [touch, MARK]}}",
    "{kind: command, run: [touch, MARK]}",
    "{kind: command, run: [sh, -c, 'touch MARK'], share: true}",
    "{kind: agent, class: 'own:Bot'}",
    "{kind: agent, python: /bin/sh, path: .}",
]
# A system that may ask over the network, but not with what is this server's own.
SECRETS = [
    "{kind: openai, base_url: 'https://example.org', model: m, api_key_env: PATH, inside: false}",
    "{kind: openai, base_url: 'https://example.org/${PATH}', model: m, inside: false}",
    "{kind: http, url: 'https://example.org', headers: {x: '${PATH}'}, inside: false}",
    "{kind: http, url: 'http://169.254.169.254/'}",
    "{kind: openai, base_url: 'http://127.0.0.1:8000', model: m}",
    "{kind: openai, base_url: 'http://127.0.0.1:8000', model: m, inside: true}",
    "{kind: openai, base_url: 'http://127.0.0.1:8000', model: m, inside: [127.0.0.1]}",
]
FILES = [
    "{kind: pattern, file: /etc/passwd}",
    "{kind: pattern, file: ../../palaver.db}",
    "{kind: retrieval, file: ../secret.jsonl}",
    "{kind: retrieval, file: ~/.ssh/id_rsa}",
    "{kind: retrieval, file: link.jsonl}",
    "{kind: local_lm, file: ../model.gguf}",
    "{kind: retrieval, file: .hidden}",
    "{kind: retrieval, file: palaver.db}",
]
# A check and a comparison say what is wrong; trying it out and saving are refused.
REFUSED = [200, 200, 422, 422]
CODE = """\
from pathlib import Path
Path("MARK").touch()
class Bot:
    def new_session(self, place): ...
"""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path) as desk:
        folder = desk.deployment.studies["pilot-2"].definition.folder
        # What lies in the folder already is no way in, either: nobody said that it is to be run.
        mark = str(tmp_path / "mark")
        (folder / "own.py").write_text(CODE.replace("MARK", mark), encoding="utf-8")
        (folder / "link.jsonl").symlink_to("/etc/passwd")
        (folder / ".hidden").write_text("{}\n", encoding="utf-8")
        yield desk


def attack(desk: Desk, system: str, mark: Path) -> list[int]:
    """Send a text with one more system by every button; how each was answered."""
    text = desk.deployment.studies["pilot-2"].definition.file.read_text(encoding="utf-8")
    added = f"{SYSTEMS}  new: {system.replace('MARK', str(mark))}\n"
    sent = text.replace(SYSTEMS, added).replace("[terse, chatty]", "[terse, new]")
    return [
        desk.post(PAGE, on=PAGE, act=act, base="1", text=sent).status_code
        for act in ("check", "changes", "rehearse", "save")
    ]


@pytest.mark.parametrize("name", ["ruth", "olga"])
@pytest.mark.parametrize("system", PROGRAMS)
def test_nobody_runs_a_program_from_the_desk(
    desk: Desk, tmp_path: Path, system: str, name: str
) -> None:
    desk.sign_in(name)
    mark = tmp_path / "mark"
    assert attack(desk, system, mark) == REFUSED
    assert not mark.exists()
    assert "new" not in desk.deployment.studies["pilot-2"].definition.systems


@pytest.mark.parametrize("system", SECRETS)
def test_a_reviewer_sends_nothing_of_this_server_anywhere(
    desk: Desk, tmp_path: Path, system: str
) -> None:
    desk.sign_in("ruth")
    assert attack(desk, system, tmp_path / "mark") == REFUSED
    assert "new" not in desk.deployment.studies["pilot-2"].definition.systems


def test_an_owner_may_let_an_address_inside_be_asked(desk: Desk, tmp_path: Path) -> None:
    desk.sign_in("olga")
    assert attack(desk, SECRETS[4], tmp_path / "mark") == [200, 200, 303, 200]


def test_a_reviewer_may_let_a_public_address_be_asked(desk: Desk, tmp_path: Path) -> None:
    desk.sign_in("ruth")
    system = "{kind: openai, base_url: 'https://example.org', model: m, inside: false}"
    assert attack(desk, system, tmp_path / "mark") == [200, 200, 303, 200]


@pytest.mark.parametrize("name", ["ruth", "olga"])
@pytest.mark.parametrize("system", FILES)
def test_nobody_reads_files_outside_of_the_folder(
    desk: Desk, tmp_path: Path, system: str, name: str
) -> None:
    desk.sign_in(name)
    assert attack(desk, system, tmp_path / "mark") == REFUSED
    assert "new" not in desk.deployment.studies["pilot-2"].definition.systems


@pytest.mark.parametrize(
    "lines",
    [
        "crowd: {kind: link, blocked: /etc/passwd}",
        "crowd: {kind: prolific, signed: true, keys: ../keys.json}",
        "crowd: {kind: parameters, secret_from: PATH}",
        "crowd: &a {kind: link, blocked: '../../etc/passwd'}",
    ],
)
def test_the_crowd_names_neither_files_nor_variables(desk: Desk, lines: str) -> None:
    desk.sign_in("ruth")
    text = desk.deployment.studies["pilot-2"].definition.file.read_text(encoding="utf-8")
    for act, status in (("check", 200), ("save", 422), ("rehearse", 422)):
        answer = desk.post(PAGE, on=PAGE, act=act, base="1", text=f"{text}{lines}\n")
        assert answer.status_code == status
        assert "1 problem" in answer.text
        assert "root:" not in answer.text


@pytest.mark.parametrize(
    "lines",
    [
        "pay: {amount: 500, currency: GBP}",
        "pay: {amount: 1.50, currency: GBP, budget: 90000}",
        "recruit: {description: Talk., most_places: 90000}",
    ],
)
def test_only_an_owner_decides_on_money(desk: Desk, lines: str) -> None:
    before = desk.deployment.studies["pilot-2"].definition
    text = re.sub(r"(?m)^(pay|recruit):.*\n", "", before.file.read_text(encoding="utf-8"))
    sent = f"{text}crowd: {{kind: prolific}}\n{lines}\n"
    desk.sign_in("ruth")
    answer = desk.post(PAGE, on=PAGE, act="save", base="1", text=sent)
    assert answer.status_code == 422
    assert "Only an owner changes it from the desk" in answer.text
    assert desk.deployment.studies["pilot-2"].definition == before
    desk.sign_in("olga")
    assert desk.post(PAGE, on=PAGE, act="save", base="1", text=sent).status_code == 200


def test_the_words_of_a_file_outside_are_in_no_answer(desk: Desk) -> None:
    desk.sign_in("ruth")
    text = desk.deployment.studies["pilot-2"].definition.file.read_text(encoding="utf-8")
    for file in ("/etc/passwd", "../../../../../../etc/passwd", "link.jsonl"):
        judging = text.replace("ask: [preference]", f"ask: [quality_likert], data: {file}")
        answer = desk.post(PAGE, on=PAGE, act="check", base="1", text=judging)
        assert "root:" not in answer.text
        assert "outside of the study&#39;s folder" in answer.text


@pytest.mark.parametrize("name", ["ruth", "olga"])
@pytest.mark.parametrize("system", [*PROGRAMS, *FILES])
def test_a_token_opens_no_other_door(desk: Desk, tmp_path: Path, system: str, name: str) -> None:
    text = desk.deployment.studies["pilot-2"].definition.file.read_text(encoding="utf-8")
    mark = tmp_path / "mark"
    added = f"{SYSTEMS}  new: {system.replace('MARK', str(mark))}\n"
    body = {"text": text.replace(SYSTEMS, added)}
    headers = {"authorization": f"Bearer {desk.token(name)}"}
    address = "/api/v1/studies/pilot-2/definition"
    checked = desk.client.post(f"{address}/check", json=body, headers=headers)
    assert checked.json()["possible"] is False
    assert "root:" not in checked.text
    refused = desk.client.put(address, json=body, headers=headers)
    assert refused.status_code == 422
    assert not mark.exists()
    assert "new" not in desk.deployment.studies["pilot-2"].definition.systems


def test_a_viewer_changes_nothing_with_a_token(desk: Desk) -> None:
    headers = {"authorization": f"Bearer {desk.token('vera')}"}
    address = "/api/v1/studies/pilot-2/definition"
    for answer in (
        desk.client.post(f"{address}/check", json={"text": "title: x"}, headers=headers),
        desk.client.put(address, json={"text": "title: x"}, headers=headers),
    ):
        assert answer.status_code == 403


def test_whoever_sees_one_study_judges_no_other(tmp_path: Path) -> None:
    write_second(tmp_path / "studies", "secret", title="Secret")
    with open_desk(tmp_path) as desk:
        desk.store.write_now(
            lambda c: create_account(
                c,
                name="mia",
                role="member",
                password_hash=hashed(PASSWORD),
                one_time=False,
                now=NOW,
            )
        )
        text = desk.deployment.studies["pilot-2"].definition.file.read_text(encoding="utf-8")
        judging = text.replace("{ask: [preference]}", "{ask: [preference], from: secret}")
        assert judging != text
        desk.store.write_now(lambda c: grant_study(c, "mia", "pilot-2", "reviewer", now=NOW))
        desk.client.cookies.clear()
        desk.sign_in("mia")
        assert desk.client.get(PAGE).status_code == 200
        answer = desk.post(PAGE, on=PAGE, act="check", base="1", text=judging)
        assert "You may not judge the study &#39;secret&#39; here" in answer.text


def test_the_text_is_shown_and_never_run_as_a_page(desk: Desk) -> None:
    desk.sign_in("ruth")
    sent = "</textarea><script>alert(1)</script>\ntitle: '<img src=x onerror=alert(1)>'\n"
    answer = desk.post(PAGE, on=PAGE, act="check", base="1", text=sent)
    assert "<script>alert" not in answer.text
    assert "<img src=x" not in answer.text


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"b{n}: &b{n} [*{'a' if n == 0 else f'b{n - 1}'}, "
            f"*{'a' if n == 0 else f'b{n - 1}'}, *{'a' if n == 0 else f'b{n - 1}'}]\n"
            for n in range(20)
        ),
        "[" * 5000,
        "title: !!python/object/apply:os.system ['true']",
        "\0",
        "title: \ud83d",
        "",
    ],
    ids=["bomb", "deep", "tag", "null", "half", "empty"],
)
def test_texts_that_are_made_to_harm_are_refused(desk: Desk, text: str) -> None:
    desk.sign_in("ruth")
    data = {"csrf": desk.csrf(PAGE), "act": "check", "base": "1"}
    body = {**data, "text": text.encode("utf-8", "replace").decode()}
    answer = desk.client.post(PAGE, data=body)
    assert answer.status_code == 200
    assert re.search(r"\d problem", answer.text)


def test_a_text_that_is_too_long_is_refused(desk: Desk) -> None:
    desk.sign_in("ruth")
    answer = desk.post(PAGE, on=PAGE, act="check", base="1", text="#" * 400_000)
    assert answer.status_code == 413
