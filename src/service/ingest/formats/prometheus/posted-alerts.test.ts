import { describe, expect, it } from 'vitest';
import { addMinutes } from '../../../../runtime/dates.ts';
import { MAX_ALERTS } from '../alertmanager/alertmanager.ts';
import { PostableAlerts, readPostedAlerts } from './posted-alert.ts';
import { createPostedAlerts } from './posted-alerts.ts';

const START = new Date('2026-01-31T08:00:00Z');
const minute = (count: number) => addMinutes(START, count);

/** The alert as posted `at` minutes after it began; Prometheus names an end four minutes ahead. */
function posted(at: number, endsAt = at + 4, startsAt = 0) {
  const alert = {
    labels: { alertname: 'Down', service: 'payments' },
    startsAt: minute(startsAt).toISOString(),
    endsAt: minute(endsAt).toISOString(),
  };
  return readPostedAlerts(PostableAlerts.parse([alert]), minute(at));
}

/** What each post changes, for a sender that is known by nothing else. */
function follow(stored: ReadonlyMap<string, Date> = new Map()) {
  const known = createPostedAlerts();
  return async (at: number, alerts = posted(at)) => {
    const changes = await known.compare('int_1', alerts, minute(at), async () => stored);
    known.remember('int_1', changes);
    return {
      fired: changes.fired.map(({ observedAt }) => observedAt),
      refreshed: changes.refreshed.length,
      ended: changes.ended.length,
    };
  };
}

const NOTHING = { fired: [], refreshed: 0, ended: 0 };

describe('an alert that is posted each minute', () => {
  it('fires once, and its end is moved when that is worth it', async () => {
    const post = follow();

    expect(await post(0)).toEqual({ ...NOTHING, fired: [START] });
    expect(await post(1)).toEqual(NOTHING);
    expect(await post(2)).toEqual(NOTHING);
    expect(await post(3)).toEqual({ ...NOTHING, refreshed: 1 });
    expect(await post(4)).toEqual(NOTHING);
  });

  it('ends once, though Prometheus repeats that for a quarter of an hour', async () => {
    const post = follow();
    await post(0);

    expect(await post(2, posted(2, 1.5))).toEqual({ ...NOTHING, ended: 1 });
    expect(await post(3, posted(3, 1.5))).toEqual(NOTHING);
  });

  it('fires again when it begins again, not when a replica is a little late', async () => {
    const post = follow();
    await post(0);
    await post(2, posted(2, 1.5));

    expect(await post(2.5)).toEqual(NOTHING);
    expect(await post(3, posted(3, 7, 2.9))).toEqual({ ...NOTHING, fired: [minute(2.9)] });
  });

  it('fires again when another replica contradicts its end', async () => {
    const post = follow();
    await post(0);
    await post(2, posted(2, 1.5));

    expect(await post(4)).toEqual({ ...NOTHING, fired: [minute(4)] });
  });

  it('fires again after nobody posted it', async () => {
    const post = follow();
    await post(0);

    expect(await post(9)).toEqual({ ...NOTHING, fired: [minute(9)] });
  });

  it('continues after a restart', async () => {
    const [alert] = posted(0);
    const post = follow(new Map([[alert?.fingerprint ?? '', minute(4)]]));

    expect(await post(1)).toEqual(NOTHING);
  });
});

describe('posted alerts', () => {
  it('are the same whatever the order of their labels, empty ones and the replica', () => {
    const variants = [
      { alertname: 'Down', service: 'payments' },
      { service: 'payments', alertname: 'Down', team: '' },
      { alertname: 'Down', service: 'payments', prometheus_replica: 'a' },
    ];

    const read = readPostedAlerts(PostableAlerts.parse(variants.map((labels) => ({ labels }))), START);

    expect(read).toMatchObject([{ labels: { alertname: 'Down', service: 'payments' } }]);
  });

  it('begin now and last five minutes unless they say otherwise', () => {
    const zero = '0001-01-01T00:00:00.000Z';
    const sent = PostableAlerts.parse([{ labels: { alertname: 'Down' }, startsAt: zero, endsAt: zero }]);

    expect(readPostedAlerts(sent, START)).toMatchObject([{ startsAt: START, endsAt: minute(5) }]);
  });

  it('need a label, and are limited in number', () => {
    const alert = { labels: { alertname: 'Down' } };
    const many = (count: number) => PostableAlerts.safeParse(Array.from({ length: count }, () => alert)).success;

    expect(PostableAlerts.safeParse([{ labels: {} }]).success).toBe(false);
    expect(PostableAlerts.safeParse([{ labels: { alertname: '' } }]).success).toBe(false);
    expect([many(MAX_ALERTS), many(MAX_ALERTS + 1)]).toEqual([true, false]);
  });
});
