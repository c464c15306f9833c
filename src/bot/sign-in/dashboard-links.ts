import type { ServiceClient } from '../../client/service-client.ts';
import type { SlackUserId } from '../domain/identifiers.ts';
import type { CreateDashboardLink, DashboardLink } from '../listeners/deps.ts';
import type { People } from '../slack/people.ts';
import type { Responders } from '../slack/responders.ts';

/** @param deps.admins members of the user groups that are admins in the dashboard; null: nobody is */
export function createDashboardLinks({
  service,
  people,
  admins,
}: {
  readonly service: Pick<ServiceClient, 'createSignInLink'>;
  readonly people: People;
  readonly admins: Responders | null;
}): CreateDashboardLink {
  async function roleOf(slackUserId: SlackUserId): Promise<DashboardLink['role']> {
    const [{ standing }, refusal, noAdmin] = await Promise.all([
      people.find(slackUserId),
      people.refusal(slackUserId),
      admins === null ? 'nobody' : admins.refusal(slackUserId),
    ]);
    if (standing === 'member' && noAdmin === null) {
      return 'admin';
    }
    return refusal === null ? 'responder' : 'viewer';
  }

  return async (slackUserId, page) => {
    const [{ name, userId }, role] = await Promise.all([people.find(slackUserId), roleOf(slackUserId)]);
    const person = { user: name, user_id: userId, slack_user_id: slackUserId, role };
    return { ...(await service.createSignInLink({ ...person, return_to: page })), role };
  };
}
