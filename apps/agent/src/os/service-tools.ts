import type { MachineService, ServiceAction, WantedStartType } from '@muster/contract/agent/services'

/** What a system can do with its services. Loaded when somebody looks, see `Os.loadServiceTools`. */
export interface ServiceTools {
  /** The one that runs this agent, if that can be told. */
  ownName(dataFolder: string): string | undefined
  list(name: string | null): Promise<MachineService[]>
  /** Throws MachineRefused with what the system said. */
  control(name: string, action: ServiceAction): Promise<void>
  setStartType(name: string, startType: WantedStartType): Promise<void>
  readLog(name: string, lines: number): Promise<string[]>
}
