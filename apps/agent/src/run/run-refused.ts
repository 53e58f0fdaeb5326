/** Why a run cannot take place, as a sentence; nothing was started. */
export class RunRefused extends Error {
  override name = 'RunRefused'
}
