import { describe, expect, it } from 'vitest';
import { type AuditPlan, planAudit as planOf } from './audit-plan.ts';
import type { BelievedMessage } from './audits.ts';
import type { FoundMessage } from './metadata.ts';

const OLDEST = 1_000;
const NOTHING: AuditPlan = { duplicates: [], adopted: [], missing: [], undecided: [], strangers: [] };

function found(ts: string, fields: Partial<FoundMessage> = {}): FoundMessage {
  return { ts, kind: 'card', subject: 'inc_1', attemptId: `attempt ${ts}`, hasReplies: false, ...fields };
}

function believed(ts: string | null, fields: Partial<BelievedMessage> = {}): BelievedMessage {
  return { kind: 'card', subject: 'inc_1', ts, isBusy: false, isRequired: false, ...fields };
}

/** Nothing changes while the history is read. */
function planAudit(
  messages: readonly FoundMessage[],
  known: readonly BelievedMessage[],
  sinceSeconds: number | null,
): AuditPlan {
  return planOf(messages, known, known, sinceSeconds);
}

describe('the audit plan', () => {
  it('does not treat a message as missing that was posted while the history was read', () => {
    const posted = believed('2000.1', { isRequired: true });

    expect(planOf([], [posted], [believed(null, { isRequired: true })], OLDEST)).toEqual(NOTHING);
    expect(planOf([], [posted], [posted], OLDEST).missing).toHaveLength(1);
  });

  it('is empty if the channel matches the database', () => {
    const plan = planAudit([found('2000.1')], [believed('2000.1', { isRequired: true })], OLDEST);

    expect(plan).toEqual(NOTHING);
  });

  it.each(['card', 'storm'] as const)('keeps the known %s and removes its duplicates', (kind) => {
    const messages = [found('2000.1', { kind }), found('2000.2', { kind })];

    const plan = planAudit(messages, [believed('2000.2', { kind, isRequired: true })], OLDEST);

    expect(plan).toEqual({ ...NOTHING, duplicates: [found('2000.1', { kind })] });
  });

  it('adopts the first message found for a card that is lost or was deleted, and removes the rest', () => {
    for (const lost of [null, '1999.9']) {
      const plan = planAudit(
        [found('2000.1'), found('2000.2')],
        [believed(lost, { isRequired: lost !== null })],
        OLDEST,
      );

      expect(plan).toEqual({
        ...NOTHING,
        adopted: [{ kind: 'card', subject: 'inc_1', from: lost, to: '2000.1' }],
        duplicates: [found('2000.2')],
      });
    }
  });

  it('treats the card of an open incident as missing only if the history of its time was read', () => {
    const gone = [believed('2000.1', { isRequired: true })];

    expect(planAudit([], gone, OLDEST).missing).toEqual([{ kind: 'card', subject: 'inc_1', from: '2000.1' }]);
    expect(planAudit([], gone, null).missing).toEqual([]);
    expect(planAudit([], [believed('999.9', { isRequired: true })], OLDEST).missing).toEqual([]);
    expect(planAudit([], [believed('2000.1')], OLDEST).missing).toEqual([]);
  });

  it('leaves messages alone that are being delivered or are unknown', () => {
    const busy = planAudit([found('2000.1')], [believed(null, { isBusy: true })], OLDEST);
    const busyElsewhere = planAudit(
      [found('2000.1')],
      [believed('2000.9', { isBusy: true, isRequired: true })],
      OLDEST,
    );
    const unknown = planAudit([found('2000.1')], [], OLDEST);

    expect([busy, busyElsewhere]).toEqual([
      { ...NOTHING, undecided: [found('2000.1')] },
      { ...NOTHING, undecided: [found('2000.1')] },
    ]);
    expect(unknown).toEqual({ ...NOTHING, strangers: [found('2000.1')] });
  });

  it.each(['reply', 'answer'] as const)('keeps one %s for each attempt and removes those that repeat it', (kind) => {
    const messages = [
      found('2000.1', { kind, attemptId: 'one' }),
      found('2000.2', { kind, attemptId: 'two' }),
      found('2000.3', { kind, attemptId: 'one' }),
    ];

    expect(planAudit(messages, [], OLDEST)).toEqual({ ...NOTHING, duplicates: [messages[2]] });
  });
});
