import vscode = require('vscode');

import { Owner } from '../../base/events';
import { settingValue } from '../../editor/settingValues';
import type { ServerSet } from '../../host';
import type { Agents } from './agents';

/** As `package.json` has it. */
const SETTING = 'mcpHost.shareWithAgents';

/** Shares servers with agents while `mcpHost.shareWithAgents` is on and there are any; loaded then. */
export class AgentSharing extends Owner {
  #agents: Agents | undefined;
  #closed: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly servers: Pick<ServerSet, 'all' | 'onDidChange'>,
    private readonly share: () => Agents,
    /** Whether the organization lets servers be shared. */
    private readonly mayShare: () => boolean,
  ) {
    super();
    this.own(servers.onDidChange(change => change ?? this.apply()));
    this.own(
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration(SETTING)) this.apply();
      }),
    );
  }

  /** Resolves when nothing is listening any more. */
  async close(): Promise<void> {
    this.dispose();
    await this.#closed;
  }

  override dispose(): void {
    super.dispose();
    this.#stop();
  }

  /** Begins or ends sharing, as the setting and the organization say now. */
  apply(): void {
    const isOn = settingValue('shareWithAgents') === true;
    if (!isOn || !this.mayShare() || this.servers.all.length === 0) this.#stop();
    else this.#agents ??= this.share();
  }

  #stop(): void {
    const agents = this.#agents;
    this.#agents = undefined;
    if (agents) this.#closed = Promise.allSettled([this.#closed, agents.close()]);
  }
}
