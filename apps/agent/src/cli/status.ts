import { findIdentity } from '../identity/identity.ts'
import { describeProxy } from '../link/proxy.ts'
import { isLocked } from '../state/lock.ts'
import { findStatus } from '../status-file.ts'
import { AGENT_VERSION } from '../version.ts'

const NOT_RUNNING = 3

/** Prints the state of the link. Exit code: 0 = connected, 3 = not connected. */
export function printStatus(folder: string): number {
  const identity = findIdentity(folder)
  if (identity === undefined) {
    process.stdout.write(`No agent is enrolled in ${folder}.\n`)
    return NOT_RUNNING
  }
  const isRunning = isLocked(folder)
  const status = isRunning ? findStatus(folder) : undefined
  const lines = [
    `version   ${AGENT_VERSION}`,
    `folder    ${folder}`,
    `server    ${identity.server_url}`,
    ...(identity.proxy === undefined ? [] : [`proxy     ${describeProxy(identity.proxy)}`]),
    `agent id  ${identity.agent_id}`,
    `running   ${isRunning ? `yes${status === undefined ? '' : `, process ${status.pid}`}` : 'no'}`,
  ]
  if (isRunning) lines.push(`link      ${describeLink(status)}`)
  process.stdout.write(`${lines.join('\n')}\n`)
  return status?.link.state === 'up' ? 0 : NOT_RUNNING
}

function describeLink(status: ReturnType<typeof findStatus>): string {
  if (status === undefined || status.link.state === 'connecting') return 'connecting'
  if (status.link.state === 'up') return `up since ${status.since}, server ${status.link.server_version}`
  return `down since ${status.since}: ${status.link.reason}`
}
