/** Finds places in settings files; a bundle of its own (esbuild.js), as it brings a parser of JSON with comments. */
export function loadLocate(): typeof import('./host/settings/locate').locate {
  const { locate } = require('./host/settings/locate') as typeof import('./host/settings/locate');
  return locate;
}
