import type { Tool } from '@modelcontextprotocol/client';
import { chatCardIn } from '../../../../../src/features/agents/core';
import { argumentsForServer, schemaForModel } from '../../../../../src/features/languageModel/core';
import { ChatDoor } from '../../../../../src/features/nativeChat/core/chatDoor';
import { UI_EXTENSION } from '../../../../../src/host/catalog';
import { AgentsHome, TestWindow } from '../../agents/core/testAgents';

/** Windows whose chats run in a process of their own, and their bridges. */
export class ChatsHome extends AgentsHome {
  /** A window with servers, whose chats may use them. The same id again: after a reload. */
  async chats(servers: Record<string, unknown>, id = 'w1'): Promise<TestChats> {
    const window = this.own(new TestChats(this.folder, id));
    await window.begin(servers);
    return window;
  }

  /** The client of a chat, as the editor starts a bridge for it. */
  chat(server: string, { id = 'w1', drawsApps = false, ...options }: ChatOptions = {}) {
    return this.connect(this.folder, {
      name: 'copilot-cli',
      args: ['--server', server, '--card', chatCardIn(this.folder, id)],
      ...(drawsApps && {
        capabilities: { extensions: { [UI_EXTENSION]: { mimeTypes: ['text/html;profile=mcp-app'] } } },
      }),
      ...options,
    });
  }
}

export interface ChatOptions extends NonNullable<Parameters<AgentsHome['connect']>[1]> {
  id?: string;
  drawsApps?: boolean;
}

export class TestChats extends TestWindow {
  /** How often the person was asked about the chat. */
  asked = 0;
  admit: () => Promise<'allowed' | 'denied'> = async () => 'allowed';
  readonly chats: ChatDoor;

  constructor(home: string, id: string) {
    super(home, []);
    this.chats = new ChatDoor({
      home,
      window: id,
      version: '1',
      servers: this.servers,
      trust: { ...this.trust, asker: () => 'client' },
      refused: () => {},
      signMs: 500,
      ask: () => {
        this.asked++;
        return this.admit();
      },
      tools: {
        toolConversion: {
          schemaFor: (_, tool) => {
            const made = schemaForModel(tool);
            return 'problem' in made ? undefined : (made.schema as Tool['inputSchema']);
          },
          argumentsFor: (tool, given) => argumentsForServer(tool, given, true),
        },
      },
    });
  }

  async begin(servers: Record<string, unknown>): Promise<void> {
    this.test.configure(servers);
    await this.chats.listen();
    await Promise.all(Object.keys(servers).map(id => this.test.loads(id)));
  }

  override async close(): Promise<void> {
    await this.chats.close();
    await super.close();
  }
}
