/** Nothing is started in a browser, so nothing is confined or refused. */
const nothing = async (): Promise<void> => {};

export { nothing as allowRefused, nothing as changeSandbox, nothing as keepRefused, nothing as runUnconfined };
