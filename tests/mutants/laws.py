"""The laws of the design, each with changes of the code that break it and the tests that notice."""

from typing import Final

from tests.mutants.mutant import Mutant

QUERIES: Final = "functions/queries"
ANSWERS: Final = "tests/demo/lake/test_answers.py"
WITHIN_BUS_SECOND: Final = "self.bus_ms is None or self.bus_ms <= own_ms < self.bus_ms + BUS_TICK_MS"
IN_TIME: Final = "library/tests/runtime/test_deadline.py"
REPLAYS: Final = "library/tests/stores/replays/test_replays.py"
REPORTS_BACK: Final = "tests/services/equipment/test_restored_orders.py"
DRIFT: Final = "tests/views/test_drift.py"
STORIES_BACK: Final = "tests/services/dispatch/test_restored_orders.py"

SHARING: Final = (
    "            if route.is_shared:\n"
    '                require_share(event["routeKey"], caller.subject, clock.now_ms())\n'
)
OF_TOKEN: Final = 'event["requestContext"]["authorizer"]["jwt"]["claims"]["sub"]'
WORKING: Final = (
    "            self.append_context(caller=caller)  # type: ignore[no-untyped-call]\n"
    '            {} self.resolve(routable(event), cast("Any", context))\n'
)


def _in(file: str, selection: str, *changes: tuple[str, str, str]) -> list[Mutant]:
    """Return the mutants of one file that the same tests notice: name, text before, text after."""
    return [Mutant(name, file, before, after, selection) for name, before, after in changes]


SYNC: Final = [
    *_in(
        "library/andon/sync/edit.py",
        "library/tests/sync",
        ("edits: the time alone is the order", 'row.get("origin", own))', '"")'),
        ("edits: what crossed counts as own", 'row.get("origin", own))', "own)"),
    ),
    *_in(
        "library/andon/sync/crossing.py",
        "library/tests/sync",
        ("a crossing overwrites what is newer", "if there > self.edit else None", "if False else None"),
        ("a crossing is made again", "        if there == self.edit:\n            return Outcome.DUPLICATE\n", ""),
        (
            "a crossing overwrites what came between",
            'AS_FOUND = "#version = :version AND #timestamp',
            'AS_FOUND = "#timestamp',
        ),
        ("a crossing takes one life for another", ' AND #timestamp = :timestamp"', '"'),
        (
            "a crossing upon nothing overwrites",
            'Condition("attribute_not_exists(#version)", {"version": "version"})',
            'Condition("")',
        ),
        ("a crossing is published here", "LATCHED: True, ", ""),
        ("a crossing does not count its hops", ", HOPS: hops}", "}"),
        ("a crossing does not say where it was made", ', "origin": self.edit.origin}', "}"),
        ("a crossing begins a life", "if expected.stands is Stands.ALIVE and", "if False and"),
        (
            "a crossing does not bring back",
            'Stands.TOMBSTONE if self.row.get("deleted") else Stands.ALIVE',
            "Stands.ALIVE",
        ),
        ("a crossing begins to count again", "cls(refused.newest) if row is None", "cls(None) if row is None"),
        ("a crossing resurrects what expired", "not ttl.is_alive(draft.attributes, now_ms)", "False"),
        ("an old deletion does not cross", "if not draft.deleted and not", "if not"),
        (
            "what cannot be said is tried for ever",
            "        except Exception as error:  # it",
            "        except ZeroDivisionError as error:  # it",
        ),
    ),
    *_in(
        "library/andon/versions/versioned_write.py",
        "library/tests/sync",
        ("a command leaves the latch", "NOT_OWN: Final = (LATCHED, ", "NOT_OWN: Final = ("),
        ("a command leaves the origin", "NOT_OWN: Final = (LATCHED, ORIGIN, ", "NOT_OWN: Final = (LATCHED, "),
        ("a command leaves the hops", "ORIGIN, HOPS)", "ORIGIN)"),
    ),
    *_in(
        "library/andon/events/hops.py",
        "library/tests/sync library/tests/events/test_hops.py",
        ("hops are not counted", "return 1 + max", "return max"),
        ("hops are those of any event", "max(map(hops_of, events), default=0)", "hops_of(events[0])"),
        ("one hop fewer is refused", "hops_of(event) > MAX_HOPS", "hops_of(event) >= MAX_HOPS"),
        ("hops of anybody's making break the listener", "isinstance(hops, str) and len(hops)", "len(hops)"),
    ),
    *_in(
        "library/andon/views/materialize.py",
        "library/tests/sync",
        ("it goes round without end", "    require_few(delivery.event)\n", ""),
    ),
    *_in(
        "library/andon/events/change_data_capture.py",
        "library/tests/sync",
        (
            "the trigger publishes what crossed",
            '    if is_latched(images.get("NewImage", images.get("OldImage"))):\n        return None\n',
            "",
        ),
        ("an event does not say its hops", ", ACTOR: fact.actor, **hops}", ", ACTOR: fact.actor}"),
    ),
    *_in(
        "library/andon/rules/control.py",
        "library/tests/rules/test_crossed.py",
        ("rules do not know what crossed", "(*published.events, *crossed)", "published.events"),
        ("what came back is decided upon as if it had crossed", "if not is_crossed(record", "if not is_latched(record"),
    ),
    *_in(
        "library/andon/rules/expired.py",
        "library/tests/rules/test_expired.py",
        ("what expires does not count what it was stored for", "        hops=hops_after(event),\n", ""),
    ),
    *_in(
        "library/andon/rules/decide.py",
        "library/tests/rules/test_evaluate.py",
        ("a decision does not count its triggers' hops", "hops_after(*decision.triggers)", "1"),
    ),
    *_in(
        "library/andon/views/ledger.py",
        "library/tests/views/test_ledger.py",
        ("what is compacted was not overtaken", ', Outcome.COMPACTED: "overtaken"}', "}"),
    ),
    *_in(
        "library/andon/tools/sync/compare.py",
        "tests/tools/sync/test_in_step.py",
        (
            "in step: an edit is sent by who did not make it",
            "self.is_ahead and self.edit.origin == self.source",
            "self.is_ahead",
        ),
        ("in step: a deletion does not count", "DELETED: True if made.deleted else None}", "}"),
        ("in step: what has expired counts", " if is_alive(row, now_ms) else None", ""),
        (
            "in step: what is newer there is sent",
            "if fields or there is None or there < edit:",
            "if fields or there != edit:",
        ),
    ),
    *_in(
        "library/andon/views/inverse_oplock.py",
        "library/tests/views/test_two_origins.py",
        ("a view orders two services by ids", 'f"{ORIGIN}{origin}" if origin else ""', '""'),
    ),
    *_in(
        "library/andon/views/compaction.py",
        "library/tests/views/test_two_origins.py",
        ("compaction of two services by ids", ", message.update.origin)", ")"),
    ),
    *_in(
        "library/andon/drift/expected.py",
        "library/tests/views/test_two_origins.py",
        ("what is expected of two services is in no order", "update.origin, event.id)", '"", event.id)'),
    ),
    *_in(
        "library/andon/views/seen.py",
        "library/tests/views/test_two_origins.py",
        ("a write of another service is taken for one's own", "update.about_ms, update.origin)", "update.about_ms)"),
    ),
]

RUNTIME: Final = [
    *_in(
        "library/andon/runtime/strict_json.py",
        "library/tests/runtime/test_strict_json.py",
        ("strict JSON takes NaN", "parse_constant=_refuse_constant, ", ""),
        ("strict JSON takes a surrogate that stands alone", "    _require_unicode(text)\n    try:", "    try:"),
        ("strict JSON takes an escaped surrogate", 'if "\\\\u" in text:', "if False:"),
        ("strict JSON takes more digits than DynamoDB keeps", "if len(digits) > MAX_DIGITS:", "if False:"),
        (
            "strict JSON escapes characters",
            "\n_ENCODER = json.JSONEncoder(ensure_ascii=False, ",
            "\n_ENCODER = json.JSONEncoder(",
        ),
        ("canonical JSON has members in any order", ", orjson.OPT_SORT_KEYS)", ")"),
        ("canonical JSON with a float has members in any order", ", sort_keys=True)", ")"),
        ("strict JSON loses digits", "EXACT = frozenset({str, int,", "EXACT = frozenset({float, str, int,"),
        ("strict JSON that is read fast is nested without end", "or not room or", "or"),
        ("strict JSON writes what it cannot read", "    if not _is_exact((value,)):\n        return None\n", ""),
        ("strict JSON is nested without end", "> MAX_DEPTH:  #", "> 10**9:  #"),
        ("strict JSON is nested one level too deep", "for _ in range(MAX_DEPTH):", "for _ in range(MAX_DEPTH + 1):"),
    ),
    *_in(
        "library/andon/wire/aws_json.py",
        "library/tests/wire/test_retries.py",
        ("a checksum is not compared", "if expected and expected != str(zlib.crc32(response.body)):", "if False:"),
        ("a transaction has no token", '{"ClientRequestToken": os.urandom(16).hex(), **request}', "{**request}"),
        ("a response without a body is a success", "orjson.loads(body)", 'orjson.loads(body or b"{}")'),
        ("any JSON is a response", "content if isinstance(content, dict) else None", "content"),
        ("a code keeps its namespace", '.rpartition("#")[2]', ""),
        ("a code keeps its address", 'return written.partition(":")[0]', "return written"),
        ("an older code is not read", 'older.partition(";")[0] if older else ', ""),
    ),
    *_in(
        "library/andon/wire/attempts.py",
        "library/tests/wire/test_retries.py",
        ("a request is tried again without end", "attempt == retries.ATTEMPTS or ", ""),
        ("pauses do not grow", " * 2 ** (attempt - 1)", ""),
        ("somebody waits for an attempt that begins too late", "            require_in_time(seconds)\n", ""),
        ("what a retry took is lost", "retries.QUOTA.give_back(taken or 1)\n            return", "return"),
    ),
    *_in(
        "library/andon/wire/retries.py",
        "library/tests/wire/test_retries.py",
        ("status 500 is final", " or status in FAILED_STATUSES", ""),
        ("status 429 is final", " or status == THROTTLED_STATUS", ""),
        ("throttling is tried again at once", "Again(1.0, 5)", "Again(0.05, 5)"),
        ("a broken connection is final", '        "ConnectionClosedError",\n', ""),
        ("a process tries again however long AWS is down", "if self._left < quota:", "if False:"),
    ),
    *_in(
        "library/andon/wire/curl.py",
        "library/tests/wire/test_connections.py",
        ("a response may break off in its headers", "not failed and self.headers[-1:] != [END_OF_HEADERS]", "False"),
        (
            "what differs between requests is not sent",
            "if handle.but_body != but_body:",
            "if not handle.but_body:",
        ),
    ),
    *_in(
        "library/andon/wire/curl.py",
        "library/tests/wire/test_retries.py",
        (
            "a request waits for ever",
            "handle.setopt(pycurl.TIMEOUT_MS, ATTEMPT_MS)",
            "handle.setopt(pycurl.TIMEOUT_MS, 9_000)",
        ),
    ),
    *_in(
        "library/andon/wire/curl.py",
        "library/tests/wire/test_security.py",
        ("TLS is not verified", "handle.setopt(pycurl.TCP_KEEPALIVE, 1)", "handle.setopt(pycurl.SSL_VERIFYPEER, 0)"),
        ("any host may answer", "handle.setopt(pycurl.TCP_KEEPALIVE, 1)", "handle.setopt(pycurl.SSL_VERIFYHOST, 0)"),
        ("a bundle of one's own is not used", 'os.environ.get("AWS_CA_BUNDLE") or _authorities()', "_authorities()"),
        ("a wrong certificate is tried again", 'pycurl.E_PEER_FAILED_VERIFICATION: "SSLError",', ""),
        ("a session token is not sent", "(*request.headers, *token)", "request.headers"),
    ),
    *_in(
        "library/andon/wire/credentials.py",
        "library/tests/wire/test_security.py",
        ("credentials show themselves", 'return "Credentials(…)"', 'return f"Credentials{tuple(self)}"'),
    ),
    *_in(
        "library/andon/wire/credentials.py",
        "library/tests/runtime/test_credentials.py",
        ("what has expired still signs", "def _of_session()", "@cache\ndef _of_session()"),
        (
            "a region of botocore's comes second",
            '"AWS_DEFAULT_REGION") or os.environ.get("AWS_REGION")',
            '"AWS_REGION")',
        ),
    ),
    *_in(
        "library/andon/wire/in_turns.py",
        "library/tests/runtime/test_in_turns.py",
        ("a flood is under way at once", "while self._left and self._under_way < AT_ONCE:", "while self._left:"),
        ("tasks do not inherit the context", "            worker.gr_context = copy_context()\n", ""),
        ("tasks survive the end of the process", "        turns.give_up()\n        raise", "        raise"),
        (
            "a pause holds up the others",
            "    if isinstance(worker, _Worker):\n        worker.wait_for(_Pause",
            "    if False:\n        worker.wait_for(_Pause",
        ),
    ),
    *_in(
        "library/andon/wire/in_threads.py",
        "library/tests/runtime/test_in_turns.py",
        (
            "threads do not inherit the context",
            "submit(copy_context().run, _run_all, share)",
            "submit(_run_all, share)",
        ),
    ),
    *_in(
        "library/andon/wire/deadline.py",
        "library/tests/runtime/test_deadline.py",
        ("a request begins in the last second", "LAST_MS: Final = 1_000", "LAST_MS: Final = 0"),
        ("an inner deadline may be later", "min(at_ms, outer)", "at_ms"),
    ),
    *[
        Mutant(
            f"{name} begins requests in the last second",
            f"library/andon/{file}",
            f"@in_time\n{entry}",
            f"\n{entry}",
            IN_TIME,
        )
        for name, file, entry in (
            ("a listener", "views/materialize.py", "def materialize("),
            ("a trigger", "events/publish_changes.py", "def publish_changes("),
            ("a control service's trigger", "rules/control.py", "def control_changes("),
            ("a sweep", "rules/sweep.py", "def sweep("),
            ("an HTTP handler", "http/http_api.py", "    def handler("),
        )
    ],
]

