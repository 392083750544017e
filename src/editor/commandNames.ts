// Made by `npm run generate`.

/** The commands in package.json, without `mcpHost.` */
// biome-ignore format: a line for each would fill two screens
export type CommandName =
  | 'acceptChange' | 'addDemoServer' | 'addResourceToChat' | 'addSelectedServer' | 'addServer' | 'allowCall'
  | 'answerApproval' | 'answerQuestion' | 'applyRemedy' | 'approveSkill' | 'askInChat' | 'browseServers'
  | 'cancelCall' | 'changeRoots' | 'changeSandbox' | 'checkServer' | 'chooseSamplingModel' | 'chooseTools'
  | 'compareSampling' | 'confirmSampling' | 'copyDiagnostics' | 'copyResourceUri' | 'debugServer' | 'denySampling'
  | 'disableServer' | 'duplicateServer' | 'enableServer' | 'enterInputs' | 'explainInChat' | 'exportAuditLog'
  | 'exportServers' | 'findResource' | 'followEvents' | 'importServers' | 'installBundle' | 'installUv'
  | 'keepBlocked' | 'loadMoreResources' | 'manageTrust' | 'moveAppToTab' | 'moveAppToView' | 'moveToInput'
  | 'openApp' | 'openCallResult' | 'openPage' | 'openResource' | 'openServerSettings' | 'openSettings' | 'openSkill'
  | 'openTemplate' | 'openTraceFile' | 'openWalkthrough' | 'pinVersion' | 'previewMarkdown' | 'recordTest'
  | 'refreshResources' | 'removeServer' | 'renameServer' | 'requestApproval' | 'restartServer' | 'reviewChanges'
  | 'reviewServer' | 'runPrompt' | 'runTool' | 'saveBundle' | 'saveMockServer' | 'saveResourceAs' | 'shareServers'
  | 'showAuditLog' | 'showHealth' | 'showOrganizationRules' | 'showResourceChanges' | 'showServerLog' | 'showTrace'
  | 'showWaiting' | 'signIn' | 'signOut' | 'startServer' | 'stopApp' | 'stopAppInView' | 'stopFollowingEvents'
  | 'stopServer' | 'switchProfile' | 'unwatchResource' | 'watchResource';
