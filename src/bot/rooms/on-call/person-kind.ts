import { NotOfferedError, ServiceResponseError } from '../../../client/errors.ts';
import type { ServiceClient } from '../../../client/service-client.ts';
import { idOfSlackUser } from '../../../contract/actor.ts';
import { SavePersonRequest } from '../../../contract/on-call.ts';
import type { NewEffect } from '../../../effects/new-effects.ts';
import { createKind, type EffectKind } from '../../../effects/performer.ts';
import { failureOf, refusedReason } from '../../actions/service-failure.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { Tables } from '../../tables.ts';

/** Who acts and who is assigned is somebody whom the service knows: sent again when Slack says something else of them. */
export const PERSON = 'person';

export function personEffect(slackUserId: SlackUserId, person: SavePersonRequest): NewEffect {
  return { kind: PERSON, subject: slackUserId, data: person, replaces: true, lane: slackUserId };
}

/** A service without people is asked once. */
export function createPersonKind(service: Pick<ServiceClient, 'savePerson'>): EffectKind<Tables> {
  let isOffered = true;
  const unwanted = { outcome: {}, isRefused: true } as const;
  return createKind<Tables, SavePersonRequest>({
    target: 'incident service',
    effectOf: ({ subject, data }) => ({
      look: async () => (isOffered ? { seen: SavePersonRequest.parse(data) } : { over: unwanted }),
      async call(person) {
        await service.savePerson(idOfSlackUser(subject), person);
        return { outcome: {} };
      },
      failureOf,
    }),
    endOf(_effect, error) {
      isOffered &&= !(error instanceof NotOfferedError);
      return error instanceof ServiceResponseError && refusedReason(error) !== null ? unwanted : null;
    },
  });
}
