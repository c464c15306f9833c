import type { Role } from '../contract/sign-in.ts';
import { addMinutes } from '../runtime/dates.ts';
import { PRINTED_LINK_MINUTES } from './core/sign-in-link.ts';
import type { SignInLinkStore } from './store/people/sign-in-link-store.ts';

/** A sign-in link for somebody at the machine of the service. */
export interface PrintedLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/** @param options.publicUrl without a slash at the end */
export async function createPrintedLink(
  links: SignInLinkStore,
  options: { readonly publicUrl: string; readonly now: Date; readonly name?: string; readonly role?: Role },
): Promise<PrintedLink> {
  const { publicUrl, now, name = 'admin', role = 'admin' } = options;
  const expiresAt = addMinutes(now, PRINTED_LINK_MINUTES);
  const person = { user: name, name, slackUserId: null, userId: `console:${name}` };
  const link = { person, role, identity: `user:${name}`, apiKeyId: null, returnTo: null, expiresAt };
  return { url: `${publicUrl}/dashboard/sign-in/links/${await links.create(link, now)}`, expiresAt };
}
