/** The parts that servers over HTTP need: transports, and OAuth (spec: basic/authorization). */
export { Authorizer, type SignedIn } from '../auth/authorizer';
export { HttpTransport, SseTransport } from '../transport/httpTransport';
export { createSocketFetch } from '../transport/socketFetch';
