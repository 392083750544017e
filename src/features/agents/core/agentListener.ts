import { randomBytes } from 'node:crypto';
import * as path from 'node:path';
import { agentProcess } from './agentIdentity';
import { AgentSession, type AgentSessionOptions } from './agentSession';
import { bridgeIn, privateFolder } from './bridge/windowCards';
import { BridgeDoor } from './bridgeDoor';

interface AgentWindowOptions extends AgentSessionOptions {
  /** The folder that windows and bridges share. */
  readonly home: string;
  readonly folders: () => readonly string[];
}

/** Lets agents beside the editor use the servers of this window. */
export class AgentWindow extends BridgeDoor<AgentSession> {
  constructor(options: AgentWindowOptions) {
    super({
      card: () =>
        path.join(privateFolder(options.home, 'windows'), `${process.pid}-${randomBytes(4).toString('hex')}.json`),
      folders: options.folders,
      admit: async ({ socket, pid, cwd, server }) => {
        const process = await agentProcess(pid, cwd, bridgeIn(options.home));
        return () => new AgentSession({ socket, process, ...(server !== undefined && { server }) }, options);
      },
    });
  }
}
