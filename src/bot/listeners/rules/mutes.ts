import { NotOfferedError, ServiceClientError } from '../../../client/errors.ts';
import type { Mute } from '../../../contract/resources.ts';
import { withTimeout } from '../../../runtime/timeout.ts';
import { endOfSnooze, readSnooze } from '../../domain/snooze.ts';
import { keptReason } from '../../service-writes/service-failure.ts';
import { answer as sentence, serviceFailing } from '../../views/answers.ts';
import { code, dateToken, inline } from '../../views/mrkdwn.ts';
import { type ButtonArgs, toClick } from '../actions/buttons.ts';
import { type Answer, type Asker, answeringResponders, originOf } from '../answering.ts';
import type { CommandHandler } from '../commands/handler.ts';
import type { ListenerDeps } from '../deps.ts';
import { timeZoneOf } from './open-rule-form.ts';

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
  return async (deps, { asker, text, ack, respond }) => {
    await ack();
    await answeringResponders(deps, asker, respond, async (answer) => {
      const parsed = readSnooze(text ?? '');
      if (parsed === null || parsed.reason === null) {
        return answer(
          sentence(
            `Say for how long and why, for example \`/incidents snooze ${target}:${inline(value, 80)} 2h upgrade\`.`,
          ),
        );
      }
      const { slackUserId } = asker;
      const zone = await timeZoneOf(deps, slackUserId).catch(() => 'UTC');
      const until = endOfSnooze(parsed.time, zone, deps.now());
      await tellFailures(deps, answer, async () => {
        const { name: user } = await deps.people.find(slackUserId);
        await deps.service.createMute({ target, value, until, reason: parsed.reason ?? '', user });
        await record(deps, asker, `mute ${target}`, value);
        await answer(
          sentence(
            `🔕 Muted ${target} ${code(value, 80)} until ${dateToken(until.toISOString())}: its incidents are listed, without new cards and reminders. \`/incidents rules\` ends it.`,
          ),
        );
      });
    });
  };
}

/** "End" beside a mute. */
export function createMuteEndListener(deps: ListenerDeps) {
  return async (args: ButtonArgs): Promise<void> => {
    await args.ack();
    const click = toClick(args);
    await answeringResponders(deps, click, args.respond, (answer) =>
      tellFailures(deps, answer, async () => {
        const { name: user } = await deps.people.find(click.slackUserId);
        await deps.service.deleteMute(click.value, { user });
        await record(deps, click, 'end mute', click.value);
        await answer(sentence('The mute has ended. Its open incidents get their cards now.'));
      }),
    );
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

async function tellFailures(deps: ListenerDeps, answer: Answer, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ServiceClientError)) {
      throw error;
    }
    deps.logger.warn({ err: error }, 'a mute could not be changed');
    const isMissing = error instanceof NotOfferedError;
    await answer(
      isMissing ? sentence('The incident service does not offer mutes.') : serviceFailing(keptReason(error)),
    );
  }
}

async function record(deps: ListenerDeps, asker: Asker, action: string, detail: string): Promise<void> {
  const { slackUserId, channelId } = asker;
  const userName = deps.people.cached(slackUserId)?.name ?? null;
  const entry = { action, incidentId: null, slackUserId, userName, channelId, origin: originOf(asker) };
  await deps.store.auditLog.record({ ...entry, outcome: 'done', detail: detail.slice(0, 200) });
}
