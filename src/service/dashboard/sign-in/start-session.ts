import type { Context } from 'hono';
import type { Logger } from 'pino';
import { spokenName } from '../../../contract/actor.ts';
import { auditActor, type SignIn } from '../../core/session.ts';
import type { ApiKeyStore } from '../../store/keys/api-key-store.ts';
import type { PeopleStore } from '../../store/people/people-store.ts';
import type { SessionStore } from '../../store/people/session-store.ts';
import type { SignInLinkStore } from '../../store/people/sign-in-link-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import type { SessionCookie } from '../session/cookie.ts';
import { whereFrom } from '../session/where-from.ts';
import type { AttemptLimit } from './attempt-limit.ts';

export interface SignInDeps {
  readonly sessions: SessionStore;
  readonly keys: ApiKeyStore;
  readonly links: SignInLinkStore;
  readonly people: Pick<PeopleStore, 'savePerson'>;
  readonly cookie: SessionCookie;
  readonly attempts: AttemptLimit;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Who signs in is a person on call from then on. Sets a new token, so one that somebody else knows or has planted is worth nothing; the session before it ends. */
export async function startSession(
  c: Context<DashboardEnv>,
  { sessions, people, cookie, logger, now }: Pick<SignInDeps, 'sessions' | 'people' | 'cookie' | 'logger' | 'now'>,
  signIn: Omit<SignIn, 'address' | 'userAgent'>,
): Promise<void> {
  const before = cookie.read(c);
  const replaced = before === null ? null : await sessions.find(before, now());
  const from = whereFrom(c);
  if (replaced !== null) {
    await sessions.end(replaced.id, { type: 'signed-out', by: auditActor(replaced.person), ...from, now: now() });
  }
  const { userId, name, slackUserId } = signIn.person;
  await people.savePerson(userId, { name: spokenName(name), ...(slackUserId !== null && { slackUserId }) }, now());
  cookie.write(c, await sessions.create({ ...signIn, ...from }, now()));
  logger.info({ method: signIn.method, role: signIn.role, address: from.address }, 'signed in to the dashboard');
}
