import type { Pulse } from './pulse.ts';

const encoder = new TextEncoder();

/** A stream of server-sent events that also says when the database stops and begins to answer. */
export function reportTrouble(stream: ReadableStream<Uint8Array>, pulse: Pulse): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let stop = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let wasWell = true;
        stop = pulse.watch((isWell) => {
          if (isWell !== wasWell) {
            wasWell = isWell;
            controller.enqueue(encoder.encode(`event: database\ndata: ${isWell ? 'answers' : 'silent'}\n\n`));
          }
        });
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) {
          stop();
          controller.close();
        } else {
          controller.enqueue(value);
        }
      },
      async cancel(reason) {
        stop();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
