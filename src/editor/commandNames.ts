/** Every command of the extension. A test compares this list with package.json, both ways. */
export const COMMANDS = [
  'addDemoServer',
  'copyResourceUri',
  'openResource',
  'openServerSettings',
  'openSettings',
  'refreshResources',
  'restartServer',
  'saveResourceAs',
  'showServerLog',
  'startServer',
  'stopServer',
] as const;

export type CommandName = (typeof COMMANDS)[number];
