import { z } from 'zod';
import { SlackError } from '../errors.ts';
import type { Fault, Span } from '../faults/faults.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { FaultControl } from './fault-control.ts';

const Seconds = z.number().positive().max(86_400);
const Count = z.number().int().positive().max(10_000);

/** Which calls fail: those of one method or of all (`*`), for a number of calls or of seconds. Default: the next call. */
const Calls = {
  method: z.string().min(1).default('*'),
  calls: Count.optional(),
  seconds: Seconds.optional(),
};

/** The body of `POST /local/faults`. */
export const FaultRequest = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('rate_limited'), retry_after: z.number().int().positive().default(30), ...Calls }),
    z.strictObject({ kind: z.literal('stored-then-502'), ...Calls }),
    z.strictObject({ kind: z.literal('error'), error: z.string().min(1), ...Calls }),
    z.strictObject({ kind: z.literal('latency'), ms: z.number().int().positive().max(600_000), ...Calls }),
    z.strictObject({ kind: z.literal('token_revoked'), seconds: Seconds }),
    z.strictObject({ kind: z.literal('dropped-acks'), count: Count }),
    z.strictObject({ kind: z.literal('duplicate-events'), count: Count }),
    z.strictObject({ kind: z.literal('cut-sockets') }),
    z.strictObject({
      kind: z.literal('refresh-sockets'),
      reason: z.enum(['warning', 'refresh_requested']).default('refresh_requested'),
    }),
    z.strictObject({ kind: z.literal('away'), seconds: Seconds }),
    z.strictObject({ kind: z.literal('deleted-message'), channel: z.string(), ts: z.string() }),
    z.strictObject({ kind: z.literal('archived-channel'), channel: z.string(), archived: z.boolean().default(true) }),
  ])
  .refine((request) => !('calls' in request && 'seconds' in request), 'give calls or seconds, not both');
export type FaultRequest = z.infer<typeof FaultRequest>;

/** @throws SlackError when the channel or the message does not exist */
export function applyFault(request: FaultRequest, control: FaultControl, workspace: Workspace): void {
  const { faults } = control;
  switch (request.kind) {
    case 'rate_limited':
      faults.repeat(request.method, { kind: 'rate_limited', retryAfterSeconds: request.retry_after }, span(request));
      break;
    case 'stored-then-502':
      faults.repeat(request.method, { kind: 'stored-then-502' }, span(request));
      break;
    case 'error':
      faults.repeat(request.method, { kind: 'error', error: request.error }, span(request));
      break;
    case 'latency':
      faults.repeat(request.method, { kind: 'latency', ms: request.ms }, span(request));
      break;
    case 'token_revoked': {
      const fault: Fault = { kind: 'error', error: 'token_revoked' };
      faults.repeat('*', fault, { seconds: request.seconds });
      break;
    }
    case 'dropped-acks':
      faults.dropAcks(request.count);
      break;
    case 'duplicate-events':
      faults.duplicateEvents(request.count);
      break;
    case 'cut-sockets':
      control.disconnectSockets();
      break;
    case 'refresh-sockets':
      control.refreshSockets(request.reason);
      break;
    case 'away':
      control.awayFor(request.seconds);
      break;
    case 'deleted-message':
      if (workspace.findMessage(request.channel, request.ts) === null) {
        throw new SlackError('message_not_found');
      }
      workspace.deleteMessage(request.channel, request.ts);
      break;
    case 'archived-channel':
      if (workspace.findChannel(request.channel) === null) {
        throw new SlackError('channel_not_found');
      }
      workspace.changeChannel(request.channel, (before) => ({ ...before, isArchived: request.archived }));
      break;
  }
}

function span({ calls, seconds }: { calls?: number | undefined; seconds?: number | undefined }): Span {
  return seconds === undefined ? { calls: calls ?? 1 } : { seconds };
}
