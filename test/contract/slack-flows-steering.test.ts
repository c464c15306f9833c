import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IncidentList } from '../../src/contract/lists.ts';
import type { Incident } from '../../src/contract/resources.ts';
import { actingEnds, eventually, leap, startBotTeam } from '../support/bot-team.ts';
import { launchBrowser } from '../support/browser.ts';
import { type RealTeam, startRealTeam } from '../support/real-team.ts';
import { type Means, type SlackPerson, startSlackPerson } from '../support/slack-person.ts';
import { createTestClock } from '../support/test-clock.ts';
import type { TestService } from '../support/test-service.ts';

const HOUR_MS = 3_600_000;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});

/** Somebody at the page, in a team with Tocsin's own service. */
interface Scene extends AsyncDisposable {
  readonly real: RealTeam;
  readonly ana: SlackPerson;
}

async function startScene(means: Means, width: number): Promise<Scene> {
  await using scope = new AsyncDisposableStack();
  const real = scope.use(await startRealTeam());
  await eventually(async () => (await real.team.bot.readiness()).every(({ ready }) => ready));
  const ana = scope.use(await startSlackPerson(browser, real.team.slack.url, { means, width }));
  const owned = scope.move();
  return { real, ana, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** An incident whose failed requests went from payments to ledger, so that either can be its root. */
async function openAlongPath(service: TestService): Promise<Incident> {
  const at = service.now().getTime();
  const span = (trace: string, id: string, kind: number, parent?: string) => ({
    traceId: trace.repeat(32),
    spanId: `${trace}${id.repeat(15)}`,
    ...(parent !== undefined && { parentSpanId: `${trace}${parent.repeat(15)}` }),
    name: 'POST /charge',
    kind,
    startTimeUnixNano: `${at - 20}000000`,
    endTimeUnixNano: `${at}000000`,
    status: { code: 2, message: 'connection refused' },
  });
  const spansOf = (name: string, spans: readonly object[]) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: name } }] },
    scopeSpans: [{ spans }],
  });
  const resourceSpans = ['a', 'b', 'c'].flatMap((trace) => [
    spansOf('payments', [span(trace, '1', 2), span(trace, '2', 3, '1')]),
    spansOf('ledger', [span(trace, '3', 2, '2')]),
  ]);
  await service.call('POST', '/traces', { body: { resourceSpans } });
  return service.openIncident();
}

/** What a declaration is answered with at once: the receipt, or that it is saved, if the service takes long. */
const answered = (receipt: RegExp) => new RegExp(`${receipt.source}|Your declaration is saved`);

const read = async ({ real }: Scene, id: string): Promise<Incident> =>
  (await (await real.service.call('GET', `/incidents/${id}`)).json()) as Incident;

