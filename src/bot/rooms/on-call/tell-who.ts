import type { ServiceClient } from '../../../client/service-client.ts';
import { idOfSlackUser } from '../../../contract/actor.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { SlackApi } from '../../slack/methods.ts';
import { personOf } from '../../slack/person-of.ts';

/** Makes somebody known to the service: by their Slack id and verified address, never by name. */
export type TellWho = (slackUserId: SlackUserId) => Promise<void>;

export function createTellWho({
  api,
  service,
}: {
  readonly api: { readonly users: Pick<SlackApi['users'], 'info'> };
  readonly service: Pick<ServiceClient, 'savePerson'>;
}): TellWho {
  return async (slackUserId) => {
    const { user } = await api.users.info({ user: slackUserId });
    await service.savePerson(idOfSlackUser(slackUserId), personOf(slackUserId, user));
  };
}
