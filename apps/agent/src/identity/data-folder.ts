import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Names inside the data folder. */
export const dataFiles = {
  identity: 'agent.json',
  key: 'key.pem',
  state: 'state.db',
  lock: 'agent.lock',
  status: 'status.json',
  runs: 'run',
  receipts: 'receipts',
  codeCache: 'code-cache',
  installation: 'installation.json',
} as const

export function makeDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
}

/** Writes a whole file that only this user may read; readers see the old or the new one, never half. */
export function writePrivateFile(folder: string, name: string, text: string): void {
  const file = join(folder, name)
  const draft = `${file}.${process.pid}.new`
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    renameSync(draft, file)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw cause
  }
}
