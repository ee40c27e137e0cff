"""Computes the results of a jam by the words of its contract, in exact fractions, from JSON on standard input."""

import json
import math
import sys
from fractions import Fraction
from statistics import median

jam = json.load(sys.stdin)
criteria = jam["criteria"]
votes = {entry["uid"]: [] for entry in jam["entries"]}
for vote in jam["votes"]:
    votes[vote["entryUid"]].append(vote["scores"])
fair = [entry["uid"] for entry in jam["entries"] if not entry["isDisqualified"]]
counts = [len(votes[uid]) for uid in fair]
m = Fraction(median(counts)) if counts else Fraction(0)
primary = next((index for index, one in enumerate(criteria) if one["primary"]), None)


def mean_of(scores):
    """As a fraction; None without votes."""
    return Fraction(sum(scores), len(scores)) if scores else None


def share_of(count):
    return min(Fraction(count), m) / m if m else Fraction(1)


def judge(pick):
    """Mean, adjusted score and rank of each entry; `pick` takes the stars that count out of one vote."""
    means = {uid: mean_of([star for scores in own for star in pick(scores)]) for uid, own in votes.items()}
    squares = {uid: mean**2 * share_of(len(votes[uid])) for uid, mean in means.items() if mean is not None}
    ranked = [uid for uid in fair if len(votes[uid]) >= jam["minRatings"]]
    return {
        uid: {
            "mean": None if mean is None else float(mean),
            "adjusted": None if mean is None else float(mean) * math.sqrt(float(share_of(len(votes[uid])))),
            "rank": 1 + sum(squares[other] > squares[uid] for other in ranked) if uid in ranked else None,
        }
        for uid, mean in means.items()
    }


overall = judge(lambda scores: scores if primary is None else [scores[primary]])
by_criterion = [judge(lambda scores, index=index: [scores[index]]) for index in range(len(criteria))]
results = [
    {
        "entryUid": uid,
        "rank": overall[uid]["rank"],
        "ratings": len(votes[uid]),
        "score": overall[uid]["mean"],
        "adjusted": overall[uid]["adjusted"],
        "criteria": [one[uid] for one in by_criterion],
    }
    for uid in votes
]
json.dump({"median": float(m), "results": results}, sys.stdout)
