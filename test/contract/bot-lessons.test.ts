import { expect, it } from 'vitest';
import { Incident } from '../../src/contract/resources.ts';
import { withRealTeam } from '../support/real-team.ts';
import type { TestService } from '../support/test-service.ts';

const BOX = 'This was not a problem';
const NOTE = 'the nightly import fails now and then';

const textOf = ({ blocks }: { readonly blocks: unknown }): string => JSON.stringify(blocks);

it('teaches from the resolve form, says so, and takes it back with Undo', () =>
  withRealTeam(async (team, service) => {
    await service.failIn(['payments']);
    const { id } = await service.openIncident();
    const ana = team.slack.as('ana');
    await ana.click(await team.card(/payments/), 'Resolve');
    const form = await team.modal('ana', new RegExp(BOX));

    await ana.submit(form, { 'Resolution note': NOTE, 'Learn from it': ['yes'] });
    const receipt = await team.ephemeral('ana', /You closed/);
    const closed = await read(service, id);
    await ana.click(receipt, 'Undo');
    await team.ephemeral('ana', /You opened/);

    expect(textOf(form.content)).toContain('payments: failed requests in GET /');
    expect(receipt.text).toContain('Not a problem: the same evidence there has to be clearly stronger');
    expect(closed).toMatchObject({ status: 'closed', not_a_problem: true, resolution_note: NOTE });
    expect(await read(service, id)).toMatchObject({ status: 'open', not_a_problem: false });
  }));

it('does not offer to teach where nothing can be learnt', () =>
  withRealTeam(async (team, service) => {
    await service.call('POST', '/generic', { body: { service: 'disk', summary: 'disk is full', dedup_key: 'a' } });
    const ana = team.slack.as('ana');
    await ana.click(await team.card(/disk/), 'Resolve');

    const form = await team.modal('ana', /Still failing/); // what the service adds to the form is there

    expect(textOf(form.content)).not.toContain(BOX);
  }));

async function read(service: TestService, id: string): Promise<Incident> {
  return Incident.parse(await (await service.call('GET', `/incidents/${id}`)).json());
}
