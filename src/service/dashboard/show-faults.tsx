import type { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Logger } from 'pino';
import { NotFoundError } from '../core/errors.ts';
import type { DashboardEnv, DashboardSession } from './dashboard-env.ts';
import { renderPage } from './layout.tsx';
import { PageError } from './page-error.ts';

const NOT_FOUND = new PageError(404, 'Page not found', 'It may have been deleted, or the address is wrong.');

/** Answers every failed request with a page that says what to do. */
export function showFaults(dashboard: Hono<DashboardEnv>, logger: Logger): void {
  dashboard.notFound((c) => c.html(renderFault(NOT_FOUND, c.get('session') ?? null), NOT_FOUND.status));
  dashboard.onError((error, c) => {
    const session = c.get('session') ?? null;
    const fault = error instanceof NotFoundError ? NOT_FOUND : error;
    if (fault instanceof PageError) {
      return c.html(renderFault(fault, session), fault.status, fault.headers);
    }
    if (fault instanceof HTTPException) {
      return fault.getResponse();
    }
    logger.error({ err: error, requestId: c.get('requestId') }, 'dashboard page failed');
    const advice = 'The error is in the log. Try again in a moment.';
    return c.html(renderFault({ title: 'Something went wrong', message: advice }, session), 500);
  });
}

function renderFault(fault: Pick<PageError, 'title' | 'message'>, session: DashboardSession | null) {
  return renderPage(
    { title: fault.title, section: null, session },
    <>
      <p>{fault.message}</p>
      <p>
        {session === null ? <a href="/dashboard/sign-in">Sign in</a> : <a href="/dashboard/incidents">All incidents</a>}
      </p>
    </>,
  );
}
