"""What somebody may not do to the server who may edit a study at the desk."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from palaver.accounts.rights import grant_study
from palaver.storage.people.accounts import create_account
from support.cases import every_case
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
    "{kind: checkpoint, checkpoint: ../model}",
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


MARK = "mark"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk at which nothing of all this succeeds, so that every attack may begin at the same one."""
    folder = tmp_path_factory.mktemp("attacked")
    with attacked_desk(folder) as opened:
        yield opened
        # Whatever was sent: nothing ran, and the study is the one that was served first.
        assert not (folder / MARK).exists()
        assert opened.deployment.studies["pilot-2"].version == 1


@pytest.fixture
def own_desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk at which a study may be changed."""
    with attacked_desk(tmp_path) as opened:
        yield opened


@contextmanager
def attacked_desk(folder: Path) -> Iterator[Desk]:
    with open_desk(folder) as opened:
        study = opened.deployment.studies["pilot-2"].definition.folder
        # What lies in the folder already is no way in, either: nobody said that it is to be run.
        code = CODE.replace("MARK", str(mark_of(opened)))
        (study / "own.py").write_text(code, encoding="utf-8")
        (study / "link.jsonl").symlink_to("/etc/passwd")
        (study / ".hidden").write_text("{}\n", encoding="utf-8")
        yield opened


def mark_of(desk: Desk) -> Path:
    """What a program of an attacker would leave behind."""
    return desk.deployment.studies["pilot-2"].definition.folder.parent.parent / MARK


def enter(desk: Desk, name: str) -> str:
    """Sign in as somebody else; the token of the forms of the editor's page."""
    desk.client.cookies.clear()
    desk.sign_in(name)
    return desk.csrf(PAGE)


def text_of(desk: Desk) -> str:
    """The study's file."""
    return desk.deployment.studies["pilot-2"].definition.file.read_text(encoding="utf-8")


def with_system(desk: Desk, system: str) -> str:
    """The study's file with one more system."""
    added = f"{SYSTEMS}  new: {system.replace('MARK', str(mark_of(desk)))}\n"
    return text_of(desk).replace(SYSTEMS, added).replace("[terse, chatty]", "[terse, new]")


def send(desk: Desk, csrf: str, act: str, text: str) -> Any:
    """Send a text by a button of the editor's page; the response, not followed."""
    form = {"csrf": csrf, "act": act, "base": "1", "text": text}
    return desk.client.post(PAGE, data=form, follow_redirects=False)


def attack(desk: Desk, csrf: str, system: str) -> list[int]:
    """Send a text with one more system by every button; how each was answered."""
    text = with_system(desk, system)
    acts = ("check", "changes", "rehearse", "save")
    return [send(desk, csrf, act, text).status_code for act in acts]


def is_untouched(desk: Desk) -> bool:
    """Whether nothing ran, and no system is new."""
    systems = desk.deployment.studies["pilot-2"].definition.systems
    return not mark_of(desk).exists() and "new" not in systems


@pytest.mark.parametrize("name", ["ruth", "olga"])
def test_nobody_runs_a_program_or_reads_files_outside_of_the_folder(desk: Desk, name: str) -> None:
    csrf = enter(desk, name)
    with every_case() as case:
        for system in (*PROGRAMS, *FILES):
            with case(system):
                assert attack(desk, csrf, system) == REFUSED
                assert is_untouched(desk)


def test_a_reviewer_sends_nothing_of_this_server_anywhere(desk: Desk) -> None:
    csrf = enter(desk, "ruth")
    with every_case() as case:
        for system in SECRETS:
            with case(system):
                assert attack(desk, csrf, system) == REFUSED
                assert is_untouched(desk)


@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("olga", SECRETS[4]),
        ("ruth", "{kind: openai, base_url: 'https://example.org', model: m, inside: false}"),
    ],
    ids=["an owner, an address inside", "a reviewer, a public address"],
)
def test_what_may_be_asked_is_saved(own_desk: Desk, name: str, system: str) -> None:
    assert attack(own_desk, enter(own_desk, name), system) == [200, 200, 303, 200]
    assert "new" in own_desk.deployment.studies["pilot-2"].definition.systems


