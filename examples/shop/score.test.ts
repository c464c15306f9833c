import { describe, expect, it } from 'vitest';
import { type Observed, type SeenCard, score, type TrueIncident } from './score.ts';

const incident = (fields: Partial<TrueIncident> = {}): TrueIncident => ({
  id: 'inc-1',
  rootService: 'payments',
  openedAt: 1_000,
  acknowledgedAt: null,
  closedAt: null,
  ...fields,
});

const card = (fields: Partial<SeenCard> = {}): SeenCard => ({
  incidentId: 'inc-1',
  postedAt: 3_000,
  lastSeenAt: 60_000,
  isStanding: true,
  states: [{ state: 'open', at: 3_100 }],
  ...fields,
});

const observed = (fields: Partial<Observed> = {}): Observed => ({
  at: 60_000,
  incidents: [incident()],
  cards: [card()],
  storms: [],
  ...fields,
});

it('counts nothing if each incident has one card with the state of the service', () => {
  const day = score(observed());

  expect(day).toMatchObject({ incidents: 1, posted: 1, lost: 0, doubled: 0, wrong: 0 });
});

describe('lost', () => {
  it('counts an incident without a card after the tolerated delay', () => {
    const day = observed({ cards: [] });

    expect(score(day)).toMatchObject({ posted: 0, lost: 1 });
    expect(score(day, 59_001)).toMatchObject({ posted: 0, lost: 0 });
  });

  it('counts an incident whose card was deleted and not posted again', () => {
    const gone = card({ isStanding: false, lastSeenAt: 20_000 });

    expect(score(observed({ cards: [gone] })).lost).toBe(1);
    expect(score(observed({ cards: [gone] }), 50_000).lost).toBe(0);
    expect(score(observed({ cards: [gone, card({ postedAt: 21_000 })] }))).toMatchObject({ lost: 0, doubled: 0 });
  });

  it('does not count incidents in a storm card', () => {
    const day = score(observed({ cards: [], storms: ['14 incidents of `payments`'] }));

    expect(day).toMatchObject({ posted: 0, inStorm: 1, lost: 0 });
  });
});

describe('doubled', () => {
  it('counts each duplicate card of an incident', () => {
    const day = score(observed({ cards: [card(), card({ postedAt: 4_000 }), card({ postedAt: 9_000 })] }));

    expect(day).toMatchObject({ posted: 1, doubled: 2 });
  });

  it('counts a duplicate that was deleted later', () => {
    const double = card({ postedAt: 4_000, lastSeenAt: 5_000, isStanding: false });

    expect(score(observed({ cards: [card(), double] })).doubled).toBe(1);
  });
});

describe('wrong', () => {
  const acknowledged = [incident({ acknowledgedAt: 10_000 })];

  it('counts an outdated card after the tolerated delay', () => {
    expect(score(observed({ incidents: acknowledged })).wrong).toBe(1);
    expect(score(observed({ incidents: acknowledged }), 50_001).wrong).toBe(0);
  });

  it('counts a card that showed a state before the service had it', () => {
    const states = [{ state: 'acknowledged', at: 9_999 }] as const;

    expect(score(observed({ incidents: acknowledged, cards: [card({ states })] })).wrong).toBe(1);
    expect(score(observed({ cards: [card({ states })] })).wrong).toBe(1);
  });

  it('counts a card without a state', () => {
    expect(score(observed({ cards: [card({ states: [{ state: 'unreadable', at: 3_100 }] })] })).wrong).toBe(1);
  });

  it('does not count a deleted card', () => {
    const cards = [
      card({ isStanding: false, lastSeenAt: 9_000 }),
      card({ postedAt: 10_500, states: [{ state: 'acknowledged', at: 10_600 }] }),
    ];

    expect(score(observed({ incidents: acknowledged, cards })).wrong).toBe(0);
  });
});

it('measures the time until cards appear and until they are correct', () => {
  const late = incident({ id: 'inc-2', acknowledgedAt: 20_000, closedAt: 30_000 });
  const day = score(
    observed({
      incidents: [incident(), late],
      cards: [
        card(),
        card({
          incidentId: 'inc-2',
          postedAt: 11_000,
          states: [
            { state: 'open', at: 11_100 },
            { state: 'closed', at: 30_400 },
          ],
        }),
      ],
    }),
  );

  expect(day.timeToCard).toEqual({ median: 2_000, worst: 10_000 });
  expect(day.timeToTrueCard).toEqual({ median: 400, worst: 10_400 });
});
