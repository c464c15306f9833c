import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AT, linesOf, OPENED_AT } from '../../../../test/support/card-lines.ts';
import { dateToken } from '../../blocks/mrkdwn.ts';
import type { Snapshot } from '../../incident/snapshot.ts';

const word = fc.constantFrom('basket', 'ledger', 'search', 'mail', 'stock', 'tariffs');
const fault = fc.record({
  service: word.map((name) => `${name}-api`),
  operation: word.map((name) => `POST /${name}`),
  error: word.map((name) => `no ${name} account for currency EUR`),
  failed: fc.integer({ min: 1, max: 9_000 }),
  good: fc.nat(9_000),
  caller: word.map((name) => `${name}-web`),
  activity: fc.constantFrom('failing', 'quiet', 'recovered'),
  taker: fc.constantFrom(null, 'ana', 'ben'),
  lead: fc.constantFrom('cleo', 'dora'),
  reason: word.map((name) => `logs a line about ${name} that it never logged before`),
  version: fc.tuple(fc.nat(9), fc.nat(20)).map(([major, minor]) => `${major}.${minor}.0`),
  note: word.map((name) => `rolled the ${name} release back`),
});

const OVER = {
  failing: 'Still failing',
  quiet: `Quiet since ${dateToken(AT)}`,
  recovered: `Recovered ${dateToken(AT)}`,
} as const;

it('answers from the card alone what the woken ask', () => {
  fc.assert(
    fc.property(fault, fc.boolean(), (asked, isClosed) => {
      const { service, operation, error, failed, good, caller, activity, taker, lead, reason, version, note } = asked;
      const fields: Partial<Snapshot> = {
        title: `${service}: ${operation} fails (${error})`,
        severity: 'error',
        root_service: service,
        services: [service, caller],
        activity,
        activity_since: AT,
        last_seen_at: AT,
        acknowledged_by: taker,
        lead,
        root_reason: `${service} ${reason}`,
        harm: { requests: failed, total: failed + good, failed, since: OPENED_AT, per_minute: 3 },
        changes: [{ at: OPENED_AT, service, version, failed_at: OPENED_AT }],
        similar: [{ id: 'inc_2', number: 2, closed_at: OPENED_AT, resolution_note: note, resolved_by: 'eve' }],
        ...(isClosed && { status: 'closed', closed_at: AT, resolved_by: 'fay', resolution_note: 'restarted' }),
      };

      const card = linesOf(fields).shown.join('\n');

      const answers = {
        'what fails': operation,
        'how bad it is': 'Error',
        'with which error': error,
        'for how many': `${failed.toLocaleString('en')} of ${(failed + good).toLocaleString('en')} request`,
        'who else is affected': `\`${caller}\``,
        'where it begins': service,
        'who leads': `${lead} leads`,
        'what fixed it last': isClosed ? 'restarted' : note,
        'what changed': `${version} deployed`,
        ...(isClosed
          ? { 'who has it': 'by fay', 'is it over': '*Closed*', 'how long it lasted': 'lasted 14 min' }
          : {
              'who has it': taker === null ? '*Not acknowledged*' : `*Acknowledged* by ${taker}`,
              'is it over': OVER[activity],
              'since when': `opened <!date^${Date.parse(OPENED_AT) / 1_000}`,
              'why there': reason,
            }),
      };
      for (const [question, answer] of Object.entries(answers)) {
        expect([question, card]).toEqual([question, expect.stringContaining(answer)]);
      }
    }),
    { numRuns: 200 },
  );
});
