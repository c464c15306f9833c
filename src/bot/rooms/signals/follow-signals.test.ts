import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { incident, LATER, NOW, open, withStore } from '../../../../test/support/bot-store.ts';
import { URGENCY } from '../../incident/urgency.ts';
import { followSignals } from './follow-signals.ts';
import { ALL_SIGNALS } from './signal-filter.ts';

const CONTEXT = { incidentId: 'inc_1', filter: ALL_SIGNALS, offset: 0 };
const PLACE = { viewId: 'V1', slackUserId: 'U1' };

it.each([
  ['somebody acknowledged it', { acknowledged: true, acknowledged_by: 'ana' }],
  ['it has more signals', { acknowledged: false, signal_count: 7 }],
])('is due at once if what is shown again was read before %s', (_, changed) =>
  withStore(async ({ store, db }) => {
    await open(store, 'inc_1');
    const read = { incident: incident('inc_1', { acknowledged: false }), signals: [] };
    const deps = { store, now: () => NOW, readSignals: () => Promise.resolve(read) };
    const isDue = async () => {
      const { rows } = await sql<{ isDue: boolean }>`
        select needs_redraw as "isDue" from messages where kind = 'signals'`.execute(db);
      return rows.map((row) => row.isDue);
    };
    await followSignals(deps, CONTEXT, PLACE);
    const atFirst = await isDue();
    await store.incidents.observe(incident('inc_1', changed), { urgency: URGENCY.state, asOf: LATER });

    await followSignals(deps, { ...CONTEXT, offset: 10 }, PLACE);

    expect([atFirst, await isDue()]).toEqual([[false], [true]]);
  }),
);
