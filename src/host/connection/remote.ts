/** What servers over HTTP need, transports and OAuth (spec: basic/authorization), and what says why a server failed. */
export { Authorizer, type SignedIn } from '../auth/authorizer';
export { HttpTransport, SseTransport } from '../transport/httpTransport';
export { createSocketFetch } from '../transport/socketFetch';
export { explain, timedOut } from './explainFailure';
export { explainConfined } from './explainProgram';
