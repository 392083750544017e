/** There are no programs in a web window, so nothing is ever confined, and nothing is to be said of it. */
const nothing = (): undefined => undefined;

export { nothing as isConfinedBySetting, nothing as sandboxLines, nothing as unableText };
