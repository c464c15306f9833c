import { setTimeout as sleep } from 'node:timers/promises';
import { WebClient } from '@slack/web-api';
import type { AppSettings } from '../slack-app.ts';

/** Baseline: a loop that polls open incidents and posts new ones. */

export interface LoopOrder {
  readonly app: AppSettings;
  readonly channel: string;
  readonly service: { readonly baseUrl: string; readonly key: string };
  readonly pollMs: number;
}

const stopping = new AbortController();
process.once('disconnect', () => stopping.abort());
process.once('message', (order: LoopOrder) => {
  void follow(order);
  process.send?.({ isStarted: true });
});

async function follow({ app, channel, service, pollMs }: LoopOrder): Promise<void> {
  const slack = new WebClient(app.botToken, { slackApiUrl: app.apiUrl });
  const seen = new Set<string>();
  while (!stopping.signal.aborted) {
    const response = await fetch(`${service.baseUrl}/incidents?status=open&limit=100`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const { incidents } = (await response.json()) as { incidents: { id: string; root_service: string }[] };
    for (const { id, root_service } of incidents.filter((incident) => !seen.has(incident.id))) {
      seen.add(id);
      await slack.chat.postMessage({ channel, text: `${root_service} is broken: ${id}` });
    }
    await sleep(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}
