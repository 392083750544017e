/** A way for the answer of an authorization server to come back: to a port of this machine, or through the editor. */
type WayBack = 'loopback' | 'editor';

/**
 * The ways back, in the order in which they are tried. A scheme such as `vscode:` any program can claim (RFC 8252, 8.4; spec:
 * basic/authorization/security-considerations#communication-security), so it is for windows whose browser is on another
 * machine than the port that would be opened.
 */
export function waysBack(isBrowserElsewhere: boolean): readonly WayBack[] {
  return isBrowserElsewhere ? ['editor', 'loopback'] : ['loopback'];
}
