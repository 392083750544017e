// The user settings that every VS Code window of the tests, and of `npm start`, begins with.

export type Settings = Record<string, unknown>;

/** Silences everything that a fresh profile shows or asks, and turns look-ups off. */
const quiet: Settings = {
  'chat.commandCenter.enabled': false,
  'editor.accessibilitySupport': 'off',
  'editor.cursorBlinking': 'solid',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'files.autoSave': 'off',
  'git.enabled': false,
  'git.openRepositoryInParentFolders': 'never',
  'grunt.autoDetect': 'off',
  'gulp.autoDetect': 'off',
  'jake.autoDetect': 'off',
  'npm.autoDetect': 'off',
  'remote.autoForwardPorts': false,
  'remote.restoreForwardedPorts': false,
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'typescript.disableAutomaticTypeAcquisition': true,
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'window.autoDetectColorScheme': false,
  'window.confirmBeforeClose': 'never',
  'workbench.editor.enablePreview': false,
  'workbench.enableExperiments': false,
  'workbench.reduceMotion': 'on',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.experimentalOnboarding': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
};

/** The colours that windows begin with, by the name of a theme: `TEST_THEME`, to look at all pictures in others. */
const colours: Settings = process.env.TEST_THEME ? { 'workbench.colorTheme': process.env.TEST_THEME } : {};

/**
 * Of windows that tests drive: what takes the focus late (the page of an app, when a dialog has gone) closes no list that has just
 * opened. What the product itself keeps open, it keeps open in any window.
 */
export const steady: Settings = { 'workbench.quickOpen.closeOnFocusLost': false };

/** The user settings of a window: the quiet ones, with what the caller wants on top. */
export const userSettings = (wanted: Settings = {}): Settings => ({ ...quiet, ...colours, ...wanted });
