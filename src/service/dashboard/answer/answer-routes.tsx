import type { Context, Hono } from 'hono';
import { nameOf, spokenName } from '../../../contract/actor.ts';
import type { Answers, Asked } from '../../on-call/answer.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { renderPage } from '../layout.tsx';
import { PageError } from '../page-error.ts';
import { Foreign } from '../parts/foreign.tsx';
import { saidOf } from './said-of.ts';

const PATH = '/answer/:token';

const OLD_LINK = new PageError(
  410,
  'This link does not work any more',
  'It is older than a day, or it is cut off. Acknowledge the incident in Slack or in the dashboard instead.',
);

/**
 * The page behind the link of an attempt. The link says who answers, so nobody has to sign in at night. Previews and
 * scanners of links read the page; only its button answers.
 */
export function bindAnswer(dashboard: Hono<DashboardEnv>, answers: Answers): void {
  dashboard.get(PATH, async (c) => show(c, await answers.find(c.req.param('token')), false));
  dashboard.post(PATH, async (c) => {
    const asked = await answers.answer(c.req.param('token'));
    const isNotification = c.req.header('accept') === 'text/plain'; // it shows a line
    return isNotification && asked !== null ? c.text(saidOf(asked)) : show(c, asked, true);
  });
}

function show(c: Context<DashboardEnv>, asked: Asked | null, isDone: boolean) {
  if (asked === null) {
    throw OLD_LINK;
  }
  const { person, incidents } = asked;
  return c.html(
    renderPage(
      { title: isDone ? 'Thank you' : titleOf(asked), section: null, session: null },
      <form class="stack narrow" method="post" action={c.req.path}>
        <p>
          <strong>
            <Foreign>{spokenName(nameOf(person))}</Foreign>
          </strong>
          , {isDone ? thanks(asked) : question(asked)}
        </p>
        {incidents.length > 0 && (
          <ul>
            {incidents.map(({ number, title }) => (
              <li>
                <a href={`/dashboard/incidents/${number}`}>
                  #{number} <Foreign>{title}</Foreign>
                </a>
              </li>
            ))}
          </ul>
        )}
        {!isDone && (
          <button class="main" type="submit">
            I have it
          </button>
        )}
      </form>,
    ),
  );
}

function titleOf({ isTest, isDrill }: Asked): string {
  if (isTest) {
    return 'A test of how you are woken';
  }
  return isDrill ? 'A drill' : 'Do you have it?';
}

function question({ isTest, isDrill, incidents }: Asked): string {
  if (isTest) {
    return 'did this arrive?';
  }
  if (isDrill) {
    return 'this is a drill. Nothing is broken.';
  }
  return incidents.length === 0 ? 'somebody has it already.' : 'you are woken for this:';
}

function thanks({ isTest, isDrill, incidents, asksMore }: Asked): string {
  if (isTest) {
    return 'this way to wake you works.';
  }
  if (isDrill) {
    return 'the drill is over.';
  }
  if (incidents.length === 0) {
    return 'somebody had it already.';
  }
  return asksMore ? 'you have it, and more people are asked:' : 'nobody else is woken for this:';
}
