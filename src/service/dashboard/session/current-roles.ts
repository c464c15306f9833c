import type { Session } from '../../core/session.ts';
import { isLower } from '../../core/session.ts';
import type { SessionStore } from '../../store/people/session-store.ts';
import { type OpenIdRoles, roleOfGrants } from '../sign-in/openid-role.ts';

/**
 * Sessions with the role that the settings give today: one of OpenID Connect is lowered, or is none any more, when its
 * entry has left the lists.
 *
 * @param roles null: nobody signs in by OpenID Connect any more
 */
export function withCurrentRoles(sessions: SessionStore, roles: OpenIdRoles | null): SessionStore {
  const toCurrent = (session: Session): Session | null => {
    if (session.method !== 'openid') {
      return session;
    }
    const role = roles === null ? null : roleOfGrants(session.grantedBy, roles);
    return role === null ? null : { ...session, role: isLower(role, session.role) ? role : session.role };
  };
  return {
    ...sessions,
    async find(token, now) {
      const session = await sessions.find(token, now);
      return session === null ? null : toCurrent(session);
    },
    async list(now) {
      return (await sessions.list(now)).flatMap((session) => toCurrent(session) ?? []);
    },
  };
}
