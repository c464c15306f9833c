import { minutesToMilliseconds } from 'date-fns/minutesToMilliseconds';
import { minutesToSeconds } from 'date-fns/minutesToSeconds';
import { expect, it } from 'vitest';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { stranger } from '../support/dashboard.ts';
import { advanceDatabaseClock } from '../support/database-clock.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startRealTeam } from '../support/real-team.ts';
import { linkIn } from '../support/waking-team.ts';

const AWAY_MINUTES = 10;

it('wakes and is answered while Slack is away, and the card is true when it is back', async () => {
  await using mail = await startMailServer();
  await using real = await startRealTeam({}, { mail: { smtpUrl: mail.url, from: 'tocsin@tocsin.test' } });
  const { team, service } = real;
  const make = async (method: string, path: string, body: object): Promise<string> =>
    Object(await (await service.call(method, path, { body })).json()).id;
  const ana = await make('PUT', '/people/email:ana@tocsin.test', { name: 'Ana' });
  const way = await make('POST', `/people/${ana}/ways`, { kind: 'email', address: 'ana@tocsin.test' });
  const [proof] = await mail.take(1);
  const code = /Subject: (\d{6})/.exec(proof?.text ?? '')?.[1];
  await service.call('POST', `/ways/${way}/verify`, { body: { code } });
  const steps = [{ after_s: 0, to: [{ kind: 'person', id: ana }] }];
  await make('POST', '/policies', { name: 'Everything', user: 'ana', steps });

  team.slack.awayFor(minutesToSeconds(AWAY_MINUTES));
  await service.failIn(['payments']);
  const { id } = await service.openIncident();
  const [, asked] = await mail.take(2);
  const answered = await stranger(service).visit(new URL(linkIn(asked)).pathname.replace('/dashboard', ''), {
    form: {},
  });
  const cardsMeanwhile = team.cards();
  const incident = await (await service.call('GET', `/incidents/${id}`)).json();
  team.slack.recover();
  await advanceDatabaseClock(team.database, BOT_SCHEMA, minutesToMilliseconds(AWAY_MINUTES));
  const card = await team.card(/payments/);
  await team.card(/^Acknowledged.*Ana/m);

  expect(answered.status).toBe(200);
  expect(cardsMeanwhile).toEqual([]);
  expect(incident).toMatchObject({ acknowledged: true, acknowledged_by: 'Ana' });
  expect(team.cards().map(({ ts }) => ts)).toEqual([card.ts]);
});