DYNAMODB: Final = [
    *_in(
        "library/andon/dynamodb/ttl.py",
        "library/tests/dynamodb/test_ttl.py",
        ("the very second of its ttl is no expiry", "ttl <= now_ms // 1000", "ttl < now_ms // 1000"),
        ("ttl is in milliseconds", "timestamp_ms // 1000 + days", "timestamp_ms + days"),
    ),
    *_in(
        "library/andon/dynamodb/keys.py",
        "library/tests/dynamodb/test_keys.py",
        ("a prefix does not end in #", "return sort_key(*parts) + SEPARATOR", "return sort_key(*parts)"),
        ("a part of a key may have # in it", "if SEPARATOR in part:", "if False:"),
        ("the limit of a key counts characters", "len(key.encode()) > MAX", "len(key) > MAX"),
    ),
    *_in(
        "library/andon/dynamodb/keys.py",
        "library/tests/versions/test_numbered_versions.py",
        ("numbers in keys are not padded", "v{number:010d}_{name}", "v{number}_{name}"),
    ),
    *_in(
        "library/andon/dynamodb/hierarchical_key.py",
        "library/tests/dynamodb/test_hierarchical_key.py",
        ("a subtree has its longer siblings in it", "else prefix(*path)", "else sort_key(*path)"),
        ("a range backwards is asked", "if lower > upper:", "if False:"),
    ),
    *_in(
        "library/andon/dynamodb/client.py",
        "library/tests/versions/test_resource.py",
        ("a transaction's conflict is a failure", 'frozenset({"TransactionConflict", ', "frozenset({"),
    ),
]

EVENTS: Final = [
    *_in(
        "library/andon/events/bus_entry.py",
        "library/tests/events/test_bus_entry.py",
        ("lag counts from a device's clock", f"if {WITHIN_BUS_SECOND}:", "if True:"),
        ("lag counts from whole seconds", f"if {WITHIN_BUS_SECOND}:", "if self.bus_ms is None:"),
        ("time from the bus is believed", "if delivery.event.timestamp_ms > taken_ms + MAX_AHEAD_MS:", "if False:"),
        ("who publishes chooses the time of the bus", "min(delivery.bus_ms, now_ms)", "delivery.bus_ms"),
        ("what was ahead is believed when it comes again", "min(delivery.bus_ms, now_ms)", "now_ms"),
        ("what a command accepts is ahead of the bus", "MAX_AHEAD_MS = 6 * 60", "MAX_AHEAD_MS = 5 * 60"),
    ),
    *_in(
        "library/andon/events/domain_event.py",
        "library/tests/events/test_domain_event.py",
        ("names of events have no bound", "len(text) > MAX_NAME_CHARACTERS or ", ""),
        ("names of events may have control characters", " or not text.isprintable()", ""),
        ("no room above the last timestamp", " - 400 * 86_400_000", ""),
    ),
    *_in(
        "library/andon/runtime/batches.py",
        "library/tests/events/test_publish.py",
        ("a request has more than 10 entries", "len(batch) == most ", "len(batch) > most "),
        ("a request has more bytes than the bus takes", " or size + more > most_bytes", ""),
    ),
    *_in(
        "library/andon/events/publish.py",
        "library/tests/events/test_publish.py",
        (
            "all entries are put again, not only those that failed",
            "_requests(failed, sizes)",
            '_requests(dict.fromkeys(entries.keys() - refused, ""), sizes)',
        ),
        ("one kind of what is refused for good is put again", '        "RedactionFailure",\n', ""),
        ("a request that is refused as a whole is put again as it was", "code == INVALID_REQUEST]", "False]"),
        ("one bad entry makes faults of its neighbours", " and alone)", ")"),
        ("an entry that is just as large as may be is refused", "if size > MAX", "if size >= MAX"),
        ("entries that still fail are forgotten", "if self.failed:", "if False:"),
        (
            "a refused fault becomes a fault",
            "if any(events[number].type == fault.TYPE for number in put.refused):",
            "if False:",
        ),
        ("a fault that is refused is forgotten", "if faults_put.refused:", "if False:"),
        (
            "a request that fails as a whole is raised at once",
            "except CallFailed as error:",
            "except OSError as error:",
        ),
    ),
    *_in(
        "library/andon/events/bus_entry.py",
        "library/tests/events/test_publish.py",
        ("an entry is measured in characters", 'len(entry["Detail"].encode())', 'len(entry["Detail"])'),
    ),
    *_in(
        "library/andon/events/bus_entry.py",
        "library/tests/views/test_materialize.py",
        ("a message may say another type outside", 'if envelope.get("detail-type") != event.type:', "if False:"),
    ),
    *_in(
        "library/andon/events/fault.py",
        "library/tests/events/test_fault.py",
        ("faults of two consumers have one id", 'f"{consumer}\\n{message}".encode', "message.encode"),
        (
            "a fault has another id each time",
            'f"{consumer}\\n{message}".encode',
            'f"{consumer}{message}{now_ms}".encode',
        ),
        ("faults of one beginning have one id", "\\n{message}", "\\n{message[:MAX_MESSAGE_CHARACTERS]}"),
        ("a fault may be larger than an entry", "message[:MAX_MESSAGE_CHARACTERS]", "message"),
    ),
    *_in(
        "library/andon/events/domain_event.py",
        "library/tests/events/test_domain_event.py",
        ("a timestamp may have more than 13 digits", "0 <= value <= MAX_TIMESTAMP_MS", "0 <= value"),
        ("true is a timestamp", "type(value) is not int or", "not isinstance(value, int) or"),
    ),
    *_in(
        "library/andon/events/actor.py",
        "library/tests/events/test_actor.py",
        ("the author of a decision is everybody's", 'if said.get("by") == "rule" and', "if False and"),
        ("equipment did what was done about it", "if _is_by_its_partition(event) else UNKNOWN", "if True else UNKNOWN"),
        ("an odd tag is an actor", "if isinstance(tagged, str) and tagged else", "if ACTOR in event.tags else"),
    ),
    *_in(
        "library/andon/rules/rule.py",
        "library/tests/rules/test_rule.py",
        ("a rule that makes no sense is taken", "            rule.require_sense()\n", "            pass\n"),
    ),
    *_in(
        "library/andon/events/publish.py",
        "library/tests/events/test_publish_at_once.py",
        ("requests of a batch wait for each other", "puts = in_parallel([partial(", "puts = (do() for do in [partial("),
    ),
    *_in(
        "library/andon/rules/expired.py",
        "library/tests/rules/test_expired.py",
        ("whoever wrote a row lets it expire", ", actor=TTL)", ")"),
    ),
    *_in(
        "functions/services/equipment/reporting.py",
        "tests/services/equipment/test_stream_first.py",
        (
            "a person is called like a device",
            " and not self.is_for_any else",
            " else",
        ),
    ),
    *_in(
        "library/andon/events/upcast.py",
        "library/tests/events/test_upcast.py",
        ("an event of before has no actor", "return with_actor(current)", "return current"),
    ),
    *_in(
        "library/andon/events/change_data_capture.py",
        "tests/test_whole_loop.py",
        ("an event does not say who did it", ", ACTOR: fact.actor, **", ", **"),
    ),
    *_in(
        "library/andon/events/upcast.py",
        "library/tests/events/test_upcast.py",
        ("the newest step of an upcast is taken first", "event.type), ()):", "event.type), ())[::-1]:"),
    ),
    *_in(
        "library/andon/events/change_data_capture.py",
        "library/tests/events/test_change_data_capture.py",
        ("a removal by the TTL service is a deletion", '.get("principalId") == TTL_SERVICE', ".get(1) == 2"),
        ("an event has another id each time", 'record["eventID"],  #', 'record["eventID"] + str(id(record)),  #'),
    ),
]

VERSIONS: Final = [
    *_in(
        "library/andon/versions/optimistic_lock.py",
        "library/tests/versions/test_versioned_write.py library/tests/versions/test_optimistic_lock.py "
        "-k 'not whatever'",
        ("the version is not in the condition", '"#version = :expected", ', ""),
        ("the timestamp is not in the condition", ', "#timestamp < :now"', ""),
        ("the digest is not in the condition", 'parts.append("#digest <> :digest")', "pass"),
        ("a clock that is behind stamps", "max(draft.command.now_ms, expected.not_before_ms)", "draft.command.now_ms"),
        ("two versions have one time", 'Stands.ALIVE, row["timestamp"] + 1', 'Stands.ALIVE, row["timestamp"]'),
        ("a retry is not recognised", 'current["fingerprint"] == draft.command.fingerprint:', "False:"),
        ("who sends a command does not matter", "if_match, body, actor])", "if_match, body])"),
        ("a change needs no version", "if if_match is None and draft.needs", "if False and draft.needs"),
        ("a stale change is made", '    if if_match not in {None, row["version"]}', "    if False"),
        (
            "a change without a version is stale",
            'row["since"], PreconditionRequired(REQUIRED_IF_MATCH))',
            'row["since"], Stale(STALE))',
        ),
    ),
    *_in(
        "library/andon/versions/optimistic_lock.py",
        "library/tests/versions/test_resource.py",
        ("a tombstone is written over", 'parts.append("attribute_not_exists(#deleted)")', "pass"),
        (
            "a tombstone of another version is revived",
            'draft.revives and draft.command.if_match in {None, last["version"]}',
            "draft.revives",
        ),
        ("what is deleted does not come back", "return draft.revives and", "return False and"),
        ("a rollback takes any version", 'command.if_match == row["version"]', "True"),
    ),
    *_in(
        "library/andon/versions/versioned_write.py",
        "library/tests/versions/test_resource.py",
        ("a transaction's conflict is not tried again", "except TransactionConflict:", "except ZeroDivisionError:"),
    ),
    *_in(
        "library/andon/versions/optimistic_lock.py",
        "library/tests/versions/test_resource.py",
        ("a history starts over after the TTL", 'Expected(newest["version"], Stands', "Expected(0, Stands"),
    ),
    *_in(
        "library/andon/versions/optimistic_lock.py",
        "library/tests/versions/test_resource.py -k requires",
        ("nothing is required", "if refused.missing is None or _is_done(draft, step):", "if True:"),
    ),
    *_in(
        "library/andon/versions/versioned_write.py",
        "library/tests/versions/test_versioned_write.py -k 'not whatever'",
        ("a retry behind another change is refused", 'row["fingerprint"] != command.fingerprint', "True"),
    ),
]

