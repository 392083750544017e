import { phrase } from '../base/phrase';
import { TransportFault } from '../host/transport/transportFault';

/** The browser's facts about this page. */
const page = globalThis as unknown as { isSecureContext: boolean; origin: string };

const PROBE_MS = 5_000;
/** Headers that MCP over HTTP sends and reads beyond those that any page may use. */
const HEADERS = 'Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Session-Id';
const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate';

/** `fetch` of web windows, which finds out why the browser refused. Rejects with a `TypeError` that has the cause. */
export async function webFetch(input: string | URL, init: RequestInit = {}): Promise<Response> {
  const url = new URL(input);
  try {
    const response = await globalThis.fetch(url, init);
    // A page is not told where to.
    if (response.type === 'opaqueredirect') throw redirects();
    return response;
  } catch (error) {
    if (init.signal?.aborted || error instanceof TransportFault) throw error;
    throw new TypeError('fetch failed', { cause: await faultOf(url, error) });
  }
}

async function faultOf(url: URL, cause: unknown): Promise<TransportFault> {
  const { origin, protocol, hostname } = url;
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && !isLocal && page.isSecureContext) {
    return new TransportFault(
      'UNREACHABLE',
      phrase('browsers let a web window reach {0} only over https', origin),
      phrase('Use an https address in "url", or open this in a desktop window.'),
      cause,
    );
  }
  if (await answers(url)) return forbids(origin, cause);
  return new TransportFault(
    'UNREACHABLE',
    phrase('cannot reach {0}', origin),
    phrase('Check that the server is running and that its URL is correct.'),
    cause,
  );
}

function forbids(origin: string, cause: unknown): TransportFault {
  return new TransportFault(
    'UNREACHABLE',
    phrase('it does not allow requests from web pages (CORS): {0} responds, but not to this window', origin),
    phrase(
      'Configure it to send Access-Control-Allow-Origin for {0}, allow the headers {1} and expose {2}, or open this in a desktop window.',
      page.origin,
      HEADERS,
      EXPOSED,
    ),
    cause,
  );
}

function redirects(): TransportFault {
  return new TransportFault(
    'HTTP_STATUS',
    phrase('its URL redirects, and a web window can neither check nor safely follow that'),
    phrase('Set "url" in its settings entry to the address that it redirects to.'),
  );
}

/** Whether a server is there: sends a request without credentials, whose answer cannot be read. */
async function answers(url: URL): Promise<boolean> {
  const probe = new AbortController();
  const timer = globalThis.setTimeout(() => probe.abort(), PROBE_MS);
  try {
    await globalThis.fetch(url, { mode: 'no-cors', credentials: 'omit', signal: probe.signal });
    return true;
  } catch {
    return false;
  } finally {
    globalThis.clearTimeout(timer);
    probe.abort();
  }
}
