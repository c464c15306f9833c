import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { SESSION_DAYS } from '../../core/session.ts';
import { publicPathOf } from '../../http/public-path.ts';

const SECONDS_PER_DAY = 86_400;

export interface SessionCookie {
  read(c: Context): string | null;
  write(c: Context, token: string): void;
  clear(c: Context): void;
}

/**
 * Over https the name has the prefix `__Host-`, so that neither another host of the domain nor plain http can set it
 * (RFC 6265bis, 4.1.3.2). That prefix demands the path `/`: a Tocsin that shares its host keeps its cookies to its own path
 * instead, with the prefix `__Secure-`.
 */
export function cookieOf(publicUrl: string, plainName: string) {
  const secure = new URL(publicUrl).protocol === 'https:';
  const path = `${publicPathOf(publicUrl)}/`;
  const prefix = path === '/' ? '__Host-' : '__Secure-';
  return {
    name: secure ? prefix + plainName : plainName,
    attributes: { path, httpOnly: true, sameSite: 'Lax', secure },
  } as const;
}

export function createSessionCookie(publicUrl: string): SessionCookie {
  const { name, attributes } = cookieOf(publicUrl, 'tocsin');
  return {
    read: (c) => getCookie(c, name) ?? null,
    write: (c, token) => setCookie(c, name, token, { ...attributes, maxAge: SESSION_DAYS * SECONDS_PER_DAY }),
    clear: (c) => void deleteCookie(c, name, attributes),
  };
}
