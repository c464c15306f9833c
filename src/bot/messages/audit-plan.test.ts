import { describe, expect, it } from 'vitest';
import { type BelievedCard, type FoundCard, planAudit } from './audit-plan.ts';

const OLDEST = 1_000;

function found(ts: string): FoundCard {
  return { ts, id: 'inc_1', hasReplies: false };
}

function card(ts: string | null, fields: Partial<BelievedCard> = {}): BelievedCard {
  return { id: 'inc_1', ts, isBusy: false, ...fields };
}

describe('the audit', () => {
  it('finds nothing to do where the channel shows what we believe', () => {
    const plan = planAudit([found('2000.1')], [card('2000.1')], [card('2000.1')], OLDEST);

    expect(plan).toEqual({ doubles: [], adopted: [], missing: [], undecided: [], strangers: [] });
  });

  it('keeps the card and takes its doubles away', () => {
    const plan = planAudit([found('2000.1'), found('2000.2')], [card('2000.2')], [card('2000.2')], OLDEST);

    expect(plan.doubles).toEqual([found('2000.1')]);
  });

  it('takes a message for the card when the card is lost or was deleted, and the rest for doubles', () => {
    for (const lost of [null, '1999.9']) {
      const plan = planAudit([found('2000.1'), found('2000.2')], [card(lost)], [card(lost)], OLDEST);

      expect(plan.adopted).toEqual([{ id: 'inc_1', ts: lost, found: '2000.1' }]);
      expect(plan.doubles).toEqual([found('2000.2')]);
      expect(plan.missing).toEqual([]);
    }
  });

  it('misses the card of an open incident only where the history was read', () => {
    const gone = [card('2000.1')];

    expect(planAudit([], [], gone, OLDEST).missing).toEqual([{ id: 'inc_1', ts: '2000.1' }]);
    expect(planAudit([], [], gone, null).missing).toEqual([]);
    expect(planAudit([], [], [card('999.9')], OLDEST).missing).toEqual([]);
  });

  it('touches neither what somebody works on nor what it knows nothing of', () => {
    const busy = planAudit([found('2000.1')], [card(null, { isBusy: true })], [], OLDEST);
    const unknown = planAudit([found('2000.1')], [], [], OLDEST);

    expect(busy).toEqual({ doubles: [], adopted: [], missing: [], undecided: [found('2000.1')], strangers: [] });
    expect(unknown).toEqual({ doubles: [], adopted: [], missing: [], undecided: [], strangers: [found('2000.1')] });
  });
});
