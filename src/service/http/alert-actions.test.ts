import { expect, it } from 'vitest';
import { BackPressureError, NotFoundError } from '../core/errors.ts';
import { createAlertActions } from './alert-actions.ts';

/** Alerts whose incidents open when they are told to. */
function alerts() {
  let isOpen = false;
  const act = createAlertActions({
    signals: {
      findNewest: async () => ({ incidentId: isOpen ? 'inc_1' : null, receivedAt: new Date() }),
    },
    incidents: {
      update: async () => {
        throw new NotFoundError('incident', 'inc_1');
      },
    },
    now: () => new Date(),
  });
  return {
    acknowledge: (sender: string) =>
      act({ kind: 'acknowledge', sender, fingerprint: 'f', actor: { by: 'ana' }, note: null }),
    open: () => {
      isOpen = true;
    },
  };
}

it('lets twenty requests of a sender wait for incidents, answers others at once, and counts each sender alone', async () => {
  const { acknowledge, open } = alerts();

  const waiting = Array.from({ length: 20 }, () => acknowledge('busy'));
  const tooMany = await Promise.allSettled(Array.from({ length: 1_000 }, () => acknowledge('busy')));
  const ofOther = acknowledge('other');
  open();
  const found = await Promise.all([...waiting, ofOther, acknowledge('busy')]);

  expect(new Set(tooMany.map((each) => Object(each).reason?.constructor))).toEqual(new Set([BackPressureError]));
  expect(new Set(found)).toEqual(new Set(['this alert has no incident']));
});

it('answers after three seconds when the incident does not open, and then lets others wait', async () => {
  const { acknowledge, open } = alerts();

  const [first] = await Promise.allSettled([acknowledge('a'), ...Array.from({ length: 19 }, () => acknowledge('a'))]);
  const next = acknowledge('a');
  open();

  expect(first).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('not open yet') } });
  expect(await next).toBe('this alert has no incident');
});
