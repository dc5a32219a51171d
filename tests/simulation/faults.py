"""The faults of one history: drawn in advance, so that a failing history can be tried again with fewer."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from random import Random

from agency_site.mpesa.simulator.switches import AFTER_THE_FACT
from agency_site.mpesa.simulator.switches import Fault as DarajaFault

CHANNELS = ("shop", "token", "push", "push", "query", "callback", "callback", "result", "mail")
"""Who sends to whom: people to the site; the site to M-Pesa, three kinds; M-Pesa to the site about payments and returns; the site
to the mail server."""
REPORTS = ("callback", "result")
_PLACES = {
    "at anything": 200,
    "at a statement": 200,
    "before a commit": 20,
    "after a commit": 20,
    "while connecting for push": 3,
    "before sending push": 3,
    "after an answer to push": 3,
    "after an answer to query": 3,
    "after an answer to mail": 3,
    "before sending token": 2,
}
"""Where a process crashes or freezes, and how often a history comes there."""
_PAUSES = (0.5, 3.0, 8.0, 25.0, 70.0, 130.0, 400.0)
_MESSAGE_FAULTS = ("lose the request", "lose the answer", "delay", "truncate", "double")


@dataclass(frozen=True)
class Planned:
    """One fault that will happen, if its occasion comes."""

    family: str
    """As FAULTS= names it."""
    kind: str
    subject: str
    """The process, the channel or the call that it meets."""
    occasion: int
    """The number of the checkpoint, message or commit; 0 where `at` counts."""
    at: float = 0.0
    """Seconds since the beginning."""
    value: float = 0.0
    """Seconds that it lasts, or by which it moves something."""

    def describe(self) -> str:
        """Describe the fault in plain words."""
        when = f"number {self.occasion}" if self.occasion else f"at {self.at:.0f} s"
        lasts = f" ({self.value:.1f} s)" if self.value else ""
        return f"{self.kind}: {self.subject}, {when}{lasts}"


def _crash(random: Random, servers: Sequence[str]) -> Planned:
    where, most = random.choice(tuple(_PLACES.items()))
    occasion = random.randint(1, most)
    return Planned("crash", f"crash {where}", random.choice(servers), occasion, value=random.choice(_PAUSES))


def _freeze(random: Random, servers: Sequence[str]) -> Planned:
    where, most = random.choice(tuple(_PLACES.items()))
    occasion = random.randint(1, most)
    return Planned(
        "freeze", f"stand still {where}", random.choice(servers), occasion, value=random.choice(_PAUSES)
    )


def _message(random: Random, _servers: Sequence[str]) -> Planned:
    channel = random.choice(CHANNELS)
    # A connection delivers a request once: only browsers and callbacks repeat.
    kinds = _MESSAGE_FAULTS if channel in ("shop", *REPORTS) else _MESSAGE_FAULTS[:-1]
    kind = random.choice(kinds)
    most = 86_000.0 if channel in REPORTS else 30.0
    seconds = min(random.choice((2.0, 15.0, 25.0, 90.0, 1_000.0, 20_000.0, 86_000.0)), most)
    occasion = random.choice((1, 1, 2, 3, 4, 6))
    return Planned("messages", kind, channel, occasion, value=seconds if kind in ("delay", "double") else 0.0)


def _database(random: Random, servers: Sequence[str]) -> Planned:
    kind = random.choice(("away", "away", "read-only", "lose the answer to a commit"))
    if kind == "lose the answer to a commit":
        return Planned("database", kind, random.choice(servers), random.randint(1, 30))
    seconds = random.choice((0.2, 1.0, 4.0, 20.0, 120.0))
    return Planned("database", kind, "database", 0, at=random.uniform(0, 150), value=seconds)


def _clock(random: Random, servers: Sequence[str]) -> Planned:
    at = random.choice((0.0, random.uniform(0, 300)))
    return Planned("clock", "jump", random.choice(servers), 0, at=at, value=random.uniform(-30, 30))


def _token(random: Random, _servers: Sequence[str]) -> Planned:
    return Planned("token", "expire", "token", 0, at=random.uniform(0, 300))


_QUIET = (DarajaFault.SLOW, *sorted(set(DarajaFault) - AFTER_THE_FACT), *sorted(AFTER_THE_FACT))


LATE_BOOKS, UNREADABLE_BOOKS = "the books show a payment after 50 minutes", "the books cannot be read"
_DENIED = "queries deny payments, and callbacks never come"
ODDITIES: dict[str, dict[str, object]] = {
    "callbacks come before the push is answered": {"callback": "before"},
    "every second query gets a stray error": {"query_noise": 2},
    "open prompts are unknown to the query": {"query_blind": 60.0},
    "open prompts are described in the old form": {"pending_form": "old"},
    "callbacks state no receipt": {"receipt": "missing"},
    "callbacks state no amount": {"amount": "missing"},
    "callbacks state their items in another order": {"items": "shuffled", "date": "text", "balance": "text"},
    "queries are limited to five a minute": {"query_limit": 5},
    "callbacks never come": {"copies": 0},
    "the books show a payment after 20 minutes": {"pull_delay": 1_200.0},
    LATE_BOOKS: {"pull_delay": 3_000.0},
    UNREADABLE_BOOKS: {"pull": False},
    "the books come in pages of one transaction": {"pull_page": 1},
    "queries deny payments": {"query_lie": True},
    _DENIED: {"query_lie": True, "copies": 0},
    "queries deny payments that the books show after 20 minutes": {
        "query_lie": True,
        "copies": 0,
        "pull_delay": 1_200.0,
    },
    "tokens last two minutes, and old ones live on": {"token_seconds": 120, "new_token_kills_old": False},
    "callbacks mask the phone": {"phone": "masked"},
    "every callback is three hours late": {"callback_delay": 10_800.0},
}
"""What Daraja does from the beginning to the end of the faults, and the switches of its simulator."""


def _daraja(random: Random, _servers: Sequence[str]) -> Planned:
    if random.random() < 0.3:
        return _oddity(random.choice(tuple(ODDITIES)))
    fault = random.choice(_QUIET)
    return Planned(
        "daraja", fault.value, random.choice(("token", "push", "query")), random.choice((1, 1, 2, 3))
    )


def _mail(random: Random, _servers: Sequence[str]) -> Planned:
    kind = random.choice(("refuse for now", "drop after taking"))
    return Planned("mail", kind, "mail server", random.randint(1, 6))


def _redis(random: Random, _servers: Sequence[str]) -> Planned:
    return Planned(
        "redis", "redis away", "Redis", 0, at=random.choice((0.0, random.uniform(0, 150))), value=60.0
    )


def _disk(random: Random, _servers: Sequence[str]) -> Planned:
    # The journal is written while the database is away, and only then.
    seconds = random.choice((4.0, 20.0, 120.0))
    return Planned("disk", "away, disk full", "database", 0, at=random.uniform(0, 100), value=seconds)


def _power(random: Random, _servers: Sequence[str]) -> Planned:
    at = random.choice((random.uniform(0, 30), random.uniform(0, 300), random.uniform(0, 8_000)))
    return Planned("power", "power cut", "the machine", 0, at=at, value=random.choice(_PAUSES))


FAMILIES: dict[str, Callable[[Random, Sequence[str]], Planned]] = {
    "crash": _crash,
    "freeze": _freeze,
    "messages": _message,
    "database": _database,
    "clock": _clock,
    "token": _token,
    "daraja": _daraja,
    "mail": _mail,
    "redis": _redis,
    "disk": _disk,
    "power": _power,
}


_FIRST = range(1, 4)
_UNANSWERED = tuple(Planned("messages", "lose the answer", "push", number) for number in _FIRST)
_SILENCE = (
    *_UNANSWERED,
    *(Planned("messages", "lose the request", "callback", number) for number in _FIRST),
)
"""M-Pesa takes a payment and reports it nowhere: faults that seldom meet by chance, and leave only M-Pesa's books."""


