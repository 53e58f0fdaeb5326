import { RECEIPT_PARTS, type ReceiptPartName } from '@muster/contract/agent/receipts'
import { z } from 'zod'
import { lstatSync, opendirSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { describeError } from '../../log/log.ts'
import type { Os } from '../../os/os.ts'
import { PortBook, readListening } from '../../os/linux/listening-ports.ts'

/** Entries of the folder and all below it; a machine with more says so. */
const MOST_FILES = 20_000
const MODE_BITS = 0o7777

/** The files below a folder, by what the file system says of them; none is opened and no link is followed. */
function readFiles(folder: string): Record<string, string> {
  const files: Record<string, string> = {}
  const waiting = [folder]
  let seen = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const name of listNames(at)) {
      seen += 1
      if (seen > MOST_FILES)
        throw new Error(`There are more than ${MOST_FILES} files below ${folder}, so they were not compared.`)
      const path = join(at, name)
      const stats = statOf(path)
      if (stats === undefined) continue
      if (stats.isDirectory()) waiting.push(path)
      else files[path] = describe(stats)
    }
  }
  return files
}

/** What people read comes before `|`; the rest tells that something else was changed as well. */
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
      entry !== null && names.length <= MOST_FILES;
      entry = opened.readSync()
    )
      names.push(entry.name)
  } catch {
    // It has just been removed, or is not the agent's to look into.
  }
  return names
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}

/** From here on the kernel gives UDP ports to whoever asks something, for as long as the answer takes. */
const PASSING_PORTS = 32_768
/** The VNC server of a window on the desktop is Muster's own, and gone with it. */
const OWN_PROGRAMS = new Set(['x11vnc', 'X0tigervnc', 'x0vncserver'])

/** What listens where: `tcp 0.0.0.0:80`, and the program if it can be told. */
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
    // It has just ended, or is somebody else's.
    return ''
  }
}

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

/** The users of a file like /etc/passwd; those of a directory service are not in it. */
function readUsers(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n')
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [name = '', , uid, gid, , home, shell] = line.split(':')
      return shell === undefined ? [] : [[name, `${uid}:${gid}, ${home}, ${shell}`]]
    }),
  )
}
