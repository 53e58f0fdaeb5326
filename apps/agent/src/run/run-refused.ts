/** The run was not started. The message is shown to users. */
export class RunRefused extends Error {
  override name = 'RunRefused'
}
