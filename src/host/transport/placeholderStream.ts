import type { ServerSentEvent } from './eventReader';
import { mediaType } from './responseBodies';

const encoder = new TextEncoder();

const EVENT_STREAM = 'text/event-stream';

/** Whether a response contains events; one with status 202 never does, whatever it claims. */
export function isEventStream(response: Response): boolean {
  return response.ok && response.status !== 202 && mediaType(response) === EVENT_STREAM;
}

/**
 * A substitute for an event stream that the host reads itself: it ends with that stream and contains only what `run`
 * forwards. `run` begins when the SDK begins to read, because the SDK knows the session by then.
 */
export function standInFor(
  headers: Headers | undefined,
  run: (passOn: (event: ServerSentEvent) => void) => Promise<void>,
): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await run(({ event, data }) => {
          const lines = data.split('\n').map(line => `data: ${line}\n`);
          controller.enqueue(encoder.encode(`event: ${event}\n${lines.join('')}\n`));
        });
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: headers ?? { 'content-type': EVENT_STREAM } });
}
