import vscode = require('vscode');

const { t } = vscode.l10n;

/** A duration for people: `0.4 ms`, `12 ms`, `3.2 s`, `4 min 5 s`, `2 h 3 min`, `1 d 2 h`. */
export function formatDuration(ms: number): string {
  if (ms < 10) return t('{0} ms', ms.toFixed(1));
  if (ms < 1_000) return t('{0} ms', Math.round(ms));
  if (ms < 10_000) return t('{0} s', (ms / 1_000).toFixed(1));
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return t('{0} s', seconds);
  if (seconds < 3_600) return t('{0} min {1} s', Math.floor(seconds / 60), seconds % 60);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
  const hours = Math.floor(minutes / 60);
  return t('{0} d {1} h', Math.floor(hours / 24), hours % 24);
}

/** A point in time; only the time of day if it was today. */
export function formatTime(at: number): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString(vscode.env.language) : date.toLocaleString(vscode.env.language);
}

/** How a process ended. */
export function exitText({ code, signal }: { code: number | null; signal: string | null }): string {
  return signal ? t('ended by {0}', signal) : t('exit code {0}', String(code));
}