SEEN: Final = [
    *_in(
        "library/andon/views/seen.py",
        "tests/views/test_after.py",
        ("an older row has seen a write", "return bool(seen >= order)", "return True"),
        (
            "another fact of the same millisecond is the write",
            "return _says(row, update.fields, written)",
            "return True",
        ),
        (
            "a write of the newest millisecond is never seen",
            "return _says(row, update.fields, written)",
            "return False",
        ),
        ("a row that has expired has seen a write", "is_alive(row, now_ms) and _has", "_has"),
        (
            "an old write is waited for",
            "if is_expired(ttl_at(self.written.timestamp_ms, self.days), now_ms):",
            "if False:",
        ),
        (
            "what a family dropped is waited for",
            "return update.family is not None and update",
            "return False and update",
        ),
        ("a family drops what is newer", ".surplus({**row, attribute: order})", ".surplus({**row, attribute: '0'})"),
    ),
    *_in(
        "library/andon/views/seen.py",
        "tests/views/test_after.py",
        (
            "a forged token shows another row",
            "if update.key[self.table.keys.partition] != written.partition_key:",
            "if False:",
        ),
        (
            "an audit of any part is the write",
            "    if isinstance(wanted, Mapping):",
            "    if isinstance(wanted, Mapping) and False:",
        ),
        ("what a token does not name has to be there", " or not _is_named(wanted, written)", ""),
    ),
    *_in(
        "library/andon/events/written.py",
        "library/tests/events/test_written.py",
        (
            "a garbled token is taken",
            "if version != VERSION or checksum != _checksum(content):",
            "if version != VERSION:",
        ),
        ("a token of any version is taken", "if version != VERSION or checksum", "if checksum"),
        ("a token of any time is taken", "or not _is_time(timestamp_ms):", "or False:"),
    ),
    *_in(
        "library/andon/http/after.py",
        "tests/views/test_read_your_writes.py",
        ("what is older is answered", "    raise NotSeenYet\n", "    return found\n"),
        (
            "an index that lags is believed",
            "_is_as_new(rows, seen[0], after, query, start=start, now_ms=now_ms) else",
            "True else",
        ),
        (
            "a row that has left is shown",
            "return all(after.is_seen_by(item, now_ms=now_ms) for item in listed)",
            "return True",
        ),
        ("a token of something else is taken", "if about not in {None, found.written.partition_key}:", "if False:"),
        ("the page before a cursor must have the row", "return begun and not ended and", "return not ended and"),
        ("the page behind must have the row", "return begun and not ended and", "return begun and"),
    ),
    *_in(
        "library/andon/http/http_api.py",
        "tests/views/test_read_your_writes.py",
        ("a cursor needs the token", '{"cursor", "limit", PARAMETER}', '{"cursor", "limit"}'),
    ),
]

TWO_TIMES: Final = [
    *_in(
        "library/andon/versions/bitemporal.py",
        "library/tests/versions/test_resource.py",
        ("corrections do not count", "at.known_at_ms > at.as_of_ms:", "at.known_at_ms > at.as_of_ms > at.known_at_ms:"),
        ("a correction counts before it was recorded", ' if row["timestamp"] <= at.known_at_ms', ""),
        ("the first correction wins", "max(found, key=_version", "min(found, key=_version"),
        ("what is valid later counts", "_replace(sort=LessThan(at.as_of_ms + 1))", "_replace(sort=None)"),
    ),
    *_in(
        "library/andon/versions/bitemporal.py",
        "library/tests/versions/test_bitemporal.py",
        ("as of: one of two revisions of one time", "AT_ONE_TIME: Final = 2", "AT_ONE_TIME: Final = 1"),
        ("as of: the later time and not the higher version", 'return row["version"]', 'return row["timestamp"]'),
    ),
    *_in(
        "library/andon/versions/resource.py",
        "library/tests/versions/test_resource.py",
        ("what begins ahead is taken", "not 0 <= valid_from <= command.now_ms:", "not 0 <= valid_from:"),
        ("a later change keeps the time of a correction", "VALID_FROM: None}", 'VALID_FROM: row.get("validFrom")}'),
    ),
]

TWO_VERSIONS: Final = [
    *_in(
        "functions/contract/locations.py",
        "tests/services/equipment2/test_mapping.py",
        ("levels: what is not said is a level", " if names[level] != NOT_SAID]", "]"),
        ("levels: a new one stands anywhere", "place = order.index(field) + 1", "place = 0"),
        ("levels: the other side's names do not count", "**said}", "}"),
    ),
    *_in(
        "functions/services/equipment2/mapping.py",
        "tests/services/equipment2/test_mapping.py",
        ("levels: what only the second version says is lost", 'upon["levels"] if upon else ()', "()"),
    ),
    *_in(
        "functions/services/equipment2/machine.py",
        "tests/services/equipment2/test_levels.py",
        (
            "levels: what the first version cannot hold is taken",
            "    except ValueError as error:",
            "    except OSError as error:",
        ),
    ),
    *_in(
        "library/andon/sync/mapped_crossing.py",
        "library/tests/sync/test_mapped_crossing.py",
        ("a deletion crosses as a change", 'if ours.get("deleted") is True:', "if False:"),
        (
            "a tombstone that crossed stays",
            'resource.tombstone_of(ours["id"], made_ms)',
            'resource.mark_of(ours["id"])',
        ),
        (
            "what cannot be held here is lost",
            "from_theirs(entity_in(event), upon)",
            "from_theirs(entity_in(event), None)",
        ),
        ("what says no time is a time", "times.require_fixed(entity.text(VALID_FROM))", "pass"),
    ),
    *_in(
        "functions/services/equipment2/crossing.py",
        "tests/services/equipment2/test_two_versions.py",
        ("levels: none crosses", "from_theirs=from_theirs", "from_theirs=lambda edit, _: from_theirs(edit, None)"),
    ),
    *_in(
        "demo/legacy/assets.py",
        "tests/demo/legacy/test_edits.py",
        ("legacy: an older edit is taken", "there is not None and there >= edit", "there == edit"),
        (
            "legacy: an edit is taken without its time",
            "(asset_no, edit.timestamp_ms, edit.origin)",
            "(asset_no, 0, edit.origin)",
        ),
    ),
    *_in(
        "demo/legacy/adapter.py",
        "tests/demo/legacy/test_crash_points.py",
        (
            "legacy: what was edited is forgotten before it is published",
            "    publish([event_of(edit) for edit in edits], source=ORIGIN)\n    assets.forget(connection, edits)",
            "    assets.forget(connection, edits)\n    publish([event_of(edit) for edit in edits], source=ORIGIN)",
        ),
    ),
]

