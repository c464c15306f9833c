import type { KnownBlock } from '@slack/types';
import { expect, it } from 'vitest';
import { incident } from '../../../test/support/bot-store.ts';
import { button } from '../incident/incident-buttons.ts';
import { withFixedIds } from './fixed-ids.ts';
import { LIMITS } from './limits.ts';

const row = (id: string, label = 'Acknowledge'): KnownBlock => ({
  type: 'section',
  accessory: button(label, label.toLowerCase(), incident(id)),
});
const idsOf = (blocks: readonly KnownBlock[]) => withFixedIds(blocks).map(({ block_id: id }) => id);

it('names a row for its incident, wherever it stands and whatever its button says', () => {
  expect(idsOf([row('inc_1'), row('inc_2')])).toEqual(['inc_1', 'inc_2']);
  expect(idsOf([row('inc_3'), row('inc_2', 'Resolve'), row('inc_1')])).toEqual(['inc_3', 'inc_2', 'inc_1']);
});

it('keeps given ids, and lets no two be the same or too long', () => {
  const long = 'x'.repeat(2_000);
  const buttons: KnownBlock = { type: 'actions', elements: [] };
  const blocks: readonly KnownBlock[] = [
    { ...row('inc_1'), block_id: 'given' },
    row('given'),
    row(long),
    row(long),
    buttons,
    { type: 'divider' },
    buttons,
  ];

  const ids = idsOf(blocks);

  expect(ids.filter((id) => id !== undefined && id.length < 50)).toEqual(['given', 'given:2', 'actions', 'actions:2']);
  expect(ids[5]).toBeUndefined();
  expect(new Set(ids).size).toBe(ids.length);
  expect(Math.max(...ids.map((id) => id?.length ?? 0))).toBeLessThanOrEqual(LIMITS.blockId);
});
