import type { Mute } from '../../../contract/mute.ts';
import { withTimeout } from '../../../runtime/timeout.ts';
import { answer as sentence } from '../../blocks/answer.ts';
import { answering, answeringResponders, keepThenSend } from '../../listeners/answering.ts';
import { outdatedControl } from '../../listeners/answers.ts';
import { type ButtonArgs, toClick } from '../../listeners/buttons.ts';
import type { CommandHandler } from '../../listeners/command-handler.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import { openForm } from '../../listeners/open-form.ts';
import { timeZoneOf } from './end-of-snooze.ts';
import { muteModal } from './mute-modal.ts';
import { parseMuteValue } from './mute-value.ts';
import { readPlan } from './planned-mute.ts';
import { endOfSnooze, readSnooze } from './snooze.ts';

const LIST_TIMEOUT_MS = 2_000;
/** The trigger expires after three seconds. */
const LOOK_UP_MS = 1_200;

interface MuteTarget {
  readonly target: 'service' | 'integration';
  readonly value: string;
}

/** "service:payments" or "integration:<id>"; null: it names an incident. */
export function parseMuteTarget(reference: string): MuteTarget | null {
  const [, target, value = ''] = /^(service|integration):(.+)$/i.exec(reference) ?? [];
  return target === undefined
    ? null
    : { target: target.toLowerCase() === 'service' ? 'service' : 'integration', value };
}

const NO_PLAN =
  'When does it start? Say it like this: `2h from 22:00 upgrade`, `2h from sat 22:00 weekly backup` or `4h from 2027-01-31 20:00 move`.';

/**
 * Planned work: `/incidents snooze service:payments 2h upgrade`, or later: `… 2h from sat 22:00 weekly upgrade`. Without an
 * end or a reason, a form asks for them.
 */
export function muteTarget({ target, value }: MuteTarget): CommandHandler {
  return async (deps, { asker, text, triggerId: source, ack, respond }) => {
    const { slackUserId, channelId } = asker;
    const { time, reason } = readSnooze(text ?? '') ?? { time: null, reason: text ?? '' };
    if (time === null || reason === null) {
      const opening = {
        triggerId: source,
        modal: muteModal({ target, value, channelId }, { time, reason: reason ?? '' }),
      };
      await answeringResponders(deps, asker, respond, async (answer) => {
        await openForm(deps, opening, answer, ack);
      });
      return ack();
    }
    const timeZone = await withTimeout(LOOK_UP_MS, () => timeZoneOf(deps, slackUserId)).catch(() => 'UTC');
    const read = readPlan(time, reason, timeZone, deps.now());
    if (read?.kind === 'wrong' || read?.reason === '') {
      await ack();
      return answeringResponders(deps, asker, respond, (answer) =>
        answer(sentence(read.kind === 'wrong' ? NO_PLAN : 'Please say why, after the time.')),
      );
    }
    const until = endOfSnooze(time, timeZone, deps.now());
    const plan = read?.plan ?? { startsAt: null, until, every: null, timeZone };
    const mute = { ...plan, first: null, target, value, reason: read?.reason ?? reason };
    const request = { ...mute, source, kind: 'mute', incidentId: null, slackUserId, channelId } as const;
    await keepThenSend(deps, request, asker, { ack, respond });
  };
}

/** "End" beside a mute. */
export function createMuteEndListener(deps: ListenerDeps) {
  return async (args: ButtonArgs): Promise<void> => {
    const click = toClick(args);
    const mute = parseMuteValue(click.value);
    if (mute === null) {
      await args.ack();
      return answering(deps, click, args.respond, (answer) => answer(outdatedControl()));
    }
    const { triggerId: source, slackUserId, channelId } = click;
    const request = { ...mute, source, kind: 'unmute', incidentId: null, slackUserId, channelId } as const;
    return keepThenSend(deps, request, click, args);
  };
}

/** The mutes of services and integrations; null: the service has none to offer, or does not answer. */
export async function listMutes({ service, now }: Pick<ListenerDeps, 'service' | 'now'>): Promise<Mute[] | null> {
  try {
    const mutes = await withTimeout(LIST_TIMEOUT_MS, () => service.listMutes());
    return mutes.filter(({ target, until }) => target !== 'incident' && new Date(until) > now());
  } catch {
    return null; // the rules are shown without them
  }
}
