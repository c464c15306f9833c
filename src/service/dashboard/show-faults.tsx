import type { Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Logger } from 'pino';
import { NotFoundError } from '../core/errors.ts';
import { isStorageUnavailable } from '../store/shared/unavailable.ts';
import type { DashboardEnv, DashboardSession } from './dashboard-env.ts';
import { renderPage } from './layout.tsx';
import { PageError } from './page-error.ts';
import { Foreign } from './parts/foreign.tsx';
import { DatabaseSilentError } from './trouble/give-up.ts';

const NOT_FOUND = new PageError(404, 'Page not found', 'It may have been deleted, or the address is wrong.');

/** Answers every failed request with a page that says what to do. An address with a slash at its end leads to the page without. */
export function showFaults(dashboard: Hono<DashboardEnv>, logger: Logger): void {
  dashboard.notFound((c) => {
    const { method, path, url } = c.req;
    return method === 'GET' && path.endsWith('/')
      ? c.redirect(`${path.replace(/\/+$/, '')}${new URL(url).search}`, 301)
      : c.html(renderFault(NOT_FOUND, c.get('session') ?? null), NOT_FOUND.status);
  });
  dashboard.onError(async (error, c) => {
    const session = c.get('session') ?? null;
    const fault = error instanceof NotFoundError ? NOT_FOUND : error;
    if (fault instanceof PageError) {
      return c.html(renderFault(fault, session), fault.status, fault.headers);
    }
    if (fault instanceof HTTPException) {
      return fault.getResponse();
    }
    if (error instanceof DatabaseSilentError || isStorageUnavailable(error)) {
      logger.warn({ err: error, requestId: c.get('requestId') }, 'a page cannot be made: the database is not there');
      return c.html(
        renderTrouble(c.req.method === 'POST' ? await readTyped(c) : null, session),
        503,
        troubleHeaders(c),
      );
    }
    logger.error({ err: error, requestId: c.get('requestId') }, 'dashboard page failed');
    const advice = 'The error is in the log. Try again in a moment.';
    return c.html(renderFault({ title: 'Something went wrong', message: advice }, session), 500);
  });
}

/** Pages come back by themselves; a form is sent again only by whoever wrote it. */
function troubleHeaders(c: Context): Record<string, string> {
  return { 'retry-after': '5', ...(c.req.method === 'GET' ? { refresh: '5' } : {}) };
}

interface Typed {
  readonly path: string;
  readonly fields: readonly (readonly [string, string])[];
  /** Names of the fields that are not shown back, with their labels. */
  readonly secrets: readonly (readonly [string, string])[];
}

/** Never shown back, so they are typed again. */
const SECRET_FIELDS: Readonly<Record<string, string>> = {
  key: 'API key',
  secret: 'Secret',
  routing_key: 'Key of PagerDuty',
};

async function readTyped(c: Context): Promise<Typed> {
  const body = await c.req.parseBody({ all: true }).catch(() => ({}));
  const fields = Object.entries(body).flatMap(([name, value]) =>
    [value]
      .flat()
      .flatMap((each) =>
        typeof each === 'string' && SECRET_FIELDS[name] === undefined ? [[name, each] as const] : [],
      ),
  );
  const secrets = Object.entries(SECRET_FIELDS).filter(([name]) => name in body && Object(body)[name] !== '');
  return { path: c.req.path, fields, secrets };
}

/** The database does not answer. @param typed what a form held, to be sent again; null: a page was asked for */
function renderTrouble(typed: Typed | null, session: DashboardSession | null) {
  return renderPage(
    { title: 'The database does not answer', section: null, session },
    typed === null ? (
      <p role="status">Nothing can be shown that is true now. This page tries again every 5 seconds.</p>
    ) : (
      <form class="stack narrow" method="post" action={typed.path}>
        <p role="alert">
          It may still be done when the database answers again: look before you send it a second time.{' '}
          {typed.secrets.length === 0 ? 'Nothing that you typed is lost.' : 'Type again what is never shown back.'}
        </p>
        {typed.fields.map(([name, value]) =>
          name !== '_csrf' && (value.length > 40 || /\s/.test(value)) ? (
            <label>
              What you typed
              <textarea name={name} rows={4}>
                {value}
              </textarea>
            </label>
          ) : (
            <input type="hidden" name={name} value={value} />
          ),
        )}
        {typed.secrets.map(([name, label]) => (
          <label>
            {label}
            <input name={name} type="password" required maxlength={200} autocomplete="off" spellcheck={false} />
          </label>
        ))}
        <button type="submit" class="primary">
          Send it again
        </button>
      </form>
    ),
  );
}

function renderFault(fault: Pick<PageError, 'title' | 'message'>, session: DashboardSession | null) {
  return renderPage(
    { title: fault.title, section: null, session },
    <>
      <p>
        <Foreign>{fault.message}</Foreign>
      </p>
      <p>
        {session === null ? <a href="/dashboard/sign-in">Sign in</a> : <a href="/dashboard/incidents">All incidents</a>}
      </p>
    </>,
  );
}
