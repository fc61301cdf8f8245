"""The pages of the desk, as a researcher reads them."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from palaver.core.names import person_name
from palaver.core.studies.stops import StudyStop
from palaver.storage import Store
from palaver.storage.people.erasure import erase_assignment
from palaver.storage.people.participants import report_problem
from palaver.storage.studies.stops import keep_stop
from palaver.web.app import create_app
from support.desks import Desk, open_desk
from support.seeding import NOW, deploy


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path) as opened:
        opened.sign_in("olga")
        yield opened


def words(page: str) -> str:
    """The text of a page, blanks folded."""
    text = re.sub(r"<(script|style|template|svg)\b.*?</\1>", " ", page, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def read(desk: Desk, path: str, status: int = 200) -> str:
    answer = desk.client.get(path)
    assert answer.status_code == status, answer.text
    return words(answer.text)


def fill(desk: Desk, pairs: int = 2) -> list[tuple[str, str]]:
    made = []
    for n in range(pairs):
        person = desk.study.visit(f"panel-{n}", minutes=6 + 4 * n, waited=60 * n)
        group = f"g{n}"
        desk.study.place(group)
        _, one = desk.study.dialogue(person, "I like apples", "I see.", group=group)
        _, other = desk.study.dialogue(
            person, "Hello", "Do tell me more!", system="chatty", group=group, position=1
        )
        desk.study.preference(one, other, "first", rater=f"sim:{n}")
        made.append((one, other))
    return made


def test_without_studies_the_desk_says_what_to_do_first(tmp_path: Path) -> None:
    with open_desk(tmp_path, studies=False) as desk:
        desk.sign_in("vera")
        assert "No studies yet" in read(desk, "/desk")
        assert "palaver serve" in read(desk, "/desk")
        assert "No dialogues yet" in read(desk, "/desk/dialogues")
        assert "No raters yet" in read(desk, "/desk/raters")
        assert "No boards yet" in read(desk, "/desk/boards")


def test_the_list_says_the_state_of_each_study(desk: Desk) -> None:
    fill(desk)
    desk.study.place("running", done=False)
    assert "2 of 60 pairs done, 1 under way" in read(desk, "/desk")


def test_the_page_of_a_study_says_how_far_it_is_and_what_it_took(desk: Desk) -> None:
    fill(desk)
    bob = desk.study.visit("bob", state="declined", reason="declined", consented=False)
    cem = desk.study.visit("cem", state="finished", reason="system_failed")
    desk.study.dialogue(cem, "hello?", reason="system_failed", failures=3)
    desk.store.write_now(
        lambda c: report_problem(
            c, study_id=desk.study.study_id, assignment_id=bob.id, text="It froze.", now=NOW
        )
    )
    page = read(desk, "/desk/studies/pilot-2")
    assert "2 of 60 pairs done open" in page
    assert "terse|chatty 2 of 60" in page
    assert "58 pairs still to begin" in page
    assert "Came 4 Agreed 3 Chatted 3 Finished 2" in page
    assert "8.0 min (6.0 to 10.0, n = 2)" in page
    assert "At the median that is 11.25 GBP an hour" in page
    assert "4.65 GBP (3 × 1.50 GBP + 0.15 GBP for waiting)" in page
    assert "consent declined consent 1" in page
    assert "in a dialogue or after system failed 1" in page
    assert "terse failed 3 times in 1 dialogue: timeout" in page
    assert "It froze." in page
    assert "Change places and dates" in page


def test_a_study_that_its_rule_stopped_says_what_was_decided(desk: Desk) -> None:
    fill(desk)
    stop = StudyStop(
        time=NOW,
        reason="decided",
        votes=2,
        raters=2,
        answer="terse leads; chatty follows",
        until="order",
        within=0.05,
    )
    desk.store.write_now(lambda c: keep_stop(c, desk.study.study_id, stop))

    assert "2 of 60 pairs done; stopped by its rule" in read(desk, "/desk")
    page = read(desk, "/desk/studies/pilot-2")
    assert "Stopped by its rule after 2 votes: terse leads; chatty follows." in page
    assert "until the order is decided, or what is open is equal within 5 points." in page
    assert "nobody more is let in" in page
    assert "Stopped by its rule after 2 votes" in read(desk, "/boards/pilot-2")


def test_the_pay_of_trials_is_not_told_by_the_hour(desk: Desk) -> None:
    desk.study.visit("ann", state="finished", reason="complete", minutes=0.2)
    page = read(desk, "/desk/studies/pilot-2")
    assert "Owed so far: 1.50 GBP" in page
    assert "an hour" not in page


def test_every_page_of_a_study_has_its_tabs(desk: Desk) -> None:
    fill(desk)
    tabs = "Overview Participants 2 Dialogues 4 Judgements 2 Raters 2 Results"
    for path in ("", "/participants", "/judgements", "/links"):
        page = desk.client.get(f"/desk/studies/pilot-2{path}").text
        assert f"{tabs} Links" in words(page)
        assert page.count('class="tabs"') == 1
    desk.client.cookies.clear()
    desk.sign_in("vera")
    page = read(desk, "/desk/studies/pilot-2")
    assert tabs in page
    assert f"{tabs} Links" not in page


def test_the_answer_of_a_study_says_what_is_missing(desk: Desk) -> None:
    page = read(desk, "/desk/studies/pilot-2")
    assert "No comparisons yet 0 of 60 planned comparisons are in" in page
    assert "Next: nobody has taken part yet" in page
    assert "See all results" not in page
    fill(desk)
    page = read(desk, "/desk/studies/pilot-2")
    assert "2 of 60 planned comparisons are in" in page
    assert re.search(r"Win rates go from \d+\.\d % to \d+\.\d % \. These intervals hold", page)
    assert "See all results" in page


def test_an_address_that_filters_by_raters_leads_to_the_judgements(desk: Desk) -> None:
    sent = desk.client.get("/desk/studies/pilot-2?raters=model", follow_redirects=False)
    assert sent.headers["location"] == "/desk/studies/pilot-2/judgements?raters=model"


def test_a_viewer_sees_neither_reports_nor_panel_ids_nor_exports(desk: Desk) -> None:
    fill(desk)
    assert "panel-0" in read(desk, "/desk/studies/pilot-2/participants")
    desk.client.cookies.clear()
    desk.sign_in("vera")
    study = read(desk, "/desk/studies/pilot-2")
    assert "reported a problem" not in study
    assert "Download" not in study
    people = read(desk, "/desk/studies/pilot-2/participants")
    assert "panel-0" not in people
    assert "Panel id" not in people


def test_progress_is_polled_as_json(desk: Desk) -> None:
    ann = desk.study.visit("ann", state=None)
    desk.study.place("g", done=False)
    _, key = desk.study.dialogue(ann, "hello", reason=None, group="g", ago=60)
    live = desk.client.get("/desk/studies/pilot-2/progress.json").json()
    assert live["study"]["state"] == "0 of 60 pairs done, 1 under way"
    assert live["study"]["conditions"][0]["free"] == 59
    (running,) = live["running"]
    assert (running["key"], running["messages"]) == (key, 1)
    assert running["last"] >= NOW - 60


def test_an_unknown_study_or_dialogue_is_not_found(desk: Desk) -> None:
    assert desk.client.get("/desk/studies/nope").status_code == 404
    assert desk.client.get("/desk/studies/pilot%00").status_code == 404
    assert desk.client.get("/desk/dialogues/d_nope").status_code == 404
    assert desk.client.get("/desk/exports/nope").status_code == 404


def test_participants_have_pay_and_links_to_their_dialogues(desk: Desk) -> None:
    ((one, _), *_) = fill(desk, pairs=2)
    page = desk.client.get("/desk/studies/pilot-2/participants")
    assert f"/desk/dialogues/{one}" in page.text
    text = words(page.text)
    assert "2 people in 2 visits, 2 finished" in text
    assert "finished terse|chatty" in text
    assert "10.0 min 1.0 min 1.65 GBP" in text


def test_dialogues_are_filtered_by_the_address(desk: Desk) -> None:
    ((one, other), *_) = fill(desk, pairs=1)
    everything = desk.client.get("/desk/dialogues").text
    assert one in everything
    assert other in everything
    found = desk.client.get("/desk/dialogues?q=apples&study=pilot-2&system=terse").text
    assert one in found
    assert other not in found
    assert 'value="apples"' in found
    assert "No matching dialogues" in read(desk, "/desk/dialogues?status=idle")
    assert "No matching dialogues" in read(desk, "/desk/dialogues?condition=%00x&after=%00")


def test_dialogues_have_names_that_can_be_said_and_searched(desk: Desk) -> None:
    ((one, other), *_) = fill(desk, pairs=1)
    shown = desk.client.get("/desk/dialogues").text
    name = re.search(rf'dialogues/{one}" title="{one}">(d\d+)</a>', shown)
    assert name is not None
    assert "I like apples" in words(shown)
    for asked in (name[1], name[1].upper(), one[:9]):
        found = desk.client.get(f"/desk/dialogues?q={asked}").text
        assert (one in found, other in found) == (True, False), asked
    assert f"{name[1]} I like apples" in read(desk, f"/desk/dialogues/{one}")
    # Names begin with a letter that no number of a message has; wildcards are only characters.
    assert "No matching dialogues" in read(desk, "/desk/dialogues?q=d999999999")
    assert "No matching dialogues" in read(desk, "/desk/dialogues?q=d%25")


def test_dialogues_of_one_study_are_downloaded_as_a_table(desk: Desk) -> None:
    fill(desk, pairs=1)
    address = "/desk/exports/pilot-2?format=csv"
    assert address not in desk.client.get("/desk/dialogues").text
    assert address in desk.client.get("/desk/dialogues?study=pilot-2").text
    assert desk.client.get(address).status_code == 200
    desk.client.cookies.clear()
    desk.sign_in("vera")
    assert address not in desk.client.get("/desk/dialogues?study=pilot-2").text


def test_dialogues_are_paged_by_key(desk: Desk) -> None:
    ann = desk.study.visit("ann")
    keys = [desk.study.dialogue(ann, f"message {n}")[1] for n in range(51)]
    first = desk.client.get("/desk/dialogues").text
    assert keys[-1] in first
    assert keys[0] not in first
    following = re.search(r'rel="next" href="([^"]+)"', first)
    assert following is not None
    last = desk.client.get(html.unescape(following.group(1))).text
    assert keys[0] in last
    assert 'rel="next"' not in last
    oldest = desk.client.get("/desk/dialogues?sort=oldest").text
    assert keys[0] in oldest
    assert 'aria-sort="ascending"' in oldest


def test_a_dialogue_reads_with_all_its_events(desk: Desk) -> None:
    ann = desk.study.visit("ann")
    _, key = desk.study.dialogue(ann, "<b>hi</b>", "I see.", failures=1, reason="system_failed")
    answer = desk.client.get(f"/desk/dialogues/{key}")
    assert "<b>hi</b>" not in answer.text
    page = words(answer.text)
    assert "terse|chatty: 2 messages, system failed" in page
    assert "<b>hi</b>" in page
    assert f"{person_name(ann.participant_id)} joined" in page
    # The whole key is one look away.
    assert f'title="{ann.alias}"' in answer.text
    assert "terse failed (timeout, 2 attempts): no answer in 30 s" in page
    assert "nobody saw this" in page
    assert "Ended: system failed" in page


def test_a_dialogue_shows_its_labels_from_its_own_side(desk: Desk) -> None:
    ((one, other), *_) = fill(desk, pairs=1)
    pages = [read(desk, f"/desk/dialogues/{key}") for key in (one, other)]
    chosen = [re.search(r"preference (this|the other) dialogue", page) for page in pages]
    assert {found.group(1) for found in chosen if found} == {"this", "the other"}
    assert "1 of 2 seated together" in pages[0]


def test_what_was_erased_is_shown_as_erased(desk: Desk) -> None:
    ann = desk.study.visit("ann", state="withdrawn", reason="withdrawn")
    _, key = desk.study.dialogue(ann, "my secret", "I see.", reason="withdrawn")
    desk.store.write_now(lambda c: erase_assignment(c, ann.id, now=NOW))
    page = read(desk, f"/desk/dialogues/{key}")
    assert "my secret" not in page
    assert "erased" in page
    who = person_name(ann.participant_id)
    assert f"1 event of {who} erased at the participant's request" in page


def test_a_running_dialogue_is_polled(desk: Desk) -> None:
    ann = desk.study.visit("ann", state=None)
    _, key = desk.study.dialogue(ann, "one", "two", "three", reason=None)
    assert f"/desk/dialogues/{key}/events.json" in desk.client.get(f"/desk/dialogues/{key}").text
    news = desk.client.get(f"/desk/dialogues/{key}/events.json?after=2").json()
    assert [(line["seq"], line["text"]) for line in news["lines"]] == [(3, "two"), (4, "three")]
    assert news["over"] is False


def test_one_dialogue_is_downloaded(desk: Desk) -> None:
    ((one, _), *_) = fill(desk, pairs=1)
    own = desk.client.get(f"/desk/dialogues/{one}/download?format=palaver")
    assert json.loads(own.content)["id"] == one
    assert f"{one}.palaver.json" in own.headers["content-disposition"]
    chat = json.loads(desk.client.get(f"/desk/dialogues/{one}/download?format=messages").content)
    assert [message["role"] for message in chat["messages"]] == ["user", "assistant"]
    assert desk.client.get(f"/desk/dialogues/{one}/download?format=pdf").status_code == 404


def test_a_study_is_exported_with_its_length_declared(desk: Desk) -> None:
    fill(desk)
    answer = desk.client.get("/desk/exports/pilot-2?format=messages")
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert len(answer.content.splitlines()) == 4
    zipped = desk.client.get("/desk/exports/pilot-2?format=palaver&mask=1")
    assert zipped.content.startswith(b"PK")
    assert desk.client.get("/desk/exports/pilot-2?format=nope").status_code == 404


def test_links_are_made_shown_and_downloaded(desk: Desk) -> None:
    address = "/desk/studies/pilot-2/links"
    shown = desk.post(address, on=address, count="3")
    assert len(re.findall(r"http://testserver/s/pilot-2\?link=", shown.text)) == 3
    text = desk.post(address, on=address, count="2", **{"as": "text"})
    assert len(text.text.splitlines()) == 2
    table = desk.post(address, on=address, count="2", **{"as": "csv"})
    assert table.text.splitlines()[0] == "number,link"
    assert desk.post(address, on=address, count="10001").status_code == 422
    link = text.text.splitlines()[0].removeprefix("http://testserver")
    desk.client.cookies.clear()
    assert desk.client.get(link, follow_redirects=False).headers["location"].startswith("/take/")


def test_raters_and_boards_are_listed(desk: Desk) -> None:
    fill(desk)
    assert "sim:1 simulated 1 8.0 s (n = 1)" in read(desk, "/desk/raters")
    boards = read(desk, "/desk/boards")
    assert "Pilot 2 study pilot-2: Which partner was better company?" in boards
    assert "provisional researchers 2 of 60 votes" in boards
    assert "2 of 60 comparisons" in read(desk, "/boards/pilot-2")


def test_owners_make_accounts_and_see_the_password_once(desk: Desk) -> None:
    made = desk.post("/desk/settings/accounts", on="/desk/settings", name="Nina", role="reviewer")
    found = re.search(r'<code class="secret">([a-z0-9-]+)</code>', made.text)
    assert found is not None
    assert found.group(1) not in desk.client.get("/desk/settings").text
    again = desk.post("/desk/settings/accounts", on="/desk/settings", name="nina", role="viewer")
    assert again.status_code == 422
    assert "already" in again.text
    changed = desk.post(
        "/desk/settings/accounts/change", on="/desk/settings", name="nina", role="viewer"
    )
    assert "nina is now viewer" in words(changed.text)
    desk.client.cookies.clear()
    entered = desk.sign_in("nina", found.group(1))
    assert entered.headers["location"] == "/desk/new-password"


def test_an_owner_cannot_lock_themselves_out(desk: Desk) -> None:
    change = "/desk/settings/accounts/change"
    assert desk.post(change, on="/desk/settings", name="olga", role="viewer").status_code == 422
    assert desk.post(change, on="/desk/settings", name="olga", reset="yes").status_code == 422


def test_ones_own_password_needs_the_present_one(desk: Desk) -> None:
    new = {"password": "another long one", "again": "another long one"}
    address = "/desk/settings/password"
    assert desk.post(address, on="/desk/settings", old="wrong", **new).status_code == 422
    done = desk.post(address, on="/desk/settings", old="correct horse", **new)
    assert done.status_code == 303
    assert "Your password is changed" in read(desk, done.headers["location"])


def test_tokens_are_shown_once_listed_and_revoked(desk: Desk) -> None:
    made = desk.post(
        "/desk/settings/tokens", on="/desk/settings", name="nightly", role="viewer", days="30"
    )
    secret = re.search(r"pv_[\w-]{43}", made.text)
    assert secret is not None
    header = {"authorization": f"Bearer {secret.group(0)}"}
    assert desk.client.get("/api/v1/me", headers=header).json() == {
        "name": "olga",
        "role": "viewer",
    }
    page = desk.client.get("/desk/settings").text
    assert secret.group(0) not in page
    number = re.search(r'name="id" value="(\d+)"', page)
    assert number is not None
    gone = desk.post("/desk/settings/tokens/revoke", on="/desk/settings", id=number.group(1))
    assert "is revoked" in gone.text
    assert desk.client.get("/api/v1/me", headers=header).status_code == 401


def test_nobody_makes_a_token_that_may_do_more_or_revokes_anothers(desk: Desk) -> None:
    desk.token("olga")
    desk.client.cookies.clear()
    desk.sign_in("vera")
    tokens = "/desk/settings/tokens"
    more = desk.post(tokens, on="/desk/settings", name="x", role="owner", days="")
    assert more.status_code == 422
    assert desk.post(f"{tokens}/revoke", on="/desk/settings", id="1").status_code == 422
    assert "No tokens yet" in read(desk, "/desk/settings")


def test_a_read_only_copy_needs_no_account_and_changes_nothing(tmp_path: Path) -> None:
    with open_desk(tmp_path) as desk:
        ((one, _), *_) = fill(desk, pairs=1)
    store = Store(f"sqlite:///{tmp_path / 'palaver.db'}", read_only=True)
    try:
        with TestClient(create_app(deploy(store, None))) as client:
            page = client.get("/desk/studies/pilot-2")
            assert page.status_code == 200
            assert "Read-only copy" in page.text
            assert "1 of 60 pairs done" in words(page.text)
            assert "Settings" not in words(page.text)
            assert "Sign out" not in words(page.text)
            assert "New links" not in words(page.text)
            assert client.get(f"/desk/dialogues/{one}").status_code == 200
            assert client.get("/desk/exports/pilot-2?format=messages").status_code == 200
            settings = client.get("/desk/settings").text
            assert "A copy has no settings" in settings
            assert "signed in as" not in settings
            assert "<form" not in settings.partition("<main")[2]
            assert client.post("/desk/settings/tokens", data={}).status_code == 403
            assert client.get("/api/v1/studies").json()["studies"][0]["name"] == "pilot-2"
    finally:
        store.close()
