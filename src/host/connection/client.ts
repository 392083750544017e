/** What speaks the protocol and knows the SDK's errors. It takes longer to load than the rest: that is done while a program boots. */
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';

export { rehearse } from '../sdk/rehearsal';
export { contradicts, faultOf, httpStatus, leavesEraOpen, redactCauses, refuses } from './errorFacts';
export { createClient } from './sessionClient';

export const sdkError = (code: keyof typeof SdkErrorCode, message: string) => new SdkError(SdkErrorCode[code], message);
