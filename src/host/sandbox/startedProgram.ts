import type { ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile } from '../../base/files';
import { type Launch, releaseGroup, signalGroup, spawnGroup } from '../launch/processGroup';
import type { ConfinedLaunch } from './sandboxEngine';

/** A program that was started, and everything that it has started itself: its process group, and its sandbox. */
export class StartedProgram {
  #killing: NodeJS.Timeout | undefined;

  constructor(
    readonly child: ChildProcess,
    private readonly confined: ConfinedLaunch | undefined,
  ) {
    confined?.attach?.(child);
  }

  /** Asks all its processes to end, and kills those that are still there after `patienceMs`. */
  end(patienceMs: number): void {
    const { pid } = this.child;
    if (pid === undefined || this.#killing) return;
    if (this.confined) this.confined.askToEnd(pid);
    else signalGroup(pid, 'SIGTERM');
    this.#killing = setTimeout(() => signalGroup(pid, 'SIGKILL'), patienceMs);
  }

  /** The server is ready: a sandbox no longer lets it fetch what it runs. */
  settle(): void {
    this.confined?.settle();
  }

  /**
   * Kills what is left of its group after its leader has ended or could not be started, and removes its sandbox. Resolves when
   * the sandbox has put everything in order.
   */
  async release(): Promise<void> {
    clearTimeout(this.#killing);
    if (this.child.pid !== undefined) releaseGroup(this.child.pid);
    await this.confined?.end();
  }
}

/** A program whose sandbox is there. Either of its methods is called, once. */
export class ReadyProgram {
  constructor(
    private readonly launch: Launch,
    private readonly confined: ConfinedLaunch | undefined,
  ) {}

  /** Starts it. Failure arrives as the child's `error` event, or is thrown: see `spawnGroup`. */
  start(): StartedProgram {
    try {
      return new StartedProgram(spawnGroup(this.confined ?? this.launch), this.confined);
    } catch (error) {
      void this.drop();
      throw error;
    }
  }

  /** Removes its sandbox. */
  async drop(): Promise<void> {
    await this.confined?.end();
  }
}

/** Makes what a program needs to start: its folder, and its sandbox if it is to have one. @throws as `confine` */
export async function readyProgram(
  launch: Launch,
  confine?: (launch: Launch) => Promise<ConfinedLaunch>,
): Promise<ReadyProgram> {
  if (launch.makesFolder) await makeEmptyFolder(launch.cwd);
  return new ReadyProgram(launch, await confine?.(launch));
}

/** Creates an empty project, so that programs which search parent folders for one stop here. */
async function makeEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await createFile(join(folder, 'package.json'), '{ "private": true }\n').catch(error => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}
