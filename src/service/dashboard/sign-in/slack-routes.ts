import type { Hono } from 'hono';
import { z } from 'zod';
import { returnTo } from '../../core/local-page.ts';
import { createRateLimit } from '../../http/rate-limit.ts';
import { StorableText } from '../../http/storable-text.ts';
import type { EventStore } from '../../store/events/event-store.ts';
import type { IntegrationStore } from '../../store/integrations/integration-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import type { AttemptLimit } from './attempt-limit.ts';
import { renderOnItsWayPage } from './on-its-way-page.tsx';

/** Requests a minute that are passed on. Each one costs a look-up in Slack. */
const ALTOGETHER = 30;
/** The same for one address, so that nobody is flooded with messages. */
const PER_PERSON = 2;

const Form = z.object({
  email: StorableText.trim().toLowerCase().pipe(z.email().max(200)),
  return_to: z.string().catch(''),
});

export interface SlackLinkDeps {
  readonly attempts: AttemptLimit;
  readonly events: Pick<EventStore, 'requestSignIn'>;
  readonly integrations: Pick<IntegrationStore, 'hasSlack'>;
  readonly now: () => Date;
}

/**
 * "Send me a link in Slack": asks the bots that follow the event stream. Slack alone knows whose address it is, so the
 * answer is the same for every address.
 *
 * @param showFault shows the sign-in page again
 */
export function bindSlackLinks(
  dashboard: Hono<DashboardEnv>,
  { attempts, events, integrations, now }: SlackLinkDeps,
  showFault: (page: string, fault: string) => Promise<string>,
): void {
  const altogether = createRateLimit({ name: 'links by Slack', quota: ALTOGETHER, now });
  const perPerson = createRateLimit({ name: 'links of a person', quota: PER_PERSON, now });

  dashboard.post('/sign-in/slack', async (c) => {
    attempts.take(c, 'slack');
    const body = await c.req.parseBody();
    const form = Form.safeParse(body);
    if (!form.success) {
      const page = typeof body.return_to === 'string' ? body.return_to : undefined;
      return c.html(await showFault(returnTo(page), 'Enter your email address.'), 422);
    }
    const { email, return_to: page } = form.data;
    // The limits count what was asked, not what Slack knows: that one is reached tells nothing about the address.
    if (!perPerson.isLeft(email) || !altogether.isLeft('all')) {
      throw new PageError(
        429,
        'No other link was sent',
        'Too many links were asked for within a minute, for this address or altogether. Look into Slack for the one before, or try again in a minute.',
        { 'retry-after': '60' },
      );
    }
    perPerson.spend(email, 1);
    altogether.spend('all', 1);
    if (!(await integrations.hasSlack())) {
      throw new PageError(
        502,
        'No link was sent',
        'No Slack bot is connected that could send one. Sign in another way.',
      );
    }
    await events.requestSignIn({ email, returnTo: returnTo(page) }, now());
    return c.html(renderOnItsWayPage());
  });
}
