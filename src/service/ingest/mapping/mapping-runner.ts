import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import type { Mapping } from '../../../contract/integrations.ts';
import { millisecondsToSeconds } from '../../../runtime/dates.ts';
import { OverloadedError } from '../../core/errors.ts';
import type { MappedBodies, MappingAnswer, MappingTask } from './mapping-process.ts';

/** Longest time for the events of one request. Usual mappings take a few microseconds an event. */
const LIMIT_MS = 500;
const HEAP_MB = 64;
const START_MS = 10_000;
/** Requests that wait. */
const MAX_WAITING = 200;
/** A mapping that took too long is not tried again for so long, so that it cannot hold up the others. */
const PAUSE_MS = 30_000;

const COSTLY = `the mapping takes longer than ${LIMIT_MS} ms or more than ${HEAP_MB} MB: make its expressions simpler`;

/** The mapping took too long or too much memory. */
export class MappingTooCostlyError extends Error {
  override readonly name: string = 'MappingTooCostlyError';
}

/** The mapping took too long or too much memory lately, so the events were not tried. */
export class MappingPausedError extends MappingTooCostlyError {
  override readonly name = 'MappingPausedError';
  readonly retryAfterSeconds: number;

  constructor(remainingMs: number) {
    super(COSTLY);
    this.retryAfterSeconds = millisecondsToSeconds(remainingMs) + 1;
  }
}

/**
 * Evaluates mappings in a process of its own, one request at a time, within bounds of time and memory. A thread would not
 * do: an array that does not fit its heap ends the whole process.
 */
export interface MappingRunner extends AsyncDisposable {
  /**
   * @param bodies parsed JSON
   * @throws {MappingTooCostlyError} these events were tried
   * @throws {MappingPausedError} @throws {OverloadedError} they were not: send them again
   */
  run(mapping: Mapping, bodies: readonly unknown[]): Promise<MappedBodies>;
}

export function createMappingRunner(): MappingRunner {
  const costly = new LRUCache<string, true>({ max: 1_000, ttl: PAUSE_MS });
  let child: ChildProcess | null = null;
  let waiting = 0;
  let turn: Promise<unknown> = Promise.resolve();

  function demandNotPaused(text: string): void {
    if (costly.has(text)) {
      throw new MappingPausedError(costly.getRemainingTTL(text));
    }
  }

  async function evaluate(task: MappingTask): Promise<MappedBodies> {
    child ??= await startProcess();
    const evaluating = child;
    try {
      const answered = answerOf(evaluating, LIMIT_MS);
      evaluating.send(task);
      const answer = await answered;
      if (answer === 'ready') {
        throw new TypeError('the process is ready twice');
      }
      return answer;
    } catch (error) {
      child = null;
      evaluating.kill('SIGKILL');
      throw error;
    }
  }

  return {
    async run(mapping, bodies) {
      const text = JSON.stringify(mapping);
      demandNotPaused(text);
      if (waiting >= MAX_WAITING) {
        throw new OverloadedError('too many events wait for their mapping: send again later');
      }
      waiting += 1;
      const result = turn.then(() => {
        demandNotPaused(text);
        return evaluate({ mapping, bodies });
      });
      turn = result.catch(() => undefined);
      try {
        return await result;
      } catch (error) {
        if (error instanceof MappingTooCostlyError && !(error instanceof MappingPausedError)) {
          costly.set(text, true);
        }
        throw error;
      } finally {
        waiting -= 1;
      }
    },

    async [Symbol.asyncDispose]() {
      await turn;
      child?.kill('SIGKILL');
    },
  };
}

async function startProcess(): Promise<ChildProcess> {
  const started = fork(fileURLToPath(new URL(`./mapping-process${extname(import.meta.filename)}`, import.meta.url)), {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  started.unref();
  started.channel?.unref();
  await answerOf(started, START_MS);
  return started;
}

/** @throws {MappingTooCostlyError} without an answer in time, or when the process ends */
function answerOf(evaluating: ChildProcess, limitMs: number): Promise<MappingAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<MappingAnswer>();
  const give = (answer: unknown) => resolve(answer as MappingAnswer); // what mapping-process.ts sends
  const stop = (cause?: unknown) => reject(new MappingTooCostlyError(COSTLY, { cause }));
  const timer = setTimeout(stop, limitMs);
  evaluating.channel?.ref();
  evaluating.once('message', give);
  evaluating.once('error', stop);
  evaluating.once('exit', stop);
  return promise.finally(() => {
    clearTimeout(timer);
    evaluating.channel?.unref();
    evaluating.off('message', give);
    evaluating.off('error', stop);
    evaluating.off('exit', stop);
  });
}