VIEWS: Final = [
    *_in(
        "library/andon/views/inverse_oplock.py",
        "library/tests/views/test_inverse_oplock.py -k 'not however_often'",
        ("oplock: equal is newer", "#oplock < :oplock", "#oplock <= :oplock"),
        ("oplock: older is newer", "#oplock < :oplock", "#oplock > :oplock"),
        ("oplock: one for all fields", 'return f"{OPLOCK}{name}"', 'return "oplock#all"'),
        ("oplock: no event id in the order", '{of_origin}#{event_id}"', '{of_origin}"'),
        ("oplock: time is not padded", "{timestamp_ms:013d}", "{timestamp_ms}"),
        ("oplock: what it is about does not count", "if about_ms is None else", "if True else"),
        ("oplock: an old row wins over what it is about", 'f"{ABOUT}{about_ms:013d}', 'f"{about_ms:013d}'),
        (
            "a ttl is checked, and older events are written",
            "_both(newer, condition.expression)",
            "condition.expression",
        ),
        ("a row that changes meanwhile is given up", "ATTEMPTS = 10", "ATTEMPTS = 2"),
        ("an expired row keeps its fields", "if attempt.replaces:\n        remove", "if False:\n        remove"),
        ("what an expired row has seen counts", "None if attempt.replaces else _why", "_why"),
        ("an event that has expired on arrival is written", "if ttl.is_expired(expires_at, now_ms):", "if False:"),
        ("a duplicate is called stale", "return Outcome.DUPLICATE", "return Outcome.STALE"),
        (
            "a field that is absent is not removed",
            "            remove.append(name)\n        else",
            "            pass\n        else",
        ),
        ("not every event writes the key's fields", "Any] = {**update.key_fields}", "Any] = {}"),
    ),
    *_in(
        "library/andon/views/row_life.py",
        "library/tests/views/test_inverse_oplock.py -k 'not however_often'",
        ("ttl moves backwards", "#ttl <= :ttl))", "#ttl > :zero))"),
        ("fields that had expired live on", "(#ttl > :now AND #ttl <= :ttl)", "(#ttl <= :ttl OR #ttl = :now)"),
        (
            "a row that has expired is as good as another",
            "self.now < found <= self.expires_at",
            "found <= self.expires_at",
        ),
        (
            "two replace what has expired",
            'EXPIRED: Final = "#ttl <= :now AND',
            'EXPIRED: Final = "(#ttl >= :now OR #ttl < :now) AND',
        ),
    ),
    *_in(
        "library/andon/views/row_life.py",
        "library/tests/views/test_anchor.py",
        ("a row without its anchor stays", '{"now": self.now}), expires_at=self.expires_at)', '{"now": self.now}))'),
        ("a row with its anchor expires", "now=self.now), is_permanent=True)", "now=self.now))"),
        (
            "a row with its anchor gets a ttl again",
            'f"attribute_not_exists(#anchor) AND {ALIVE}"',
            'f"(attribute_exists(#anchor) OR {ALIVE})"',
        ),
        ("an anchor brings back what has expired", "_on_ttl(ALIVE, now=self.now), is", "_on_ttl(ALIVE, now=0), is"),
    ),
    *_in(
        "library/andon/views/oplock_family.py",
        "library/tests/views/test_oplock_family.py",
        ("a family has no bound", "if not surplus:", "if True:"),
        ("a family keeps its oldest", "key=members.__getitem__)", "key=members.__getitem__, reverse=True)"),
        ("a family keeps nothing always", "members.keys() - self.always", "members.keys()"),
        ("what is used again is removed", 'f"#{place} = :{place}"', 'f"#{place} <= :{place} OR #{place} > :{place}"'),
        ("an oplock stays without its field", 'in (name, f"{OPLOCK}{name}")', "in (name,)"),
        ("more is removed at once than an expression can name", "[:AT_ONCE]", "[:]"),
    ),
    *_in(
        "library/andon/views/inverse_oplock.py",
        "library/tests/views/test_oplock_family.py",
        (
            "what a family does not keep is applied",
            "return Outcome.STALE if update.oplock in",
            "return Outcome.APPLIED if update.oplock in",
        ),
        ("a duplicate does not make up for a crash", "                _bound(table, update, found)\n", ""),
    ),
    *_in(
        "library/andon/views/compaction.py",
        "library/tests/views/test_compaction.py",
        (
            "compaction by the time of the event alone",
            "event_order(message.event, message.update.about_ms, message.update.origin)",
            "event_order(message.event)",
        ),
    ),
    *_in(
        "library/andon/views/compaction.py",
        "library/tests/views/test_compaction.py",
        ("compaction across oplocks", "message.update.target)", "message.update.target[1:])"),
        ("compaction keeps the oldest", "reverse=True", "reverse=False"),
    ),
    *_in(
        "library/andon/views/compaction.py",
        "library/andon/testing/laws/test_orders.py",
        (
            "compaction across oplocks does not converge",
            "message.update.target)",
            "message.update.target[1:])",
        ),
    ),
    *_in(
        "library/andon/views/materialize.py",
        "library/tests/views",
        ("poison comes again", "outcome = _publish_fault(message.error, message.body, view)", "raise message.error"),
        ("what DynamoDB refuses comes again", "except (Poison, ItemRefused) as", "except Poison as"),
        ("older updates of a write that failed are acknowledged", "if newer.outcome is Outcome.FAILED:", "if False:"),
    ),
    *_in(
        "library/andon/views/compaction.py",
        "library/tests/views/test_rehydrate.py",
        (
            "live and replayed messages are compacted",
            "(message.replay, message.update.target)",
            "message.update.target",
        ),
    ),
    *_in(
        "library/andon/views/inverse_oplock.py",
        "library/tests/views/test_rehydrate.py",
        ("what is replayed over itself gets no fresh ttl", "#oplock <= :oplock)", "#oplock < :oplock)"),
        ("a newer row does not outlive what is replayed", '< :ttl"', '< :ttl AND #ttl < :now"'),
        ("a newer row is not raised at all", "if outlives and dropped is Outcome.STALE and", "if False and"),
        (
            "the ttl of a newer row moves backwards",
            ">= life.expires_at:\n        return Outcome.STALE",
            "is None:\n        return Outcome.STALE",
        ),
        ("what is replayed too late comes back", "if ttl.is_expired(until, now_ms):", "if False:"),
    ),
    *_in(
        "library/andon/views/row_life.py",
        "library/tests/views/test_rehydrate.py",
        (
            "a replayed event completes an expired row",
            "return Attempt(_expired(self.now), expires_at=self.expires_at, replaces=True)",
            "return Attempt(_expired(self.now), expires_at=self.expires_at)",
        ),
    ),
    *_in(
        "library/andon/views/row_life.py",
        "library/tests/views/test_rebuild.py",
        ("rebuild: an expired row has no mark", "marks=self.expires_at <= self.now", "marks=None"),
        (
            "rebuild: a live fact replaces what has expired",
            "        if REBUILT in (row or {}):\n",
            "        if False:\n",
        ),
        (
            "rebuild: a skeleton that has expired is replaced",
            "            if REBUILT in found:\n",
            "            if False:\n",
        ),
        (
            "rebuild: the mark stays on a row that lives",
            "is_permanent=self.anchors, marks=False)",
            "is_permanent=self.anchors)",
        ),
        (
            "rebuild: the ttl of a skeleton moves backwards",
            "if found.get(ttl.ATTRIBUTE, 0) > self.expires_at:",
            "if False:",
        ),
        ("rebuild: an anchored row gets no end to its end", "is_permanent=True, marks=False)", "marks=False)"),
    ),
    *_in(
        "library/andon/views/view_update.py",
        "library/tests/views/test_rebuild.py",
        ("rebuild: messages are as live ones", "if replay is not None and replay.until is None:", "if False:"),
    ),
    *_in(
        "library/andon/views/materialize.py",
        "library/tests/views/test_rebuild.py",
        ("rebuild: who decides takes part", "return self.on if self.is_rebuilt else NOTHING", "return self.on"),
        ("rebuild: a view keeps nothing of it", "return self.on if self.is_rebuilt else NOTHING", "return NOTHING"),
    ),
    *_in(
        "library/andon/stores/replays/pace.py",
        REPLAYS,
        ("replay: all at once", "min(count, within, sent + MOST_AT_ONCE)", "count"),
        ("replay: nothing is held back", "max(0, (due_ms - now_ms) // 1000))", "0)"),
        ("replay: what was missed comes at once", "rate=rate) < now_ms - LEAD_MS", "rate=rate) < 0"),
    ),
    *_in(
        "library/andon/stores/replays/messages.py",
        REPLAYS,
        (
            "replay: a line that is no strict JSON stops its object",
            "except ValueError as error:",
            "except TypeError as error:",
        ),
    ),
    *_in(
        "library/andon/stores/replays/jobs.py",
        REPLAYS,
        ("replay: objects share a time", 'at_ms = max(found["freeMs"], now_ms)', "at_ms = now_ms"),
    ),
    *_in(
        "library/andon/stores/replays/work.py",
        REPLAYS,
        ("replay: a paused one goes on", 'if row is None or not is_current(row, message["run"]):', "if row is None:"),
        ("replay: what is done is sent again", 'if "atMs" not in asked and jobs.is_done(row, key):', "if False:"),
        ("replay: what is done is asked for again", "if name_of_object(key) not in done]", "]"),
        ("replay: the newest day does not wait", "waits.get(day, 0)", "0"),
    ),
    *_in(
        "library/andon/stores/replays/replay.py",
        REPLAYS,
        ("replay: a service is a view", "    if view not in views:\n", "    if False:\n"),
        ("replay: who resumes goes on with the old run", '"run": row["run"] + 1', '"run": row["run"]'),
        ("replay: what was cancelled begins again", 'if row["state"] == CANCELLED != state:', "if False:"),
        ("replay: hours do not count", 'row["first"][:13] <= hour_in(key) <= row["last"][:13]', "True"),
    ),
    *_in(
        "library/andon/stores/replays/messages.py",
        REPLAYS,
        ("replay: what lies ahead is sent", "    require_not_ahead(delivery, now_ms=now_ms)\n", ""),
        (
            "replay: what is too long is lost",
            "    if len(body.encode()) <= MOST_BYTES:\n        return body\n    bare",
            "    if len(body.encode()) > MOST_BYTES:\n        raise Poison\n    return body\n    bare",
        ),
    ),
    *_in(
        "library/andon/views/materialize.py",
        "library/tests/views/test_rehydrate.py",
        ("poison that is replayed is published again", "if is_live else Outcome.FAULT", "if True else Outcome.FAULT"),
        (
            "what is replayed is poison is published again",
            "if message.replay is not None:\n            return",
            "if False:\n            return",
        ),
    ),
    *_in(
        "library/andon/views/ledger.py",
        "library/tests/views/test_rehydrate.py",
        ("replayed messages count in lag", " or not self.is_live or", " or"),
    ),
    *_in(
        "library/andon/events/bus_entry.py",
        "library/tests/views/test_rehydrate.py",
        (
            "a replay of EventBridge's archive is one of ours",
            "if envelope.get(LAKE) is not True:\n        return None",
            "if REPLAY_NAME not in envelope:\n        return None",
        ),
    ),
    *_in(
        "library/andon/views/restored_row.py",
        "library/tests/stores/archive/test_rehydration.py",
        ("a row comes back without a latch", ", LATCHED: True}", "}"),
        ("a row that is not reaped does not come back", ' OR #ttl <= :now"', '"'),
        (
            "a row that is there gets no fresh ttl",
            "return self._outlive(",
            "return Outcome.DUPLICATE or self._outlive(",
        ),
    ),
    *_in(
        "library/andon/views/restored_row.py",
        REPORTS_BACK,
        ("restored report: it has no latch", ", LATCHED: True}", "}"),
        ("restored report: what is not reaped is in its way", ' OR #ttl <= :now"', '"'),
        ("restored report: it replaces what is alive", ' OR #ttl <= :now"', ' OR #ttl <= :now OR #ttl > :now"'),
        ("restored report: what is alive dies in its time", "return self._outlive(", "return Outcome.DUPLICATE or ("),
        ("restored report: it lives shorter than before", "get(ttl.ATTRIBUTE, until) >= until or", "get(0) or"),
        ("restored report: the end is that of the event", "ttl.ATTRIBUTE: until, LATCHED", "LATCHED"),
    ),
    *_in(
        "library/andon/views/restored_row.py",
        STORIES_BACK,
        ("restored story: it has no latch", ", LATCHED: True}", "}"),
        ("restored story: what is not reaped is in its way", ' OR #ttl <= :now"', '"'),
        ("restored story: what is alive dies in its time", "return self._outlive(", "return Outcome.DUPLICATE or ("),
        ("restored story: it comes before it happened", "not ttl.is_expired(self.expires_at, now_ms)", "False"),
    ),
    *_in(
        "functions/services/dispatch/restored.py",
        STORIES_BACK,
        ("restored story: nobody knows when it expires", ", expires_at=stored.ttl)", ")"),
        ("restored story: facts stay away", "for event_type in ENTITY_OF}", "for event_type in ()}"),
    ),
    *_in(
        "library/andon/rules/control.py",
        STORIES_BACK,
        ("restored story: rules decide upon it", " and not is_latched(image)\n", "\n"),
    ),
    *_in(
        "library/andon/rules/past.py",
        STORIES_BACK,
        ("restored story: rules look back at it", " or LATCHED in row:", ":"),
    ),
    *_in(
        "library/andon/events/change_data_capture.py",
        "library/tests/stores/archive/test_rehydration.py",
        ("a latched row is published", "if is_latched(images.get(", "if False and is_latched(images.get("),
    ),
    *_in(
        "library/andon/rules/control.py",
        "library/tests/stores/archive/test_rehydration.py",
        ("rules decide upon what came back", " and not is_latched(image)\n", "\n"),
    ),
    *_in(
        "library/andon/rules/past.py",
        "library/tests/stores/archive/test_rehydration.py",
        ("rules look back at what came back", " or LATCHED in row:", ":"),
    ),
    *_in(
        "library/andon/stores/archive/objects.py",
        "library/tests/stores/archive/test_archive.py",
        (
            "archived members tell when they were written",
            "gzip.compress(text.encode(), mtime=0)",
            "gzip.compress(text.encode())",
        ),
    ),
    *_in(
        "library/andon/stores/archive/compact_day.py",
        "library/tests/stores/archive/test_archive.py",
        ("a late event does not make its day stale", '["lake"] != keys]', '["lake"] == []]'),
        ("data that an index names are removed", "if key not in {*data, *before}:", "if True:"),
        ("data are never removed", "            _archive.remove(key)", "            pass"),
    ),
    *_in(
        "library/andon/drift/expected.py",
        DRIFT,
        ("expected: of an oplock the first event counts", "known.order < one.order", "known.order > one.order"),
        (
            "expected: an event from ahead counts",
            "if one.event.timestamp_ms > one.taken_ms + MAX_AHEAD_MS:",
            "if False:",
        ),
        ("expected: what it is about does not count first", "-1 if update.about_ms is None else update.about_ms", "-1"),
    ),
    *_in(
        "library/andon/drift/compare.py",
        DRIFT,
        ("drift: what is on its way counts", "ON_ITS_WAY_MS: Final = 60 * 60 * 1000", "ON_ITS_WAY_MS: Final = 0"),
        ("drift: what is doubtful counts at once", "frozenset({Kind.MISSING, Kind.UNKNOWN})", "frozenset()"),
        ("drift: an order that lies ahead counts as seen", "basis.now_ms + AHEAD_MS:", "10**15:"),
        ("drift: what was refused and came again is ahead", "is_newer and order in", "order in"),
        ("drift: one of a family that is one too many is missing", " or _is_surplus(newest, expected, found):", ":"),
        ("drift: a ttl is not compared", "life.least <= at <= life.most", "True"),
        ("drift: other values of the same event are not seen", " else Kind.VALUES", " else None"),
        ("drift: what is missing is not seen", " Kind.MISSING if ", " Kind.MISSING if False and "),
    ),
    *_in(
        "library/andon/drift/repair.py",
        DRIFT,
        ("a repair overwrites what came meanwhile", '"#oplock <= :oplock"', '"attribute_exists(#oplock)"'),
        ("a row that a wrong clock made stays", "    if drift.is_of_nothing:", "    if False:"),
    ),
    *_in(
        "library/andon/recorded/reader.py",
        DRIFT,
        ("what came late is not known even the second time", "[] if with_late else days[:-NEWEST]", "days[:-NEWEST]"),
        ("what is not archived is not known", "if key not in in_archive]", "if False]"),
    ),
    *_in(
        "library/andon/stores/archive/lines.py",
        "library/tests/stores/archive/test_archive.py",
        (
            "an event that came twice is archived twice",
            "identity, line = _identity_of(envelope), Line(order_of(envelope), text)",
            "identity, line = (text, text), Line(order_of(envelope), text)",
        ),
        ("the archive's memory has no bound", "while self._bytes > self._most_bytes and", "while False and"),
    ),
    *_in(
        "library/andon/views/ledger.py",
        "library/tests/views/test_ledger.py",
        (
            "what failed is acknowledged",
            "result.message_id for result in results if",
            "result.message_id for result in results if False and",
        ),
    ),
]

