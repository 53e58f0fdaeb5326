import { CHANGED_PARTS, type ChangedPartName, type ChangedParts } from '@muster/contract/agent/remote'
import { z } from 'zod'
import {
  lstatSync,
  opendirSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describeError } from '../../log/log.ts'
import type { Os } from '../../os/os.ts'
import { PortBook, readListening } from '../../os/linux/listening-ports.ts'
import { os } from '../../os/index.ts'
import { compareSnapshots } from './compare-snapshots.ts'

const MAX_BYTES = 64 * 1024 * 1024

export interface RecordedChanges {
  from: string
  to: string
  parts: ChangedParts
}

/** Writes a snapshot of the machine to a file. */
export async function keepSnapshot(file: string, places?: SnapshotPaths): Promise<void> {
  const snapshot = await takeSnapshot(os, places)
  const draft = `${file}.new`
  writeFileSync(draft, gzipSync(JSON.stringify(snapshot)), { mode: 0o600 })
  renameSync(draft, file)
}

/** Compares the machine with the snapshot in that file. */
export async function compareWithSnapshot(file: string, places?: SnapshotPaths): Promise<RecordedChanges> {
  const text = gunzipSync(readFileSync(file), { maxOutputLength: MAX_BYTES }).toString('utf8')
  const before = Snapshot.parse(JSON.parse(text))
  const after = await takeSnapshot(os, places)
  return { from: before.at, to: after.at, parts: compareSnapshots(before, after) }
}

/** Limit for entries of the folder tree. Beyond it the comparison fails. */
const MAX_FILES = 20_000
const MODE_BITS = 0o7777

/** Lists the files below a folder with their metadata. Opens no file and follows no link. */
function readFiles(folder: string): Record<string, string> {
  const files: Record<string, string> = {}
  const waiting = [folder]
  let seen = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const name of listNames(at)) {
      seen += 1
      if (seen > MAX_FILES)
        throw new Error(`${folder} contains more than ${MAX_FILES} files, so they were not compared.`)
      const path = join(at, name)
      const stats = statOf(path)
      if (stats === undefined) continue
      if (stats.isDirectory()) waiting.push(path)
      else files[path] = describe(stats)
    }
  }
  return files
}

/** The part before `|` is shown to users. The rest only detects other changes. */
function describe(stats: Stats): string {
  const { size, mode, uid, gid, mtimeMs, ctimeMs, ino } = stats
  const rights = (mode & MODE_BITS).toString(8).padStart(4, '0')
  return `${size} bytes, ${rights}, ${uid}:${gid}|${mtimeMs} ${ctimeMs} ${ino}`
}

function listNames(folder: string): string[] {
  const names: string[] = []
  try {
    using opened = opendirSync(folder)
    for (
      let entry = opened.readSync();
      entry !== null && names.length <= MAX_FILES;
      entry = opened.readSync()
    )
      names.push(entry.name)
  } catch {
    // It has just been removed, or the agent has no permission.
  }
  return names
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

/** From here on the kernel assigns temporary UDP ports to clients. */
const PASSING_PORTS = 32_768
/** The VNC server of a desktop session belongs to Muster and ends with it. */
const OWN_PROGRAMS = new Set(['x11vnc', 'X0tigervnc', 'x0vncserver'])

/** Listening ports: `tcp 0.0.0.0:80`, with the program if known. */
function readPorts(): Record<string, string> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const book = new PortBook()
  book.refresh(pids.map((pid) => ({ pid: Number(pid), key: pid })))
  const ports: Record<string, string> = {}
  for (const port of readListening().values()) ports[nameOf(port)] = ''
  for (const pid of pids) {
    const held = book.portsOf(pid)
    if (held.length === 0) continue
    const program = readText(`/proc/${pid}/comm`).trim()
    const isOwn = OWN_PROGRAMS.has(program) && readText(`/proc/${pid}/environ`).includes('MUSTER_RUN=')
    for (const port of held) {
      if (isOwn) delete ports[nameOf(port)]
      else ports[nameOf(port)] = program
    }
  }
  for (const name of Object.keys(ports)) if (isPassing(name)) delete ports[name]
  return ports
}

function nameOf({ protocol, address, port }: { protocol: string; address: string; port: number }): string {
  return `${protocol} ${address.includes(':') ? `[${address}]` : address}:${port}`
}

function isPassing(name: string): boolean {
  return name.startsWith('udp') && Number(name.slice(name.lastIndexOf(':') + 1)) >= PASSING_PORTS
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // It has just exited, or belongs to another user.
    return ''
  }
}

const PATIENCE_MS = 20_000

/** One kind of content of a machine: names, each with a text that changes with it. Or why it could not be read. */
const SnapshotPart = z.union([z.record(z.string(), z.string()), z.string()])
export type SnapshotPart = z.infer<typeof SnapshotPart>

export const Snapshot = z.object({
  at: z.iso.datetime(),
  parts: z.record(z.enum(CHANGED_PARTS), SnapshotPart),
})
export type Snapshot = z.infer<typeof Snapshot>

/** Paths to read; tests use others. */
interface SnapshotPaths {
  settingsFolder: string
  userList: string
}

export const DEFAULT_PATHS: SnapshotPaths = { settingsFolder: '/etc', userList: '/etc/passwd' }

/** Takes a snapshot. Parts that fail contain the reason. */
async function takeSnapshot(
  os: Pick<Os, 'platform' | 'loadSoftwareTools' | 'loadServiceTools'>,
  places: SnapshotPaths = DEFAULT_PATHS,
): Promise<Snapshot> {
  const isLinux = os.platform === 'linux'
  const readers: Record<ChangedPartName, () => Promise<Record<string, string>> | Record<string, string>> = {
    packages: () => readPackages(os),
    services: () => readServices(os),
    files: () => (os.platform === 'windows' ? notHere(os) : readFiles(places.settingsFolder)),
    users: () => (isLinux ? readUsers(places.userList) : notHere(os)),
    ports: () => (isLinux ? readPorts() : notHere(os)),
  }
  const at = new Date().toISOString()
  const read = await Promise.all(
    CHANGED_PARTS.map(async (name) => [name, await attempt(readers[name])] as const),
  )
  // Every name above has an entry.
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
    services.map(({ name, status, start_type }) => [name, `${status}, ${START_TYPE_LABELS[start_type]}`]),
  )
}

const START_TYPE_LABELS = {
  auto: 'starts automatically',
  manual: 'starts manually',
  disabled: 'disabled',
  fixed: 'started by other services',
}

/** Users of a file like /etc/passwd, without those of a directory service. */
function readUsers(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n')
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [name = '', , uid, gid, , home, shell] = line.split(':')
      return shell === undefined ? [] : [[name, `${uid}:${gid}, ${home}, ${shell}`]]
    }),
  )
}
