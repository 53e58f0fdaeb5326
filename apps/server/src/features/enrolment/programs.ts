import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../../../..')

/** The agent as one file, made by `npm start`. */
export const AGENT_PROGRAM = join(ROOT, 'apps/agent/dist/agent.mjs')
/** The agent's sources, which the server's own machine runs. */
export const AGENT_SOURCE = join(ROOT, 'apps/agent/src/main.ts')

/** Path of a Node for machines with this processor (as `uname -m` says), if this server has one. */
export function nodeProgram(machine: string): string | undefined {
  const arch = new Map([
    ['x86_64', 'x64'],
    ['aarch64', 'arm64'],
  ]).get(machine)
  if (arch === undefined) return undefined
  const pinned = join(ROOT, 'node_modules', `node-linux-${arch}`, 'bin/node')
  if (existsSync(pinned)) return pinned
  return process.platform === 'linux' && process.arch === arch ? process.execPath : undefined
}
