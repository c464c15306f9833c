import { describe, expect, it } from 'vitest';
import { ListIncidentsQuery, ListSignalsQuery, ResolveRequest } from './requests.ts';

describe('the query of GET /incidents', () => {
  it('has the documented defaults', () => {
    expect(ListIncidentsQuery.parse({})).toEqual({ limit: 50, offset: 0 });
  });

  it('reduces a large limit and refuses an invalid one', () => {
    expect(ListIncidentsQuery.parse({ limit: '5000' }).limit).toBe(200);
    expect(ListIncidentsQuery.safeParse({ limit: '0' }).success).toBe(false);
    expect(ListIncidentsQuery.safeParse({ limit: 'many' }).success).toBe(false);
    expect(ListIncidentsQuery.safeParse({ offset: '10001' }).success).toBe(false);
  });

  it('accepts two states and no unknown parameter', () => {
    expect(ListIncidentsQuery.parse({ status: 'closed' }).status).toBe('closed');
    expect(ListIncidentsQuery.safeParse({ status: 'acknowledged' }).success).toBe(false);
    expect(ListIncidentsQuery.safeParse({ state: 'open' }).success).toBe(false);
  });
});

describe('the time range of GET /signals', () => {
  it.each(['2026-01-31T08:00:00Z', '2026-01-31T09:00:00+01:00', '2026-01-31T09:00:00 01:00', '1769846400'])(
    'accepts %s',
    (from) => {
      expect(ListSignalsQuery.parse({ from }).from).toEqual(new Date('2026-01-31T08:00:00Z'));
    },
  );

  it('takes a date as its midnight in UTC, and lower case', () => {
    expect(ListSignalsQuery.parse({ from: '2026-01-31' }).from).toEqual(new Date('2026-01-31T00:00:00Z'));
    expect(ListSignalsQuery.parse({ from: '2026-01-31t08:00:00z' }).from).toEqual(new Date('2026-01-31T08:00:00Z'));
  });

  it.each([
    '-1',
    'foo 1',
    '1e3',
    'Jan 31 2026',
    '2026-02-30T00:00:00Z',
    '2026-01-31T08:00:00',
    '0000-01-01T00:00:00Z',
    '-005000-01-01T00:00:00Z',
    '+020000-01-01T00:00:00Z',
    '999999999999',
    '',
  ])('refuses %j', (time) => {
    expect(ListSignalsQuery.safeParse({ from: time }).success).toBe(false);
    expect(ListIncidentsQuery.safeParse({ opened_to: time }).success).toBe(false);
  });

  it('refuses an invalid time and a reversed range', () => {
    expect(ListSignalsQuery.safeParse({ from: 'yesterday' }).success).toBe(false);
    expect(ListSignalsQuery.safeParse({ from: '1769846401', to: '1769846400' }).success).toBe(false);
  });
});

describe('the body of resolve', () => {
  it('keeps the note exactly as sent', () => {
    const note = '  rolled back\n\t1.2.3 <&> ';

    expect(ResolveRequest.parse({ resolution_note: note })).toEqual({ resolution_note: note });
  });

  it('needs a note', () => {
    expect(ResolveRequest.safeParse({ resolution_note: '' }).success).toBe(false);
    expect(ResolveRequest.safeParse({}).success).toBe(false);
  });
});
