import { button, el, svg } from '../../../editor/webview/page';

/** Lines of 16 × 16, drawn for this page. */
const ICONS = {
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 0 1 0-9zM10.3 10.3L14 14',
  sent: 'M4 12L12 4M6 4h6v6',
  received: 'M12 4L4 12M10 12H4V6',
  errors: 'M8 2.5L14.2 13.5H1.8zM8 6.5v3.5M8 11.8v.2',
  join: 'M2 4.5h5a4 4 0 0 1 4 4v3M8.5 9l2.5 2.5L13.5 9M2 11.5h4',
  follow: 'M8 2v9M4.5 7.5L8 11l3.5-3.5M3 14h10',
  pings: 'M1.5 8.5h3l2-5 3 9 2-4h3',
  pause: 'M5.5 3v10M10.5 3v10',
  resume: 'M5 3l8 5l-8 5z',
  clear: 'M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11zM4.2 4.2l7.6 7.6',
  export: 'M8 10.5V2M5 5l3-3l3 3M3 9v4.5h10V9',
  close: 'M4 4l8 8M12 4l-8 8',
  open: 'M9 2.5h4.5V7M13.5 2.5L8 8M7 3H3v10h10V9',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  terminal: 'M2 3h12v10H2zM4.5 6l2 2l-2 2M8.5 10.5h3',
  code: 'M5.5 4L1.5 8l4 4M10.5 4l4 4l-4 4',
  send: 'M13.5 8a5.5 5.5 0 1 1-1.8-4.1M12 1v3h-3',
  test: 'M6 2.5h4M7 2.5v4L3 13.5h10L9 6.5v-4',
  select: 'M2.5 3h11v10h-11zM5 8l2 2l4-4',
  compare: 'M8 1.5v13M2 4h4v8H2zM10 4h4v8h-4z',
  caller: 'M8 2.5a2.5 2.5 0 1 1 0 5a2.5 2.5 0 0 1 0-5zM3 14c0-6.5 10-6.5 10 0',
  remark: 'M2.5 3h11v8h-6l-3 3v-3h-2z',
  waterfall: 'M2 3.5h5M5 8h6M9 12.5h5M2 1.5v13',
  pin: 'M5 2.5h6M6 2.5v4l-2 3h8l-2-3v-4M8 9.5V14',
  ok: 'M3 8.5l3.5 3.5L13 4.5',
  error: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  cancelled: 'M4 8h8',
  unsupported: 'M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11zM4.2 11.8l7.6-7.6',
  ended: 'M4.5 4.5h7v7h-7z',
  pending: 'M8 2.5a5.5 5.5 0 1 1-5.5 5.5',
} as const;

export type IconName = keyof typeof ICONS;

/** Lines across the width of a cell, whatever that is. Each path has a class of its own. */
export function plot<P extends string>(names: readonly P[]) {
  const paths = names.map(name => [name, svg('path', name)] as const);
  return {
    element: svg(
      'svg',
      { class: 'plot', viewBox: '0 0 1000 24', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      ...paths.map(([, path]) => path),
    ),
    draw(lines: Readonly<Record<P, string>>): void {
      for (const [name, path] of paths) if (path.getAttribute('d') !== lines[name]) path.setAttribute('d', lines[name]);
    },
  };
}

export const icon = (name: IconName): SVGSVGElement =>
  svg(
    'svg',
    { class: `icon icon-${name}`, viewBox: '0 0 16 16', 'aria-hidden': 'true' },
    svg('path', { d: ICONS[name] }),
  );

/** A button with an icon. The label is its accessible name, and shown unless it has only an icon. */
export function iconButton(name: IconName, label: string, onClick: () => void, isIconOnly = true): HTMLButtonElement {
  const made = button(icon(name), onClick, isIconOnly ? 'tool' : 'tool wide');
  if (isIconOnly) made.setAttribute('aria-label', label);
  else made.append(el('span', '', label));
  made.title = label;
  return made;
}
