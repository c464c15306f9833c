import { idOfKey, idOfSlackUser } from '../../../contract/actor.ts';
import { addMinutes } from '../../../runtime/dates.ts';
import { findLocalPage } from '../../core/local-page.ts';
import { LINK_MINUTES } from '../../core/sign-in-link.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';
import { invalidBody } from '../validate.ts';

export function createSignInLinkHandlers({
  signInLinks,
  now,
  publicUrl,
}: RouteDeps): Pick<Handlers, 'createSignInLink'> {
  return {
    async createSignInLink({ body, caller, callerName }) {
      const { user, name = user, slack_user_id: slackUserId = null, role, return_to: page = null } = body;
      const returnTo = page === null ? null : findLocalPage(page);
      if (page !== null && returnTo === null) {
        throw invalidBody([{ pointer: '/return_to', detail: 'must be a path that begins with /dashboard' }]);
      }
      const expiresAt = addMinutes(now(), LINK_MINUTES);
      const known = slackUserId === null ? idOfKey({ name: callerName }) : idOfSlackUser(slackUserId);
      const person = { user, name, slackUserId, userId: body.user_id ?? known };
      const identity = slackUserId === null ? `user:${user}` : `slack:${slackUserId}`;
      const token = await signInLinks.create({ person, role, identity, apiKeyId: caller, returnTo, expiresAt }, now());
      return {
        body: { expires_at: expiresAt.toISOString() },
        headers: { 'cache-control': 'no-store' },
        once: { url: `${publicUrl}/dashboard/sign-in/links/${token}` },
      };
    },
  };
}
