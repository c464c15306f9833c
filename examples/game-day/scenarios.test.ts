import { describe, expect, it } from 'vitest';
import { STORM_RULES } from '../../src/bot/domain/storm.ts';
import { faults } from '../shop/faults.ts';
import { planDay } from './scenarios.ts';

describe('a game day', () => {
  it('is determined by the seed', () => {
    expect(planDay('monday')).toEqual(planDay('monday'));
    expect(planDay('monday')).not.toEqual(planDay('tuesday'));
  });

  it('has the same scenarios for every seed', () => {
    const names = (seed: string): string[] => planDay(seed).map(({ name }) => name);

    expect(names('monday')).toEqual(names('tuesday'));
    expect(new Set(names('monday')).size).toBe(names('monday').length);
  });

  it.each(['1', '2', '3', 'monday'])('breaks each service once, with a fault of the shop (seed %s)', (seed) => {
    const steps = planDay(seed).flatMap((scenario) => scenario.steps);
    const broken = steps.flatMap((step) => (step.kind === 'break' ? [step.fault] : []));
    const alerting = steps.flatMap((step) => (step.kind === 'alerts' ? step.services : []));

    expect(faults.map(({ name }) => name)).toEqual(expect.arrayContaining(broken));
    expect(new Set([...broken, ...alerting]).size).toBe(broken.length + alerting.length);
  });

  it('has too few incidents for a storm, however quickly it is played', () => {
    const incidents = planDay('monday')
      .flatMap(({ steps }) => steps)
      .map((step) => (step.kind === 'break' ? 1 : step.kind === 'alerts' ? step.services.length : 0))
      .reduce((sum, count) => sum + count, 0);

    expect(incidents).toBeLessThanOrEqual(STORM_RULES.incidents);
  });

  it('ends each scenario with everything resolved', () => {
    expect(planDay('monday').map(({ steps }) => steps.at(-1)?.kind)).toEqual(planDay('monday').map(() => 'resolve'));
  });
});
