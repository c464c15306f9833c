import { describe, expect, it } from 'vitest';
import { IncidentClosedError } from './errors.ts';
import { acknowledge, type Incident, newIncident, resolve, statusOf, timelineOf } from './incident.ts';

const openedAt = new Date('2026-01-31T08:00:00.000Z');
const now = new Date('2026-01-31T08:05:00.000Z');
const later = new Date('2026-01-31T08:06:00.000Z');

function incident(fields: Partial<Incident> = {}): Incident {
  return { ...newIncident(1, 'payments', null, openedAt), ...fields };
}

describe('acknowledge', () => {
  it('keeps the first acknowledgement', () => {
    const first = acknowledge(incident(), 'ana', now);

    expect(first).toMatchObject({ acknowledgement: { by: 'ana', at: now }, updatedAt: now });
    expect(statusOf(first)).toBe('open');
    expect(acknowledge(first, 'ben', later)).toBe(first);
  });

  it('refuses a closed incident, even an acknowledged one', () => {
    const closed = resolve(acknowledge(incident(), 'ana', now), 'rolled back', null, later);

    expect(() => acknowledge(closed, 'ana', later)).toThrow(IncidentClosedError);
  });
});

describe('resolve', () => {
  it('closes with the note exactly as given', () => {
    const closed = resolve(incident(), '  rolled back\n', 'ana', now);

    expect(closed.closing).toEqual({ note: '  rolled back\n', by: 'ana', at: now });
    expect(statusOf(closed)).toBe('closed');
  });

  it('accepts the same note again, and refuses a different one', () => {
    const closed = resolve(incident(), 'rolled back', 'ana', now);

    expect(resolve(closed, 'rolled back', 'ben', later)).toBe(closed);
    expect(() => resolve(closed, 'restarted', 'ben', later)).toThrow(IncidentClosedError);
  });
});

describe('timelineOf', () => {
  it('lists events in order, with names where they are known', () => {
    const closed = resolve(acknowledge(incident(), 'ana', now), 'rolled back', null, later);

    expect(timelineOf(closed)).toEqual([
      { at: '2026-01-31T08:00:00.000Z', event: 'opened' },
      { at: '2026-01-31T08:05:00.000Z', event: 'acknowledged', by: 'ana' },
      { at: '2026-01-31T08:06:00.000Z', event: 'closed' },
    ]);
  });
});
