/** Why a machine cannot measure something, as a sentence for people. */
export class Unmeasurable extends Error {
  override name = 'Unmeasurable'
}
