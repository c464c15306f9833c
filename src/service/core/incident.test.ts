import { describe, expect, it } from 'vitest';
import { IncidentClosedError, IncidentMergedError, TooManyNotesError } from './errors.ts';
import { type IncidentRecord, newIncident, statusOf, timelineOf } from './incident.ts';
import { acknowledge, addNote, MAX_NOTES, reopen, resolve, takeIn, unacknowledge } from './incident-changes.ts';

const openedAt = new Date('2026-01-31T08:00:00.000Z');
const now = new Date('2026-01-31T08:05:00.000Z');
const later = new Date('2026-01-31T08:06:00.000Z');

function incident(): IncidentRecord {
  const opened = { at: openedAt, event: 'opened', by: null, text: null } as const;
  return { ...newIncident(1, 'payments', null, openedAt), timeline: [opened] };
}

describe('acknowledge', () => {
  it('keeps the first acknowledgement', () => {
    const first = acknowledge(incident(), { by: 'ana' }, now);

    expect(first).toMatchObject({ acknowledgement: { by: 'ana', at: now }, updatedAt: now });
    expect(statusOf(first)).toBe('open');
    expect(acknowledge(first, { by: 'ben' }, later)).toBe(first);
  });

  it('refuses a closed incident, even an acknowledged one', () => {
    const closed = resolve(acknowledge(incident(), { by: 'ana' }, now), 'rolled back', null, later);

    expect(() => acknowledge(closed, { by: 'ana' }, later)).toThrow(IncidentClosedError);
  });
});

describe('resolve', () => {
  it('closes with the note exactly as given', () => {
    const closed = resolve(incident(), '  rolled back\n', { by: 'ana' }, now);

    expect(closed.closing).toEqual({ note: '  rolled back\n', by: 'ana', at: now });
    expect(statusOf(closed)).toBe('closed');
  });

  it('accepts the same note again, and refuses a different one', () => {
    const closed = resolve(incident(), 'rolled back', { by: 'ana' }, now);

    expect(resolve(closed, 'rolled back', { by: 'ben' }, later)).toBe(closed);
    expect(() => resolve(closed, 'restarted', { by: 'ben' }, later)).toThrow(IncidentClosedError);
  });
});

describe('unacknowledge', () => {
  it('takes the acknowledgement back, and records it', () => {
    const back = unacknowledge(acknowledge(incident(), { by: 'ana' }, now), { by: 'ben' }, 'wrong one', later);

    expect(back).toMatchObject({ acknowledgement: null, updatedAt: later });
    expect(back.timeline.at(-1)).toEqual({ at: later, event: 'unacknowledged', by: 'ben', text: 'wrong one' });
  });

  it('changes nothing when nobody has acknowledged, and refuses a closed incident', () => {
    const open = incident();

    expect(unacknowledge(open, { by: 'ana' }, null, now)).toBe(open);
    expect(() => unacknowledge(resolve(open, 'rolled back', null, now), { by: 'ana' }, null, later)).toThrow(
      IncidentClosedError,
    );
  });
});

describe('reopen', () => {
  it('opens a closed incident with its acknowledgement', () => {
    const closed = resolve(acknowledge(incident(), { by: 'ana' }, now), 'rolled back', { by: 'ana' }, now);
    const open = reopen(closed, { by: 'ben' }, 'it is back', later);

    expect(statusOf(open)).toBe('open');
    expect(open.acknowledgement).toEqual({ by: 'ana', at: now });
    expect(open.timeline.map(({ event }) => event)).toEqual(['opened', 'acknowledged', 'closed', 'reopened']);
    expect(reopen(open, { by: 'ana' }, null, later)).toBe(open);
  });

  it('refuses an incident that is part of another', () => {
    const merged = { ...resolve(incident(), 'part of #1', null, now), mergedInto: 'inc_1' };

    expect(() => reopen(merged, { by: 'ana' }, null, later)).toThrow(IncidentMergedError);
  });
});

describe('addNote', () => {
  it('keeps at most the documented number of notes, also of a closed incident', () => {
    const closed = resolve(incident(), 'rolled back', null, now);
    const full = Array.from({ length: MAX_NOTES }).reduce<IncidentRecord>(
      (before) => addNote(before, { by: 'ana' }, 'still looking', later),
      closed,
    );

    expect(full.timeline.filter(({ event }) => event === 'note')).toHaveLength(500);
    expect(() => addNote(full, { by: 'ana' }, 'one more', later)).toThrow(TooManyNotesError);
  });
});

describe('timelineOf', () => {
  it('lists events in order, with names where they are known', () => {
    const closed = resolve(acknowledge(incident(), { by: 'ana' }, now), 'rolled back', null, later);

    expect(timelineOf(closed)).toEqual([
      { at: '2026-01-31T08:00:00.000Z', event: 'opened' },
      { at: '2026-01-31T08:05:00.000Z', event: 'acknowledged', by: 'ana' },
      { at: '2026-01-31T08:06:00.000Z', event: 'closed', text: 'rolled back' },
    ]);
  });
});

describe('takeIn', () => {
  const warning: IncidentRecord = { ...incident(), severity: 'warning' };
  const critical = { ...newIncident(2, 'disk', null, openedAt), severity: 'critical' } as const;

  it('is as bad as the worse of the two', () => {
    const whole = takeIn(warning, critical, { by: 'ana' }, now);

    expect(whole).toMatchObject({ severity: 'critical', updatedAt: now });
    expect(whole.timeline.at(-1)).toEqual({ at: now, event: 'merged', by: 'ana', text: '#2' });
    expect(takeIn({ ...incident(), ...critical }, warning, { by: 'ana' }, now).severity).toBe('critical');
  });

  it('leaves a severity that somebody set, and goes by what was found of the other', () => {
    const set: IncidentRecord = {
      ...warning,
      byHand: { severity: 'info' },
      found: { severity: 'warning' },
      severity: 'info',
    };

    expect(takeIn(set, critical, { by: 'ana' }, now)).toMatchObject({
      severity: 'info',
      found: { severity: 'critical' },
    });
    expect(takeIn(warning, { ...critical, found: { severity: 'info' } }, { by: 'ana' }, now).severity).toBe('warning');
  });
});
