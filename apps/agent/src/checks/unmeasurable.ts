/** The machine cannot measure something. The message is shown to users. */
export class Unmeasurable extends Error {
  override name = 'Unmeasurable'
}
