import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { readBounded } from '../../base/files';

/** Clock ticks per second in which Linux reports processor time, on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;
/** Measurements closer together than this count as one. */
const MIN_STRETCH_MS = 500;

export interface ProcessUsage {
  processes: number;
  /** Resident memory; shared memory is counted for each process. */
  memoryBytes: number;
  /** Processor time since the last measurement, as a fraction of one processor; undefined at the first. */
  cpu: number | undefined;
}

interface GroupProcess {
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  /** Its command line, beginning with the program. Without `/proc`, it is split at each space. Never rejects. */
  words(): Promise<string[]>;
}

const MAX_COMMAND_LINE = 256 * 1024;
const MAX_PROCESS_LIST = 16 * 1024 * 1024;

/** The processes of a group: from `/proc` on Linux, by `ps` on macOS, none on Windows. Never rejects. */
export async function processesOf(group: number, platform = process.platform): Promise<GroupProcess[]> {
  try {
    if (platform === 'linux') return await linuxGroup(group);
    if (platform === 'win32') return [];
    const columns = ['-A', '-ww', '-o', 'pgid=,rss=,time=,args='];
    const { stdout } = await promisify(execFile)('/bin/ps', columns, { maxBuffer: MAX_PROCESS_LIST });
    return groupFromPs(stdout, group);
  } catch {
    return [];
  }
}

export class ProcessMeter {
  #before: { pid: number; cpuSeconds: number; at: number; usage: ProcessUsage } | undefined;

  constructor(private readonly platform: NodeJS.Platform = process.platform) {}

  /** @param pid of the leader. Undefined: not known, or it has ended. Never rejects. */
  async look(pid: number): Promise<ProcessUsage | undefined> {
    const members = await processesOf(pid, this.platform);
    if (members.length === 0) return undefined;
    const at = performance.now();
    const before = this.#before?.pid === pid ? this.#before : undefined;
    // Time is counted in hundredths of a second, so a short interval means nothing.
    if (before && at - before.at < MIN_STRETCH_MS) return before.usage;
    const sum = (part: 'memoryBytes' | 'cpuSeconds') => members.reduce((total, member) => total + member[part], 0);
    const cpuSeconds = sum('cpuSeconds');
    // The time of a process that has ended is lost.
    const cpu = before && Math.max(0, (cpuSeconds - before.cpuSeconds) / ((at - before.at) / 1_000));
    const usage = { processes: members.length, memoryBytes: sum('memoryBytes'), cpu };
    this.#before = { pid, cpuSeconds, at, usage };
    return usage;
  }
}

async function linuxGroup(group: number): Promise<GroupProcess[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
  const members = await Promise.all(
    pids.map(async pid => {
      try {
        const cpuSeconds = cpuOfStat(await readFile(`/proc/${pid}/stat`, 'latin1'), group);
        if (cpuSeconds === undefined) return undefined;
        const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0;
        const words = async () => {
          const line = await readBounded(`/proc/${pid}/cmdline`, MAX_COMMAND_LINE).catch(() => '');
          return line.split('\0');
        };
        return { cpuSeconds, memoryBytes: Number(kilobytes) * 1_024, words };
      } catch {
        // It has ended meanwhile.
        return undefined;
      }
    }),
  );
  return members.filter(member => member !== undefined);
}

/** Seconds of processor time of a process in this group (proc_pid_stat(5)). Its name may have spaces and brackets. */
function cpuOfStat(stat: string, group: number): number | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [, , processGroup] = fields;
  return Number(processGroup) === group ? (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND : undefined;
}

/** Reads lines such as `  501  10240   1:02.50 node x.js`: group, kilobytes, time as `[[days-]hours:]minutes:seconds`, words. */
export function groupFromPs(output: string, group: number): GroupProcess[] {
  return output.split('\n').flatMap(line => {
    const [pgid, rss, time = '', ...words] = line.trim().split(/\s+/);
    if (Number(pgid) !== group) return [];
    const [clock = '', days = '0'] = time.split('-').reverse();
    const seconds = clock.split(':').reduce((total, part) => total * 60 + Number(part), 0);
    const cpuSeconds = Number(days) * 86_400 + seconds;
    return [{ memoryBytes: Number(rss) * 1_024, cpuSeconds, words: async () => words }];
  });
}
