import type { ServerId } from '../../../host/definition';

/**
 * What happened, for the audit log. Arguments and results are told by hash and size, never by value. All other texts are
 * taken as they are: the log redacts and bounds them.
 */
export type AuditEvent =
  /** A server was started, came up, failed or ended. */
  | { type: 'launch'; server: ServerId; state: string; what: string; reason?: string }
  /** A person allowed a server to run, refused, or took it back; with `client`, a test file to use it. */
  | { type: 'consent'; server: ServerId; what: 'allowed' | 'denied' | 'revoked'; fingerprint?: string; client?: string }
  /** A person allowed a confined server more than its entry says, wants something to stay blocked, or took all of it back. */
  | {
      type: 'sandbox';
      server: ServerId;
      what: 'allowed' | 'kept' | 'revoked';
      network?: readonly string[];
      /** Paths that it wanted to read or write. */
      files?: readonly string[];
      sockets?: boolean;
      /** It is not confined at all. */
      isFree?: boolean;
    }
  /** A server said something else than before, or a person accepted that. */
  | { type: 'pin'; server: ServerId; kind: string; name: string; what: 'changed' | 'accepted' }
  /** A rule about a tool was made or taken back. */
  | { type: 'approval'; server: ServerId; tool: string; answer: string; scope: string; rule?: string }
  /** A person approved a skill of a server, or took it back; one was read, refused, or is not what was approved. */
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
      /** Whatever rules say it was asked about, because of what the model had read. */
      flow?: true;
      /** SHA-256 of the canonical JSON of the arguments. */
      arguments: string;
      /** Of the result, in characters. */
      size?: number;
      ms?: number;
      outcome?: string;
    }
  /** A person allowed an extension or an agent to use the servers, refused, or took it back; or it is not what was allowed. */
  | {
      type: 'client';
      kind: 'extension' | 'agent';
      client: string;
      name: string;
      what: 'allowed' | 'denied' | 'revoked' | 'changed';
      fingerprint: string;
    }
  /** A request other than a call of a tool was made, or refused: a resource was read, a prompt was got. */
  | {
      type: 'use';
      server: ServerId;
      /** Who wanted it: see `call`. */
      origin: string;
      client?: string;
      method: string;
      /** The address, or the name. */
      what: string;
      /** `ok`, or the code of the error. */
      outcome: string;
    }
  /** A server asked the person (spec: client/elicitation). What was answered is never told, only to which fields. */
  | {
      type: 'elicitation';
      server: ServerId;
      mode: 'form' | 'url';
      answer: 'accept' | 'decline' | 'cancel' | 'refused' | 'withdrawn';
      fields?: readonly string[];
      /** Of the page, in URL mode. */
      host?: string;
    }
  /** A model was asked for a server (spec: client/sampling). */
  | { type: 'sampling'; server: ServerId; answer: string; model?: string; tokens?: number };

/** Where audit events go. Cheap, and never throws. */
export interface AuditPort {
  record(event: AuditEvent): void;
}
