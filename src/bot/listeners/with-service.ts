import type { Answer } from './answering.ts';
import type { CommandRequest } from './command-handler.ts';
import type { ListenerDeps } from './deps.ts';
import { failedRead } from './failed-read.ts';

type Run<Deps> = (deps: Deps, request: CommandRequest, answer: Answer) => Promise<void>;

/** Wraps a command so that the person gets an answer if the service fails. */
export function withService<Deps extends ListenerDeps>(run: Run<Deps>): Run<Deps> {
  return async (deps, request, answer) => {
    try {
      await run(deps, request, answer);
    } catch (error) {
      await answer(failedRead(deps, error, null));
    }
  };
}
