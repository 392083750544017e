import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Paths with queries of all requests that this process sends over HTTP meanwhile, by `fetch` and by Node's own client. */
export async function addressesDuring(run: () => Promise<unknown>): Promise<string[]> {
  const paths: string[] = [];
  const seen = (message: unknown) => void paths.push((message as { request: { path: string } }).request.path);
  const channels = ['undici:request:create', 'http.client.request.start'];
  for (const channel of channels) subscribe(channel, seen);
  try {
    await run();
  } finally {
    for (const channel of channels) unsubscribe(channel, seen);
  }
  return paths;
}