RULES: Final = [
    *_in(
        "library/andon/rules/late.py",
        "library/tests/rules/test_history.py",
        ("no event is late", "topics.add(newer.topic)", "pass"),
        (
            "late: the last millisecond of the hold-back",
            "hold_back_ms < one.arrived_ms",
            "hold_back_ms <= one.arrived_ms",
        ),
    ),
    *_in(
        "library/andon/rules/history.py",
        "library/tests/rules/test_history.py",
        ("late events count", " and not rule.is_late(stored)", ""),
        ("late: what arrives behind the due time counts", "stored.arrived_ms <= due_ms and ", ""),
        ("window: its first millisecond is not in it", "- rule.window_ms\n", "- rule.window_ms + 1\n"),
        ("until ends no look-back", "if rule.until(", "if False and rule.until("),
        ("most: one too many", "if len(seen) == rule.most:", "if len(seen) > rule.most:"),
        ("look-back: newest first", "(None, seen[::-1])", "(None, seen)"),
        ("look-back: late events are read without a bound", "islice(earlier, rule.most + PASSED_OVER)", "earlier"),
        ("look-ahead: one millisecond too many", "timestamp_ms + rule.after_ms)", "timestamp_ms + rule.after_ms + 1)"),
        ("look-ahead: without a bound", "later, rule.most + PASSED_OVER)), rule.most)", "later, None)), None)"),
    ),
    *_in(
        "library/andon/rules/timing.py",
        "library/tests/rules/test_due.py",
        ("nothing is held back", "arrived_ms) + hold_back_ms", "arrived_ms)"),
        ("due before it arrived", "max(event.timestamp_ms + after_ms, arrived_ms)", "(event.timestamp_ms + after_ms)"),
    ),
    *_in(
        "library/andon/rules/rule.py",
        "library/tests/rules/test_rule.py",
        ("a rule may cause itself", "if other is rule:", "if False:"),
        ("a rule emits what nobody declared", "if undeclared := rule.emits - self.types:", "if undeclared := ():"),
    ),
    *_in(
        "library/andon/rules/due.py",
        "library/tests/rules/test_due.py",
        ("due: the anchor is not in the key", '", self.key, self.anchor))', '", self.key))'),
        ("due: time is not padded", 'f"{self.at_ms:013d}"', 'f"{self.at_ms}"'),
        ("due: not in its last millisecond", "{at_ms + 1:013d}", "{at_ms:013d}"),
        ("due: another shard in each process", "crc32(key.encode()) % SHARDS", "hash(key) % SHARDS"),
    ),
    *_in(
        "library/andon/rules/decide.py",
        "library/tests/rules/test_evaluate.py",
        ("a decision's key has a trigger in it", "if any(_contains_trigger(", "if False and any(_contains_trigger("),
        ("an id that is in a key by chance is a fault", "_under_other_ids(history))", "history)[:0]"),
    ),
    *_in(
        "library/andon/rules/write.py",
        "library/tests/rules/test_evaluate.py",
        (
            "a decision is put again",
            "control.table.put(row, condition=control.table.absent)\n    except ConditionFailed:\n",
            "control.table.put(row, condition=UNCONDITIONAL)\n    except ConditionFailed:\n",
        ),
    ),
    *_in(
        "library/andon/rules/evaluate.py",
        "library/tests/rules/test_evaluate.py",
        ("a rule that fails stops the others", "except Unevaluable as error:", "except OSError as error:"),
    ),
    *_in(
        "library/andon/rules/evaluate.py",
        "library/tests/rules/test_control.py -k keep_others",
        (
            "the network's failure is a rule's",
            "except CallFailed:\n        raise\n    except",
            "except",
        ),
    ),
    *_in(
        "library/andon/rules/stored_event.py",
        "library/tests/rules/test_stored_event.py",
        ("a stored event's time is not padded", "{PREFIX}{timestamp_ms:013d}", "{PREFIX}{timestamp_ms}"),
    ),
    *_in(
        "library/andon/rules/micro_event_store.py",
        "library/tests/rules/test_micro_event_store.py",
        ("an event is stored again", "keys), condition=table.absent)", 'keys), condition=type(table.absent)(""))'),
        ("a put may begin at any time", "begun_by(one.arrived_ms + BEGUN_WITHIN_MS)", "begun_by(10**13)"),
        ("what was reaped is stored again", "if ttl.is_expired(one.ttl, now_ms):", "if False:"),
    ),
    *_in(
        "library/andon/rules/past.py",
        "library/tests/rules/test_micro_event_store.py",
        ("the past has expired events in it", "elif not ttl.is_expired(stored.ttl, self._now_ms):", "else:"),
        (
            "the past is read with a delay",
            "start=self._page.last_key, consistent=True",
            "start=self._page.last_key, consistent=False",
        ),
    ),
    *_in(
        "library/andon/rules/micro_event_store.py",
        "library/tests/rules/test_floods.py -k 'old_report or flood_an_event or long_past'",
        ("all that is newer is read", "for number in range(PAGES_OF_NEWER):", "for number in range(10**9):"),
    ),
    *_in(
        "library/andon/rules/past.py",
        "library/tests/rules/test_floods.py -k 'old_report or flood_an_event or long_past'",
        ("all that has expired is read", " and pages < PAGES_OF_NOTHING:", ":"),
        ("the past is read from its end", "Between(PREFIX, start), forward", "Between(PREFIX, BEHIND_ALL), forward"),
    ),
    *_in(
        "library/andon/rules/control.py",
        "library/tests/rules/test_control.py",
        ("any change of an event is its arrival", 'record["eventName"] == "INSERT" and ', ""),
    ),
    *_in(
        "library/andon/rules/plan.py",
        "library/tests/rules/test_control.py",
        ("a copy is copied", ".correlated else sorted(", ".correlated and False else sorted("),
    ),
    *_in(
        "library/andon/rules/screen.py",
        "library/tests/rules/test_screen.py",
        ("screen: nobody looks at what follows", "due_rows((*new, *behind))", "due_rows(new)"),
        ("screen: what was stored late is overlooked", "one.arrived_ms + STORED_WITHIN_MS", "one.arrived_ms"),
        ("screen: only what is new counts at itself", " or _is_seen(rule, one, anchor, due_ms) for", " for"),
        ("screen: behind much nobody follows", "_within_reach(new, able, evaluator.past)", "()"),
        ("screen: only the oldest that is new is followed", "                left = most\n", ""),
        ("screen: without a bound", "            if not left:", "            if False:"),
        ("screen: a late event is looked for", "if not all(rule.is_late(one) for rule in able)}", "if able}"),
        ("screen: a flood that lags is put again and again", "if row not in put:", "if True:"),
        (
            "screen: a fault is in the way of others",
            "tried(partial(self._dues_at, anchor))",
            "self._dues_at(anchor)",
        ),
    ),
    *_in(
        "library/andon/rules/plan.py",
        "library/tests/rules/test_screen.py",
        ("screen: another rule's due time waits for a look", ".issuperset(due.rules)", ".__contains__(due.rules[0])"),
    ),
    *_in(
        "library/andon/rules/evaluate.py",
        "library/tests/rules/test_screen.py",
        (
            "screen: what fails is never due",
            "self.error is not None or self.verdict is not Verdict.NOTHING",
            "(self.error is None and self.verdict is not Verdict.NOTHING)",
        ),
        ("screen: what is flooded is never counted", " or self.verdict is not Verdict.NOTHING", ""),
        (
            "a rule without its context reads",
            "return not rule.needs_context or self._context is not None",
            "return True",
        ),
    ),
    *_in(
        "library/andon/rules/past.py",
        "library/tests/rules/test_screen.py",
        (
            "screen: it looks before others are stored",
            "start=self._page.last_key, consistent=True",
            "start=self._page.last_key",
        ),
    ),
    *_in(
        "library/andon/rules/sweep.py",
        "library/tests/rules/test_sweep.py",
        (
            "a sweep takes out what failed",
            "failed = len(dues) - number",
            "control.table.delete(due.row_key(control.table.keys)); failed = len(dues) - number",
        ),
        (
            "a sweep does not wait for what is being stored",
            "control.table, now_ms - STORED_WITHIN_MS)",
            "control.table, now_ms)",
        ),
        ("a sweep begins with the same shard each time", "(first + number) % len(shards)", "number"),
        ("a sweep tells nothing of what is left", "queues.leave()", "pass"),
        ("the oldest is the youngest", "else min(since_ms, one.since_ms)", "else max(since_ms, one.since_ms)"),
    ),
    *_in(
        "library/andon/rules/write.py",
        "library/tests/rules/test_sweep.py",
        ("a sweep leaves what is done", "table.delete(due.row_key(table.keys))", "pass"),
        ("a sweep drops what it has no rule for", "    if plan.unknown:", "    if False:"),
    ),
    *_in(
        "library/andon/rules/write.py",
        "library/tests/rules/test_gaps.py -k 'not races and not however_long_it_takes'",
        ("a timer stays where it is", "table.put(timer.row(table.keys), condition=UNCONDITIONAL)", "pass"),
    ),
    *_in(
        "library/andon/rules/timing.py",
        "library/tests/rules/test_gaps.py -k 'not races and not however_long_it_takes'",
        ("a timer is not renewed", "            if is_renewed(due.key", "            if False and is_renewed(due.key"),
        (
            "a timer does not wait for a longer gap",
            "at_ms = timestamp_in(anchor) + self.after_ms + time.hold_back_ms",
            "at_ms = 0",
        ),
    ),
    *_in(
        "library/andon/rules/gaps.py",
        "library/tests/rules/test_gaps.py -k 'not costs_little'",
        ("gaps: a late event is followed", " and not stored.late_by\n", "\n"),
        ("gaps: the end of a gap is not known in time", "one, last, gap_ms + hold_back_ms)\n", "one, last, 10**13)\n"),
        ("gaps: what was held up is steady", "or _was_known(last, last, hold_back_ms):", "or True:"),
    ),
    *_in(
        "library/andon/rules/timing.py",
        "library/tests/rules/test_gaps.py -k 'not costs_little'",
        ("gaps: a timer moves to what was not known", "one.arrived_ms <= known_by_ms and ", ""),
        ("gaps: a timer moves to a late event", " and not one.is_late_for(on)", ""),
        ("gaps: a lost timer is never missed", " or is_renewed(anchor.key", " or False and is_renewed(anchor.key"),
        ("gaps: all timers are renewed at once", "shift = crc32(key.encode()) % RENEWED_MS", "shift = 0"),
        (
            "gaps: a flood of late events ends a timer",
            "if found is None and next(newest_first",
            "if False and next(newest_first",
        ),
    ),
    *_in(
        "library/andon/rules/gaps.py",
        "library/tests/rules/test_gaps.py -k costs_little",
        (
            "a clock that is behind is never steady",
            "return any(_was_known(one, last",
            "return False and any(_was_known(one, last",
        ),
    ),
    *_in(
        "library/andon/rules/timing.py",
        "library/tests/rules/test_gaps.py -k costs_little",
        ("each event has a timer", "if anchor.follows_ms is None or is_renewed(", "if True or is_renewed("),
    ),
    *_in(
        "library/andon/rules/backlog.py",
        "library/tests/rules/test_sweep.py",
        ("a sweep does all of a key at once", "min(IN_TURN, len(queue))", "len(queue)"),
    ),
    *_in(
        "library/andon/rules/due.py",
        "library/tests/rules/test_due.py",
        ("due: a row of another number of shards is a fault", "else due._replace(shard=shard)", "else due"),
    ),
]

