import { Pieces } from './pieces';

/** The body of a response. Undefined, and no more is read, if it has more than `maxBytes` (unpacked). */
export async function bodyWithin(response: Response, maxBytes: number): Promise<Buffer | undefined> {
  const chunks = new Pieces();
  const reader = response.body?.getReader();
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done || !value) return chunks.take();
    if (chunks.length + value.byteLength > maxBytes) {
      void reader?.cancel().catch(() => {});
      return undefined;
    }
    chunks.add(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }
}

/**
 * Fetches an address, and follows a few redirects.
 * @param next resolves the location of a redirect; throws if it must not be fetched.
 * @returns undefined when there are more than `maxRedirects`.
 */
export async function fetchFollowing(
  first: URL,
  { maxRedirects, ...init }: RequestInit & { readonly maxRedirects: number },
  next: (location: string, from: URL) => URL,
): Promise<Response | undefined> {
  let at = first;
  for (let count = 0; count <= maxRedirects; count++) {
    const response = await fetch(at, { ...init, redirect: 'manual' });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || !location) return response;
    await response.body?.cancel();
    at = next(location, at);
  }
  return undefined;
}
