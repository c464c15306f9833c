import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { START_COMMAND } from '../test/support/tocsin-process.ts';

/** Node's memory options of Tocsin. */
export const MEMORY_OPTIONS = START_COMMAND.slice(1, START_COMMAND.indexOf('--import'));

/** A program of a benchmark in a separate process. */
export interface Program extends AsyncDisposable {
  /** Sends a message and resolves with the next message of the program. */
  ask<Answer>(order: object): Promise<Answer>;
  /** Resolves with the next message of the program. */
  hear<Message>(): Promise<Message>;
}

/** @param nodeOptions in addition to those of this process */
export function startProgram(file: URL, nodeOptions: readonly string[] = []): Program {
  const child = fork(file, { execArgv: [...process.execArgv, ...nodeOptions] });
  return {
    async ask<Answer>(order: object) {
      const answer = hear<Answer>(child, file.pathname);
      child.send(order);
      return answer;
    },
    hear: () => hear(child, file.pathname),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.disconnect();
        await ended;
      }
    },
  };
}

async function hear<Message>(child: ChildProcess, file: string): Promise<Message> {
  const stop = new AbortController();
  const ended = once(child, 'exit', { signal: stop.signal }).then(() => {
    throw new Error(`${file} exited early`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: stop.signal }), ended]);
    return message;
  } finally {
    stop.abort();
    ended.catch(() => undefined);
  }
}
