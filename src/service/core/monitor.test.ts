import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backBatch, type Deadline, dueAfter, LONGEST_LOOK_MS, lateBatch, type Monitor, monitorOf } from './monitor.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.parse('2026-01-31T12:00:00Z');

const at = (ms: number) => new Date(NOON + ms);

describe('dueAfter', () => {
  const hourly: Deadline = { dueAt: at(30 * MINUTE), intervalMs: HOUR, graceMs: 5 * MINUTE, isLate: false };

  it('does not count a step of the clock', () => {
    const ahead = dueAfter(hourly, { from: at(0), to: at(HOUR + 1_000), elapsedMs: 1_000 });
    const back = dueAfter(hourly, { from: at(0), to: at(1_000 - HOUR), elapsedMs: 1_000 });

    expect([ahead, back]).toEqual([at(90 * MINUTE), at(-30 * MINUTE)]);
  });

  it('counts a pause of this process in which nothing was expected', () => {
    expect(dueAfter(hourly, { from: at(0), to: at(10 * MINUTE), elapsedMs: 10 * MINUTE })).toEqual(hourly.dueAt);
  });

  it('expects once more what may have been sent while nobody was there', () => {
    const away = { from: at(0), to: at(26 * MINUTE), elapsedMs: null };

    expect(dueAfter(hourly, away)).toEqual(at(26 * MINUTE + HOUR + 5 * MINUTE));
  });

  it('leaves a late one late, however the clock was set', () => {
    const late = { ...hourly, dueAt: at(-MINUTE), isLate: true };
    const pauses = [-HOUR, HOUR].flatMap((ms) =>
      [null, 1_000].map((elapsedMs) => ({ from: at(0), to: at(ms), elapsedMs })),
    );

    expect(pauses.map((pause) => dueAfter(late, pause) <= pause.to)).toEqual([true, true, true, true]);
  });
});

const HICCUP_MS = 2_000;

/** What happens to Tocsin, at seconds of real time. */
interface Trouble {
  readonly atSecond: number;
  /** Nobody receives or looks. A request waits through a hiccup of 2 s, and is lost in anything longer. */
  readonly awayMs: number;
  /** The clock of the database is set by this. */
  readonly stepMs: number;
  /** Another process looks afterwards, or the same after a restart. */
  readonly isRestart: boolean;
}

const trouble: fc.Arbitrary<Trouble> = fc.record({
  atSecond: fc.integer({ min: 60, max: 2 * 3_600 }),
  awayMs: fc.constantFrom(0, HICCUP_MS, 8_000, 30_000, 10 * MINUTE),
  stepMs: fc.constantFrom(0, 0, HOUR, -HOUR, 5 * MINUTE),
  isRestart: fc.boolean(),
});

interface Job {
  readonly intervalMs: number;
  readonly graceMs: number;
  readonly firstMs: number;
  /** Real time at which it dies; null: it lives. */
  readonly diesMs: number | null;
}

/** Runs monitors through troubles by real time. @returns when each job was found late, in real time */
function simulate(jobs: readonly Job[], troubles: readonly Trouble[], untilMs: number): (number | null)[] {
  const monitors = jobs.map((job) => ({
    job,
    nextMs: job.firstMs,
    dueAt: null as Date | null,
    lateMs: null as number | null,
  }));
  const pending = troubles.toSorted((a, b) => a.atSecond - b.atSecond);
  let skewMs = 0;
  let lookedAt = at(0);
  let lookedMs: number | null = 0;
  let awayUntilMs = 0;
  let isHiccup = false;
  for (let nowMs = 0; nowMs <= untilMs; nowMs += 1_000) {
    while (pending[0] !== undefined && pending[0].atSecond * 1_000 <= nowMs) {
      const { awayMs, stepMs, isRestart } = pending.shift() as Trouble; // it is there
      skewMs += stepMs;
      isHiccup = nowMs >= awayUntilMs && awayMs <= HICCUP_MS;
      awayUntilMs = Math.max(awayUntilMs, nowMs + awayMs);
      lookedMs = isRestart && awayMs > HICCUP_MS ? null : lookedMs;
    }
    const isAway = nowMs < awayUntilMs;
    const clock = at(nowMs + skewMs);
    const look = !isAway;
    const passedMs = clock.getTime() - lookedAt.getTime();
    for (const monitor of monitors) {
      const { job } = monitor;
      if (look && monitor.dueAt !== null && (passedMs < 0 || passedMs > LONGEST_LOOK_MS)) {
        const elapsedMs = lookedMs === null ? null : nowMs - lookedMs;
        monitor.dueAt = dueAfter(
          { ...job, dueAt: monitor.dueAt, isLate: monitor.lateMs !== null },
          { from: lookedAt, to: clock, elapsedMs },
        );
      }
      if (nowMs >= monitor.nextMs) {
        if (isAway && isHiccup) {
          continue;
        }
        monitor.nextMs += job.intervalMs;
        if (!isAway && (job.diesMs === null || nowMs < job.diesMs)) {
          monitor.dueAt = new Date(clock.getTime() + job.intervalMs + job.graceMs);
        }
      }
      if (look && monitor.lateMs === null && monitor.dueAt !== null && monitor.dueAt <= clock) {
        monitor.lateMs = nowMs;
      }
    }
    if (look) {
      lookedAt = clock;
      lookedMs = nowMs;
    }
  }
  return monitors.map(({ lateMs }) => lateMs);
}

