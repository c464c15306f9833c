import { describe, expect, it } from 'vitest';
import { ackOnceKept } from './answering.ts';

describe('the acknowledgement of what must not be lost', () => {
  it('comes after it is kept and before the rest is done', async () => {
    const order: string[] = [];
    const note = async (what: string) => void order.push(what);

    await ackOnceKept(
      () => note('acknowledged'),
      async (onKept) => {
        await note('kept');
        await onKept();
        await note('done');
      },
    );

    expect(order.slice(0, 3)).toEqual(['kept', 'acknowledged', 'done']);
  });

  it('comes when there was nothing to keep, and not when it failed and nobody could be told', async () => {
    let acknowledged = 0;
    const ack = async () => {
      acknowledged += 1;
    };

    await ackOnceKept(ack, async () => undefined);
    await expect(ackOnceKept(ack, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');

    expect(acknowledged).toBe(1);
  });
});
