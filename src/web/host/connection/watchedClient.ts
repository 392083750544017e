/** Nobody watches requests in web windows: see `features/telemetry`. */
export class WatchedClient {}
