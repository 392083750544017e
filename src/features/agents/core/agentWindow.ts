import { AgentListener } from './agentListener';
import { AgentSession, type AgentSessionOptions } from './agentSession';

interface AgentWindowOptions extends AgentSessionOptions {
  /** The folder of what windows and bridges share. */
  readonly home: string;
  /** Paths of the folders of the workspace. */
  readonly folders: () => readonly string[];
}

/** Lets agents use the servers of this window. */
export class AgentWindow {
  readonly #listener: AgentListener;
  readonly #sessions = new Set<AgentSession>();

  constructor(options: AgentWindowOptions) {
    this.#listener = new AgentListener({
      home: options.home,
      folders: options.folders,
      arrived: agent => {
        const session = new AgentSession(agent, options);
        this.#sessions.add(session);
        void session.closed.then(() => this.#sessions.delete(session));
      },
    });
  }

  /** The sessions that are open. */
  get sessions(): readonly AgentSession[] {
    return [...this.#sessions];
  }

  /** Rejects if there is no private place to listen at. */
  listen(): Promise<void> {
    return this.#listener.listen();
  }

  /** The window is used, or has other folders: bridges choose by that. */
  used(): void {
    this.#listener.used();
  }

  /** Ends all sessions and leaves nothing on disk. */
  async close(): Promise<void> {
    const sessions = this.sessions;
    await this.#listener.close();
    await Promise.allSettled(sessions.map(session => session.close()));
  }
}
