import { MAX_TIMER_MS } from '../../../base/numberText';
import {
  AgentSession,
  type AgentSessionOptions,
  BridgeDoor,
  chatCardIn,
  isOfAgentHost,
  privateFolder,
  readCards,
} from '../../agents/core';
import type { ClientAnswer } from '../../clients/core';
import { ChatServer, type ChatServerOptions } from './chatServer';

export interface ChatDoorOptions extends Pick<ChatServerOptions, 'refused' | 'servers' | 'tools' | 'trust'> {
  /** The folder with the cards of windows. */
  readonly home: string;
  /** Identifies the window, also after a reload: letters, digits and hyphens. */
  readonly window: string;
  readonly version: string;
  /** Asks the person whether the chat of this window may use the servers; once, where its process can't be proved. */
  readonly ask: () => Promise<ClientAnswer>;
  /** See `AgentSessionOptions`. */
  readonly signMs?: number;
}

/** Lets agents of the editor's chat (*Copilot*, *Claude*, *Codex*) use this window's servers, each by a bridge. */
export class ChatDoor extends BridgeDoor<AgentSession> {
  constructor(options: ChatDoorOptions) {
    const { home, window, servers, trust, tools, refused, version, signMs } = options;
    super({
      card: () => {
        privateFolder(home, 'chats');
        // Removes those of windows that crashed.
        readCards(home, 'chats');
        return chatCardIn(home, window);
      },
      folders: () => [],
      admit: async ({ socket, pid, cwd, server }) => {
        if (server === undefined) return 'The bridge of a chat needs the name of a server.';
        const isProved = await isOfAgentHost(pid);
        const session: AgentSessionOptions = {
          servers: { all: [], onDidChange: servers.onDidChange },
          trust,
          clients: isProved ? ALLOWED : { ...ALLOWED, answer: () => undefined, ask: options.ask },
          includes: () => true,
          profile: () => undefined,
          version,
          // A call waits for the person as long as the chat does, which gets progress meanwhile.
          personMs: MAX_TIMER_MS,
          listMs: LIST_MS,
          signMs,
          chat: {
            conversation: `chat of ${window}`,
            serve: hooks =>
              new ChatServer({
                servers,
                tools,
                refused,
                hooks: { ...hooks, only: server },
                trust: { ...trust, ...hooks.trust, asker: () => 'host' },
              }),
          },
        };
        const process = { pid, programs: [], parents: [], cwd, isCertain: false };
        return () => new AgentSession({ socket, process, server }, session);
      },
    });
  }
}

/** The chat's first question waits for the lists of all its servers. */
const LIST_MS = 2_000;

const never = () => ({ dispose: () => {} });

/** The chat itself: there is nothing to be asked or revoked. */
const ALLOWED: AgentSessionOptions['clients'] = {
  answer: () => 'allowed',
  ask: async () => 'allowed',
  profile: () => undefined,
  onDidChangeProfile: never,
  onDidDecide: never,
};
