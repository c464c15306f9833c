import type { ServerResponse } from 'node:http';

/** What a provider does with a call. `cut` and `silent`: it has taken the message, and its answer does not arrive. */
export type Fate = 'works' | 'limited' | 'away' | 'cut' | 'silent';

export function isTaken(fate: Fate): boolean {
  return fate === 'works' || fate === 'cut' || fate === 'silent';
}

/** Answers a call over HTTP. @param status of success */
export function answerBy(fate: Fate, response: ServerResponse, status: number): void {
  switch (fate) {
    case 'works':
      response.writeHead(status).end();
      break;
    case 'limited':
      response.writeHead(429, { 'retry-after': '1' }).end();
      break;
    case 'away':
      response.writeHead(503).end();
      break;
    case 'cut':
      response.destroy();
      break;
    case 'silent':
      break;
  }
}
