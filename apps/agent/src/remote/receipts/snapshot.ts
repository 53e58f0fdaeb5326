import { RECEIPT_PARTS, type ReceiptPartName } from '@muster/contract/agent/receipts'
import { z } from 'zod'
import { describeError } from '../../log/log.ts'
import type { Os } from '../../os/os.ts'
import { readFiles } from './read-files.ts'
import { readPorts } from './read-ports.ts'
import { readUsers } from './read-users.ts'

const PATIENCE_MS = 20_000

/** What a machine has of one kind: a name, and a text that is another one when the thing is. Or why nobody looked. */
const SnapshotPart = z.union([z.record(z.string(), z.string()), z.string()])
export type SnapshotPart = z.infer<typeof SnapshotPart>

export const Snapshot = z.object({
  at: z.iso.datetime(),
  parts: z.record(z.enum(RECEIPT_PARTS), SnapshotPart),
})
export type Snapshot = z.infer<typeof Snapshot>

/** Where to look; other places in tests. */
export interface SnapshotPlaces {
  settingsFolder: string
  userList: string
}

export const PLACES: SnapshotPlaces = { settingsFolder: '/etc', userList: '/etc/passwd' }

/** Looks at the machine. What cannot be looked at says why, and the rest is there. */
export async function takeSnapshot(
  os: Pick<Os, 'platform' | 'loadSoftwareTools' | 'loadServiceTools'>,
  places: SnapshotPlaces = PLACES,
): Promise<Snapshot> {
  const isLinux = os.platform === 'linux'
  const readers: Record<ReceiptPartName, () => Promise<Record<string, string>> | Record<string, string>> = {
    packages: () => readPackages(os),
    services: () => readServices(os),
    files: () => (os.platform === 'windows' ? notHere(os) : readFiles(places.settingsFolder)),
    users: () => (isLinux ? readUsers(places.userList) : notHere(os)),
    ports: () => (isLinux ? readPorts() : notHere(os)),
  }
  const at = new Date().toISOString()
  const read = await Promise.all(
    RECEIPT_PARTS.map(async (name) => [name, await attempt(readers[name])] as const),
  )
  // Each of the names above is there.
  return { at, parts: Object.fromEntries(read) as Snapshot['parts'] }
}

async function attempt(
  read: () => Promise<Record<string, string>> | Record<string, string>,
): Promise<SnapshotPart> {
  try {
    return await read()
  } catch (cause) {
    return describeError(cause).slice(0, 500)
  }
}

function notHere({ platform }: Pick<Os, 'platform'>): never {
  throw new Error(`Not collected on ${platform === 'windows' ? 'Windows' : 'macOS'}.`)
}

async function readPackages(os: Pick<Os, 'loadSoftwareTools'>): Promise<Record<string, string>> {
  const tools = await os.loadSoftwareTools()
  const packages = await tools.list(AbortSignal.timeout(PATIENCE_MS))
  return Object.fromEntries(packages.map(({ name, version }) => [name, version]))
}

async function readServices(os: Pick<Os, 'loadServiceTools'>): Promise<Record<string, string>> {
  const tools = await os.loadServiceTools()
  const services = await tools.list(null)
  return Object.fromEntries(
    services.map(({ name, status, start_type }) => [name, `${status}, ${START_WORDS[start_type]}`]),
  )
}

const START_WORDS = {
  auto: 'starts by itself',
  manual: 'started by hand',
  disabled: 'disabled',
  fixed: 'started by others',
}
