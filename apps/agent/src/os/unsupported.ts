import { spawn } from 'node:child_process'
import { AgentError, NotMeasuredError } from '../errors.ts'
import type { LogTools, RegistryTools, SchedulerTools } from './os.ts'
import { withStartUmask } from './umask.ts'

/** The event log on systems other than Windows. */
export const noEventLog = (system: string) => async (): Promise<never> => {
  throw new NotMeasuredError(`Only Windows has an event log, and this machine runs ${system}.`)
}

/** The journal on a machine without systemd. */
export const noJournal = (system: string) => async (): Promise<never> => {
  throw new NotMeasuredError(`Only Linux with systemd has a journal, and this machine runs ${system}.`)
}

/** For systems whose log the agent cannot read yet. Following files works. */
export function noLogTools(system: string): LogTools {
  const refuse = () => {
    throw new AgentError(`The log of ${system} is not supported yet, only those of systemd and Windows.`)
  }
  return { read: async () => refuse(), follow: async () => refuse() }
}

const refuse = async () => {
  throw new AgentError('Only Windows has a registry.')
}

export const noRegistry: RegistryTools = {
  readKey: refuse,
  readValue: refuse,
  findValue: refuse,
  change: refuse,
}

const refuseTasks = async () => {
  throw new AgentError(
    'macOS has no scheduler of its own. Its services start by time, too: see the services.',
  )
}

export const noScheduler: SchedulerTools = { list: refuseTasks, change: refuseTasks }

/** Starts a program that outlives this process. */
export function startDetachedProcess([program = '', ...args]: string[]): void {
  withStartUmask(() => spawn(program, args, { detached: true, stdio: 'ignore', windowsHide: true })).unref()
}
