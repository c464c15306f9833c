import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import { LRUCache } from 'lru-cache';
import { addPublicPath } from '../../http/public-path.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { type SharedMessage, shareMessage } from './shared-message.ts';

/** Renders that are shared. One is asked for by all readers within moments of a change. */
const MAX_RENDERS = 200;
/** Stands for the token of each reader's session in what is shared. It is no valid token, and nobody can type it: it is random. */
const TOKEN = `token-${crypto.randomUUID()}`;

/**
 * Renders a change once for all readers who see the same, whatever their number.
 *
 * @param key what the result depends on, apart from the role and token of the reader
 * @param render given a session with the reader's role, whose token is put in afterwards
 * @param frame makes a message of the HTML
 */
export type RenderOnce = (
  key: string,
  session: DashboardSession,
  render: (shared: DashboardSession) => Promise<Child>,
  frame: (html: string) => string,
) => Promise<SharedMessage>;

/** @param publicPath see `publicPathOf` */
export function createRenderOnce(publicPath: string): RenderOnce {
  const renders = new LRUCache<string, Promise<SharedMessage>>({ max: MAX_RENDERS });
  return (key, session, render, frame) => {
    const shared = `${session.role}\n${key}`;
    const known = renders.get(shared);
    const rendering =
      known ??
      renderText(render({ ...session, csrfToken: TOKEN })).then((text) =>
        shareMessage(frame(addPublicPath(text, publicPath)), TOKEN),
      );
    if (known === undefined) {
      renders.set(shared, rendering);
      rendering.catch(() => renders.delete(shared));
    }
    return rendering;
  };
}

async function renderText(content: Promise<Child>): Promise<string> {
  return String(await html`${await content}`);
}
