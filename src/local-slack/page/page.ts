import type { Logger } from 'pino';
import type { Manifest } from '../manifest.ts';
import type { Person } from '../model.ts';
import type { Actor } from '../people.ts';
import type { Workspace } from '../workspace.ts';

export interface Page extends AsyncDisposable {
  fetch(request: Request): Promise<Response>;
}

export function createPage(_deps: {
  workspace: Workspace;
  manifest: Manifest;
  actorOf: (person: Person) => Actor;
  logger: Logger;
}): Page {
  return {
    fetch: () => Promise.resolve(new Response('not found\n', { status: 404 })),
    async [Symbol.asyncDispose]() {},
  };
}