HTTP: Final = [
    *_in(
        "library/andon/http/page.py",
        "library/tests/http",
        ("a cursor of another question is taken", " or checksum != _checksum(position, scope):", ":"),
        ("a page shows what has expired", " if is_alive(row, now_ms)]", "]"),
    ),
    *_in(
        "library/andon/http/http_api.py",
        "library/tests/http/test_http_api.py",
        (
            "a request is validated before it is authorised",
            "caller = authorize(event, route.groups)",
            "routable(event); caller = authorize(event, route.groups)",
        ),
    ),
    *_in(
        "library/andon/http/http_api.py",
        "library/tests/http/test_shares.py",
        (
            "who may not call uses up a share",
            f"            caller = authorize(event, route.groups)\n{SHARING}",
            f"{SHARING.replace('caller.subject', OF_TOKEN)}            caller = authorize(event, route.groups)\n",
        ),
        (
            "a share is asked for when all is done",
            f"{SHARING}{WORKING.format('return')}",
            f"{WORKING.format('done =')}{SHARING}            return done\n",
        ),
    ),
    *_in(
        "library/andon/http/shares.py",
        "library/tests/http/test_shares.py",
        (
            "what is refused uses up the share",
            "(level - REQUEST if is_admitted else level, now_ms)",
            "(level - REQUEST, now_ms)",
        ),
        (
            "all callers have one share",
            ".get(caller, (self._full",
            ".get(next(iter(self._buckets), caller), (self._full",
        ),
        ("a clock that goes backwards takes a share away", "max(0, now_ms - then_ms)", "(now_ms - then_ms)"),
        ("callers are never forgotten", "if len(self._buckets) > self._most_callers:", "if False:"),
        ("who floods is forgotten first", "        self._buckets.move_to_end(caller)\n", ""),
        ("a share grows without end", "level = min(self._full, level + ", "level = max(0, level + "),
    ),
    *_in(
        "library/andon/http/caller.py",
        "library/tests/http/test_caller.py",
        ("any group may do anything", "if not caller.groups & groups", "if not caller.groups | groups"),
    ),
    *_in(
        "library/andon/http/etag.py",
        "tests/services/equipment/test_versions.py",
        ("If-None-Match does not match", "return bool(tags & {etag, ", "return bool(tags & {"),
    ),
]

MORE: Final = [
    *_in(
        "functions/services/dispatch/rules/silence.py",
        "tests/bench/simulate/test_prediction.py",
        (
            "each report has a due time of its own, and many machines cost twice as much",
            "    timing=BeforeGap(AFTER_MS)",
            "    timing=BeforeGap.__mro__[1](after_ms=AFTER_MS)",
        ),
    ),
    *_in(
        "library/andon/dynamodb/client.py",
        "tests/views/board/test_query.py",
        (
            "an index that lags lists what has moved since",
            "if row and all(row.get(name) == entry[name] for name in index.names)]",
            "if row]",
        ),
    ),
    *_in(
        "library/andon/http/http_api.py",
        "library/tests/http/test_http_api.py",
        ("of refusals a share is logged only", 'members["status"] >= HTTPStatus.BAD_REQUEST or ', ""),
    ),
    *_in(
        "library/andon/runtime/tried.py",
        "library/tests/rules/test_control.py",
        ("what could not be done is forgotten", "raise one.error", "continue"),
    ),
    *_in(
        "library/andon/events/fact.py",
        "library/tests/events/test_change_data_capture.py",
        ("an undeclared fact is published", "fact.type not in self.types", "False"),
    ),
    *_in(
        "library/andon/events/fact.py",
        "library/tests/events/test_change_data_capture.py",
        ("what comes back is created", "'undeleted' if change.old else 'created'", "'created'"),
    ),
    *_in(
        "library/andon/http/middleware.py",
        "library/tests/http/test_http_api.py",
        ("an unknown parameter does not matter", "if unknown:", "if False:"),
    ),
    *_in(
        "library/andon/rules/collect.py",
        "library/tests/rules/test_stored_event.py",
        ("an event is kept from its arrival", "ttl_at(event.timestamp_ms, self", "ttl_at(arrived_ms, self"),
    ),
]

INFRA: Final = [
    *_in(
        "library/andon/cdk/stage.py",
        "tests/infra/test_stages.py -k 'flag or missing or misspelt'",
        ("a setting is a flag", "if setting != FLAG and", "if False and"),
        ("a setting may be missing", "if missing := needed - settings.keys():", "if missing := set():"),
        ("a setting may be misspelt", "if unknown := settings.keys() - _SETTINGS.keys():", "if unknown := set():"),
    ),
    *_in(
        "library/andon/cdk/target.py",
        "tests/infra/test_stages.py -k without_a_topic",
        ("alarms may wake nobody", "if stage.alarm_topic is None:", "if False:"),
    ),
    *_in(
        "library/andon/cdk/throttles.py",
        "tests/infra/test_throttles.py -k 'quotas or page'",
        ("batches take all of the bus", "SHARE * min(", "min("),
        ("batches forget who gets their events", "self.invocations / (events * rules)", "self.invocations / events"),
    ),
    *_in(
        "library/andon/tools/restore.py",
        "tests/tools/test_restore.py",
        ("a restore brings back what has expired", "<= now_ms)", "<= 0)"),
        ("a restore writes over what is there", "if _key(row, keys) not in there and", "if"),
    ),
    *_in(
        "library/andon/cdk/checks/loops.py",
        "tests/infra/test_loops.py",
        ("loops: none is found", "if here == start and", "if False and"),
        ("loops: a latch cuts none", " and not way[-1].is_latched:", ":"),
        ("loops: an edit may come back", " or len(way) <= ECHO", ""),
        ("loops: a decision may not cross", "or len(way) <= ECHO", "or True"),
        ("loops: a latch holds for all topics", "topic in subscriber.latched)", "bool(subscriber.latched))"),
    ),
]

SAMPLE: Final = [
    *_in(
        "functions/views/board/version.py",
        "tests/views/board/test_version.py",
        ("board: the version falls when old reports go", " and name not in surplus", ""),
    ),
    *_in(
        "functions/views/board/changes.py",
        "tests/views/board/test_changes.py",
        ("board: what moved stays on its old screens", "if before and left and left != stands:", "if not after:"),
        ("board: a tombstone hides what moved", "version_of(after or before) - moved", "version_of(after or before)"),
        (
            "board: a tombstone is older than what it buries",
            "version_of(after or before) - moved",
            "version_of(before) - 1",
        ),
        ("board: every report of NORMAL is pushed", 'UNSEEN | {"stateTimestamp"}', "UNSEEN"),
        (
            "board: a newer log of trouble is not pushed",
            'if response["state"] == NORMAL else UNSEEN',
            "if True else UNSEEN",
        ),
    ),
    *_in(
        "functions/views/board/topics.py",
        "tests/views/board/test_push.py",
        ("board: companies share their places", "(company, *location)", '("Acme", *location)'),
    ),
    *_in(
        "library/andon/live/push.py",
        "tests/views/board/test_push.py",
        (
            "push: a poisonous row stops its neighbours",
            "return Pushed(fault=_fault_of(error, change.record, source))\n    try:",
            "raise\n    try:",
        ),
        ("push: what is refused for good comes again for ever", "if error.code not in REFUSED:", "if True:"),
        ("push: what was not taken is forgotten", "if error.code not in REFUSED:", "if False:"),
        ("push: a row's first change in a batch is its last", "Change(before.old, change.new, record)", "before"),
    ),
    *_in(
        "library/andon/live/topics.py",
        "library/tests/live/test_topics.py",
        ("topics: places are told apart by a byte", "_DIGEST_BYTES: Final = 8", "_DIGEST_BYTES: Final = 1"),
        ("topics: a whole place subscribes to more than it may", "if len(path) == levels else", "if False else"),
        ("topics: as long as you like", " or len(topic.encode()) > MOST_BYTES", ""),
    ),
    *_in(
        "library/andon/live/connection.py",
        "library/tests/live/test_connection.py",
        ("connection: may receive everything", 'f"{iot}:topic/{received}"', 'f"{iot}:topic/*"'),
        (
            "connection: without a policy of its own",
            "client_id=client_id, topic_filter=topic_filter)",
            'client_id="x", topic_filter=topic_filter)',
        ),
        ("connection: an address for ever", "URL_SECONDS: Final = 60", "URL_SECONDS: Final = 86400"),
    ),
    *_in(
        "library/andon/http/etag.py",
        "tests/views/board/test_query.py -k not_changed",
        ("etag: one content is as good as another", "hashlib.sha256(body.encode())", "hashlib.sha256()"),
    ),
    *_in(
        "functions/views/board/standing.py",
        "tests/views/board/test_view.py",
        ("board: trouble before the last NORMAL is told", ' if row.get(log, "") > normal}', "}"),
        ("board: since the newest report", "seen[-2][0]", "seen[-1][0]"),
        ("board: silent although a newer report was seen", 'silent_since < (last or "")', "False"),
    ),
    *_in(
        "functions/views/board/view.py",
        "tests/views/board/test_view.py",
        ("board: a tombstone is in the index", '    "Company": None,\n    "Location": None,\n', ""),
        ("board: rows and tombstones expire", "TTL_DAYS = None", "TTL_DAYS = 33"),
    ),
    *_in(
        "functions/views/board/view.py",
        "tests/views/board/test_limits.py",
        ("board: states without a bound", "{attribute: time}, family=REPORTS)", "{attribute: time})"),
        ("board: NORMAL is forgotten", ', always=frozenset({f"{SEEN}{names.NORMAL}"})', ""),
        ("board: an older log's people replace the newer's", ", about_ms=times.to_ms(time), origin", ", origin"),
        ("board: what nobody registered stays for ever", "        anchor=ANCHOR,\n", ""),
    ),
    *_in(
        "functions/views/state_log/view.py",
        "tests/views/state_log",
        ("state_log: time before state in the key", "sort_key(state, date)", "sort_key(date, state)"),
        ("state_log: a skeleton is in no index", '{"State": state, "Date": date}', "{}"),
    ),
    *_in(
        "functions/views/state_log/access_patterns.py",
        "tests/views/state_log/test_query.py",
        ("state_log: WARNING1 finds WARNING10", "else prefix(state)", "else state"),
    ),
    *_in(
        "library/andon/versions/resource.py",
        "library/tests/versions/test_resource.py",
        ("a tombstone expires too early", "TOMBSTONE_DAYS)}", "1)}"),
        ("a rollback brings back a deletion", 'if earlier.get("deleted"):', "if False:"),
        ("what was deleted is found", 'if row is None or row.get("deleted"):', "if row is None:"),
    ),
    *_in(
        "functions/services/equipment/state.py",
        "tests/services/equipment/test_states.py",
        (
            "equipment: another report of the same time is taken",
            " or to_response(row) != report:",
            ":",
        ),
    ),
]

