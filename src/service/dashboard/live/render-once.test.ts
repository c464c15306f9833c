import { expect, it } from 'vitest';
import type { DashboardSession } from '../dashboard-env.ts';
import { createRenderOnce } from './render-once.ts';

function session(role: DashboardSession['role'], csrfToken: string): DashboardSession {
  return {
    id: csrfToken,
    person: { user: 'ana', name: 'Ana', slackUserId: null, userId: 'console:ana' },
    role,
    method: 'link',
    identity: csrfToken,
    grantedBy: [],
    apiKeyId: null,
    address: '',
    userAgent: '',
    createdAt: new Date(0),
    lastSeenAt: new Date(0),
    csrfToken,
  };
}

const plain = (text: string) => text;

it('renders a change once for 500 readers of a role, each with the token of their own session', async () => {
  const once = createRenderOnce('');
  let renders = 0;
  const textFor = async (reader: DashboardSession, key: string, rendered: typeof render) =>
    Buffer.from((await once(key, reader, rendered, plain)).plain(reader.csrfToken)).toString();
  const render = async (shared: DashboardSession) => {
    renders += 1;
    return `${shared.role} ${shared.csrfToken}`;
  };

  const readers = Array.from({ length: 500 }, (_, index) => session('responder', `token${index}`));
  const texts = await Promise.all(readers.map((reader) => textFor(reader, 'change 1', render)));
  const viewer = await textFor(session('viewer', 'other'), 'change 1', render);
  const next = await textFor(session('responder', 'token0'), 'change 2', render);

  expect(texts).toEqual(readers.map(({ csrfToken }) => `responder ${csrfToken}`));
  expect([viewer, next]).toEqual(['viewer other', 'responder token0']);
  expect(renders).toBe(3);
});

it('tries again after a render that failed', async () => {
  const once = createRenderOnce('');
  const reader = session('viewer', 'token');

  await expect(once('key', reader, () => Promise.reject(new Error('database away')), plain)).rejects.toThrow(
    'database away',
  );

  const message = await once('key', reader, async () => 'text', plain);

  expect(Buffer.from(message.plain('token')).toString()).toBe('text');
});
