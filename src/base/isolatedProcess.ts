import { type ChildProcess, fork } from 'node:child_process';

/** In megabytes, for JavaScript: Node would take gigabytes. */
const HEAP_MB = 256;

/** Starts one of our programs in a process that inherits nothing. The caller exchanges messages with it, and ends it. */
export const isolatedProcess = (program: string): ChildProcess =>
  fork(program, [], {
    // In a desktop, Node is a part of the editor's program.
    env: { ELECTRON_RUN_AS_NODE: '1' },
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    windowsHide: true,
  });
