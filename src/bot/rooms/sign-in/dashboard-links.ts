import type { ServiceClient } from '../../../client/service-client.ts';
import type { CreateSignInLinkRequest } from '../../../contract/sign-in.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { People } from '../../slack/people.ts';
import type { Responders } from '../../slack/responders.ts';

export interface DashboardLink {
  readonly url: string;
  readonly expiresAt: Date;
  readonly role: CreateSignInLinkRequest['role'];
}

/**
 * Makes a link that signs a person in to the dashboard. Their role follows what they may do in Slack.
 *
 * @param page to open afterwards; absent: the list
 * @returns null: Slack does not say who the person is
 * @throws {NotOfferedError} when the service has no sign-in links
 */
export type CreateDashboardLink = (slackUserId: SlackUserId, page: string | undefined) => Promise<DashboardLink | null>;

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
    const { name, userId, standing } = await people.find(slackUserId);
    if (standing === 'unknown') {
      return null;
    }
    const role = await roleOf(slackUserId);
    const person = { user: name, user_id: userId, slack_user_id: slackUserId, role };
    return { ...(await service.createSignInLink({ ...person, return_to: page })), role };
  };
}