STORES: Final = [
    *_in(
        "library/andon/wire/bucket.py",
        "library/tests/runtime/test_bucket.py",
        ("a change of an object overwrites another", ", changed, IfMatch=etag)", ", changed)"),
        ("a change that meets another write of its key fails", '{EXISTS, "ConditionalRequestConflict"}', "{EXISTS}"),
    ),
    *_in(
        "library/andon/stores/faults/record.py",
        "tests/stores/faults",
        ("a resubmission failed before it was made", ' and attempt["resubmittedAt"] <= failed_at:', ":"),
        ("a failure is noted again", 'any(attempt.get("failedAt") == failed_at for attempt in attempts)', "False"),
        ("attempts grow without a bound", "attempts[-ATTEMPTS_KEPT:]", "attempts"),
        ("what no queue takes is sent", 'if not _SENDABLE.fullmatch(fault["message"]):', "if False:"),
    ),
    *_in(
        "library/andon/stores/faults/objects.py",
        "tests/stores/faults",
        ("a failure of a resubmission leaves no trace", "lambda kept: failed_again(kept, fault)", "lambda _: None"),
    ),
    *_in(
        "library/andon/stores/lake/objects.py",
        "tests/stores/lake",
        ("an object is named by the clock", "sha256(ids.encode())", 'sha256(f"{ids}{datetime.now(UTC)}".encode())'),
        (
            "an object is named in the order of arrival",
            'sorted({envelope["id"] for envelope in found})',
            '[envelope["id"] for envelope in found]',
        ),
        ("an object's bytes know the time", "gzip.compress(text.encode(), mtime=0)", "gzip.compress(text.encode())"),
        ("lines stand in the order of arrival", "for line in sorted(set(lines))", "for line in lines"),
        ("an event lies in the hour where the clock stood", "return moment.astimezone(UTC)", "return moment"),
        ("an envelope over many lines tears", '.replace("\\n", " ")', ""),
    ),
    *_in(
        "library/andon/recorded/lake.py",
        "tests/stores/lake",
        ("a line ends within a text", '.decode().split("\\n")', ".decode().splitlines()"),
    ),
    *_in(
        "library/andon/stores/lake/batch.py",
        "library/tests/stores/lake/test_listener.py",
        ("what cannot be read is lost", "unreadable[body].append(message_id)", "continue"),
    ),
    *_in(
        "library/andon/stores/lake/listener.py",
        "library/tests/stores/lake/test_listener.py",
        ("what is not written is acknowledged", "Outcome.FAILED, aws", "Outcome.APPLIED, aws"),
        ("an hour has one object", "put_if_absent(one.key,", "put_if_absent(one.key[:30],"),
    ),
    *_in(
        "library/andon/cdk/bucket.py",
        "tests/infra/test_lake.py",
        ("anybody adds to the lake", "conditions=everybody_else)", 'conditions={"Null": {"aws:arn": "true"}})'),
        ("a version in the lake is deleted", '    "s3:DeleteObjectVersion",\n', ""),
        ("what is in the lake is written over", "versioned=True,", "versioned=False,"),
        ("to lock the lake makes a new bucket", "object_lock_enabled=True", "object_lock_enabled=bool(lock_days)"),
    ),
    *_in(
        "library/andon/cdk/event_hub.py",
        "tests/infra/test_nested.py -k order",
        (
            "the order of lines in the stack means something",
            "in sorted(self._declared.items())",
            "in self._declared.items()",
        ),
    ),
    *_in(
        "library/andon/cdk/changes.py",
        "tests/infra/test_streams.py -k latched",
        ("a trigger is called for latched rows", '{"BOOL": [ABSENT, False]}', '{"BOOL": [ABSENT, False, True]}'),
        ("a control service misses edits that crossed", "[CROSSED] if crossed else []", "[]"),
    ),
    *_in(
        "library/andon/cdk/event_hub.py",
        "tests/infra/test_lake.py",
        ("what an archive replays is in the lake twice", '[{"exists": False}]', '[{"exists": True}]'),
    ),
    *_in(
        f"{QUERIES}/shared/facts.sql",
        ANSWERS,
        ("a question counts doubled lines twice", "  GROUP BY\n    source,", "  GROUP BY\n    events.id,\n    source,"),
        ("a question's period ends a day early", "BETWEEN :since AND :until", ">= :since AND day < :until"),
    ),
    *_in(
        f"{QUERIES}/shared/places.sql",
        ANSWERS,
        (
            "a question asks where machines were first",
            "max_by(line_id, registered)",
            "min_by(line_id, registered)",
        ),
    ),
    *_in(
        f"{QUERIES}/shared/runs.sql",
        ANSWERS,
        ("a question takes a warning for a failure", "= 'ERROR' AS is_down", "<> 'NORMAL' AS is_down"),
        ("a question takes every report for a turn", "WHERE was_down IS NULL OR was_down <> is_down", ""),
    ),
    *_in(
        f"{QUERIES}/mtbf_mttr.sql",
        ANSWERS,
        ("a question takes what is not repaired for repaired", "WHEN is_down AND is_over THEN", "WHEN is_down THEN"),
    ),
    *_in(
        f"{QUERIES}/operators.sql",
        ANSWERS,
        (
            "a question thanks whoever was assigned afterwards",
            "assignments.timestamp_ms <= acknowledgements.acknowledged_ms",
            "assignments.timestamp_ms > 0",
        ),
        ("a question's order of facts is half", " || '#' || id AS oplock", " AS oplock"),
    ),
    *_in(
        "library/andon/stores/lake/queries/__init__.py",
        "library/tests/stores/lake/test_queries.py",
        ("a quote ends a question's value", """.replace("'", "''")""", ""),
    ),
    *_in(
        "library/andon/cdk/questions.py",
        "tests/infra/test_questions.py",
        ("a question on AWS sees names in lower case", '"case.insensitive": "FALSE"', '"case.insensitive": "TRUE"'),
        ("a question on AWS sees no new day", '{FIRST_DAY},NOW"', '{FIRST_DAY},2026-12-31"'),
        ("whoever asks reads the whole lake", 'lake.arn_for_objects(f"{EVENTS}/*")', 'lake.arn_for_objects("*")'),
    ),
]

ANOMALIES: Final = [
    *_in(
        "functions/services/anomalies/model.py",
        "tests/services/anomalies/test_model.py",
        ("anomalies: a lost report is an anomaly", "LEAST_OF_GAP: Final = 0.25", "LEAST_OF_GAP: Final = 0.1"),
        ("anomalies: the limit is absolute", "self.median + deviations *", "300 + deviations *"),
        ("anomalies: a state that slipped in is usual", "history.rate.of >= ODD_SHARE * machine.hours", "True"),
        ("anomalies: a rate without history", "history.rate.of < ENOUGH_OBSERVATIONS", "False"),
        ("anomalies: a gap without history", "gap.of < ENOUGH_OBSERVATIONS", "False"),
        ("anomalies: a young machine has odd states", "machine.reports < ENOUGH_REPORTS or ", ""),
        ("anomalies: a model is not what its version says", " or version != version_of(", " or None is version_of("),
    ),
    *_in(
        "functions/services/anomalies/rules/burst.py",
        "tests/services/anomalies/test_model.py",
        (
            "anomalies: each report of a burst is one",
            "> expected.at_most >= len(_last_hour(reports[:-1]))",
            "> expected.at_most",
        ),
        ("anomalies: a cut window is taken for whole", " or _is_cut_off(history)", ""),
        ("anomalies: a burst counts all states", " if state_in(report) == state]", "]"),
    ),
    *_in(
        "functions/services/anomalies/rules/gap.py",
        "tests/services/anomalies/test_units.py",
        ("anomalies: each report is due", "    timing=Screened(),\n", ""),
    ),
    *_in(
        "functions/services/anomalies/trigger.py",
        "tests/services/anomalies/test_units.py",
        ("anomalies: a trigger without reports reads the model", 'if brings_events(event["Records"]):', "if True:"),
    ),
    *_in(
        "functions/services/anomalies/current_model.py",
        "tests/services/anomalies/test_units.py",
        ("anomalies: each batch asks for a model", "not 0 <= now_ms - self.asked_ms < EVERY_MS", "True"),
    ),
    *_in(
        "library/andon/rules/evaluate.py",
        "library/tests/rules/test_screen.py",
        (
            "a sweep reads for a rule without its context",
            "        if not self.knows_enough_for(rule):\n            return Evaluation(rule, None)\n",
            "",
        ),
    ),
    *_in(
        "functions/services/anomalies/current_model.py",
        "tests/services/anomalies/test_current_model.py",
        (
            "anomalies: a model that cannot be read fails the sweep",
            "except (CallFailed, ValueError)",
            "except (KeyError)",
        ),
        ("anomalies: the model is read each minute", "self.model.version == version:", "False:"),
        ("anomalies: a model under another's key is taken", "if model.version != version:", "if False:"),
    ),
    *_in(
        "functions/services/anomalies/anomaly.py",
        "tests/services/anomalies/test_decisions.py",
        (
            "anomalies: another model decides again",
            'sort_key("decision", kind, ',
            'sort_key("decision", kind, known.version, ',
        ),
    ),
    *_in(
        "functions/queries/train.sql",
        "tests/demo/lake/test_train.py",
        ("anomalies: what was published twice is learned twice", "SELECT DISTINCT\n", "SELECT\n"),
        (
            "anomalies: a gap lasts until the next report of the state",
            "BY equipment_id ORDER BY timestamp_ms, state)",
            "BY equipment_id, state ORDER BY timestamp_ms)",
        ),
    ),
    *_in(
        "functions/views/board/view.py",
        "tests/views/board/test_query.py",
        (
            "board: an anomaly of an older log replaces that of a newer",
            '_update_about(log, anomaly, "anomaly", {"LastAnomaly": last})',
            '_update(anomaly.text("equipmentId"), "anomaly", {"LastAnomaly": last})',
        ),
    ),
]

PAGES: Final = [
    *_in(
        "library/andon/tools/stack/sign_in_paths.py",
        "tests/tools/test_sign_in_paths.py library/tests/tools/test_front.py",
        ("a sign-in has any member", "if one and one[1] in names]", "if one]"),
        ("a sign-in has a member twice", "== len(known) == len(set(known))", "== len(known)"),
        ("a sign-in has what is no member", "len(found) == len(known) ==", "len(known) =="),
        ("a sign-in names another service", " or name.startswith(_OF_AWS) for", " for"),
        ("a sign-in is signed for another service", '{"authorization", "content-encoding"', '{"content-encoding"'),
        (
            "a sign-in is read in another way",
            '"authorization", "content-encoding"',
            '"authorization"',
        ),
        ("a form of a sign-in has a query", "path not in _FORMS or query or", "path not in _FORMS or"),
        ("a form of a sign-in is put", 'if method != "POST" or path', "if path"),
        ("a form of a sign-in has any length", " or int(lengths[0]) > LONGEST:", ":"),
        ("a form of a sign-in is of any type", "if not _FORM_TYPE.fullmatch(types[0]) or not", "if not"),
    ),
    *_in(
        "library/andon/tools/stack/front.py",
        "library/tests/tools/test_front.py",
        ("the front checks no sign-in", "if body is None:", "if False:"),
        ("the front checks no form of a sign-in", "if not expected.is_form(body):", "if False:"),
        ("the front opens a tunnel", "if method not in METHODS:", "if False:"),
    ),
    *_in(
        "library/andon/tools/stack/live.py",
        "library/tests/tools/test_front.py",
        ("any page opens a live connection", "len(origins) > 1 or set(origins) - own", "False"),
        ("the emulator opens a live connection for a browser", 'if _values(listed, "origin") else', "if False else"),
        ("the emulator sees where a live connection is from", 'if name.lower() != "origin"', "if True"),
    ),
    *_in(
        "library/andon/http/static_files.py",
        "tests/pages/board/test_query.py",
        (
            "both encodings have one tag",
            "f'\"{self.digest}-gzip\"' if compressed else",
            "f'\"{self.digest}\"' if compressed else",
        ),
        ("a client gets gzip that refuses it", 'return weight.replace(" ", "").rstrip("0.") != "q="', "return True"),
    ),
    *_in(
        "library/andon/cdk/api.py",
        "tests/infra/test_api.py",
        (
            "a screen on the wall can write",
            "if is_read else [ACCESS_SCOPE]",
            "if True else []",
        ),
    ),
]

