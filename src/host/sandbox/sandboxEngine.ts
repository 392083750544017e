import type { ChildProcess } from 'node:child_process';
import type { Phrase } from '../../base/phrase';
import type { Launch } from '../launch/processGroup';
import type { ReachableHosts } from './reachableHosts';
import type { SandboxPolicy, TempFolders } from './sandboxPolicy';

/** What enforces a policy, as it works on this system. */
export interface Engine {
  /** Files of ours that it runs in the sandbox. */
  readonly helpers: readonly string[];
  /** Asked for each program: its own is made then, where there is to be one. */
  temp(): TempFolders;
  launch(confined: ReadyToConfine): Promise<ConfinedLaunch>;
}

/** A program, and what it may do. */
export interface ReadyToConfine {
  readonly launch: Launch;
  /** Absolute path. */
  readonly program: string;
  readonly policy: SandboxPolicy;
  readonly network: ReachableHosts;
}

/** A launch that starts a program in its sandbox. */
export interface ConfinedLaunch extends Launch {
  /** Called with the process, as soon as it was started. */
  attach?(child: ChildProcess): void;
  /** Asks all that runs in the sandbox to end. @param pid of what was started */
  askToEnd(pid: number): void;
  /** The server is ready: what it was fetched from is no longer reached. */
  settle(): void;
  /** The process is gone. */
  end(): void;
}

/** Why nothing can be confined here. */
export interface Missing {
  readonly reason: Phrase;
  readonly remedy: Phrase;
  readonly isInstalled: boolean;
}
