import type { Hono } from 'hono';
import { actorOfPerson } from '../../core/session.ts';
import { readPathParameter } from '../../http/storable-text.ts';
import type { LessonStore } from '../../store/incidents/lesson-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { demandRole } from '../session/guard.ts';
import { renderLessonsPage } from './lessons-page.tsx';

const PATH = '/settings/lessons';

export function bindLessons(
  dashboard: Hono<DashboardEnv>,
  { lessons, now }: { readonly lessons: LessonStore; readonly now: () => Date },
): void {
  dashboard.get(PATH, async (c) =>
    c.html(renderLessonsPage({ session: c.get('session'), lessons: await lessons.list(now()), now: now() })),
  );

  // One that has ended meanwhile is gone too.
  dashboard.post(`${PATH}/:id/forget`, async (c) => {
    demandRole(c, 'responder');
    await lessons.forget(readPathParameter(c.req.param('id')), actorOfPerson(c.get('session').person), now());
    return c.redirect(`/dashboard${PATH}`, 303);
  });
}
