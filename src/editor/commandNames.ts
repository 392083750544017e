/** Every command of the extension. A test compares this list with package.json, both ways. */
export const COMMANDS = [
  'acceptChange',
  'addDemoServer',
  'answerApproval',
  'chooseTools',
  'copyResourceUri',
  'copyToolCall',
  'exportAuditLog',
  'keepBlocked',
  'manageApprovals',
  'openResource',
  'openServerSettings',
  'openSettings',
  'readResource',
  'refreshResources',
  'rerunTool',
  'restartServer',
  'reviewChanges',
  'runPrompt',
  'runTool',
  'saveResourceAs',
  'showAuditLog',
  'showServerLog',
  'startServer',
  'stopServer',
] as const;

export type CommandName = (typeof COMMANDS)[number];
