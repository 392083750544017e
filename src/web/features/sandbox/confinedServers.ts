/** Nothing is started in a browser, so there is nothing to follow. */
export class ConfinedServers {}
