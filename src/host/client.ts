import {
  type ClientOptions,
  type Implementation,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
} from '@modelcontextprotocol/client';
import { LeanClient } from './leanClient';

/** The SDK's client, with the log level of the modern era, which rides on each request (spec: server/utilities/logging). */
export class HostClient extends LeanClient {
  constructor(
    info: Implementation,
    options: ClientOptions,
    private readonly logLevel: () => LoggingLevel,
  ) {
    super(info, options);
  }

  protected override _outboundMetaEnvelope(): Readonly<Record<string, unknown>> | undefined {
    const envelope = super._outboundMetaEnvelope();
    return envelope && { ...envelope, [LOG_LEVEL_META_KEY]: this.logLevel() };
  }
}
