import { NotOfferedError } from '../../../client/errors.ts';
import { heldShortly } from '../../messages/confirmed-by-poll.ts';
import type { MessageKind } from '../../messages/kind.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import { dashboardLink } from './dashboard-link-view.ts';
import { isOver } from './sign-in-request.ts';
import { SIGN_IN_DATA } from './sign-ins.ts';

type Link = Omit<Parameters<typeof dashboardLink>[0], 'number'>;

/** A direct message with a link that was asked for on the sign-in page. The link is made when the message is sent. */
export function createSignInKind(deps: {
  createLink: (slackUserId: SlackUserId, page: string | undefined) => Promise<Link | null>;
  now: () => Date;
}): MessageKind<'sign-in'> {
  const { createLink, now } = deps;
  return {
    // The row stays, so that another process of the bot does not answer the same event.
    lifecycle: 'kept true',
    shownAs: { subjectField: 'event_id' },
    data: SIGN_IN_DATA,
    shortestRetryMs: 5_000,

    async render({ placeId: slackUserId, data: { returnTo, askedAt } }) {
      if (isOver(new Date(askedAt), now())) {
        return null;
      }
      try {
        const number = /^\/dashboard\/incidents\/(\d{1,15})(?![^/?#])/.exec(returnTo)?.[1];
        const link = await createLink(slackUserId, returnTo === '' ? undefined : returnTo);
        if (link === null) {
          return heldShortly(now());
        }
        return {
          content: dashboardLink({
            ...link,
            number: number === undefined ? null : Number(number),
            isAskedOnPage: true,
          }),
        };
      } catch (error) {
        if (error instanceof NotOfferedError) {
          return null;
        }
        throw error;
      }
    },
  };
}
