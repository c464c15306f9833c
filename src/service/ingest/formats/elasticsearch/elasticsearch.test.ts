import { describe, expect, it } from 'vitest';
import { finish } from '../../../../../test/support/finish.ts';
import { AT, decodePush, decoderOf, json, linesOf } from '../../../../../test/support/push-decode.ts';

describe("Elasticsearch's bulk API", () => {
  const bulk = (...lines: readonly object[]) => lines.map(json).join('\n');

  it('is read by turns, and answers as many items', async () => {
    const body = bulk(
      { create: { _index: 'logs' } },
      { '@timestamp': AT, 'log.level': 'error', message: 'no card', service: { name: 'shop' } },
      { delete: { _index: 'old', _id: '7' } },
      { update: { _id: '8' } },
      { doc: { '@timestamp': AT, message: 'ERROR no', kubernetes: { container: { name: 'pay' }, namespace: 'shop' } } },
    );
    const decoder = decoderOf('elasticsearch');
    if (decoder.kind !== 'logs') {
      throw new Error('no logs');
    }

    const decoded = finish(decoder.decode(Buffer.from(body)));

    expect(linesOf(decoded)).toEqual([
      ['shop', 'error', 'no card', AT],
      ['pay', 'error', 'ERROR no', AT],
    ]);
    const answer = decoder.answer();
    expect(answer.headers.get('x-elastic-product')).toBe('Elasticsearch');
    expect(await answer.json()).toMatchObject({
      errors: false,
      items: [{ create: { _index: 'logs', status: 201 } }, { delete: { _index: 'old' } }, { update: {} }],
    });
  });

  it('is refused without an action', () => {
    expect(() => decodePush('elasticsearch', json({ message: 'no' }))).toThrow('expected an action');
  });
});
