/** Every command of the extension. A test compares this list with package.json, both ways. */
export const COMMANDS = [
  'addDemoServer',
  'answerApproval',
  'chooseTools',
  'copyResourceUri',
  'copyToolCall',
  'manageApprovals',
  'openResource',
  'openServerSettings',
  'openSettings',
  'readResource',
  'refreshResources',
  'rerunTool',
  'restartServer',
  'runPrompt',
  'runTool',
  'saveResourceAs',
  'showServerLog',
  'startServer',
  'stopServer',
] as const;

export type CommandName = (typeof COMMANDS)[number];
