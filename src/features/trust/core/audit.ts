import type { ServerId } from '../../../host/definition';

/**
 * An event for the audit log. Arguments and results are recorded by hash and size, never by value. Other texts are recorded
 * raw: the log redacts and truncates them.
 */
export type AuditEvent =
  /** A server was started, came up, failed or ended. */
  | { type: 'launch'; server: ServerId; state: string; what: string; reason?: string }
  /** A person allowed a server to run, refused, or took it back; with `client`, a test file to use it. */
  | { type: 'consent'; server: ServerId; what: 'allowed' | 'denied' | 'revoked'; fingerprint?: string; client?: string }
  /**
   * A person allowed a confined server more than its entry does, chose to keep something blocked, took it back, or removed what
   * appeared where it may write.
   */
  | {
      type: 'sandbox';
      server: ServerId;
      what: 'allowed' | 'kept' | 'removed' | 'revoked';
      network?: readonly string[];
      /** Paths that it wanted to read or write, or that appeared. */
      files?: readonly string[];
      sockets?: boolean;
      /** Not confined at all. */
      isFree?: boolean;
    }
  /** The copy of the log that the organization wants can't be written. */
  | { type: 'copy'; file: string; problem: string }
  /** A server changed a description, or a person accepted the change. */
  | { type: 'pin'; server: ServerId; kind: string; name: string; what: 'changed' | 'accepted' }
  /** An approval rule was made or revoked. */
  | { type: 'approval'; server: ServerId; tool: string; answer: string; scope: string; rule?: string }
  /** A person approved a skill or revoked that; or a skill was read, refused, or differs from the approved one. */
  | {
      type: 'skill';
      server: ServerId;
      uri: string;
      what: 'approved' | 'revoked' | 'changed' | 'read' | 'refused';
      file?: string;
    }
  | {
      type: 'call';
      server: ServerId;
      tool: string;
      /** Who asked: `chat`, `palette`, … */
      origin: string;
      /** The id of the extension or the agent that asked, or the path of the test file. */
      client?: string;
      /** Who decided: a rule, or the person; and how. */
      decided: 'rule' | 'person';
      answer: 'allow' | 'edit' | 'deny' | 'blocked';
      /** The rule about arguments that allowed it: the one in the event `approval` that made it. */
      rule?: string;
      /** Set if the call was asked about because of what the model had read, regardless of rules. */
      flow?: true;
      /** SHA-256 of the canonical JSON of the arguments. */
      arguments: string;
      /** Of the result, in characters. */
      size?: number;
      ms?: number;
      outcome?: string;
    }
  /** A person allowed or refused an extension or agent, or revoked that; or it differs from the allowed one. */
  | {
      type: 'client';
      kind: 'extension' | 'agent';
      client: string;
      name: string;
      what: 'allowed' | 'denied' | 'revoked' | 'changed';
      fingerprint: string;
    }
  /** A request other than a tool call was made or refused: reading a resource, getting a prompt. */
  | {
      type: 'use';
      server: ServerId;
      /** Who requested it: see `call`. */
      origin: string;
      client?: string;
      method: string;
      /** The address, or the name. */
      what: string;
      /** `ok`, or the code of the error. */
      outcome: string;
    }
  /** A server asked the person (spec: client/elicitation). Records the fields, never the answers. */
  | {
      type: 'elicitation';
      server: ServerId;
      mode: 'form' | 'url';
      answer: 'accept' | 'decline' | 'cancel' | 'refused' | 'withdrawn';
      fields?: readonly string[];
      /** Of the page, in URL mode. */
      host?: string;
    }
  /** A model was called on behalf of a server (spec: client/sampling). */
  | { type: 'sampling'; server: ServerId; answer: string; model?: string; tokens?: number };

/** Where audit events go. Cheap, and never throws. */
export interface AuditPort {
  record(event: AuditEvent): void;
}
