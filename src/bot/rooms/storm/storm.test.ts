import { describe, expect, it } from 'vitest';
import { decideStorm, isStormOver, STORM_RULES } from './storm.ts';

const NOW = new Date('2026-01-31T08:00:00.000Z');
const { incidents, calmIncidents, leftOpen } = STORM_RULES;

describe('a storm', () => {
  it('starts with more new incidents than the limit', () => {
    const decide = (inWindow: number) => decideStorm(STORM_RULES, false, { inWindow, recent: inWindow });

    expect([0, incidents, incidents + 1].map(decide)).toEqual(['none', 'none', 'start']);
  });

  it('gathers until few new incidents come, also below the limit', () => {
    const decide = (recent: number) => decideStorm(STORM_RULES, true, { inWindow: 0, recent });

    expect([incidents + 1, calmIncidents + 1, calmIncidents, 0].map(decide)).toEqual([
      'gather',
      'gather',
      'calm down',
      'calm down',
    ]);
  });

  it('does not start again right after it has calmed down', () => {
    for (let recent = 0; recent <= calmIncidents; recent += 1) {
      expect(decideStorm(STORM_RULES, false, { inWindow: recent, recent })).toBe('none');
    }
  });

  it('is over once it is calm, few of its incidents are open and none of them will be reminded of', () => {
    const calm = { calmAt: NOW, endedAt: null };
    const members = (open: number, isReminding = false) => ({ open, isReminding });

    expect(isStormOver(STORM_RULES, calm, members(leftOpen))).toBe(true);
    expect(isStormOver(STORM_RULES, calm, members(leftOpen + 1))).toBe(false);
    expect(isStormOver(STORM_RULES, calm, members(1, true))).toBe(false);
    expect(isStormOver(STORM_RULES, calm, members(0, true))).toBe(true);
    expect(isStormOver(STORM_RULES, { ...calm, calmAt: null }, members(0))).toBe(false);
    expect(isStormOver(STORM_RULES, { ...calm, endedAt: NOW }, members(0))).toBe(false);
  });
});
