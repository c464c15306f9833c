import { describe, expect, it } from 'vitest';
import { type BotTeam, type BotTeamOptions, startBotTeam } from '../support/bot-team.ts';

const PUBLIC_URL = 'https://tocsin.example.com';
const BOT = 'U0APP00001';

/** A team with a card in #incidents; `members` are in #general, where no card is. */
async function startWithCard(members: readonly string[], options: BotTeamOptions = {}) {
  const team = await startBotTeam({ publicUrl: PUBLIC_URL, ...options });
  const id = team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);
  team.slack.changeChannel('general', {
    members: members.map((name) => (name === BOT ? BOT : team.slack.as(name).id)),
  });
  return { team, link: `${PUBLIC_URL}/dashboard/incidents/${id}` };
}

const unfurlsOf = (team: BotTeam, channel: string, text: string): readonly unknown[] =>
  team.slack.messages(channel).findLast((message) => message.text === text)?.attachments ?? [];

/** Waits until the message with this text shows its link. */
const unfurled = (team: BotTeam, channel: string, text: string): Promise<string> =>
  team.slack.waitFor(() => {
    const unfurls = unfurlsOf(team, channel, text);
    return unfurls.length > 0 && JSON.stringify(unfurls);
  });

/** Whether a link is shown by the time that a later one is, which is always shown. */
async function isShown(
  team: BotTeam,
  posted: { readonly by: string; readonly channel: string; readonly link: string },
  later: string,
): Promise<boolean> {
  const isAcked = () => team.slack.deliveries.filter(({ envelope }) => envelope.type === 'events_api').length;
  const before = isAcked();
  await team.slack.as(posted.by).message(posted.channel, posted.link);
  await team.slack.waitFor(() => isAcked() > before);
  await team.slack.as('ana').message('incidents', `later ${later}`);
  await unfurled(team, 'incidents', `later ${later}`);
  return unfurlsOf(team, posted.channel, posted.link).length > 0;
}

describe('a link to an incident', () => {
  it('is shown as a small card with the buttons of the card', async () => {
    const { team, link } = await startWithCard(['ana', 'ben', BOT]);
    await using _ = team;

    await team.slack.as('ana').message('general', `look at ${link} please`);
    const shown = await unfurled(team, 'general', `look at ${link} please`);
    const message = team.slack.messages('general').at(-1);
    expect.assert(message);
    await team.slack.as('ben').click(message, 'Acknowledge');

    expect(shown).toMatch(/payments.*Not acknowledged.*As of <!date/);
    expect((await team.card(/Acknowledged by ben/)).text).toContain('payments');
    await team.ephemeral('ben', /You acknowledged/, 'general');
  });

  it('is shown where the card is, whoever is there', async () => {
    const { team, link } = await startWithCard(['ana', 'ben']);
    await using _ = team;

    await team.slack.as('ana').message('incidents', link);

    expect(await unfurled(team, 'incidents', link)).toContain('payments');
  });

  it.each([
    ['of a guest', 'chloe', 'incidents', ['ana']],
    ['of somebody of another workspace', 'elif', 'incidents', ['ana']],
    ['in a channel without the bot', 'ana', 'general', ['ana', 'ben']],
    ['in a channel with a guest', 'ana', 'general', ['ana', 'chloe', BOT]],
    ['in a channel that is shared with another workspace', 'ana', 'general', ['ana', 'elif', BOT]],
  ])('%s is not shown', async (_name, by, channel, members) => {
    const { team, link } = await startWithCard(members);
    await using _ = team;

    expect(await isShown(team, { by, channel, link }, link)).toBe(false);
  });

  it('that the service does not know is not shown', async () => {
    const { team, link } = await startWithCard(['ana', BOT]);
    await using _ = team;
    const unknown = `${PUBLIC_URL}/dashboard/incidents/nothing`;

    expect(await isShown(team, { by: 'ana', channel: 'general', link: unknown }, link)).toBe(false);
  });
});

it('shows the signal of a link, and its incident', async () => {
  const { team } = await startWithCard(['ana', BOT]);
  await using _ = team;
  const [id] = team.service.addSignals('incident-1', [{ type: 'metric', service: 'ledger' }]);

  const link = `${PUBLIC_URL}/dashboard/signals/${id}`;

  await team.slack.as('ana').message('general', link);

  expect(await unfurled(team, 'general', link)).toMatch(/metric `ledger`.*Signal of \*.*payments/);
});
