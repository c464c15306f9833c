import type { RespondArguments, RespondFn } from '@slack/bolt';
import { type Answer, type Asker, answeringMembers, answeringResponders } from './answering.ts';
import type { ListenerDeps } from './deps.ts';
import type { ParsedArguments } from './parse-command.ts';

export interface CommandRequest extends ParsedArguments {
  readonly word: string;
  readonly asker: Asker;
  /** Identifies the request; opens a modal within three seconds. */
  readonly triggerId: string;
  readonly respond: RespondFn;
  /** Slack waits three seconds for it. */
  readonly ack: (response?: RespondArguments) => Promise<void>;
}

/** Acknowledges, after it has stored what must not be lost, and answers. */
export type CommandHandler<Deps = ListenerDeps> = (deps: Deps, request: CommandRequest) => Promise<void>;

type Run<Deps> = (deps: Deps, request: CommandRequest, answer: Answer) => Promise<void>;

/** A command that loses nothing if its process dies: acknowledges at once, then answers members. */
export function answers<Deps extends ListenerDeps>(run: Run<Deps>): CommandHandler<Deps> {
  return async (deps, request) => {
    await request.ack();
    await answeringMembers(deps, request.asker, request.respond, (answer) => run(deps, request, answer));
  };
}

/** A command that opens a view for members. Acknowledges once it is open, or once the person was told why not. */
export const opensView = <Deps extends ListenerDeps>(run: Run<Deps>) => opens(run, answeringMembers);

/** A command that opens a form to change something, for those who may act. Acknowledges like `opensView`. */
export const opensForm = <Deps extends ListenerDeps>(run: Run<Deps>) => opens(run, answeringResponders);

function opens<Deps extends ListenerDeps>(run: Run<Deps>, answering: typeof answeringMembers): CommandHandler<Deps> {
  return async (deps, request) => {
    await answering(deps, request.asker, request.respond, (answer) => run(deps, request, answer));
    await request.ack();
  };
}
