"""A dump as Reddit's archives have them, made up: many fields, long tails, most lines of no use.

Of the lines one in ten is a post; `share` of all are of subreddits that are asked for, and about one
in six of those has a score that counts.
"""

import random
from collections.abc import Iterator
from pathlib import Path

from palaver.formats.advice.rules import TRAINING_SUBREDDITS

OTHERS = [f"subreddit{n}" for n in range(400)]
NEWEST = 1_580_000_000
WORDS = """
I my the a to and of is not was he she they we you it that this for with but have do what about him her
them me so at on in be just really know think want feel told said asked friend partner work job money
house landlord lawyer contract laptop driver update screen doctor family mother father sister brother
wedding years months week yesterday tomorrow always never because should would could might anyone help
advice please thanks sorry honest respect boundaries talk leave
"""
_COMMENT = (
    '{"all_awardings":[],"author":"user%d","author_created_utc":1389000000,"author_flair_css_class":'
    'null,"author_flair_richtext":[],"author_flair_text":null,"author_flair_type":"text",'
    '"author_fullname":"t2_%x","author_patreon_flair":false,"author_premium":false,"awarders":[],'
    '"body":"%s","can_gild":true,"can_mod_post":false,"collapsed":false,"collapsed_reason":null,'
    '"controversiality":0,"created_utc":%d,"distinguished":null,"edited":false,"gilded":%d,'
    '"gildings":{},"id":"%s","is_submitter":false,"link_id":"t3_%s","locked":false,"no_follow":true,'
    '"parent_id":"%s","permalink":"/r/%s/comments/%s/title/%s/","retrieved_on":1582706055,"score":%d,'
    '"score_hidden":false,"send_replies":true,"steward_reports":[],"stickied":false,'
    '"subreddit":"%s","subreddit_id":"t5_2qh1i","subreddit_name_prefixed":"r/%s",'
    '"subreddit_type":"public","total_awards_received":0}\n'
)
_POST = (
    '{"all_awardings":[],"allow_live_comments":false,"archived":false,"author":"user%d",'
    '"author_flair_richtext":[],"author_fullname":"t2_%x","can_mod_post":false,"contest_mode":false,'
    '"created_utc":%d,"domain":"self.%s","edited":false,"gilded":%d,"gildings":{},"hidden":false,'
    '"id":"%s","is_crosspostable":true,"is_meta":false,"is_original_content":false,'
    '"is_reddit_media_domain":false,"is_self":true,"is_video":false,"link_flair_richtext":[],'
    '"locked":false,"media":null,"media_embed":{},"no_follow":false,"num_comments":%d,'
    '"num_crossposts":0,"over_18":false,"parent_whitelist_status":"all_ads",'
    '"permalink":"/r/%s/comments/%s/title/","pinned":false,"quarantine":false,'
    '"retrieved_on":1582706055,"score":%d,"secure_media":null,"selftext":"%s","send_replies":true,'
    '"spoiler":false,"stickied":false,"subreddit":"%s","subreddit_id":"t5_2qh1i",'
    '"subreddit_subscribers":3000000,"thumbnail":"self","title":"%s","total_awards_received":0,'
    '"upvote_ratio":0.94,"url":"https://www.reddit.com/r/%s/comments/%s/title/","wls":6}\n'
)


def write_dump(path: Path, lines: int, *, share: float = 0.3, seed: int = 1) -> None:
    """Write so many lines, posts and comments mixed."""
    with path.open("w", encoding="ascii", buffering=1 << 20) as out:
        out.writelines(dump_text(lines, share=share, seed=seed))


def dump_text(lines: int, *, share: float, seed: int) -> Iterator[str]:
    """The lines of a dump, each with its end."""
    draws = random.Random(seed)
    bodies = [_text(draws, 8, 90) for _ in range(2_000)]
    texts = [_text(draws, 60, 400) for _ in range(500)]
    titles = [_text(draws, 5, 14) + "?" for _ in range(500)]
    subs = list(TRAINING_SUBREDDITS)
    recent = [("p0", subs[0])] * 256
    for n in range(lines):
        if n % 10 == 0:
            sub = draws.choice(subs if draws.random() < share else OTHERS)
            id = f"p{n:x}"
            score = _score(draws)
            # What is liked is read and answered, the rest is soon forgotten.
            if score > 10 or draws.random() < 0.2:
                recent[draws.randrange(256)] = (id, sub)
            yield _POST % (
                *(n, n, NEWEST - (lines - n) % 4_000_000, sub, draws.random() < 0.01, id, n % 50),
                *(sub, id, score, draws.choice(texts), sub, draws.choice(titles), sub, id),
            )
        else:
            post, sub = recent[int(256 * draws.random() ** 3)]
            id = f"c{n:x}"
            parent = f"t3_{post}" if draws.random() < 0.6 else f"t1_c{n - 1:x}"
            yield _COMMENT % (
                *(n, n, draws.choice(bodies), NEWEST - (lines - n) % 4_000_000),
                *(draws.random() < 0.01, id, post, parent, sub, post, id, _score(draws), sub, sub),
            )


def _text(draws: random.Random, least: int, most: int) -> str:
    return " ".join(draws.choices(WORDS.split(), k=draws.randint(least, most)))


def _score(draws: random.Random) -> int:
    """Most have a few points, one in six more than ten, some hundreds."""
    return int(draws.random() ** -1.3)
