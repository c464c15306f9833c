import { describe, expect, it } from 'vitest';
import { createStore } from '../../src/bot/store.ts';
import { advance, type BotTeam, eventually, nothingIsDue, problemOf, startBotTeam } from '../support/bot-team.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';

const CHANNEL = 'C0INCIDENT';
type Card = ReturnType<BotTeam['cards']>[number];

function calls(team: BotTeam, method: string) {
  return team.slack.calls.filter((call) => call.method === method);
}

function logs(count: number): { type: 'log' }[] {
  return Array.from({ length: count }, () => ({ type: 'log' }));
}

/** A team with a movable clock, and the card of an incident with one signal. */
async function startWithCard(): Promise<{ team: BotTeam; clock: TestClock; id: string; card: Card }> {
  const clock = createTestClock();
  const team = await startBotTeam({ clock });
  const id = team.service.openIncident({ service: 'payments' });
  return { team, clock, id, card: await team.card(/payments/) };
}

/** Advances the clock past the debounce time until the thread has `count` replies. */
async function repliesAfter(team: BotTeam, clock: TestClock, card: Card, count: number): Promise<string[]> {
  await eventually(async () => {
    await advance(team, clock, 1_000);
    return team.replies(card).length >= count;
  });
  return team.replies(card);
}

/** Waits until every thread has processed all changes of its card. */
async function allLookedAt(team: BotTeam, clock: TestClock): Promise<void> {
  const store = await createStore(team.database);
  await eventually(async () => {
    await advance(team, clock, 1_000);
    return (await store.cards.countWaiting()).reply === 0;
  });
}

