/** Reads rosters and times from stdin; answers who is on duty by `duty-times.js`. */
import { isGap, onDuty, spansOf, wallMinute, wallOf } from "../../../functions/pages/board/page/duty-times.js";

const cases = JSON.parse(await new Response(process.stdin).text());
const HOURS = 30;

process.stdout.write(
  JSON.stringify(
    cases.map(({ roster, ms, line }) => {
      const minute = wallMinute(ms, roster.timezone);
      const spans = spansOf(roster, minute, minute + HOURS * 60, line);
      return {
        wall: wallOf(minute),
        duty: onDuty(roster, minute, line),
        isGap: isGap(onDuty(roster, minute, line)),
        spans: spans.map(({ from, to, duty }) => ({ from: wallOf(from), to: wallOf(to), duty })),
      };
    }),
  ),
);
