import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { CHANNEL, incident, LATER, NOW, open, present, withStore } from '../../../../test/support/bot-store.ts';
import { URGENCY } from '../../incident/urgency.ts';
import { followList } from './follow-list.ts';

const SHOWN_IN = { viewId: 'V1', responseUrl: null, channelId: CHANNEL };

it('is due at once if an incident changes while the list is registered', () =>
  withStore(async ({ store, db }) => {
    await open(store, 'inc_1');
    const read = present(await store.incidents.find((await store.incidents.openIds())[0] ?? '')).incident;
    const openViews = {
      ...store.openViews,
      async watch(...view: Parameters<typeof store.openViews.watch>) {
        const acknowledged = incident('inc_1', { acknowledged: true, acknowledged_by: 'ana' });
        await store.incidents.observe(acknowledged, { urgency: URGENCY.state, asOf: LATER });
        await store.openViews.watch(...view);
      },
    };
    const list = { name: '0 open', slackUserId: 'U1', shownIn: SHOWN_IN };

    await followList({ store: { ...store, openViews }, now: () => NOW }, list, [read], NOW);

    const { rows } = await sql`select needs_redraw as "isDue" from messages where kind = 'list'`.execute(db);
    expect(rows).toEqual([{ isDue: true }]);
  }));
