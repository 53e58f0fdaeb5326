import { Unmeasurable } from '../checks/unmeasurable.ts'

/** The event log on systems other than Windows. */
export const noEventLog = (system: string) => async (): Promise<never> => {
  throw new Unmeasurable(`Only Windows has an event log, and this machine runs ${system}.`)
}

/** The journal on a machine without systemd. */
export const noJournal = (system: string) => async (): Promise<never> => {
  throw new Unmeasurable(`Only Linux with systemd has a journal, and this machine runs ${system}.`)
}