describe('the thread of a card', () => {
  it('reports growth, acknowledgement and closing, and nothing after that', async () => {
    const { team, clock, id, card } = await startWithCard();
    await using _ = team;

    team.service.addSignals(id, logs(12));
    const grown = await repliesAfter(team, clock, card, 1);
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    const acknowledged = await repliesAfter(team, clock, card, 2);
    await team.slack.as('ben').command('incidents', `/incidents resolve ${id} rolled back to 1.2.3`);
    const closed = await repliesAfter(team, clock, card, 3);
    team.service.addSignals(id, logs(50));
    await allLookedAt(team, clock);

    expect(grown).toEqual(['+12 signals in 1 min']);
    expect(acknowledged[1]).toMatch(/^Acknowledged by ana, <!date\^\d+\^[^|]+\|[\d: -]+UTC>$/);
    expect(closed[2]).toMatch(/^Closed by ben, <!date[^>]+>: rolled back to 1\.2\.3$/);
    expect(team.replies(card)).toHaveLength(3);
    expect(calls(team, 'chat.postMessage').filter(({ args }) => args.reply_broadcast !== undefined)).toEqual([]);
  });

  it('reports no small changes of counts, and keeps counting across a restart', async () => {
    const { team, clock, id, card } = await startWithCard();
    await using _ = team;

    team.service.addSignals(id, logs(8));
    await team.card(/9 signals/);
    await allLookedAt(team, clock);
    const said = team.replies(card);
    await team.restartBot();
    team.service.addSignals(id, logs(8));

    expect(said).toEqual([]);
    expect(await repliesAfter(team, clock, card, 1)).toEqual([expect.stringMatching(/^\+16 signals in \d+ min$/)]);
  });

  it('reports a new service without a mention', async () => {
    const { team, clock, id, card } = await startWithCard();
    await using _ = team;

    team.service.addSignals(id, logs(2));
    team.service.moveRoot(id, '<!channel> @here <@U1>');

    expect(await repliesAfter(team, clock, card, 1)).toEqual([
      '+2 signals in 1 min, new service `&lt;!channel&gt; @here &lt;@U1&gt;`',
    ]);
  });

  it('has one reply if the response to its post was lost', async () => {
    const { team, clock, id, card } = await startWithCard();
    await using _ = team;
    team.slack.faults.next('chat.postMessage', { kind: 'stored-then-502' });

    team.service.addSignals(id, logs(12));
    await repliesAfter(team, clock, card, 1);
    await allLookedAt(team, clock);

    expect(team.replies(card)).toEqual(['+12 signals in 1 min']);
    expect(calls(team, 'conversations.replies')).toHaveLength(1);
  });

  it('repeats a reply that was lost, followed by newer changes', async () => {
    const { team, clock, id, card } = await startWithCard();
    await using _ = team;
    team.slack.faults.next('chat.postMessage', { kind: 'error', error: 'internal_error' });

    team.service.addSignals(id, logs(12));
    await team.slack.waitFor(() => calls(team, 'chat.postMessage').find(({ verdict }) => verdict === 'internal_error'));
    team.service.addSignals(id, logs(40));
    await team.card(/53 signals, 1 at first/);

    expect(await repliesAfter(team, clock, card, 2)).toEqual([
      '+12 signals in 1 min',
      expect.stringMatching(/^\+40 signals in/),
    ]);
  });

  it('respects Retry-After, and then reports all changes in one reply', async () => {
    const { team, clock, id, card } = await startWithCard();
    await using _ = team;
    team.slack.faults.next('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 600 });

    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await eventually(async () => {
      await advance(team, clock, 1_000);
      return calls(team, 'chat.postMessage').find(({ verdict }) => verdict === 'ratelimited');
    });
    team.service.addSignals(id, logs(12));
    await team.card(/13 signals/);
    await team.slack.as('ben').command('incidents', `/incidents resolve ${id} rolled back`);
    await team.card(/Closed by ben/);
    const during = team.replies(card);
    await advance(team, clock, 600_000);

    const [reply] = await repliesAfter(team, clock, card, 1);
    expect(during).toEqual([]);
    expect(reply).toMatch(/^\+12 signals in \d+ min\nAcknowledged by ana.*\nClosed by ben.*: rolled back$/);
    const posts = calls(team, 'chat.postMessage').filter(({ args }) => args.thread_ts === card.ts);
    expect(posts.map(({ verdict }) => verdict)).toEqual(['ratelimited', 'ok']);
  });

  it('gets each reply from only one of two processes', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    await team.startAnotherBot();
    const ids = ['a', 'b', 'c'].map((name) => team.service.openIncident({ service: `service-${name}` }));
    await eventually(() => team.cards().length === ids.length);

    for (const id of ids) {
      team.service.addSignals(id, logs(12));
    }
    await Promise.all(team.cards().map((card) => repliesAfter(team, clock, card, 1)));
    await allLookedAt(team, clock);

    expect(team.cards().map((card) => team.replies(card))).toEqual(ids.map(() => ['+12 signals in 1 min']));
  });

  it('starts over with a card that is posted again', async () => {
    const { team, clock, id, card } = await startWithCard();
    await using _ = team;
    await nothingIsDue(team); // the bot knows the card that is deleted
    await fetch(`${team.slack.apiUrl}chat.delete`, {
      method: 'POST',
      headers: { authorization: `Bearer ${team.slack.botToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: CHANNEL, ts: card.ts }),
    });

    const anew = await team.slack.waitFor(() => team.cards().find(({ ts }) => ts !== card.ts));
    await allLookedAt(team, clock);
    const atFirst = team.replies(anew);
    team.service.addSignals(id, logs(12));

    expect(atFirst).toEqual([]);
    expect(await repliesAfter(team, clock, anew, 1)).toEqual([expect.stringMatching(/^\+12 signals in/)]);
  });

  it('does not delay the card or the channel if it accepts no replies', async () => {
    const { team, clock, id, card } = await startWithCard();
    await using _ = team;
    team.slack.faults.next('chat.postMessage', { kind: 'error', error: 'thread_not_found' });

    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await team.card(/Acknowledged by ana/);
    await allLookedAt(team, clock);

    expect(team.replies(card)).toEqual([]);
    expect(await problemOf(team, 'channel')).toBeNull();
  });
});
