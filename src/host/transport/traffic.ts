/** Bytes of messages, including skipped ones; over HTTP, of the unpacked bodies. */
export interface Traffic {
  received: number;
  sent: number;
}
