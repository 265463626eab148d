"""Besides the samples, what convergence delivers to board: facts of all kinds about one piece of equipment."""

from andon.events.domain_event import DomainEvent
from andon.runtime import times
from demo.people import ANN, EVA, LIZ, SARA, SUE, TOM
from tests.support.samples import fact

EQUIPMENT_ID = "press-7"
MINUTES = [f"2020-04-24T14:{minute:02d}:00.000Z" for minute in range(60)]


def metadata(kind: str, number: int, id: str, **entity: object) -> DomainEvent:  # noqa: A002
    """Return the event that equipment was `created`, `updated`, `deleted` or `undeleted`, at the n-th millisecond."""
    return fact(f"equipment-{kind}", id=id, at=times.to_ms(MINUTES[0]) + number, **entity)


def state(name: str, minute: int, id: str) -> DomainEvent:  # noqa: A002
    """Return the event that a state was reported."""
    time = MINUTES[minute]
    return fact("state-reported", id=id, at=times.to_ms(time), equipmentId=EQUIPMENT_ID, state=name, timestamp=time)


def audit(part: str, minute: int, id: str, result: str = "passed") -> DomainEvent:  # noqa: A002
    """Return the event of an audit of a part."""
    at = times.to_ms(MINUTES[minute])
    return fact("audit-recorded", id=id, at=at, equipmentId=EQUIPMENT_ID, part=part, result=result)


def assignment(operator: str, minute: int, id: str, log: int) -> DomainEvent:  # noqa: A002
    """Return the event that an operator was assigned to the log of another minute."""
    at, time = times.to_ms(MINUTES[minute]), MINUTES[log]
    return fact("operator-assigned", id=id, at=at, equipmentId=EQUIPMENT_ID, operator=operator, timestamp=time)


def crew(lead: str, minute: int, id: str, log: int) -> DomainEvent:  # noqa: A002
    """Return the event that a crew was assigned to the log of another minute, in the next version of dispatch."""
    at, time = times.to_ms(MINUTES[minute]), MINUTES[log]
    return fact("crew-assigned", id=id, at=at, equipmentId=EQUIPMENT_ID, lead=lead, timestamp=time)


def escalation(supervisor: str, minute: int, id: str, log: int) -> DomainEvent:  # noqa: A002
    """Return the event that the log of another minute was escalated."""
    at, time = times.to_ms(MINUTES[minute]), MINUTES[log]
    return fact("state-escalated", id=id, at=at, equipmentId=EQUIPMENT_ID, supervisor=supervisor, timestamp=time)


def acknowledgement(by: str, minute: int, id: str, log: int) -> DomainEvent:  # noqa: A002
    """Return the event that the log of another minute was acknowledged."""
    at, time = times.to_ms(MINUTES[minute]), MINUTES[log]
    about = {"equipmentId": EQUIPMENT_ID, "timestamp": time}
    return fact("state-acknowledged", id=id, at=at, acknowledgedBy=by, **about)


def risk(reason: str, minute: int, id: str, since: int) -> DomainEvent:  # noqa: A002
    """Return the event that it is at risk, in the episode that began at another minute."""
    at, time = times.to_ms(MINUTES[minute]), MINUTES[minute]
    about = {"equipmentId": EQUIPMENT_ID, "since": MINUTES[since], "timestamp": time}
    return fact("equipment-at-risk", id=id, at=at, reason=reason, **about)


def silence(kind: str, minute: int, id: str, since: int) -> DomainEvent:  # noqa: A002
    """Return the event that it is `silent`, or `back`, after its report of another minute."""
    at, time = times.to_ms(MINUTES[minute]), MINUTES[minute]
    about = {"equipmentId": EQUIPMENT_ID, "since": MINUTES[since], "timestamp": time}
    return fact(f"equipment-{kind}", id=id, at=at, **about)


def anomaly(kind: str, minute: int, id: str, log: int, seen: float = 7) -> DomainEvent:  # noqa: A002
    """Return the event that the log of another minute was unlike the machine."""
    at, time = times.to_ms(MINUTES[minute]), MINUTES[log]
    return fact("anomaly-detected", id=id, at=at, equipmentId=EQUIPMENT_ID, kind=kind, timestamp=time, seen=seen)


LIFE = [
    metadata("created", 1, "c1", name="Press"),
    metadata("updated", 2, "u1", name="Hydraulic press"),
    metadata("updated", 2, "u2", name="Press of another hand"),  # at the same millisecond
    metadata("deleted", 3, "d1"),
    metadata("undeleted", 4, "e1"),
    metadata("deleted", 4, "d2"),
]

STATES = [
    state("NORMAL", 1, "s1"),
    state("WARNING1", 2, "s2"),
    state("ERROR", 2, "s3"),  # at the same time, another one
    state("WARNING1", 2, "s4"),  # at the same time, the same one
    state("NORMAL", 3, "s5"),
    state("WARNING1", 4, "s6"),
]

PEOPLE = [
    audit("hydraulics", 1, "a1"),
    audit("_", 2, "a2", "failed"),
    audit("hydraulics", 2, "a3"),
    assignment(LIZ, 3, "o1", log=4),
    assignment(SUE, 4, "o2", log=2),  # later, to an older log
    assignment(ANN, 4, "o3", log=4),
    crew(EVA, 4, "a crew", log=4),  # at the same time, on the other side; its id sorts before
]

HELP = [
    escalation(SARA, 3, "x1", log=2),
    escalation(TOM, 3, "x2", log=2),  # at the same time
    acknowledgement(LIZ, 3, "k1", log=2),
    acknowledgement(ANN, 5, "k2", log=1),  # later, of an older log
    risk("it keeps coming", 4, "r1", since=2),
    risk("it gets worse", 8, "r2", since=7),
]

SILENCES = [
    state("ERROR", 1, "t1"),
    silence("silent", 10, "q1", since=1),
    state("ERROR", 12, "t2"),
    silence("back", 12, "b1", since=1),
    silence("silent", 20, "q2", since=12),
    silence("back", 20, "b2", since=12),  # at the same time
]

ANOMALIES = [
    state("ERROR", 2, "y1"),
    anomaly("burst", 2, "z1", log=2),
    anomaly("odd-state", 5, "z2", log=5),
    anomaly("gap", 6, "z3", log=3),  # later, of an older log
    anomaly("burst", 5, "z4", log=5, seen=20),  # of the same log
]

JOIN = [LIFE[0], LIFE[3], STATES[0], STATES[1], PEOPLE[1], PEOPLE[3]]

STORIES = {"life": LIFE, "states": STATES, "people": PEOPLE, "help": HELP, "silences": SILENCES}
STORIES |= {"anomalies": ANOMALIES, "join": JOIN}
EVERYTHING = [*LIFE, *STATES, *PEOPLE, *HELP, *SILENCES, *ANOMALIES]
