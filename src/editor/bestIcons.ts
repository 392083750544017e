/** As a server describes it (spec 2025-11-25, 2026-07-28: basic#icons). */
export interface Icon {
  readonly src: string;
  /** Without: for any theme. */
  readonly theme?: string | undefined;
  /** `48x48`, or `any` for one that scales. Without: for any size. */
  readonly sizes?: readonly string[] | undefined;
}

/** How many of one item's icons are looked at. */
const MAX_ICONS = 8;
/** Rows draw an icon at 16 pixels; on a fine screen these are 32. */
const WANTED = 32;

/** The icons that fit a row best first. */
export const bestFirst = (icons: readonly Icon[]): Icon[] =>
  icons.slice(0, MAX_ICONS).sort((a, b) => misfit(a) - misfit(b));

/** How far an icon is from the wanted size: what scales fits, and a larger one is better than one that has to be stretched. */
function misfit({ sizes }: Icon): number {
  if (!Array.isArray(sizes) || sizes.length === 0) return 0;
  const fits = sizes.slice(0, MAX_ICONS).map(size => {
    if (size === 'any') return 0;
    const side = Number(/^(\d{1,5})x\d{1,5}$/.exec(String(size))?.[1] ?? Number.NaN);
    if (Number.isNaN(side)) return WANTED;
    return side >= WANTED ? (side - WANTED) / WANTED : (WANTED - side) * 10;
  });
  return Math.min(...fits);
}

/** The first icon for the theme, or for any; undefined only if there is none at all. */
export const iconFor = <I extends Pick<Icon, 'theme'>>(theme: string, icons: readonly I[]): I | undefined =>
  icons.find(icon => icon.theme === theme) ?? icons.find(icon => (icon.theme ?? undefined) === undefined) ?? icons[0];
