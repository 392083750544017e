const nothing = () => {};

/** Nothing is started in a browser, so there is nothing to follow, and nothing to take back. */
export class ConfinedServers {
  readonly onDidChange = nothing;
  readonly revoke = nothing;
  readonly dispose = nothing;
}

export const watchFolder = nothing;
