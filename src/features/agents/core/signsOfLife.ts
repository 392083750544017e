import type { ServerContext } from '@modelcontextprotocol/server';
import type { Disposable } from '../../../base/events';

/** Clients give a call up after a silence: the chat of VS Code after 180 s, most agents after a minute or more. */
const SIGN_MS = 25_000;
/** Progress has to increase (spec: basic/utilities/progress), and a server's own must stay above what was sent before. */
const STEP = 1e-6;

type McpRequest = ServerContext['mcpReq'];

/**
 * Sends progress while a request is open, so that the client does not give it up while a person reads a question, fills in a form
 * or waits for the server. Only for requests that want progress.
 */
export class SignsOfLife implements Disposable {
  readonly request: McpRequest;
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(request: McpRequest, everyMs = SIGN_MS) {
    const { progressToken } = request._meta ?? {};
    if (progressToken === undefined) {
      this.request = request;
      return;
    }
    const notify: McpRequest['notify'] = notification => {
      const { progress } = Object(notification.params) as { progress?: unknown };
      if (notification.method === 'notifications/progress' && typeof progress === 'number') this.#last = progress;
      return request.notify(notification);
    };
    this.request = { ...request, notify };
    this.#timer = setInterval(() => {
      const params = { progressToken, progress: this.#last + STEP };
      // The client may have disconnected.
      notify({ method: 'notifications/progress', params }).catch(() => {});
    }, everyMs);
    this.#timer.unref();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }
}
