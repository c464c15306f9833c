import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { type LocalSlack, startLocalSlack } from 'local-slack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACTIONS, OPTIONS, VIEWS } from '../../src/bot/domain/ids.ts';
import { LIMITS } from '../../src/bot/views/limits.ts';
import { EVERY_VIEW, type View } from '../support/every-view.ts';
import { actionIds, externalSelectIds, messageFaults, viewFaults } from '../support/view-faults.ts';

const SAMPLES = 40;
const MANIFEST = fileURLToPath(new URL('../../manifest.yml', import.meta.url));
const FOLDER = fileURLToPath(new URL('../../src/bot/', import.meta.url));

let slack: LocalSlack;
beforeAll(async () => {
  slack = await startLocalSlack({ manifestPath: MANIFEST, port: 0, delivery: { mode: 'socket' } });
});
afterAll(async () => {
  await slack[Symbol.asyncDispose]();
});

/** What Slack's public method `blocks.validate` says. */
async function refusals(view: View): Promise<string[]> {
  const body = JSON.stringify('type' in view ? { view } : { message: view });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${slack.apiUrl}blocks.validate`, { method: 'POST', headers, body });
  const {
    ok,
    errors = [],
    error,
  } = (await response.json()) as {
    ok: boolean;
    error?: string;
    errors?: { pointer: string; message: string }[];
  };
  return ok ? [] : [error ?? '', ...errors.map(({ pointer, message }) => `${pointer}: ${message}`)];
}

/** The functions in the folder that make a message, modal or Home tab, by the type that their signature ends with. */
async function viewFunctions(): Promise<string[]> {
  const found: string[] = [];
  for await (const path of glob('**/*.ts', { cwd: FOLDER })) {
    const isView = !path.endsWith('.test.ts') && !path.startsWith('listeners/') && path !== 'views/text-of.ts';
    const source = isView ? await readFile(FOLDER + path, 'utf8') : '';
    for (const declaration of source.split(/^export function /m).slice(1)) {
      const [body = ''] = declaration.split('\n}\n');
      const [, returned = ''] = /\): ([^\n]+) \{$/m.exec(body) ?? [];
      if (/^(SlackMessage|ModalView|HomeView)$/.test(returned)) {
        found.push(declaration.slice(0, declaration.indexOf('(')));
      }
    }
  }
  return found;
}

it('checks every function that creates a view', async () => {
  expect((await viewFunctions()).toSorted()).toEqual(Object.keys(EVERY_VIEW).toSorted());
});

describe.each(Object.entries(EVERY_VIEW))('%s', (name, views) => {
  it('is accepted by Slack and can be read by everybody, whatever the incident holds', async () => {
    await fc.assert(
      fc.asyncProperty(views, async (view) => {
        const faults = 'type' in view ? viewFaults(view) : messageFaults(view);
        expect([...faults, ...(await refusals(view))]).toEqual([]);
        const isEdited = name === 'incidentCard' || name === 'stormCard';
        const length = isEdited && 'text' in view ? view.text.length : 0;
        expect(length).toBeLessThanOrEqual(LIMITS.editedText);
      }),
      { numRuns: SAMPLES },
    );
  });
});

/** `registerListeners` has a listener for each id of `ACTIONS`, `VIEWS` and `OPTIONS`; the compiler sees to it. */
it('has a listener for every control, and a control for every listener', () => {
  const views = Object.values(EVERY_VIEW).flatMap((any) => fc.sample(any, { numRuns: 200 }));

  const controls = new Set(views.flatMap(({ blocks }) => actionIds(blocks)));
  const forms = new Set(views.flatMap((view) => ('callback_id' in view && view.submit ? [view.callback_id] : [])));

  const inMenu = [ACTIONS.steer, ACTIONS.snooze, ACTIONS.snoozeEnd]; // choices of the menu, and buttons of earlier versions
  expect([...controls, ...inMenu].toSorted()).toEqual(Object.values<string>(ACTIONS).toSorted());
  const asking = new Set(views.flatMap(({ blocks }) => externalSelectIds(blocks)));
  expect([...asking].toSorted()).toEqual(Object.values(OPTIONS).toSorted());
  expect([...forms].toSorted()).toEqual(Object.values(VIEWS).toSorted());
});