_LOST_RESULT = (Planned("messages", "lose the request", "result", 1),)
"""A return whose result is lost, which leaves only M-Pesa's books."""


def _oddity(name: str) -> Planned:
    return Planned("daraja", "oddity", name, 0)


_CONDITIONS: tuple[tuple[Planned, ...], ...] = (
    (),
    (*_SILENCE, _oddity("the books show a payment after 20 minutes")),
    (
        Planned("power", "power cut", "the machine", 0, at=4.0, value=3.0),
        *(Planned("mail", "refuse for now", "mail server", number) for number in (1, 2, 4, 5)),
        *(
            Planned("crash", "crash after an answer to mail", server, 1, value=3.0)
            for server in ("server A", "server B")
        ),
    ),
    (_oddity("callbacks come before the push is answered"),),
    (*_LOST_RESULT, *_UNANSWERED),
    (Planned("redis", "redis away", "Redis", 0, value=300.0), _oddity("every callback is three hours late")),
    (Planned("database", "away", "database", 0, at=4.0, value=60.0),),
    (_oddity(_DENIED),),
)
"""What seldom happens by chance; eight histories in a row have all of it, and the first of them no fault at all."""


def is_plain(seed: int) -> bool:
    """Return whether the history belongs to every other eight: nothing but the condition disturbs what these are about."""
    return seed // len(_CONDITIONS) % 2 == 0


def choose_families(names: str) -> list[str]:
    """The families that `all`, `none` or a list with commas names."""
    return {"all": list(FAMILIES), "none": []}.get(names, names.split(","))


def plan_faults(seed: int, families: Collection[str], servers: Sequence[str]) -> tuple[Planned, ...]:
    """The condition of the history, and beside it none to eight faults of the named families, unless it is plain."""
    chosen = [name for name in FAMILIES if name in families]
    # Shifted after every eight, so that each theme of people meets each condition.
    condition = _CONDITIONS[(seed + seed // len(_CONDITIONS)) % len(_CONDITIONS)]
    if not chosen or not condition:
        return ()
    random = Random(f"{seed}: faults")
    number = 0 if is_plain(seed) else random.choice((0, 1, 1, 2, 3, 4, 6, 8))
    expected = tuple(fault for fault in condition if fault.family in chosen)
    return expected + tuple(FAMILIES[random.choice(chosen)](random, servers) for _ in range(number))
