// Several processes with tests at once, of all layers: while one waits for its editor, others use the processor.
import { sourceOf } from './paths';
import { readReport } from './report';
import { type Portion, TestProcess } from './testProcess';
import type { Times } from './times';

/** How long the processes of a layer took, one after the other, in milliseconds. */
export type Work = Record<string, number>;

/** How many processes there may be, and how many of them with a window. */
export interface Room {
  atOnce: number;
  windows: number;
}

/**
 * Runs portions in their order, as many at once as there is room for; one whose layer has as many as it may lets others go first.
 * @param signal ends it early. @returns how long the files took that ran, and the layers.
 */
export async function runInLanes(portions: readonly Portion[], { atOnce, windows }: Room, signal: AbortSignal) {
  const waiting = [...portions];
  const running = new Map<Promise<void>, Portion>();
  const times: Times = {};
  const work: Work = {};
  const idle: TestProcess[] = [];
  const countOf = (list: { layer: string }[], layer: string) => list.filter(other => other.layer === layer).length;
  const run = async (portion: Portion) => {
    const started = performance.now();
    const { layer } = portion;
    const child = (await takeIdle(idle, layer)) ?? new TestProcess(portion);
    const { times: took, isFree } = await child.run(portion, signal);
    Object.assign(times, took);
    const left = leftBy(portion);
    if (left.length > 0 && !signal.aborted)
      waiting.unshift({ ...portion, files: left, report: portion.report.replace(/\.json$/, '-rest.json') });
    if (isFree && countOf(idle, layer) < countOf(waiting, layer)) idle.push(child);
    else if (isFree) await child.close();
    work[layer] = (work[layer] ?? 0) + performance.now() - started;
  };
  const mayRun = ({ layer, most, hasWindow }: Portion) => {
    const others = [...running.values()];
    const isFull = hasWindow && others.filter(other => other.hasWindow).length >= windows;
    return !isFull && countOf(others, layer) < most;
  };
  for (;;) {
    const next = running.size < atOnce && !signal.aborted ? waiting.findIndex(mayRun) : -1;
    const portion = waiting[next];
    if (portion) {
      waiting.splice(next, 1);
      const ended = run(portion).finally(() => running.delete(ended));
      running.set(ended, portion);
    } else if (running.size > 0) await Promise.race(running.keys());
    else break;
  }
  await Promise.all(idle.map(child => child.close())); // of a run that was stopped
  return { times, work };
}

/** The files of a portion that were still to come when its process ended badly. */
function leftBy({ files, report }: Portion): string[] {
  const { problem, file } = readReport(report) ?? {};
  const last = problem && file ? files.findIndex(each => sourceOf(each) === file) : -1;
  return last < 0 ? [] : files.slice(last + 1);
}

/** One that waits for a portion of the layer; those that have ended as they waited say so in their last report. */
async function takeIdle(idle: TestProcess[], layer: string): Promise<TestProcess | undefined> {
  for (;;) {
    const at = idle.findIndex(child => child.layer === layer);
    const [child] = at < 0 ? [] : idle.splice(at, 1);
    if (!child?.hasEnded) return child;
    await child.close();
  }
}
