/** Why a machine does not do what it is asked, as a sentence for people. */
export class MachineRefused extends Error {
  override name = 'MachineRefused'
}
