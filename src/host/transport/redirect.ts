import { redirected } from './httpFault';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Throws an `HttpFault` for a redirect that must not be followed: to another origin (including https instead of http), where
 * neither credentials nor requests belong, or one that would turn a message into a GET. The SDK follows all others, at most
 * a few in a row.
 */
export function refuseRedirect(url: URL, method: string, response: Response): void {
  const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
  if (location === null || !URL.canParse(location, url.href)) return;
  const target = new URL(location, url);
  const keepsMethod = method === 'GET' || response.status === 307 || response.status === 308;
  if (keepsMethod && target.origin === url.origin && !target.username && !target.password) return;
  void response.body?.cancel().catch(() => {});
  throw redirected(response.status, `${target.protocol}//${target.host}${target.pathname}`);
}
