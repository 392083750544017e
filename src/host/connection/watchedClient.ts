import type { ServerDefinition } from '../definition/definition';
import type { WatchedSession } from '../definition/ports';
import type { HostClient } from '../sdk/hostClient';
import type { Redactor } from '../secrets/redactor';

/** What a watch of requests may know about the session of a client. */
export class WatchedClient implements WatchedSession {
  readonly began = performance.now();

  /** @param client asked later, as it is made with its watch. */
  constructor(
    readonly server: ServerDefinition,
    private readonly redactor: Redactor,
    private readonly client: () => HostClient,
  ) {}

  get protocolVersion(): string | undefined {
    return this.client().getNegotiatedProtocolVersion();
  }

  get id(): string | undefined {
    return this.client().transport?.sessionId;
  }

  redact(text: string): string {
    return this.redactor.text(text);
  }
}