SCREEN: Final = [
    *_in(
        "functions/pages/board/page/merge.js",
        "tests/pages/board/test_modules.py",
        ("page: an older message is taken", "  return row.version >= known.version;", "  return true;"),
        ("page: what moved within the screen is gone", "return row.version > known.version;", "return true;"),
        ("page: what is gone is forgotten", "version: known.row.version, gone: true", "version: 0, gone: true"),
        ("page: what came during a read is gone", " || known.atMs > beganMs - GRACE_MS", ""),
        ("page: what a read lacks stays", "isGone(known.row) || known.atMs", "true || known.atMs"),
    ),
    *_in(
        "functions/pages/board/page/connection.js",
        "tests/pages/board/test_modules.py",
        ("page: it is live though reads fail", "facts.isReadable && ", ""),
        ("page: it is live though it misses messages", 'facts.isHeard ? "live" : "polling"', '"live"'),
    ),
    *_in(
        "functions/pages/board/page/deed.js",
        "tests/pages/board/test_deeds.py",
        ("page: a person is replaced unseen", ", current?.etag);", ");"),
        ("page: whoever was first is not named", "const STALE = [412, 428];", "const STALE = [0];"),
    ),
    *_in(
        "functions/pages/board/page/pending.js",
        "tests/pages/board/test_deeds.py",
        (
            "page: what was refused is shown all the same",
            "      this.#drop(item.equipmentId, pending);\n      throw",
            "      throw",
        ),
    ),
]

NEXT_VERSIONS: Final = [
    *_in(
        "library/andon/tools/views/compare.py",
        "tests/tools/views/test_compare.py",
        ("a cutover does not see a row that the next version lacks", "was.keys() | now.keys()", "now.keys()"),
        ("a cutover does not see a row that only the next version has", "was.keys() | now.keys()", "was.keys()"),
        ("rows that differ are never final", "if before == after:", "if False:"),
        ("a row that has seen other events is final", "if before == after:", "if True:"),
        ("a row that is ahead counts as behind", "order > after.get(name", "order != after.get(name"),
        (
            "a ttl that follows from events is not compared",
            "{REBUILT} if expires else",
            "{REBUILT, ttl.ATTRIBUTE} if expires else",
        ),
        ("rows that have expired are compared", "for row in rows if is_alive(row, now_ms))", "for row in rows)"),
    ),
    *_in(
        "library/andon/tools/views/prove.py",
        "tests/tools/views/test_prove.py",
        (
            "a row that lacks an event is read for ever",
            "one.kind is Kind.DIFFERENT or _seen(one) in settled",
            "one.kind is Kind.DIFFERENT",
        ),
        ("a row that lacks an event that is on its way is final", " if is_idle() else {}", ""),
        (
            "a row that goes on seeing events is final",
            "return difference.key, tuple(difference.oplocks.items())",
            "return difference.key, ()",
        ),
    ),
    *_in(
        "library/andon/packages/package.py",
        "tests/tools/views/test_new_version.py -k routes",
        ("two versions of a view claim its routes", "        if not self.serves:\n            return {}\n", ""),
        (
            "rows that are being rebuilt expire",
            "        expires = expires and serving.has_served(",
            "        expires = expires or serving.has_served(",
        ),
    ),
    *_in(
        "library/andon/cdk/view.py",
        "tests/infra/test_versions.py",
        ("a query may be called only once it serves", "if not package.serves:", "if False:"),
        ("both versions of a view push", "speaks=package.serves", "speaks=True"),
    ),
]

TWO_SIDES: Final = [
    *_in(
        "functions/services/dispatch2/mapping.py",
        "tests/services/dispatch2/test_mapping.py",
        ("crew: its members are lost when the lead changes", 'upon["members"] if upon else []', "[]"),
        ("crew: the new lead stays a member, too", " if member != lead]", "]"),
    ),
    *_in(
        "functions/contract/log_rows.py",
        "tests/services/dispatch2",
        ("a rule's reasons do not cross", "for name in WHY if name in said}", "for name in ()}"),
        ("a person takes over a rule's reasons", "**{name: said.get(name) for name in WHY}}", "}"),
        (
            "what is kept about a log never expires with it",
            "ttl_at(times.to_ms(log[",
            "ttl_at(10**12 + times.to_ms(log[",
        ),
    ),
    *_in(
        "functions/services/dispatch2/crew.py",
        "tests/services/dispatch2",
        (
            "crew: a rule has the last word on a log that lies ahead",
            'to_ms(log["timestamp"]) + 1)',
            'to_ms("1970-01-01T00:00:00Z"))',
        ),
        ("crew: what a rule decided needs If-Match", ", needs_if_match=is_of_a_person)", ")"),
    ),
    *_in(
        "functions/services/dispatch/crossing.py",
        "tests/services/dispatch2/test_every_order.py tests/services/dispatch2/test_two_versions.py",
        ("assignment: a crew crosses as one that never expires", "ASSIGNMENT.attributes_of(assigned)", "{}"),
    ),
    *_in(
        "functions/services/dispatch/restored.py",
        "library/tests/stores/archive/test_rehydration.py -k crew",
        ("restored story: crews stay away", "    CREW_ASSIGNED: on_crew_assigned,\n", ""),
    ),
    *_in(
        "functions/views/state_log/view.py",
        "tests/services/dispatch2/test_every_order.py",
        ("logs: of one millisecond they take another edit than the services", ', origin="dispatch2")', ', origin="A")'),
    ),
    *_in(
        "functions/views/board/view.py",
        "tests/services/dispatch2/test_every_order.py",
        ("board: of one millisecond it takes another edit than the services", ', origin="dispatch2")', ', origin="A")'),
    ),
]

OPERATIONS: Final = [
    *_in(
        "library/andon/tools/ops/redrive.py",
        "tests/tools/ops/test_redrive.py",
        ("redrive: AWS is not told where dead letters go", "DestinationArn=_arn(sqs, pair.queue), ", ""),
        ("redrive: a task that failed counts as done", 'if task["Status"] != "COMPLETED":', "if False:"),
        (
            "redrive: what the bus said of a message is lost",
            ", MessageAttributes=attributes)",
            ")",
        ),
    ),
    *_in(
        "library/andon/tools/ops/replay_failures.py",
        "tests/tools/ops/test_replay_failures.py",
        (
            "replay-failures: what failed again is removed",
            "            continue\n        s3.delete",
            "        s3.delete",
        ),
        (
            "replay-failures: newer batches come first",
            'key=attrgetter("time"))',
            'key=attrgetter("time"), reverse=True)',
        ),
        ("replay-failures: what was published is tried for ever", "s3.delete_object(", "s3.head_object("),
    ),
    *_in(
        "library/andon/events/bus_entry.py",
        "library/tests/events/test_bus_entry.py",
        ("the largest entry does not fit into a message", "= 1_000_000 - 1", "= 1024 * 1024"),
    ),
    *_in(
        "library/andon/cdk/function.py",
        "tests/infra/test_nested.py -k needs_no",
        ("a stack without views cannot be synthesised", "if not resources:", "if False:"),
    ),
    *_in(
        "docs/runbooks/api-throttled.md",
        "tests/infra/test_runbooks.py -k log",
        ("a runbook looks for a line that is never written", '"routeKey": "', '"routeKey":"'),
    ),
    *_in(
        "library/andon/cdk/operations/signals.py",
        "tests/infra/test_operations.py tests/infra/test_runbooks.py",
        (
            "what a stream gave up on rings nobody",
            'function=Function(role="trigger")',
            'function=Function(role="none")',
        ),
        ("an alarm has no runbook", 'runbook="faults")', 'runbook="fault")'),
        ("indexes are throttled in silence", "for index in table.index_names:", "for index in ():"),
    ),
]

CAPACITY: Final = [
    *_in(
        "library/andon/wire/retries.py",
        "library/tests/http/test_http_api.py",
        (
            "capacity: what is throttled is a bug of ours",
            "return code in THROTTLED or code == UNPROCESSED",
            "return False",
        ),
        ("capacity: a batch read in part is a bug of ours", " or code == UNPROCESSED", ""),
    ),
    *_in(
        "library/andon/cdk/operations/scaling.py",
        "tests/infra/test_scaling.py",
        ("capacity: reads do not follow the load", 'KINDS: Final = ("Read", "Write")', 'KINDS: Final = ("Write",)'),
        ("capacity: a screen has what scaling leaves it", "capacity.shown if is_shown", "capacity.least if is_shown"),
        ("capacity: indexes do not follow the load", "for index in table.index_names:", "for index in ():"),
    ),
    *_in(
        "library/andon/cdk/owned_table.py",
        "tests/infra/test_scaling.py",
        ("capacity: every table is provisioned", "target.capacity if schema.steady else None", "target.capacity"),
    ),
    *_in(
        "bench/simulate/money.py",
        "tests/bench/simulate/test_money.py",
        (
            "capacity: traces are a twentieth only",
            "always + (invocations_per_s - always) * limits.TRACED.value",
            "invocations_per_s * limits.TRACED.value",
        ),
        (
            "capacity: provisioned writes cost as on demand",
            "* prices.PROVISIONED_WRITE.dollars",
            "* prices.WRITE_UNIT.dollars",
        ),
    ),
    *_in(
        "bench/simulate/money.py",
        "tests/bench/simulate/test_metrics.py",
        ("bill: only sampled metrics are paid for", "len(counted.metrics | UNSAMPLED)", "len(counted.metrics)"),
    ),
    *_in(
        "bench/simulate/loop.py",
        "tests/bench/simulate/test_metrics.py",
        ("bill: metrics of all packages are one's", "metrics_in(line, self._package)", 'metrics_in(line, "")'),
    ),
    *_in(
        "bench/simulate/capacity.py",
        "tests/bench/simulate/test_money.py",
        (
            "capacity: the least is free",
            "return max(least, used / settings.used)",
            "return used / settings.used",
        ),
        ("capacity: all of it is used", "used / settings.used)", "used)"),
    ),
    *_in(
        "functions/services/dispatch/tables.py",
        "tests/bench/simulate/test_money.py",
        ("capacity: what every report fills is on demand", ", steady=True", ""),
    ),
]

MUTANTS: Final = [
    *CAPACITY,
    *TWO_SIDES,
    *OPERATIONS,
    *NEXT_VERSIONS,
    *PAGES,
    *RUNTIME,
    *SYNC,
    *DYNAMODB,
    *EVENTS,
    *VERSIONS,
    *VIEWS,
    *SEEN,
    *TWO_TIMES,
    *TWO_VERSIONS,
    *RULES,
    *HTTP,
    *MORE,
    *INFRA,
    *SAMPLE,
    *ANOMALIES,
    *STORES,
    *SCREEN,
]
