import { expect, it } from 'vitest';
import { ignoreOwnSpans, OWN_SPANS, traced, traceEnded, traceWork, type WorkTracer } from './traced.ts';

/** Notes each span that has ended, as `parent > name: what was set`. */
function noting() {
  const notes: string[] = [];
  const names = new Map<object, string>();
  const tracer: WorkTracer = {
    begin({ name: firstName }, parent) {
      const facts: string[] = [];
      let name = firstName;
      const started = {
        traceId: 'abc',
        rename(to: string) {
          name = to;
        },
        set: (attributes: object) => void facts.push(JSON.stringify(attributes)),
        fail: (reason: string) => void facts.push(`failed: ${reason}`),
        end: () => void notes.push([names.get(parent ?? {}) ?? 'root', '>', name, ...facts].join(' ')),
      };
      names.set(started, firstName);
      return started;
    },
  };
  return { notes, tracer };
}

const work = (name: string) => ({ name, kind: 'internal' }) as const;

it('only does the work while nothing traces', async () => {
  expect(await traced(work('request'), async ({ traceId }) => traceId)).toBeNull();
});

it('records the parent of each span, even if two pieces of work run concurrently', async () => {
  const { notes, tracer } = noting();
  using _tracing = traceWork(tracer);

  await Promise.all(
    ['a', 'b'].map((name) =>
      traced(work(name), async (span) => {
        await Promise.resolve();
        await traced(work(`${name} inner`), async () => undefined);
        span.set({ done: 1 });
        span.rename(name.toUpperCase());
      }),
    ),
  );

  expect(notes.toSorted()).toEqual(['a > a inner', 'b > b inner', 'root > A {"done":1}', 'root > B {"done":1}']);
});

it('records a failure by its name, without its message', async () => {
  const { notes, tracer } = noting();
  using _tracing = traceWork(tracer);

  const failing = traced(work('call'), () => Promise.reject(new RangeError('the key is tcn_rw_1')));

  await expect(failing).rejects.toThrow('tcn_rw_1');
  expect(notes).toEqual(['root > call failed: RangeError']);
});

it('leaves out a request that receives own spans, with everything that it causes', async () => {
  const { notes, tracer } = noting();
  using _tracing = traceWork(tracer);
  const receive = (body: string) =>
    traced(work(`receive ${body.length}`), async () => {
      ignoreOwnSpans(Buffer.from(body));
      await traced(work('store'), async () => undefined);
    });

  await receive(`a batch with ${OWN_SPANS} in it`);
  await receive('spans of a shop');

  expect(notes).toEqual(['receive 15 > store', 'root > receive 15']);
});

it('ends with its disposal', async () => {
  const { notes, tracer } = noting();
  {
    using _tracing = traceWork(tracer);
    traceEnded(work('step'), 20);
  }
  traceEnded(work('late step'), 20);

  expect(notes).toEqual(['root > step']);
});
