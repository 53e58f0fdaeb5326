import type { ServiceState } from '../probes.ts'

/** The output of `launchctl print`. */
export function parseJob(output: string): ServiceState {
  // The first level is indented once. Sockets and the like are deeper.
  const value = (name: string) => new RegExp(`^\\t${name} = (.*)$`, 'm').exec(output)?.[1]?.trim()
  const state = value('state') ?? ''
  const exitCode = value('last exit code') ?? ''
  const detail = exitCode === '' ? state : `${state}, last exit code ${exitCode}`
  if (state === 'running') return { state: 'running', detail }
  if (state === 'spawn scheduled' || state === 'waiting') return { state: 'start_pending', detail }
  const hasFailed = /^[1-9]/.test(exitCode)
  return { state: hasFailed ? 'failed' : 'stopped', detail }
}
