import type { Mute } from '../../contract/resources.ts';
import { withTimeout } from '../../runtime/timeout.ts';
import { readSnooze } from '../domain/snooze.ts';
import { answering, answeringResponders, keepThenSend } from '../listeners/answering.ts';
import { type ButtonArgs, toClick } from '../listeners/buttons.ts';
import type { CommandHandler } from '../listeners/command-handler.ts';
import type { ListenerDeps } from '../listeners/deps.ts';
import { endOfSnoozeOf } from '../listeners/end-of-snooze.ts';
import { outdatedControl, answer as sentence } from '../views/answers.ts';
import { inline } from '../views/mrkdwn.ts';
import { parseMuteValue } from './mute-value.ts';

const LIST_TIMEOUT_MS = 2_000;

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

/** Planned work: `/incidents snooze service:payments 2h upgrade`. Needs an end and a reason. */
export function muteTarget({ target, value }: MuteTarget): CommandHandler {
  return async (deps, { asker, text, triggerId: source, ack, respond }) => {
    const { time, reason = null } = readSnooze(text ?? '') ?? {};
    if (time === undefined || reason === null) {
      await ack();
      return answeringResponders(deps, asker, respond, (answer) =>
        answer(
          sentence(
            `Say for how long and why, for example \`/incidents snooze ${target}:${inline(value, 80)} 2h upgrade\`.`,
          ),
        ),
      );
    }
    const until = await endOfSnoozeOf(deps, asker.slackUserId, time);
    const { slackUserId, channelId } = asker;
    const request = {
      source,
      kind: 'mute',
      incidentId: null,
      target,
      value,
      slackUserId,
      channelId,
      reason,
      until,
    } as const;
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
