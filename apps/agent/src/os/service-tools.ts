import type { MachineService, ServiceAction, WantedStartType } from '@muster/contract/agent/services'

/** The service tools of a system. Loaded on use, see `Os.loadServiceTools`. */
export interface ServiceTools {
  /** The service that runs this agent, if known. */
  ownName(dataFolder: string): string | undefined
  list(name: string | null): Promise<MachineService[]>
  /** Throws MachineRefused with the message of the system. */
  control(name: string, action: ServiceAction): Promise<void>
  setStartType(name: string, startType: WantedStartType): Promise<void>
  readLog(name: string, lines: number): Promise<string[]>
}
