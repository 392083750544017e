/** How an app is shown (spec: ext-apps 2026-01-26, "Display Modes"). */
export type DisplayMode = 'inline' | 'fullscreen' | 'pip';

/** Where: in a tab of the editor, or in the view in the panel. */
export type AppPlace = 'tab' | 'view';

/** Every mode that some place has. */
export const DISPLAY_MODES: readonly DisplayMode[] = ['inline', 'fullscreen', 'pip'];

/**
 * The modes that suit a place, the best first: in the view, `pip` stays as high as the view, and `inline` is as high as it
 * likes.
 */
const SUITED: Readonly<Record<AppPlace, readonly [DisplayMode, ...DisplayMode[]]>> = {
  tab: ['fullscreen', 'inline', 'pip'],
  view: ['inline', 'pip', 'fullscreen'],
};

/**
 * The mode of an app in a place: never one that it did not declare, unless it declared none.
 * @param wanted the app has asked for it, and is here for that.
 */
export function modeIn(place: AppPlace, declared: readonly DisplayMode[], wanted?: DisplayMode): DisplayMode {
  if (wanted && declared.includes(wanted)) return wanted;
  const suited = SUITED[place];
  return suited.find(mode => declared.includes(mode)) ?? suited[0];
}

/** Where an app goes that asks for a mode. */
export const placeFor = (mode: DisplayMode): AppPlace => (mode === 'fullscreen' ? 'tab' : 'view');
