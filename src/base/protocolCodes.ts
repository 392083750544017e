/** Codes of errors on the wire, with the names of JSON-RPC 2.0 and of the specification of MCP. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** The first code of the range that JSON-RPC leaves to implementations. */
export const SERVER_ERROR = -32000;
/** The SDK's code for a session that it does not know. */
export const SESSION_NOT_FOUND = -32001;
/** Up to 2025-11-25; since then it is `INVALID_PARAMS` (server/resources#error-handling). */
export const RESOURCE_NOT_FOUND = -32002;
/** Headers differ from the body (2026-07-28: basic#error-codes). */
export const HEADER_MISMATCH = -32020;
/** It supports none of our versions (2026-07-28: basic/versioning). */
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;
/** Of events, as numbered in their draft (SEP-3415#error-handling). */
export const NOT_FOUND = -32023;
export const FORBIDDEN = -32024;
export const UNSUPPORTED = -32026;
/** Up to 2025-11-25: client/elicitation#url-elicitation-required-error. */
export const URL_ELICITATION_REQUIRED = -32042;
