import type { ServiceClient } from '../../../client/service-client.ts';
import { idOfSlackUser } from '../../../contract/actor.ts';
import { classifySlackFailure } from '../../slack/errors.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { SlackApi } from '../../slack/methods.ts';
import { personOf } from '../../slack/person-of.ts';

/**
 * Makes somebody known to the service: by their Slack id and verified address, never by name. Where Slack will not say who that
 * is, the service answers by whom it knows already.
 */
export type TellWho = (slackUserId: SlackUserId) => Promise<void>;

export function createTellWho({
  api,
  service,
}: {
  readonly api: { readonly users: Pick<SlackApi['users'], 'info'> };
  readonly service: Pick<ServiceClient, 'savePerson'>;
}): TellWho {
  return async (slackUserId) => {
    const answer = await api.users.info({ user: slackUserId }).catch((error) => {
      if (!['refused', 'missing-scope'].includes(classifySlackFailure(error).kind)) {
        throw error;
      }
      return null;
    });
    if (answer !== null) {
      await service.savePerson(idOfSlackUser(slackUserId), personOf(slackUserId, answer.user));
    }
  };
}
