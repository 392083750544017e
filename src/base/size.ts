const UNITS = ['KB', 'MB', 'GB', 'TB'];

/** A size for people: `12 B`, `1.5 KB`, `12 MB`. Units of 1024 bytes, as the editor has them. */
export function formatSize(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) return '';
  let size = bytes;
  let unit = 'B';
  for (const next of UNITS) {
    if (size < 1024) break;
    size /= 1024;
    unit = next;
  }
  const rounded = unit === 'B' || size >= 10 ? Math.round(size) : Math.round(size * 10) / 10;
  return `${rounded} ${unit}`;
}
