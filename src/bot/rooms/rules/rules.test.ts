import { describe, expect, it } from 'vitest';
import {
  CHANNEL,
  claim,
  incident,
  MINUTE_MS,
  NOW,
  present,
  showAll,
  subjects,
  type TestStore,
  withStore,
} from '../../../../test/support/bot-store.ts';
import type { Incident } from '../../../contract/resources.ts';
import { URGENCY } from '../../incident/urgency.ts';
import type { Store } from '../../store.ts';
import { STORM_RULES } from '../storm/storm.ts';
import { EVERYTHING, type RuleSettings } from './rule.ts';

const OTHER = 'C0OTHER';
const MAKER = 'U1';

function settings(fields: Partial<RuleSettings> = {}): RuleSettings {
  return { channelId: OTHER, filter: EVERYTHING, escalation: [], quietHours: null, handover: null, ...fields };
}

async function observe(store: Store, ...incidents: readonly Incident[]): Promise<void> {
  for (const each of incidents) {
    await store.incidents.observe(each, { urgency: URGENCY.opened, asOf: NOW });
  }
}

const critical = (id: string) => incident(id, { severity: 'critical' });
const warning = (id: string) => incident(id, { severity: 'warning' });
const onlyCritical = { ...EVERYTHING, severities: ['critical' as const] };

describe('rules', () => {
  it('add a card to every channel whose rules match the incident', () =>
    withStore(async ({ store }) => {
      await store.rules.save(null, settings({ filter: onlyCritical }), MAKER);

      await observe(store, critical('a'), warning('b'));

      expect(await showAll(store, CHANNEL)).toEqual(['a', 'b']);
      expect(await showAll(store, OTHER)).toEqual(['a']);
    }));

  it('of one channel that match the same incident share a card', () =>
    withStore(async ({ store }) => {
      await store.rules.save(null, settings(), MAKER);
      await store.rules.save(null, settings({ filter: onlyCritical }), MAKER);

      await observe(store, critical('a'));

      expect(await showAll(store, OTHER)).toEqual(['a']);
    }));

  it('add a card once an incident changes so that the rules of a channel match', () =>
    withStore(async ({ store }) => {
      await store.rules.save(null, settings({ filter: onlyCritical }), MAKER);
      await observe(store, warning('a'));
      const before = await showAll(store, OTHER);

      await observe(store, critical('a'));

      expect(before).toEqual([]);
      expect(await showAll(store, OTHER)).toEqual(['a']);
    }));

  it('that are new add cards for the open incidents that match', () =>
    withStore(async ({ store }) => {
      await observe(store, critical('a'), warning('b'), incident('closed', { status: 'closed' }));

      await store.rules.save(null, settings({ filter: onlyCritical }), MAKER);

      expect(await showAll(store, OTHER)).toEqual(['a']);
    }));

  it('apply to the next incident, although those of the last one are remembered', () =>
    withStore(async ({ store }) => {
      await observe(store, critical('a'));
      await store.rules.save(null, settings({ filter: onlyCritical }), MAKER);

      await observe(store, critical('b'), warning('c'));

      expect(await showAll(store, OTHER)).toEqual(['a', 'b']);
    }));

  it('that are narrowed keep posted cards up to date and delete unposted ones', () =>
    withStore(async ({ store }) => {
      const rule = present(await store.rules.save(null, settings(), MAKER));
      await observe(store, warning('posted'));
      await showAll(store, OTHER);
      await observe(store, warning('unposted'));

      await store.rules.save(rule.id, settings({ filter: onlyCritical }), MAKER);
      await showAll(store, OTHER);
      await observe(store, warning('later'), incident('posted', { severity: 'warning', signal_count: 2 }));

      expect(await showAll(store, OTHER)).toEqual(['posted']);
    }));

  it('that are deleted leave the rules of the channel that remain', () =>
    withStore(async ({ store }) => {
      const everything = present(await store.rules.save(null, settings(), MAKER));
      await store.rules.save(null, settings({ filter: onlyCritical }), MAKER);

      const deleted = await store.rules.delete([everything.id, 'unknown']);
      await observe(store, critical('a'), warning('b'));

      expect(deleted.map(({ id }) => id)).toEqual([everything.id]);
      expect(await showAll(store, OTHER)).toEqual(['a']);
    }));

  it('of the setting are not made again after people deleted them', () =>
    withStore(async ({ store }) => {
      await store.rules.delete((await store.rules.list()).map(({ id }) => id));

      await observe(store, critical('a'));

      expect(await showAll(store, CHANNEL)).toEqual([]);
      expect(await store.subscriptions.list()).toEqual([{ channelId: CHANNEL, setting: '#incidents' }]);
    }));

  it('made by people outlive a change of the setting', () =>
    withStore(async ({ store }) => {
      await store.rules.save(null, settings({ channelId: CHANNEL, filter: onlyCritical }), MAKER);

      await store.subscriptions.subscribe({ channelId: OTHER, setting: '#other' });
      await observe(store, critical('a'), warning('b'));

      expect(await showAll(store, CHANNEL)).toEqual(['a']);
      expect(await showAll(store, OTHER)).toEqual(['a', 'b']);
    }));

  it('that change while an incident arrives apply to it', () =>
    withStore(async ({ store }) => {
      const changes = Array.from({ length: 8 }, (_, index) =>
        store.rules.save(null, settings({ channelId: `C${index}` }), MAKER),
      );
      const arrivals = Array.from({ length: 8 }, (_, index) => observe(store, critical(`${index}`)));
      await Promise.all([...changes, ...arrivals]);

      const all = Array.from({ length: 8 }, (_, index) => `${index}`);
      for (let index = 0; index < 8; index += 1) {
        expect(await showAll(store, `C${index}`)).toEqual(all);
      }
    }));
});

