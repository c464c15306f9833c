import { describe, expect, it } from 'vitest';
import { type BotTeam, startBotTeam } from '../support/bot-team.ts';
import { chooseFromMenu } from '../support/menu.ts';
import { withRealTeam } from '../support/real-team.ts';

type View = Awaited<ReturnType<BotTeam['modal']>>;

const textOf = ({ content }: View): string => JSON.stringify(content.blocks);
const rowsOf = (view: View): number => [...textOf(view).matchAll(/"signal_open"/g)].length;

/** 12 traces of payments, 3 metrics of ledger. */
const MANY = [
  ...Array.from({ length: 12 }, () => ({ type: 'trace' as const })),
  ...Array.from({ length: 3 }, () => ({ type: 'metric' as const, service: 'ledger' })),
];

async function askForSignals(team: BotTeam, person = 'ana'): Promise<void> {
  await chooseFromMenu(team.slack, person, await team.card(/payments/), 'Signals');
}

async function openSignals(team: BotTeam): Promise<View> {
  await askForSignals(team);
  return team.modal('ana', /All kinds/);
}

describe.each(['plain', 'odd'] as const)('the signals of an incident of a %s stranger’s service', (shape) => {
  it('are counted, filtered by kind and service, and paged', async () => {
    await using team = await startBotTeam({ shape });
    const ana = team.slack.as('ana');
    team.service.openIncident({ service: 'payments', signals: MANY });

    const all = await openSignals(team);
    await ana.click(all, 'Next');
    const second = await team.modal('ana', /11 to 15 of 15 signals/);
    await ana.click(second, 'signals_type', 'metric');
    const metrics = await team.modal('ana', /\*3 signals\*/);
    await ana.click(metrics, 'signals_service', 'payments', { signals_type: 'metric' });
    const none = await team.modal('ana', /No signals/);

    expect(textOf(all)).toMatch(/15 signals: 12 traces, 3 metrics\\nServices: `payments` 12, `ledger` 3/);
    expect([rowsOf(all), rowsOf(second), rowsOf(metrics), rowsOf(none)]).toEqual([10, 5, 3, 0]);
    expect(textOf(metrics)).not.toContain('Possible root services');
    expect(textOf(none)).toContain('*No signals* · metrics, `payments`, any time');
  });

  it('show one in full on top', async () => {
    await using team = await startBotTeam({ shape });
    team.service.openIncident({ service: 'payments' });

    await team.slack.as('ana').click(await openSignals(team), 'Open');
    const signal = await team.modal('ana', /Signal `/);

    expect(textOf(signal)).toMatch(/\*trace signal\*\\nService `payments`/);
    expect(/Observed <!date/.test(textOf(signal))).toBe(shape === 'odd'); // the plain one names no time that is known
    expect(team.slack.openViews('ana')).toHaveLength(2);
  });
});

describe('the signals modal', () => {
  it('shows what happened to the incident while it is open', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    const open = await openSignals(team);
    expect(textOf(open)).toMatch(/🔴 \*Not acknowledged\*[\s\S]*As of <!date[^>]*>, refreshed until <!date/);

    await team.slack.as('ben').command('incidents', `/incidents ack ${id}`);

    const after = await team.modal('ana', /🟡[^"]*acknowledged/i);
    expect(after.id).toBe(open.id);
  });

  it('opens before the service has answered, and says why it stays empty', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    const gate = Promise.withResolvers<void>();
    team.service.failNext({ until: gate.promise }, { path: /^\/incidents\/[^/]+$/ });

    const clicked = askForSignals(team);
    await team.modal('ana', /Loading/);
    team.service.setAway(true);
    gate.resolve();

    const explained = await team.modal('ana', /The incident service is not responding right now/);
    await clicked;
    expect(textOf(explained)).toContain('Please try again in a minute');
  });

  it('shows the newest of two quick choices', async () => {
    await using team = await startBotTeam();
    const ana = team.slack.as('ana');
    team.service.openIncident({ service: 'payments', signals: MANY });
    const modal = await openSignals(team);

    const choices = [ana.click(modal, 'signals_type', 'trace'), ana.click(modal, 'signals_type', 'metric')];
    await Promise.all(choices);

    const view = await team.modal('ana', /\*3 signals\* · metrics/);
    expect(rowsOf(view)).toBe(3);
  });

  it('opens by command', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    await team.slack.as('ana').command('incidents', `/incidents signals ${id}`);

    expect(textOf(await team.modal('ana', /All kinds/))).toContain('1 signal: 1 trace');
  });

  it('is not for guests', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });

    await askForSignals(team, 'chloe');

    await team.ephemeral('chloe', /Guests of this workspace/);
    expect(team.slack.openViews('chloe')).toEqual([]);
  });
});

it('names possible roots with reasons, the calls around them, and links the trace', () =>
  withRealTeam(
    async (team, service) => {
      const ana = team.slack.as('ana');
      await service.failIn(['payments']);
      await service.openIncident();

      const signals = await openSignals(team);
      await ana.click(signals, 'Possible root services');
      const causes = await team.modal('ana', /Why `payments` is taken for the root/);
      await ana.close(causes);
      await ana.click(await team.modal('ana', /All kinds/), 'Open');
      const signal = await team.modal('ana', /Attributes/);

      expect(textOf(causes)).toMatch(/\*1\. `payments`\*/);
      expect(textOf(signal)).toMatch(/Trace <https:\/\/traces\.example\.com\/t\/[0-9a-f]{32}\|[0-9a-f]{32}>/);
      expect(textOf(signal)).toMatch(/First seen <!date.*Last seen <!date/);
    },
    { traceUrl: 'https://traces.example.com/t/{trace_id}' },
  ));
