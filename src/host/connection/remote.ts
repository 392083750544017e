/** What is loaded with the first server over HTTP, or the first that failed: transports, sign-in, and explanations of failures. */

export { Authorizer, type SignedIn } from '../auth/authorizer';
export { HeadersHelper } from '../auth/headersHelper';
export { explain, timedOut } from './explainFailure';
export { explainConfined } from './explainProgram';
export { createRemoteTransport } from './remoteTransport';
export { startServing } from './servedProgram';
