import { findBroken, findWaiting } from './invariants.ts';
import { type PlanSize, planOf } from './plan.ts';
import { type History, runPlan } from './run-plan.ts';
import { startWorld, type Transport, type World } from './world.ts';

/** Longer than the pause between two audits of a channel. */
const AUDIT_MS = 7 * 60 * 60_000;
const MAX_BEATS = 150;

/**
 * Runs the plan of a seed in a new world.
 *
 * @param spoil makes the world break its promises, so that laws must be broken
 * @returns the violations and then the history of the run; empty: no violations
 */
export async function runSeed(
  seed: number,
  transport: Transport,
  size: PlanSize,
  spoil: (world: World) => void = () => undefined,
): Promise<string[]> {
  const plan = planOf(seed, size);
  await using world = await startWorld(transport, plan.shape);
  spoil(world);
  const history = await runPlan(world, plan);

  await world.pass(Math.max(0, world.handoverAt.getTime() - world.clock.now().getTime()));
  await comeToRest(world, history);
  await world.pass(AUDIT_MS);
  for (const person of history.homes) {
    world.slack.as(person).openAppHome('home'); // it is refreshed only for a while
  }
  await comeToRest(world, history);

  const broken = await findBroken(world, history);
  return broken.length === 0
    ? []
    : [...broken, `CHAOS_SEED=${seed}`, ...(await asked(world)), ...story(world, history)];
}

/** The actions as the bots have stored them, and what became of them. */
async function asked(world: World): Promise<string[]> {
  const rows = await world.query<{ action: string }>(
    'select left(row_to_json(actions)::text, 600) as action from actions order by number',
  );
  return rows.map(({ action }) => action);
}

/** Ends all faults and waits until all work is done. */
async function comeToRest(world: World, history: History): Promise<void> {
  world.slack.recover();
  world.service.shufflePages(false);
  await world.startMissingBots();
  let waiting: string[] = [];
  for (let beat = 0, still = 0; still < 3; beat += 1) {
    await world.pass(beat < 10 ? 6_000 : 31_000);
    waiting = await findWaiting(world);
    still = waiting.length === 0 ? still + 1 : 0;
    if (beat > MAX_BEATS) {
      throw new Error([`still waiting: ${waiting.join(', ')}`, ...story(world, history)].join('\n'));
    }
  }
}

/** The steps of the plan and the calls of the bots by time, for debugging with `CHAOS_SEED`. */
function story({ slack }: World, { trace }: History): string[] {
  const calls = slack.calls.map(({ at, method, args, verdict }) => {
    const metadata = JSON.stringify(Reflect.get(Object(args.metadata), 'event_payload') ?? '');
    return { at, line: `    ${method} ${JSON.stringify(args.ts) ?? ''} ${metadata}: ${verdict}` };
  });
  return [...trace, ...calls]
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ at, line }) => `${at.toISOString().slice(11)} ${line}`);
}
