import { NotOfferedError } from '../../../client/errors.ts';
import { idOfSlackUser } from '../../../contract/actor.ts';
import type { Schedule } from '../../../contract/on-call.ts';
import { closest } from '../../../runtime/closest.ts';
import { addHours } from '../../../runtime/dates.ts';
import { answers, type CommandHandler, type CommandRequest, opensForm } from '../../listeners/command-handler.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { openForm } from '../../listeners/open-form.ts';
import { withService } from '../../listeners/with-service.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import {
  drilled,
  noSchedules,
  noTurns,
  notOffered,
  onCallMessage,
  takenMessage,
  wayAdded,
  whichPolicy,
  whichSchedule,
  whoIsWoken,
} from './oncall-view.ts';
import { turnsOf } from './read-on-call.ts';
import { swapModal } from './swap-view.ts';
import type { Swaps } from './swaps.ts';

/** What this room needs beside what all listeners share. */
export type OnCallDeps = ListenerDeps & {
  readonly swaps: Swaps;
  /** Makes somebody known to the service. */
  readonly tellWho: (slackUserId: SlackUserId) => Promise<void>;
};

/** What follows `take`: for how many hours, and from whom. */
const TAKE = /^take(?:\s+(\d{1,2})\s*h)?(?:\s+(.+))?$/is;
const DEFAULT_HOURS = 2;
const MOST_HOURS = 24;
/** Of a service, as the API takes it. */
const NAME_LENGTH = 255;

/** What else may follow the word: each with the rest of the text, such as the name of a schedule. */
const VERBS = /^(swap|drill|wakeme)(?:\s+(.+))?$/is;

/** `/incidents oncall [schedule or service]`, and what people do about it. */
export const handleOncall: CommandHandler<OnCallDeps> = (deps, request) => {
  const text = request.text ?? '';
  const verb = VERBS.exec(text)?.[1]?.toLowerCase() ?? '';
  return (HANDLERS.get(verb) ?? (TAKE.test(text) ? take : show))(deps, request);
};

function afterVerb({ text }: CommandRequest): string {
  return VERBS.exec(text ?? '')?.[2] ?? '';
}

type Run = Parameters<typeof withService<OnCallDeps>>[0];

/** Says so where the service has no schedules. */
function withSchedules(run: Run): Run {
  return withService<OnCallDeps>(async (deps, request, answer) => {
    try {
      await run(deps, request, answer);
    } catch (error) {
      if (!(error instanceof NotOfferedError)) {
        throw error;
      }
      await answer(notOffered());
    }
  });
}

const show = answers(
  withSchedules(async (deps, { text, asker: { slackUserId } }, answer) => {
    const [schedules, self] = await Promise.all([
      deps.service.listSchedules(),
      deps.service.findPerson(idOfSlackUser(slackUserId)),
    ]);
    const typed = text ?? '';
    const chosen = choose(schedules, typed);
    const woken = chosen.length > 0 || typed === '' ? null : await deps.service.readOnCall(typed.slice(0, NAME_LENGTH));
    if (woken !== null && (woken.policy !== null || (await isService(deps, typed)))) {
      return answer(whoIsWoken(woken));
    }
    if (chosen.length === 0) {
      return answer(schedules.length === 0 ? noSchedules() : unknown(schedules, typed));
    }
    await answer(onCallMessage(chosen, self?.id ?? null));
  }),
);

const take = opensForm(
  withSchedules(async (deps, request, answer) => {
    const [, typed, name = ''] = TAKE.exec(request.text ?? '') ?? [];
    const { slackUserId } = request.asker;
    const schedules = await deps.service.listSchedules();
    const chosen = choose(schedules, name);
    const [schedule] = chosen;
    if (schedule === undefined || chosen.length > 1) {
      return answer(schedules.length === 0 ? noSchedules() : unknown(schedules, name));
    }
    const hours = Math.min(MOST_HOURS, Math.max(1, Number(typed ?? DEFAULT_HOURS)));
    const to = addHours(deps.now(), hours);
    await deps.tellWho(slackUserId);
    await deps.service.createOverride(schedule.id, await overrideOf(deps, request, to), request.triggerId);
    await answer(takenMessage(schedule, to));
  }),
);

async function overrideOf({ people }: OnCallDeps, { asker: { slackUserId } }: CommandRequest, to: Date) {
  const { name, userId } = await people.find(slackUserId);
  return { person: idOfSlackUser(slackUserId), to: to.toISOString(), user: name, user_id: userId };
}

const swap = opensForm(
  withSchedules(async (deps, request, answer) => {
    const { slackUserId } = request.asker;
    const [schedules, self] = await Promise.all([
      deps.service.listSchedules(),
      deps.service.findPerson(idOfSlackUser(slackUserId)),
    ]);
    const chosen = choose(schedules, afterVerb(request));
    if (chosen.length === 0) {
      return answer(schedules.length === 0 ? noSchedules() : unknown(schedules, afterVerb(request)));
    }
    const turns = self === null ? [] : await turnsOf(deps.service, chosen, self.id, deps.now());
    if (turns.length === 0) {
      return answer(noTurns());
    }
    const timeZone = self?.time_zone ?? chosen[0]?.time_zone ?? 'UTC';
    await openForm(deps, { triggerId: request.triggerId, modal: swapModal(turns, timeZone) }, answer);
  }),
);

const drill = opensForm(
  withSchedules(async (deps, request, answer) => {
    const name = afterVerb(request).trim().toLowerCase();
    const policies = await deps.service.listPolicies();
    const chosen = name === '' ? policies : policies.filter((policy) => policy.name.toLowerCase() === name);
    const [policy] = chosen;
    if (policy === undefined || chosen.length > 1) {
      return answer(whichPolicy(policies.map((each) => each.name)));
    }
    await deps.service.drillPolicy(policy.id, request.triggerId);
    await answer(drilled(policy.name));
  }),
);

/** Adds Slack as a way to wake who asks, which an answer to its test proves. */
const wakeMe = opensForm(
  withSchedules(async (deps, request, answer) => {
    const { slackUserId } = request.asker;
    await deps.tellWho(slackUserId);
    const way = { kind: 'slack' as const, address: slackUserId };
    await deps.service.addWay(idOfSlackUser(slackUserId), way, request.triggerId);
    await answer(wayAdded());
  }),
);

const HANDLERS: ReadonlyMap<string, CommandHandler<OnCallDeps>> = new Map([
  ['swap', swap],
  ['drill', drill],
  ['wakeme', wakeMe],
]);

/** A name that no policy has may still be a service, for which nobody would be woken. */
async function isService({ store }: Pick<OnCallDeps, 'store'>, typed: string): Promise<boolean> {
  const names = await store.serviceNames.matching(typed, 1);
  return names[0]?.toLowerCase() === typed.toLowerCase();
}

/** All where nothing is typed. */
function choose(schedules: readonly Schedule[], name: string): readonly Schedule[] {
  const typed = name.trim().toLowerCase();
  return typed === '' ? schedules : schedules.filter((schedule) => schedule.name.toLowerCase() === typed);
}

function unknown(schedules: readonly Schedule[], typed: string) {
  const names = schedules.map(({ name }) => name);
  return whichSchedule(typed.trim(), closest(typed, names), names);
}
