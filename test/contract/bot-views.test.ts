import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { type LocalSlack, startLocalSlack } from 'local-slack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACTIONS } from '../../src/bot/blocks/ids.ts';
import { LIMITS } from '../../src/bot/blocks/limits.ts';
import { listenersOf } from '../../src/bot/register.ts';
import { EVERY_VIEW, type View } from '../support/every-view.ts';
import { NO_DEPS } from '../support/no-deps.ts';
import { runs } from '../support/runs.ts';
import { actionIds, externalSelectIds, messageFaults, viewFaults } from '../support/view-faults.ts';

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

/** What makes messages of other messages, answers of an error, or the words of one kind of action in an outcome. */
const PARTS = new Set(['blocks/text-of.ts', 'listeners/failed-read.ts', 'actions/definition.ts']);

/** The functions in the folder that make a message, modal or Home tab, by the type that their signature ends with. */
async function viewFunctions(): Promise<string[]> {
  const found: string[] = [];
  for await (const path of glob('**/*.ts', { cwd: FOLDER })) {
    const isView = !path.endsWith('.test.ts') && !PARTS.has(path);
    const source = isView ? await readFile(FOLDER + path, 'utf8') : '';
    for (const declaration of source.split(/^export function /m).slice(1)) {
      const [body = ''] = declaration.split('\n}\n');
      const [, returned = ''] = /\): ([^\n]+) \{$/m.exec(body) ?? [];
      if (/^(SlackMessage|ModalView|HomeView)$/.test(returned)) {
        found.push(declaration.slice(0, declaration.indexOf('(')));
      }
    }
    for (const [, method = ''] of source.matchAll(/^ {2}(\w+)\([^\n]*\): SlackMessage;$/gm)) {
      found.push(method);
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
      { numRuns: runs(12) },
    );
  });
});

/** Some controls are rare: views are made until all were seen. */
const ROUNDS = 20;
const SEED = 20_261_122;

it('has a listener for every control, and a control for every listener', () => {
  const { steer, note, merge, split, snooze, snoozeEnd } = ACTIONS; // choices of the menu, and buttons of earlier versions
  const { buttons, options, forms } = listenersOf(NO_DEPS);
  const listeners = {
    actions: [...buttons.keys()].toSorted(),
    options: [...options.keys()].toSorted(),
    forms: [...forms.keys()].toSorted(),
  };
  const controls = {
    actions: new Set<string>([steer, note, merge, split, snooze, snoozeEnd]),
    options: new Set<string>(),
    forms: new Set<string>(),
  };
  const found = () => Object.fromEntries(Object.entries(controls).map(([name, ids]) => [name, [...ids].toSorted()]));
  for (let round = 0; round < ROUNDS && !isDeepStrictEqual(found(), listeners); round += 1) {
    for (const view of Object.values(EVERY_VIEW).flatMap((any) =>
      fc.sample(any, { numRuns: 10, seed: SEED + round }),
    )) {
      controls.actions = new Set([...controls.actions, ...actionIds(view.blocks)]);
      controls.options = new Set([...controls.options, ...externalSelectIds(view.blocks)]);
      if ('callback_id' in view && view.submit) {
        controls.forms.add(view.callback_id);
      }
    }
  }

  expect(found()).toEqual(listeners);
});
