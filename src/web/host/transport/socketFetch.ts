import { phrase } from '../../../base/phrase';
import { HttpFault } from '../../../host/transport/httpFault';

/** A page reaches no socket. */
export function createSocketFetch(path: string): (url: URL, init: RequestInit) => Promise<Response> {
  return () =>
    Promise.reject(
      new HttpFault(
        'UNREACHABLE',
        phrase("it is on the socket {0}, which a window in the browser can't reach", path),
        phrase('Open the folder in the desktop editor, or on a machine that runs servers.'),
      ),
    );
}
