// Made by `npm run generate`.

/** The commands in package.json, without `mcpHost.` */
// biome-ignore format: a line for each would fill two screens
export type CommandName =
<<<<<<< HEAD
  | 'acceptChange' | 'addDemoServer' | 'addResourceToChat' | 'addSelectedServer' | 'addServer' | 'allowRefused'
  | 'allowRefusedFolder' | 'answerApproval' | 'answerQuestion' | 'applyRemedy' | 'approveSkill' | 'browseServers'
  | 'cancelCall' | 'cancelJson' | 'changeRoots' | 'changeSandbox' | 'checkServer' | 'chooseSamplingModel'
  | 'chooseTools' | 'clearInputs' | 'closeFolder' | 'compareSampling' | 'confirmJson' | 'confirmSampling'
  | 'copyDiagnostics' | 'copyResourceUri' | 'copyToolCall' | 'debugServer' | 'denySampling' | 'disableServer'
  | 'duplicateServer' | 'enableServer' | 'enterInputs' | 'explainInChat' | 'exportAuditLog' | 'exportServers'
  | 'findResource' | 'followEvents' | 'importServers' | 'installBundle' | 'installUv' | 'keepAppeared'
  | 'keepBlocked' | 'keepRefused' | 'loadMoreResources' | 'manageAccounts' | 'manageApprovals' | 'manageConsents'
  | 'markFlow' | 'moveAppToTab' | 'moveAppToView' | 'moveToInput' | 'openApp' | 'openCallResult' | 'openPage'
  | 'openResource' | 'openServerSettings' | 'openSettings' | 'openSkill' | 'openTemplate' | 'openTraceFile'
  | 'pinVersion' | 'recordTest' | 'refreshResources' | 'refreshSkills' | 'removeAppeared' | 'removeServer'
  | 'renameServer' | 'requestApproval' | 'rerunTool' | 'restartServer' | 'reviewChanges' | 'reviewSampling'
  | 'reviewServer' | 'runPrompt' | 'runTool' | 'runToolInSteps' | 'runUnconfined' | 'saveBundle' | 'saveMockServer'
  | 'saveResourceAs' | 'setApproval' | 'shareServers' | 'showAuditLog' | 'showHealth' | 'showOrganizationRules'
  | 'showSamplingUsage' | 'showServerLog' | 'showTrace' | 'showWaiting' | 'signIn' | 'signOut' | 'startServer'
  | 'stopApp' | 'stopAppInView' | 'stopFollowingEvents' | 'stopServer' | 'switchProfile' | 'unwatchResource'
  | 'updateBundle' | 'watchNeeds' | 'watchResource';
=======
  | 'acceptChange' | 'addDemoServer' | 'addResourceToChat' | 'addSelectedServer' | 'addServer' | 'annotateMessage'
  | 'answerApproval' | 'answerQuestion' | 'applyRemedy' | 'approveSkill' | 'askAboutEvent' | 'browseServers'
  | 'cancelCall' | 'cancelJson' | 'changeEventNotice' | 'changeRoots' | 'changeSandbox' | 'checkServer'
  | 'chooseSamplingModel' | 'chooseTools' | 'compareDescriptions' | 'compareSampling' | 'compareSnapshot'
  | 'confirmJson' | 'confirmSampling' | 'copyDiagnostics' | 'copyResourceUri' | 'copyToolCall' | 'debugServer'
  | 'denySampling' | 'disableServer' | 'duplicateServer' | 'enableServer' | 'enterInputs' | 'explainInChat'
  | 'exportAuditLog' | 'exportServers' | 'findResource' | 'followEvents' | 'importServers' | 'installBundle'
  | 'installUv' | 'keepBlocked' | 'loadMoreResources' | 'manageTrust' | 'moveAppToTab' | 'moveAppToView'
  | 'moveToInput' | 'openApp' | 'openCallResult' | 'openEvent' | 'openPage' | 'openResource' | 'openServerSettings'
  | 'openSettings' | 'openSkill' | 'openTemplate' | 'openTraceFile' | 'pinVersion' | 'recordTest' | 'refreshEvents'
  | 'refreshResources' | 'refreshSkills' | 'removeServer' | 'renameServer' | 'requestApproval' | 'rerunTool'
  | 'restartServer' | 'reviewChanges' | 'reviewSampling' | 'reviewServer' | 'runPrompt' | 'runTool'
  | 'runToolInSteps' | 'saveBundle' | 'saveMockServer' | 'saveResourceAs' | 'saveSnapshot' | 'shareServers'
  | 'showAllLogs' | 'showAuditLog' | 'showHealth' | 'showOrganizationRules' | 'showSamplingUsage' | 'showServerLog'
  | 'showTrace' | 'showWaiting' | 'signIn' | 'signOut' | 'startServer' | 'stopApp' | 'stopAppInView'
  | 'stopFollowingEvents' | 'stopServer' | 'switchProfile' | 'unwatchResource' | 'updateBundle' | 'watchResource';
>>>>>>> 260ad095 (docs, texts: manage trust and change sandbox)
