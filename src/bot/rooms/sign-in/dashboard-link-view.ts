import { answer } from '../../blocks/answer.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { dateToken, link, plainText } from '../../blocks/mrkdwn.ts';
import { messageOf } from '../../blocks/text-of.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { SIGN_IN_BUTTONS } from './ids.ts';

const ROLE_WORDS = {
  viewer: 'look at incidents',
  responder: 'look at and act on incidents',
  admin: 'look at and act on incidents, and change its settings',
} as const;

/** A sign-in link works once, so it is a button and not text that somebody may copy. */
export function dashboardLink({
  url,
  expiresAt,
  role,
  number,
  isAskedOnPage = false,
}: {
  readonly url: string;
  readonly expiresAt: Date;
  readonly role: 'viewer' | 'responder' | 'admin';
  /** Number of the incident that the link opens; null: it opens another page. */
  readonly number: number | null;
  /** Requested on the sign-in page, possibly by somebody other than the receiver. */
  readonly isAskedOnPage?: boolean;
}): SlackMessage {
  const why = isAskedOnPage ? ' It was asked for on the sign-in page. If that was not you, ignore it.' : '';
  const { blocks } = answer(
    `The dashboard lets you ${ROLE_WORDS[role]}. This link is for you alone, works once, and ends ${dateToken(expiresAt.toISOString())}.${why}`,
  );
  const label = number === null ? 'Open the dashboard' : `Open incident #${number}`;
  const open = { type: 'button', text: plainText(label, LIMITS.buttonText), url } as const;
  return messageOf([...blocks, { type: 'actions', elements: [{ ...open, action_id: SIGN_IN_BUTTONS.openDashboard }] }]);
}

/** @param page of an incident */
export function plainDashboardLink(page: string): SlackMessage {
  const { origin } = new URL(page);
  return answer(`${link(origin, 'Open the pages of the incident service')}. You sign in there.`);
}

export function noDashboard(): SlackMessage {
  return answer('The incident service has no dashboard that I know of.');
}
