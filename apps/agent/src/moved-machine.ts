import type { Identity } from './identity/identity.ts'
import { makeMachineKey } from './identity/machine-key.ts'
import { describeError, type Log } from './log/log.ts'
import type { Os } from './os/os.ts'
import type { Problems } from './problems.ts'

interface Machine {
  folder: string
  identity: Identity
  os: Os
  log: Log
}

/** A copied disk makes two machines with one identity, which only people can sort out. */
export function tellMovedMachine({ folder, identity, os, log }: Machine, problems: Problems): void {
  try {
    const machineId = os.findMachineId()
    if (machineId === undefined || makeMachineKey(machineId, folder) === identity.machine_key) return
  } catch (cause) {
    log.debug({ cause: describeError(cause) }, 'machine id cannot be compared')
    return
  }
  log.info({ folder }, 'data folder was enrolled on another machine or in another place')
  problems.set(
    'moved',
    'The agent was enrolled on another machine or in another folder. If this machine is a copy of another one, enrol it again.',
  )
}
