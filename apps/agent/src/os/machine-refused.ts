/** The agent cannot do what was requested. The message is shown to users. */
export class MachineRefused extends Error {
  override name = 'MachineRefused'
}
