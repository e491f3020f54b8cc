"""rounds, documents: the pairs of a tournament by the circle method, and their files."""


def rounds(hosts):
    """Return a list of rounds, each a dictionary {sender: receiver}.

    Every ordered pair is in one round, and no host is twice in a round.  The first host keeps its
    place, and the others move on by one place a round.  With an odd number, one host rests.
    """
    circle = list(hosts) + [None] * (len(hosts) % 2)
    n = len(circle)
    result = []
    for dummy in range(n - 1):
        pairs = [(circle[i], circle[n - 1 - i]) for i in range(n // 2)]
        pairs = [p for p in pairs if None not in p]
        result.append(dict(pairs))
        result.append({b: a for a, b in pairs})
        circle.insert(1, circle.pop())
    return [r for r in result if r]


def documents(wanted, folder):
    """Return the names of the documents of rounds."""
    return [f"{folder}/{sender}/{receiver}.json" for r in wanted for sender, receiver in r.items()]


class FilterModule:
    def filters(self):
        return {"rounds": rounds, "documents": documents}