def test_the_crowd_names_neither_files_nor_variables(desk: Desk) -> None:
    csrf, text = enter(desk, "ruth"), text_of(desk)
    with every_case() as case:
        for lines in (
            "crowd: {kind: link, blocked: /etc/passwd}",
            "crowd: {kind: prolific, signed: true, keys: ../keys.json}",
            "crowd: {kind: parameters, secret_from: PATH}",
            "crowd: &a {kind: link, blocked: '../../etc/passwd'}",
        ):
            for act, status in (("check", 200), ("save", 422), ("rehearse", 422)):
                with case(f"{act}: {lines}"):
                    answer = send(desk, csrf, act, f"{text}{lines}\n")
                    assert answer.status_code == status
                    assert "1 problem" in answer.text
                    assert "root:" not in answer.text


def test_only_an_owner_decides_on_money(own_desk: Desk) -> None:
    before = own_desk.deployment.studies["pilot-2"].definition
    text = re.sub(r"(?m)^(pay|recruit):.*\n", "", text_of(own_desk))
    sent = [
        f"{text}crowd: {{kind: prolific}}\n{lines}\n"
        for lines in (
            "pay: {amount: 500, currency: GBP}",
            "pay: {amount: 1.50, currency: GBP, budget: 90000}",
            "recruit: {description: Talk., most_places: 90000}",
        )
    ]
    csrf = enter(own_desk, "ruth")
    with every_case() as case:
        for each in sent:
            with case(each):
                answer = send(own_desk, csrf, "save", each)
                assert answer.status_code == 422
                assert "Only an owner changes it from the desk" in answer.text
                assert own_desk.deployment.studies["pilot-2"].definition == before
    csrf = enter(own_desk, "olga")
    for number, each in enumerate(sent, 1):
        form = {"csrf": csrf, "act": "save", "base": str(number), "text": each}
        assert own_desk.client.post(PAGE, data=form).status_code == 200, each
        assert own_desk.deployment.studies["pilot-2"].version == number + 1


def test_the_words_of_a_file_outside_are_in_no_answer(desk: Desk) -> None:
    csrf, text = enter(desk, "ruth"), text_of(desk)
    for file in ("/etc/passwd", "../../../../../../etc/passwd", "link.jsonl"):
        judging = text.replace("ask: [preference]", f"ask: [quality_likert], data: {file}")
        answer = send(desk, csrf, "check", judging)
        assert "root:" not in answer.text
        assert "outside of the study&#39;s folder" in answer.text


@pytest.mark.parametrize("name", ["ruth", "olga"])
def test_a_token_opens_no_other_door(desk: Desk, name: str) -> None:
    headers = {"authorization": f"Bearer {desk.token(name)}"}
    address = "/api/v1/studies/pilot-2/definition"
    with every_case() as case:
        for system in (*PROGRAMS, *FILES):
            with case(system):
                body = {"text": with_system(desk, system)}
                checked = desk.client.post(f"{address}/check", json=body, headers=headers)
                assert checked.json()["possible"] is False
                assert "root:" not in checked.text
                refused = desk.client.put(address, json=body, headers=headers)
                assert refused.status_code == 422
                assert is_untouched(desk)


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
    sent = "</textarea><script>alert(1)</script>\ntitle: '<img src=x onerror=alert(1)>'\n"
    answer = send(desk, enter(desk, "ruth"), "check", sent)
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert "<img src=x" not in answer.text


# Each line nests the one before it three times over.
BOMB = "a: &b0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"b{n}: &b{n} [*b{n - 1}, *b{n - 1}, *b{n - 1}]\n" for n in range(1, 21)
)


def test_texts_that_are_made_to_harm_are_refused(desk: Desk) -> None:
    csrf = enter(desk, "ruth")
    texts = {
        "bomb": BOMB,
        "deep": "[" * 5000,
        "tag": "title: !!python/object/apply:os.system ['true']",
        "null": "\0",
        "half": "title: \ud83d",
        "empty": "",
    }
    with every_case() as case:
        for name, text in texts.items():
            with case(name):
                answer = send(desk, csrf, "check", text.encode("utf-8", "replace").decode())
                assert answer.status_code == 200
                assert re.search(r"\d problem", answer.text)


def test_a_text_that_is_too_long_is_refused(desk: Desk) -> None:
    assert send(desk, enter(desk, "ruth"), "check", "#" * 400_000).status_code == 413
