import type { UsersInfoResponse } from '@slack/web-api';
import type { SavePersonRequest } from '../../contract/on-call.ts';
import { REQUEST_LIMITS } from '../../contract/requests.ts';
import type { SlackUserId } from './identifiers.ts';

/** What Slack has verified of somebody, as the service keeps it. */
export function personOf(slackUserId: SlackUserId, user: UsersInfoResponse['user']): SavePersonRequest {
  const { email, display_name: displayName, real_name: realName } = user?.profile ?? {};
  const name = [displayName, realName, user?.name].find((each) => each !== undefined && each.trim() !== '');
  return {
    name: (name ?? slackUserId).trim().slice(0, REQUEST_LIMITS.user).toWellFormed(),
    ...(email && { email: email.slice(0, REQUEST_LIMITS.user) }),
    ...(user?.tz && { time_zone: user.tz }),
    is_gone: user?.deleted === true,
  };
}