describe('a muted incident', () => {
  const muted = (id: string, minutes: number): Incident => {
    const until = new Date(NOW.getTime() + minutes * MINUTE_MS).toISOString();
    const at = NOW.toISOString();
    const mute = { id: 'm', target: 'service', value: 'payments', until, created_by: 'ana', created_at: at } as const;
    return incident(id, { mute });
  };

  /** The database's clock is the machine's, so its holds are in the past. */
  const heldCards = async ({ db }: TestStore) => {
    const rows = await db.selectFrom('messages').select(['subject', 'held_until']).orderBy('subject').execute();
    return rows.flatMap((row) => (row.held_until === null ? [] : [row.subject]));
  };

  it('has its card held, also in later channels, until the mute ends', () =>
    withStore(async (test) => {
      await observe(test.store, muted('a', 60), incident('b'));
      const before = await heldCards(test);

      await observe(test.store, incident('a', { mute: null }));

      expect(before).toEqual(['a']);
      expect(await heldCards(test)).toEqual([]);
      expect(await showAll(test.store)).toEqual(['a', 'b']);
    }));

  it('does not count towards a storm', () =>
    withStore(async ({ store, db }) => {
      const ids = Array.from({ length: STORM_RULES.incidents + 1 }, (_, index) => `${index}`);
      await observe(store, ...ids.map((id) => muted(id, 60)));

      await store.storms.advance(CHANNEL, STORM_RULES);

      const rows = await db.selectFrom('messages').select('kind').where('kind', '=', 'storm').execute();
      expect(rows).toEqual([]);
    }));
});

describe('a held message', () => {
  it('is due at the end of its hold', () =>
    withStore(async ({ store, advance }) => {
      await observe(store, incident('a'));
      const message = present(await claim(store));

      await store.messages.hold(message, new Date(Date.now() + 10 * MINUTE_MS));
      const during = await claim(store);
      await advance(11 * MINUTE_MS);

      expect(during).toBeNull();
      expect(subjects([present(await claim(store))])).toEqual(['a']);
    }));

  it('is due at once if it has changed since the claim', () =>
    withStore(async ({ store }) => {
      await observe(store, incident('a'));
      const message = present(await claim(store));
      await observe(store, incident('a', { status: 'closed' }));

      await store.messages.hold(message, new Date(Date.now() + 10 * MINUTE_MS));

      expect(subjects([present(await claim(store))])).toEqual(['a']);
    }));
});
