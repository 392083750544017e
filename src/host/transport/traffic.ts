/** Bytes of messages, those that were skipped included; over HTTP the unpacked bodies. */
export interface Traffic {
  received: number;
  sent: number;
}
