import { describe, expect, it } from 'vitest';
import { openFrontDoor } from '../../src/app/front-door.ts';
import { type BotTeam, eventually, problemOf, startBotTeam } from '../support/bot-team.ts';
import { type StrangerService, startStrangerService } from '../support/stranger-service.ts';

interface Listed {
  readonly incidents: readonly Record<string, unknown>[];
}

/** Changes a response of the service; `path` is relative to the base address. */
type Change = (path: string, answer: unknown) => unknown;

/** The bot with a service whose responses to GET are changed; undefined: an error response. */
async function withChanged(change: Change, run: (team: BotTeam, service: StrangerService) => Promise<void>) {
  await using service = await startStrangerService({ shape: 'plain' });
  await using door = await openFrontDoor('127.0.0.1', 0);
  door.handlers.service = async (request) => {
    const { pathname, search } = new URL(request.url);
    const body = request.method === 'GET' ? null : await request.text();
    const answer = await fetch(new URL(pathname + search, service.baseUrl), {
      method: request.method,
      headers: request.headers,
      body,
    });
    if (request.method !== 'GET' || !answer.ok) {
      return answer;
    }
    const changed = change(pathname.replace('/v1', ''), await answer.json());
    return changed === undefined ? new Response('broken', { status: 500 }) : Response.json(changed);
  };
  await using team = await startBotTeam({ service: { baseUrl: `${door.url}/v1`, apiKey: service.apiKey } });
  await run(team, service);
}

function eachListed(answer: unknown, change: (incident: Record<string, unknown>) => object): object {
  const list = answer as Listed;
  return { ...list, incidents: list.incidents.map(change) };
}

it('says in the thread who took an acknowledgement back, though only the single incident says so', async () => {
  const at = new Date().toISOString();
  let isTaken = true;
  const change: Change = (path, answer) => {
    const state = { acknowledged_by: isTaken ? 'ana' : null, acknowledged_at: isTaken ? at : null };
    if (path === '/incidents') {
      return eachListed(answer, (incident) => ({ ...incident, ...state }));
    }
    const timeline = isTaken ? [] : [{ event: 'unacknowledged', at, by: 'ben' }];
    return path.startsWith('/incidents/inc') ? { ...(answer as object), ...state, timeline } : answer;
  };
  await withChanged(change, async (team, service) => {
    service.openIncident({ service: 'payments' });
    const card = await team.card(/Acknowledged by ana/);

    isTaken = false;

    await eventually(() => team.replies(card).length > 0);
    expect(team.replies(card).join()).toContain('ben took back the acknowledgement');
  });
});

describe('a service that fails to return one incident', () => {
  it('does not affect other cards, and the card is closed once the list shows it', async () => {
    let broken = '';
    let isListed = false;
    const change: Change = (path, answer) => {
      if (path === '/incidents') {
        const list = answer as Listed;
        const shown = list.incidents.filter(({ id, status }) => isListed || id !== broken || status === 'open');
        return { ...list, incidents: shown };
      }
      return path === `/incidents/${broken}` ? undefined : answer;
    };
    await withChanged(change, async (team, service) => {
      const [first, ...others] = ['a', 'b', 'c', 'd'].map((name) => service.openIncident({ service: name }));
      await eventually(() => team.cards().length === 4);

      broken = first ?? '';
      for (const id of [broken, ...others]) {
        service.closeIncident(id);
      }
      await eventually(() => team.cards().filter(({ text }) => text.includes('Closed')).length === 3);
      isListed = true;

      await team.card(/ a\nClosed/);
      expect(await problemOf(team, 'incident service')).toBeNull();
    });
  });

  it('is asked for two of the incidents that opened and closed between two polls, and all get cards', async () => {
    const shortLived = new Set<string>();
    const asked = new Set<string>();
    const change: Change = (path, answer) => {
      const id = path.replace('/incidents/', '');
      if (!shortLived.has(id)) {
        return answer;
      }
      asked.add(id);
      return undefined;
    };
    await withChanged(change, async (team, service) => {
      service.openIncident({ service: 'before' });
      await team.card(/ before\nNot acknowledged/);
      for (const name of ['a', 'b', 'c', 'd']) {
        const id = service.openIncident({ service: name });
        shortLived.add(id);
        service.closeIncident(id);
      }

      await eventually(() => team.cards().filter(({ text }) => text.includes('Closed')).length === 4);

      expect(asked.size).toBe(2);
      expect(await problemOf(team, 'incident service')).toBeNull();
    });
  });
});

describe('a list with one unreadable incident', () => {
  it('leads to cards for all others', async () => {
    const change: Change = (path, answer) =>
      path === '/incidents'
        ? eachListed(answer, (incident) =>
            incident.root_service === 'odd' ? { ...incident, opened_at: 'soon' } : incident,
          )
        : answer;
    await withChanged(change, async (team, service) => {
      service.openIncident({ service: 'odd' });
      service.openIncident({ service: 'payments' });

      await team.card(/payments/);
      await team.slack.as('ana').command('incidents', '/incidents open');

      expect((await team.ephemeral('ana', /payments/)).text).not.toContain('odd');
    });
  });
});

describe('an acknowledgement made elsewhere', () => {
  it('is found if only the single incident reports it', async () => {
    let user: string | null = null;
    const change: Change = (path, answer) =>
      /^\/incidents\/[^/]+$/.test(path) ? { ...Object(answer), acknowledged_by: user } : answer;
    await withChanged(change, async (team, service) => {
      service.openIncident({ service: 'payments' });
      await team.card(/payments\nNot acknowledged/);

      user = 'carol';

      expect((await team.card(/payments\nAcknowledged/)).text).toContain('Acknowledged by carol');
    });
  });

  it('is found if only the status reports it', async () => {
    let status = 'open';
    const change: Change = (path, answer) =>
      path === '/incidents' ? eachListed(answer, (incident) => ({ ...incident, status })) : answer;
    await withChanged(change, async (team, service) => {
      service.openIncident({ service: 'payments' });
      await team.card(/payments\nNot acknowledged/);

      status = 'acknowledged';

      const card = await team.card(/payments\nAcknowledged/);
      expect(JSON.stringify(card.blocks)).not.toContain('"Acknowledge"');
    });
  });
});
