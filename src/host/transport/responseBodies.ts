import { tooLarge } from './httpFault';
import type { Traffic } from './traffic';

/** How much is read of a body that only explains a refusal. */
const MAX_REFUSAL_BYTES = 256 * 1024;

/** Drops a byte order mark. */
const decoder = new TextDecoder();

/** The whole body as text. Throws an `HttpFault`, and stops reading, if it has more than `maxBytes` (unpacked). */
export async function textOf(response: Response, maxBytes: number, traffic?: Traffic): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  if (traffic) traffic.received += size;
  return decoder.decode(Buffer.concat(chunks));
}

/** The same response; reading its body fails with an `HttpFault` after `maxBytes` (unpacked). */
export function capped(response: Response, maxBytes: number): Response {
  return limited(response, maxBytes, 'fail');
}

/** The same response, with the beginning of its body. */
export function shortened(response: Response): Response {
  return limited(response, MAX_REFUSAL_BYTES, 'end');
}

/** The same response without its body, which is not read. */
export function bodiless(response: Response): Response {
  void response.body?.cancel().catch(() => {});
  return new Response(null, headOf(response));
}

/** The same response, with a body that has been read already. */
export function withJson(response: Response, value: unknown): Response {
  return Object.assign(new Response(null, { headers: response.headers }), { json: async () => value });
}

/** The media type of a response, without its parameters. */
export function mediaType(response: Response): string | undefined {
  return response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
}

export function headOf({ status, statusText, headers }: Response): ResponseInit {
  return { status, statusText, headers };
}

function limited(response: Response, maxBytes: number, then: 'fail' | 'end'): Response {
  if (!response.body) return response;
  let left = maxBytes;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left >= 0) return controller.enqueue(chunk);
      if (then === 'fail') return controller.error(tooLarge(maxBytes));
      controller.enqueue(chunk.subarray(0, chunk.byteLength + left));
      controller.terminate();
    },
  });
  return new Response(response.body.pipeThrough(limit), headOf(response));
}
