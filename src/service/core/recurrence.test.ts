import { describe, expect, it } from 'vitest';
import { type Incident, newIncident } from './incident.ts';
import { presentIncident } from './present.ts';
import { countRecurrence, recurrenceMoment } from './recurrence.ts';

const HEALED = Date.parse('2026-01-01T10:00:00Z');
const SECOND = 1_000;

const failing: Incident = { ...newIncident(7, 'orders-db', null, new Date(HEALED - 60 * SECOND)), activity: 'failing' };
const healed: Incident = { ...failing, activity: 'recovered', lastSeenAt: new Date(HEALED) };

function brokenAgain(seconds: number, before = healed): Incident {
  return countRecurrence(before, { ...failing, lastSeenAt: new Date(HEALED + seconds * SECOND) });
}

describe('an incident that fails again after it healed', () => {
  it('says so in its timeline, with the time', () => {
    const at = new Date(HEALED + 135 * SECOND);

    expect(recurrenceMoment(healed, brokenAgain(135), at)).toMatchObject({
      at,
      event: 'recurred',
      text: '2 times so far',
    });
  });

  it('has one count, wherever it is read', () => {
    const again = brokenAgain(135);

    const shown = presentIncident({ ...again, timeline: [] }, 'http://tocsin.test', new Date(HEALED));

    expect(shown).toMatchObject({ recurrences: 1, correlation: { times_back: 1 } });
  });

  it('has not come back when it only paused for less than a minute', () => {
    const again = brokenAgain(45);

    expect(again.recurrences).toBe(0);
    expect(recurrenceMoment(healed, again, new Date(HEALED))).toBeNull();
  });

  it('is not counted while it keeps failing', () => {
    expect(brokenAgain(135, { ...failing, lastSeenAt: new Date(HEALED) }).recurrences).toBe(0);
  });
});
