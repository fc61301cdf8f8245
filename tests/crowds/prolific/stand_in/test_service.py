"""The stand-in by itself: places, time, what is kept, and what it refuses."""

from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.crowds.prolific.bodies import study_body
from palaver.crowds.prolific.stand_in.calls import ReadCall
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.crowds.prolific.stand_in.world import RefusedCall
from support.prolific import TurnedClock, drafted


def call(stand_in: StandIn, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    read = ReadCall(base="http://x", method=method, path=path, body=body or {})
    return stand_in.answer(read).content


def published(stand_in: StandIn, **given: Any) -> str:
    made = call(stand_in, "POST", "studies/", {**study_body(drafted()), **given})
    call(stand_in, "POST", f"studies/{made['id']}/transition/", {"action": "PUBLISH"})
    return str(made["id"])


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


@pytest.fixture
def stand_in(clock: TurnedClock) -> StandIn:
    return StandIn(clock=clock)


def status(stand_in: StandIn, study: str) -> str:
    return stand_in.study(study).status


def test_a_place_is_held_for_ten_minutes(stand_in: StandIn, clock: TurnedClock) -> None:
    study = published(stand_in, total_available_places=1)
    held = stand_in.reserve(study, "p1")
    assert status(stand_in, study) == "AWAITING REVIEW"
    with pytest.raises(RefusedCall):
        stand_in.reserve(study, "p2")

    clock.at += 599
    assert stand_in.submission(held.id).status == "RESERVED"
    clock.at += 1
    assert stand_in.submission(held.id).status == "RETURNED"
    assert status(stand_in, study) == "ACTIVE"


def test_a_place_is_free_again_after_each_way_of_losing_it(
    stand_in: StandIn, clock: TurnedClock
) -> None:
    study = published(stand_in, maximum_allowed_time=30)
    one, two, three = stand_in.arrive(3)
    stand_in.return_(one.id)
    clock.at += 30 * 60
    assert stand_in.submission(two.id).status == "TIMED-OUT"
    assert stand_in.places_taken(study) == 0
    # Whoever was only late may still come home.
    stand_in.complete(three.id, "LOOK")
    assert stand_in.submission(three.id).status == "AWAITING REVIEW"
    assert stand_in.places_taken(study) == 1


def test_nobody_takes_part_twice(stand_in: StandIn) -> None:
    study = published(stand_in)
    stand_in.arrive(study=study, participants=["p1"])

    with pytest.raises(RefusedCall):
        stand_in.arrive(study=study, participants=["p1"])


def test_what_nobody_reviews_is_approved_after_three_weeks(
    stand_in: StandIn, clock: TurnedClock
) -> None:
    study = published(stand_in, total_available_places=1)
    (one,) = stand_in.arrive()
    stand_in.complete(one.id, "LOOK")
    clock.at += 21 * 24 * 3_600 - 1
    assert stand_in.submission(one.id).status == "AWAITING REVIEW"
    clock.at += 1
    assert stand_in.submission(one.id).status == "APPROVED"
    assert status(stand_in, study) == "COMPLETED"


def test_publishing_and_processing_take_their_time(stand_in: StandIn, clock: TurnedClock) -> None:
    stand_in.switches.publishing_seconds = 30
    stand_in.switches.processing_seconds = 5
    study = published(stand_in)
    assert status(stand_in, study) == "PUBLISHING"
    clock.at += 30
    (one,) = stand_in.arrive()
    stand_in.complete(one.id, "DONE")
    assert stand_in.submission(one.id).status == "PROCESSING"
    assert stand_in.places_taken(study) == 1
    clock.at += 5
    assert stand_in.submission(one.id).status == "APPROVED"


def test_a_stopped_study_stays_stopped_until_a_rejection_or_more_places(
    stand_in: StandIn,
) -> None:
    study = published(stand_in)
    one, two = stand_in.arrive(2)
    call(stand_in, "POST", f"studies/{study}/transition/", {"action": "STOP"})
    stand_in.return_(one.id)
    assert status(stand_in, study) == "AWAITING REVIEW"
    stand_in.complete(two.id, "LOOK")
    reject = {"action": "REJECT", "message": "x" * 100, "rejection_category": "LOW_EFFORT"}
    call(stand_in, "POST", f"submissions/{two.id}/transition/", reject)
    assert status(stand_in, study) == "ACTIVE"


def test_a_study_that_nobody_can_pay_is_not_published(stand_in: StandIn) -> None:
    made = call(
        stand_in, "POST", "studies/", {**study_body(drafted()), "total_available_places": 9_000}
    )

    with pytest.raises(RefusedCall) as raised:
        call(stand_in, "POST", f"studies/{made['id']}/transition/", {"action": "PUBLISH"})
    assert "not enough funds" in raised.value.detail


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"name": ""}, "name"),
        ({"reward": 1.5}, "reward"),
        ({"reward": 0}, "reward"),
        ({"external_study_url": "nowhere"}, "external_study_url"),
        ({"device_compatibility": ["watch"]}, "device_compatibility"),
        ({"maximum_allowed_time": 1440}, "maximum_allowed_time"),
        ({"filters": [{"filter_id": "shoe-size"}]}, "filters"),
        ({"completion_codes": []}, "completion_codes"),
        ({"completion_codes": [{"code": "A", "code_type": "ODD"}]}, "completion_codes"),
    ],
)
def test_drafts_are_checked_over_there_as_well(
    stand_in: StandIn, changed: dict[str, Any], field: str
) -> None:
    with pytest.raises(RefusedCall) as raised:
        call(stand_in, "POST", "studies/", {**study_body(drafted()), **changed})
    assert list(raised.value.detail) == [field]


