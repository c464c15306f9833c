import { inject } from 'vitest';
import type { SharedServers } from './shared-servers.ts';

const known = new Map<string, Promise<unknown>>();

/** A server that all tests of the run share. The first test that asks for it starts it. */
export async function shared<Name extends keyof SharedServers>(name: Name): Promise<SharedServers[Name]> {
  const asked = known.get(name) ?? ask(name);
  known.set(name, asked);
  return (await asked) as SharedServers[Name];
}

async function ask(name: string): Promise<unknown> {
  const response = await fetch(`${inject('sharedServersUrl')}/${name}`);
  if (!response.ok) {
    throw new Error(await response.text());
  }
  return await response.json();
}
