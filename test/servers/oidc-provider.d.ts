/** The parts of `oidc-provider` that the fixture uses: the package has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface AccessToken {
    grantId?: string;
    scope?: string;
    isExpired: boolean;
  }
  interface TokenContext {
    oidc: { params: Record<string, string | undefined>; entities: Record<string, AccessToken | undefined> };
  }
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    on(event: string, listener: (context: TokenContext) => void): void;
    readonly AccessToken: {
      find(token: string): Promise<AccessToken | undefined>;
      revokeByGrantId(id: string): Promise<void>;
    };
    readonly ClientCredentials: { find(token: string): Promise<AccessToken | undefined> };
    readonly RefreshToken: { revokeByGrantId(id: string): Promise<void> };
  }
}
