import type { ChildProcess } from 'node:child_process';
import type { Phrase } from '../../base/phrase';
import type { Launch } from '../launch/processGroup';
import type { ReachableHosts } from './reachableHosts';
import type { SandboxPolicy, TempFolders } from './sandboxPolicy';

/** Enforces policies on this system. */
export interface Engine {
  /** Our own files that run in the sandbox. */
  readonly helpers: readonly string[];
  /** Called for each program. Creates its own temporary folder where the engine needs one. */
  temp(): TempFolders;
  launch(confined: ReadyToConfine): Promise<ConfinedLaunch>;
}

/** A program and its policy. */
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
  /** Asks all processes in the sandbox to end. @param pid of the started process */
  askToEnd(pid: number): void;
  /** Called when the server is ready: hosts that its packages came from can no longer be reached. */
  settle(): void;
  /** The process is gone. Resolves when nothing of it is left to put in order. */
  end(): Promise<void>;
}

/** Why nothing can be confined here. */
export interface Missing {
  readonly reason: Phrase;
  readonly remedy: Phrase;
  readonly isInstalled: boolean;
}
