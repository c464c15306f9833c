import { expect, it } from 'vitest';
import { Incident } from '../../src/contract/resources.ts';
import { chosenSeeds } from '../support/chosen-seeds.ts';
import type { Fate } from '../support/provider-fates.ts';
import { rounds } from '../support/rounds.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Confirmed, findBrokenWaking } from './waking-laws.ts';
import { type Provider, startWakingWorld } from './waking-world.ts';

/** More than one costs minutes; `CHAOS_SEED=2` runs another one. */
const SEEDS = chosenSeeds(() => [1]);
const SERVICES = ['cart', 'search', 'ledger', 'mailer', 'depot', 'login'];
/** Each kills one of the two processes. */
const ROUNDS = rounds({ gate: 3, weekly: 12 });
/** After the last round, for longer than the policies take. */
const QUIET_MINUTES = 8;

type Weather = (provider: Provider, random: () => number) => Fate;

const WEATHERS: readonly Weather[] = [
  () => 'works',
  (provider) => (provider === 'push' ? 'away' : 'works'),
  (_provider, random) => (random() < 0.5 ? 'cut' : 'works'),
  (_provider, random) => (random() < 0.5 ? 'limited' : 'works'),
  (_provider, random) => (random() < 0.2 ? 'silent' : 'works'),
];

it.each(SEEDS)(
  'wakes until somebody has it, and never after, while processes die and providers fail (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const pick = <Thing>(things: readonly Thing[]): Thing | undefined => things[Math.floor(random() * things.length)];
    await using world = await startWakingWorld();
    const incidents: string[] = [];
    for (const service of SERVICES) {
      await world.addPolicy(service);
    }
    world.said.length = 0; // tests of the ways
    for (const service of SERVICES) {
      incidents.push(await world.make('POST', '/incidents', { title: `${service} is down`, service, user: 'ana' }));
    }
    const confirmed: Confirmed[] = [];
    const confirm = async (incident: string) =>
      confirmed.push({ pages: await world.pagesOf(incident), saidBefore: world.said.length });

    const acts = [
      async (incident: string) => {
        await world.call('POST', `/incidents/${incident}/acknowledge`, { user: 'ben' });
        await confirm(incident);
      },
      async (incident: string) => {
        const asked = (await world.pagesOf(incident)).flatMap(({ attempts }) => attempts.map(({ id }) => id));
        const message = world.said.findLast(
          ({ attemptId, answerUrl }) => answerUrl !== null && asked.includes(attemptId ?? ''),
        );
        if (message?.answerUrl !== undefined && message.answerUrl !== null) {
          await world.answer(message.answerUrl);
          await confirm(incident);
        }
      },
      async (incident: string) => {
        await world.call('POST', `/incidents/${incident}/unacknowledge`, { user: 'ben' });
      },
      async () => undefined,
    ];

    for (let round = 0; round < ROUNDS; round += 1) {
      const weather = pick(WEATHERS) ?? (() => 'works');
      const [isInCall, victim] = [random() < 0.5, Math.floor(random() * 2)];
      const [act, incident = ''] = [pick(acts), pick(incidents)];
      let isKilled = false;
      const kill = () => {
        isKilled = true;
        world.kill(victim);
      };
      world.setFates((provider) => weather(provider, random));
      if (isInCall) {
        world.atNextCall(kill);
      }
      await Promise.all([world.pass(Math.ceil(random() * 120)), act?.(incident)]);
      if (!isInCall) {
        kill();
      }
      await world.settle();
      if (!isKilled) {
        world.atNextCall(() => undefined);
        kill();
      }
      await world.startMissing();
    }
    world.setFates(() => 'works');
    for (let minute = 0; minute < QUIET_MINUTES; minute += 1) {
      await world.pass(60);
      await world.settle();
    }

    const pages = [];
    for (const id of incidents) {
      const { acknowledged = false } = Incident.parse(await world.call('GET', `/incidents/${id}`));
      const [newest, ...older] = await world.pagesOf(id);
      pages.push(
        ...older.map((page) => ({ page, isAcknowledged: true })),
        ...(newest === undefined ? [] : [{ page: newest, isAcknowledged: acknowledged }]),
      );
    }
    expect(pages.length).toBeGreaterThanOrEqual(incidents.length);
    expect(findBrokenWaking({ said: world.said, confirmed, pages })).toEqual([]);
  },
  600_000,
);
