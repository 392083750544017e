/** Nothing is started in a browser, so nothing is confined or refused. */
const nothing = async (): Promise<void> => {};

export const sandboxCommands = () => ({
  allowRefused: nothing,
  allowRefusedFolder: nothing,
  changeSandbox: nothing,
  closeFolder: nothing,
  keepAppeared: nothing,
  keepRefused: nothing,
  removeAppeared: nothing,
  runUnconfined: nothing,
  watchNeeds: nothing,
});