@pytest.mark.parametrize(
    ("method", "path", "refused"),
    [
        ("GET", "studies/x/submissions", 404),
        ("POST", "bulk-bonus-payments/x/pay", 404),
        ("GET", "nothing/", 404),
        ("PUT", "studies/", 405),
        ("POST", "bulk-bonus-payments/x/pay/", 404),
    ],
)
def test_paths_are_those_of_the_service(
    stand_in: StandIn, method: str, path: str, refused: int
) -> None:
    with pytest.raises(RefusedCall) as raised:
        call(stand_in, method, path)
    assert raised.value.status == refused


def test_a_file_holds_everything_over_a_restart(tmp_path: Path, clock: TurnedClock) -> None:
    file = tmp_path / "prolific.json"
    first = StandIn(clock=clock, file=file)
    study = published(first)
    (one,) = first.arrive()
    second = StandIn(clock=clock, file=file)

    assert second.submission(one.id).status == "ACTIVE"
    second.complete(one.id, "DONE")
    assert StandIn(clock=clock, file=file).submission(one.id).status == "APPROVED"
    assert second.new_participant() not in {study, one.id, one.participant}
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="is not what a stand-in has kept"):
        StandIn(clock=clock, file=file)


def test_the_same_seed_makes_the_same_world() -> None:
    worlds = [StandIn(clock=TurnedClock(), seed=seed) for seed in (4, 4, 5)]
    for each in worlds:
        published(each)
    first, second, third = ([s.id for s in each.arrive(2)] for each in worlds)

    assert first == second
    assert first != third


def test_people_are_sent_to_the_study_with_who_they_are(stand_in: StandIn) -> None:
    study = published(stand_in)
    (one,) = stand_in.arrive()

    told = f"PROLIFIC_PID={one.participant}&STUDY_ID={study}&SESSION_ID={one.id}"
    assert stand_in.way_in(one.id) == f"https://lab.example/s/talk?{told}"
    stand_in.study_server = "http://127.0.0.1:8000"
    assert stand_in.way_in(one.id) == f"http://127.0.0.1:8000/s/talk?{told}"


def test_bonuses_are_counted_against_the_funds(stand_in: StandIn) -> None:
    study = published(stand_in)
    (one,) = stand_in.arrive()
    before = call(stand_in, "GET", "users/me")["available_balance"]
    setup = call(
        stand_in,
        "POST",
        "submissions/bonus-payments/",
        {"study_id": study, "csv_bonuses": f"{one.id},3.00\n{one.participant},0.00\n"},
    )
    # £3.00 with £1.00 for the service and £0.20 VAT.
    assert setup["total_amount"] == 420
    call(stand_in, "POST", f"bulk-bonus-payments/{setup['id']}/pay/")
    assert call(stand_in, "GET", "users/me")["available_balance"] == before - 420
