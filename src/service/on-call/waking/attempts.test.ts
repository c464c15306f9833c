import { describe, expect, it } from 'vitest';
import { type AttemptOfStep, type AttemptState, afterFailure, type PersonalWay, waysFor } from './attempts.ts';

const AT = new Date('2026-11-28T03:00:00Z');

function way(id: string, given: Partial<PersonalWay> = {}): PersonalWay {
  const times = { loudAfterS: 0, quietAfterS: null, verifiedAt: AT, lastAnsweredAt: null };
  return { id, kind: 'email', host: null, ...times, unusableBecause: null, ...given };
}

const used = (ways: readonly PersonalWay[], loud: boolean) =>
  waysFor(ways, loud).map(({ way: { id }, afterS }) => [id, afterS]);

describe('the ways of a person', () => {
  it('are used in the order of their waits', () => {
    expect(used([way('later', { loudAfterS: 120 }), way('first')], true)).toEqual([
      ['first', 0],
      ['later', 120],
    ]);
  });

  it('are not used unless they are proved and work', () => {
    expect(used([way('new', { verifiedAt: null }), way('dead', { unusableBecause: 'gone' })], true)).toEqual([]);
  });

  it('wake quietly rather than not at all, and loudly rather than not at all', () => {
    const quiet = way('quiet', { loudAfterS: null, quietAfterS: 60 });

    expect(used([quiet], true)).toEqual([['quiet', 0]]);
    expect(used([way('loud')], false)).toEqual([['loud', 0]]);
  });
});

function attempt(id: string, personId: string | null, state: AttemptState, step = 0): AttemptOfStep {
  return { id, personId, state, cycle: 0, step, dueAt: AT };
}

describe('after an attempt has failed', () => {
  const failed = attempt('a', 'ana', 'failed');

  it('the next way of the same person does not wait', () => {
    const attempts = [failed, attempt('b', 'ben', 'planned'), attempt('c', 'ana', 'planned')];

    expect(afterFailure(attempts, failed)).toEqual({ sooner: 'c', goesOn: false });
  });

  it('the step goes on at once when nobody of it can be reached', () => {
    const attempts = [failed, attempt('b', 'ben', 'failed'), attempt('c', 'cy', 'planned', 1)];

    expect(afterFailure(attempts, failed)).toEqual({ sooner: null, goesOn: true });
  });

  it.each(['planned', 'sending', 'accepted', 'answered'] as const)(
    'the step does not go on while another is %s: a failure of one person hides no other',
    (state) => {
      expect(afterFailure([failed, attempt('b', 'ben', state)], failed).goesOn).toBe(false);
    },
  );
});
