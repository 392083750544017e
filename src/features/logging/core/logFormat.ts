import { visible, visibleJson, visibleLines } from '../../../base/text';
import type { LogEntry } from '../../../host/definition';

const MAX_LENGTH = 20_000;
/** Structured data that is longer stands under its line. */
const MAX_INLINE = 100;

/** Levels that the five of a channel do not tell apart. */
const UNTOLD: ReadonlySet<string> = new Set(['notice', 'critical', 'alert', 'emergency']);

/**
 * One entry as text. Structured data is JSON: short data in the line, longer data under it and indented, so that an editor can
 * fold it.
 * @param saysLevel spells out the level, because the line is written at another one.
 */
export function formatEntry({ source, level, logger, data }: LogEntry, saysLevel = false): string {
  const text = typeof data === 'string' ? visibleLines(data, MAX_LENGTH) : formatData(data);
  if (source === 'lifecycle') return text;
  // No line of a server looks like one of ours.
  const indented = text.replace(/\n(?! {2})/g, '\n  ');
  if (source !== 'server') return `[${source}] ${indented}`;
  const exact = saysLevel || UNTOLD.has(level) ? `${level}: ` : '';
  return `[server${logger ? ` ${visible(logger, 100).replace(/[[\]]/g, '')}` : ''}] ${exact}${indented}`;
}

function formatData(data: unknown): string {
  const json = visibleJson(data);
  // Within strings JSON has no line breaks.
  const line = json.length <= 3 * MAX_INLINE ? json.replace(/\n */g, ' ') : json;
  if (line.length <= MAX_INLINE) return line;
  const bounded = json.length > MAX_LENGTH ? `${json.slice(0, MAX_LENGTH)}…` : json;
  return `${messageIn(data)}\n${bounded.replace(/^/gm, '  ')}`;
}

/** Most loggers of structured data have a member for what they say. */
function messageIn(data: unknown): string {
  const { message, msg } = (data ?? {}) as { message?: unknown; msg?: unknown };
  const text = message ?? msg;
  return typeof text === 'string' ? visible(text) : '';
}