/** A hundred jobs, from every 30 s to every hour, with graces from 10 s to 5 min. */
const hundred: readonly Job[] = Array.from({ length: 100 }, (_, index) => ({
  intervalMs: [30_000, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR][index % 5] ?? MINUTE,
  graceMs: [10_000, 30_000, MINUTE, 5 * MINUTE][index % 4] ?? MINUTE,
  firstMs: index * 1_000,
  diesMs: null,
}));

describe('a hundred heartbeats', () => {
  it('are never falsely late, through restarts, failovers and clock steps of an hour', () => {
    fc.assert(
      fc.property(fc.array(trouble, { minLength: 1, maxLength: 6 }), (troubles) => {
        expect(simulate(hundred, troubles, 4 * HOUR).filter((late) => late !== null)).toEqual([]);
      }),
      { numRuns: 5 },
    );
  });

  it('are late by at most the grace and 5 s, through clock steps of an hour', () => {
    const diesMs = HOUR;
    const dying = hundred.map((job) => ({ ...job, diesMs }));
    const steps = [HOUR, -HOUR].map((stepMs, index) => ({
      atSecond: 1_800 + 2_400 * index,
      awayMs: 0,
      stepMs,
      isRestart: false,
    }));

    const found = simulate(dying, steps, 3 * HOUR);

    const lateBy = found.map((late, index) => {
      const { intervalMs = 0, graceMs = 0, firstMs = 0 } = dying[index] ?? {};
      const expectedMs = firstMs + Math.ceil((diesMs - firstMs) / intervalMs) * intervalMs;
      return (late ?? Number.POSITIVE_INFINITY) - expectedMs - graceMs;
    });
    expect(Math.max(...lateBy)).toBeLessThanOrEqual(5_000);
    expect(Math.min(...lateBy)).toBeGreaterThanOrEqual(0);
  });
});

describe('what is reported', () => {
  const monitor: Monitor = {
    integrationId: 'int_1',
    kind: 'heartbeat',
    service: 'backup',
    name: 'nightly',
    intervalMs: HOUR,
    graceMs: MINUTE,
    seenAt: at(-90 * MINUTE),
    usualMs: null,
    at: at(0),
  };

  it('is one alert that ends, of the integration', () => {
    const [late, back] = [lateBatch(monitor), backBatch({ ...monitor, at: at(MINUTE) })];

    expect(late.signals).toMatchObject([
      { service: 'backup', summary: 'no heartbeat from nightly for 90 min, expected every 60 min', observedAt: at(0) },
    ]);
    expect(back).toMatchObject({
      sender: 'int_1',
      ends: [{ fingerprint: late.signals[0]?.fingerprint, endedAt: at(MINUTE) }],
    });
  });

  it('says how often something came before the silence', () => {
    const silent = lateBatch({
      ...monitor,
      kind: 'silence',
      intervalMs: 30 * MINUTE,
      seenAt: at(-30 * MINUTE),
      usualMs: MINUTE,
    });

    expect(silent.signals[0]?.summary).toBe('nothing came from nightly for 30 min, usually every 60 s or more often');
  });

  it('is nothing for integrations that nobody wants to watch', () => {
    expect(monitorOf({ type: 'generic', config: {} })).toBeNull();
    expect(monitorOf({ type: 'generic', name: 'shop', config: { silence_minutes: 30 } })).toEqual({
      kind: 'silence',
      service: 'shop',
      intervalMs: 30 * MINUTE,
      graceMs: 0,
    });
  });
});