describe.each<[Means, number]>([
  ['mouse', 1_280],
  ['keyboard', 390],
])('by %s at %i pixels', (means, width) => {
  it('declares an incident in one line, and another in the form', async () => {
    await using scene = await startScene(means, width);
    const { ana } = scene;

    await ana.say('/incidents declare payments cards are refused');
    const faults = await ana.faults(ana.message(answered(/You declared #\d+ cards are refused/)));
    faults.push(...(await ana.faults(ana.message(/#\d+ cards are refused.*Not acknowledged.*Declared by @?ana/s))));
    await ana.say('/incidents declare');
    await ana.fill(ana.dialog.getByLabel('What fails, for whom?'), 'Nothing is found');
    await ana.pick(ana.dialog.getByRole('combobox', { name: 'Service' }), 'search', /^search$/);
    await ana.select(ana.dialog.getByLabel('Severity'), 'critical');
    await ana.fill(ana.dialog.getByLabel('What is known'), 'Since the new index');
    faults.push(...(await ana.faults(ana.dialog)));
    await ana.press(ana.dialog.getByRole('button', { name: 'Declare' }));
    faults.push(...(await ana.faults(ana.message(answered(/You declared #\d+ Nothing is found/)))));
    faults.push(...(await ana.faults(ana.message(/Critical.*#\d+ Nothing is found.*Not acknowledged/s))));

    expect(faults).toEqual([]);
  });

  it('declares what a message says, which the timeline then holds', async () => {
    await using scene = await startScene(means, width);
    const { ana, real } = scene;
    await ana.say('Cards are refused since the deploy');

    await ana.choose(
      ana.message(/^.*Cards are refused/).getByRole('button', { name: 'More', exact: true }),
      /^Declare an incident/,
    );
    const title = ana.dialog.getByLabel('What fails, for whom?');
    await title.waitFor();
    expect(await title.inputValue()).toBe('Cards are refused since the deploy');
    const faults = await ana.faults(ana.dialog);
    await ana.pick(ana.dialog.getByRole('combobox', { name: 'Service' }), 'payments', /^payments$/);
    await ana.press(ana.dialog.getByRole('button', { name: 'Declare' }));
    faults.push(...(await ana.faults(ana.message(/#\d+ Cards are refused.*Not acknowledged/s))));

    expect(faults).toEqual([]);
    const { incidents } = (await (await real.service.call('GET', '/incidents')).json()) as IncidentList;
    const notes = async () =>
      (await read(scene, incidents[0]?.id ?? '')).timeline?.flatMap(({ event, text }) =>
        event === 'note' ? [text] : [],
      );
    await expect.poll(notes).toEqual(['Cards are refused since the deploy']); // sent after the declaration
  });

  it('changes title, severity, root and people by hand, and takes it back', async () => {
    await using scene = await startScene(means, width);
    const { ana, real } = scene;
    const found = await openAlongPath(real.service);
    const root = found.root_service === 'ledger' ? 'payments' : 'ledger';
    const card = ana.message(new RegExp(`^(?!.*Only visible to you).*#${found.number} .*Not acknowledged`, 's'));
    await card.waitFor();

    await ana.say(`/incidents change #${found.number}`);
    await ana.fill(ana.dialog.getByLabel('Title'), 'Nobody can pay');
    await ana.select(ana.dialog.getByLabel('Severity'), 'warning');
    await ana.select(ana.dialog.getByLabel('Root service'), root);
    await ana.pick(ana.dialog.getByRole('combobox', { name: 'Leads' }), 'ana', /^Ana/);
    await ana.pick(ana.dialog.getByRole('combobox', { name: 'Communicates' }), 'ben', /^Ben/);
    const faults = await ana.faults(ana.dialog);
    await ana.press(ana.dialog.getByRole('button', { name: 'Save' }));
    const receipt = ana.message(/You changed #/);
    faults.push(...(await ana.faults(receipt)));
    for (const words of ['Warning', 'Nobody can pay', `Root service ${root}`, '@ana leads, @ben communicates']) {
      await card.getByText(words).first().waitFor();
    }
    faults.push(...(await ana.faults(card)));
    await ana.say('/incidents mine');
    await ana.message(/1 open incident that you acknowledged or lead/).waitFor();
    await ana.press(receipt.getByRole('button', { name: /^Undo/ }));
    await ana.message(/You took back your change/).waitFor();
    await card.getByText('POST /charge fails').waitFor();
    await card.getByText('leads').waitFor({ state: 'detached' });

    expect(faults).toEqual([]);
    expect(await read(scene, found.id)).toMatchObject({
      title: found.title,
      root_service: found.root_service,
      lead: null,
      detected: {},
    });
  });

  it('changes an incident from its details', async () => {
    await using scene = await startScene(means, width);
    const { ana, real } = scene;
    await real.service.failIn(['payments']);
    const { number, id } = await real.service.openIncident();

    await ana.say(`/incidents show #${number}`);
    const details = ana.message(new RegExp(`#${number} .*Signals: 1 trace`, 's'));
    await ana.choose(details.getByRole('button', { name: /choices/ }), /^Change$/);
    await ana.select(ana.dialog.getByLabel('Severity'), 'info');
    await ana.press(ana.dialog.getByRole('button', { name: 'Save' }));
    await ana.message(/You changed #.*severity info/).waitFor();

    expect(await read(scene, id)).toMatchObject({ severity: 'info' });
  });

  it('plans work that starts later and repeats, sees it begin, and cancels what is left', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ hasAdditions: true, now: clock.now });
    await using ana = await startSlackPerson(browser, team.slack.url, { means, width });
    const places = ana.page.getByRole('navigation');
    const startsAt = new Date(Math.ceil(clock.now().getTime() / 60_000) * 60_000 + HOUR_MS);

    await ana.say('/incidents snooze service:payments');
    await ana.setTime(ana.dialog.getByLabel('Start'), startsAt);
    await ana.select(ana.dialog.getByLabel('For how long'), '4 hours');
    await ana.select(ana.dialog.getByLabel('Repeat'), 'Every day');
    await ana.fill(ana.dialog.getByLabel('Why'), 'new disks');
    const faults = await ana.faults(ana.dialog);
    await ana.press(ana.dialog.getByRole('button', { name: 'Mute' }));
    const planned = ana.message(/Planned: service payments from .*, every day: new disks/);
    faults.push(...(await ana.faults(planned)));
    expect(team.service.mutes).toEqual([]);

    await actingEnds(team);
    await leap(team, clock, startsAt.getTime() - clock.now().getTime() + 1_000);
    await ana.press(places.getByRole('button', { name: 'Tocsin' }));
    await ana.press(ana.page.getByRole('tab', { name: 'Messages' }));
    faults.push(...(await ana.faults(ana.message(/Muted service payments until .* \(new disks\)/))));
    await ana.press(places.getByRole('button', { name: /^incidents/ }));
    await ana.say('/incidents rules');
    const rules = ana.message(/Muted until.*Planned by @?ana: service payments/s);
    faults.push(...(await ana.faults(rules)));
    await ana.press(rules.getByRole('button', { name: /^Cancel/ }));
    await ana.message(/Your mute is cancelled/).waitFor();
    await ana.say('/incidents rules');
    await ana.press(ana.message(/Muted until/).getByRole('button', { name: /^End the mute/ }));
    await ana.message(/The mute has ended/).waitFor();

    expect(faults).toEqual([]);
    expect(team.service.mutes.every(({ until }) => until <= clock.now())).toBe(true);
  });

  it('plans work in one line, and cancels it in the receipt', async () => {
    await using team = await startBotTeam({ hasAdditions: true });
    await using ana = await startSlackPerson(browser, team.slack.url, { means, width });

    await ana.say('/incidents snooze service:payments 2h from sat 22:00 weekly backup');
    const planned = ana.message(/Planned: service payments from .*, every week: backup/);
    const faults = await ana.faults(planned);
    await ana.press(planned.getByRole('button', { name: /^Cancel/ }));
    await ana.message(/Your mute is cancelled/).waitFor();

    expect(faults).toEqual([]);
    expect(team.service.mutes).toEqual([]);
  });
});
