import { withTimeout } from '../../../runtime/timeout.ts';
import type { ListenerDeps } from '../../listeners/deps.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import { endOfSnooze } from './snooze.ts';

/** The trigger expires after three seconds. */
const LOOK_UP_MS = 1_200;

/** @param time as `readSnooze` returns it; "tomorrow" is counted in UTC if Slack does not say the person's time zone in time */
export async function endOfSnoozeOf(
  deps: Pick<ListenerDeps, 'api' | 'now'>,
  slackUserId: SlackUserId,
  time: string,
): Promise<Date> {
  const timeZone =
    time === 'tomorrow' ? await withTimeout(LOOK_UP_MS, () => timeZoneOf(deps, slackUserId)).catch(() => 'UTC') : 'UTC';
  return endOfSnooze(time, timeZone, deps.now());
}

export async function timeZoneOf({ api }: Pick<ListenerDeps, 'api'>, slackUserId: SlackUserId): Promise<string> {
  const { user } = await api.users.info({ user: slackUserId });
  return user?.tz ?? 'UTC';
}
