/** Stands where the transport over pipes stands elsewhere: nothing gets that far (`obstacleOf`). */
export class StdioTransport {
  start(): Promise<never> {
    return Promise.reject(new Error('There are no programs in a web window.'));
  }
}
