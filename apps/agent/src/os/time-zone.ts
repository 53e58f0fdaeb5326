import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isTimeZone, isUtc, wallClockAt } from '@muster/rules/schedules/zone-time'
import { utcOffsetIn } from './zone-file.ts'

const LOCALTIME = '/etc/localtime'
const DATABASES = ['/usr/share/zoneinfo', '/etc/zoneinfo', '/var/db/timezone/zoneinfo']
/** Lists of the database's own zones: the first one has no two names for the same times. */
const TABLES = ['zone1970.tab', 'zone.tab']
const NAME = /^[A-Za-z][\w+-]*(?:\/[A-Za-z][\w+-]*)*$/
const LINKED_NAME = /\/zoneinfo(?:\.default)?\/(?:posix\/|right\/)?(.+)$/
const MAX_LINKS = 16
const MAX_BYTES = 1_000_000
const HALF_MONTH_MS = 15 * 86_400_000

/** The file by which the C library of this machine, and so its clock, converts times. */
interface Source {
  /** Names that links give it, nearest first. */
  linked: string[]
  /** Undefined if it cannot be read. The C library then uses UTC. */
  bytes: Buffer | undefined
}

let known: { key: string; source: Source; name: string | undefined } | undefined

/**
 * The IANA name of the machine's time zone, or the current offset such as `+05:45` of a zone that cannot be named.
 * The variable TZ is that of the agent, and Node keeps the zone of its start: neither is asked.
 */
export function readTimeZone(root = '/', nowMs = Date.now()): string {
  const { source, name } = readKnown(root)
  return name ?? offsetText(source, nowMs)
}

/** The current offset of the machine's clock, such as `+05:45`. */
export function readUtcOffset(root = '/', nowMs = Date.now()): string {
  return offsetText(readKnown(root).source, nowMs)
}

function readKnown(root: string): NonNullable<typeof known> {
  const links = readLinks(root)
  const path = join(root, links.path)
  // A search of the database reads hundreds of files: only after a change.
  const key = JSON.stringify([
    links,
    describeFile(path),
    readHints(root),
    DATABASES.map((folder) => describeFile(join(root, folder))),
  ])
  if (known?.key === key) return known
  const source = { linked: links.names, bytes: readBytes(path) }
  const isMissing = links.count === 0 && describeFile(path) === null
  known = { key, source, name: isMissing ? 'UTC' : findName(root, source) }
  return known
}

function readLinks(root: string): { path: string; names: string[]; count: number } {
  let path = LOCALTIME
  const names: string[] = []
  let count = 0
  for (; count < MAX_LINKS; count += 1) {
    try {
      path = resolve(dirname(path), readlinkSync(join(root, path)))
    } catch {
      // The end of the links.
      break
    }
    const name = LINKED_NAME.exec(path)?.[1]
    if (name !== undefined && NAME.test(name)) names.push(name)
  }
  return { path, names, count }
}

function findName(root: string, { linked, bytes }: Source): string | undefined {
  // UTC needs no file: small systems link to it without having the database.
  if (bytes === undefined) return linked.find((name) => isUtc(name))
  const zones = readTables(root)
  const isNamed = (name: string) => isUtc(name) || zones.includes(name) || isTimeZone(name)
  const hints = readHints(root)
  return (
    linked.find(isNamed) ??
    hints.find((name) => isNamed(name) && findZoneFile(root, name)?.equals(bytes)) ??
    findInDatabase(root, bytes, zones) ??
    hints.find((name) => hasSameTimes(name, bytes))
  )
}

/** Names in text files that programs other than the C library read. They are often outdated. */
function readHints(root: string): string[] {
  const [zone = ''] = readText(join(root, '/etc/timezone')).trim().split(/\s/)
  const clock = /^(?:ZONE|TIMEZONE)="?([^"\s]+)/m.exec(readText(join(root, '/etc/sysconfig/clock')))?.[1]
  return [zone, clock ?? ''].filter((name) => NAME.test(name))
}

function findZoneFile(root: string, name: string): Buffer | undefined {
  const files = DATABASES.map((folder) => readBytes(join(root, folder, name)))
  return files.find((bytes) => bytes !== undefined)
}

/** Prefers a name of the tables among those with the same content. */
function findInDatabase(root: string, bytes: Buffer, zones: readonly string[]): string | undefined {
  const equal = new Set<string>()
  for (const folder of DATABASES)
    for (const file of listFiles(join(root, folder))) {
      if (statSize(join(root, folder, file)) !== bytes.length) continue
      if (readBytes(join(root, folder, file))?.equals(bytes))
        equal.add(file.replace(/^(?:posix|right)\//, ''))
    }
  const names = [...equal].toSorted()
  return zones.find((zone) => equal.has(zone)) ?? names.find(isUtc) ?? names.find(isTimeZone)
}

/** Whether a copy of another version of the database gives the times of the zone for a year. */
function hasSameTimes(name: string, bytes: Buffer): boolean {
  if (!isTimeZone(name)) return false
  const now = Date.now()
  return Array.from({ length: 25 }, (_, index) => now + index * HALF_MONTH_MS).every(
    (instant) => wallClockAt(name, instant) - instant === (utcOffsetIn(bytes, instant / 1000) ?? NaN) * 1000,
  )
}

function readTables(root: string): string[] {
  const lines = DATABASES.flatMap((folder) =>
    TABLES.flatMap((table) => readText(join(root, folder, table)).split('\n')),
  )
  return lines.filter((line) => !line.startsWith('#')).flatMap((line) => line.split('\t')[2]?.trim() ?? [])
}

function offsetText({ bytes }: Source, nowMs: number): string {
  const seconds = bytes === undefined ? 0 : (utcOffsetIn(bytes, nowMs / 1000) ?? 0)
  const minutes = Math.round(Math.abs(seconds) / 60)
  const two = (count: number) => String(count).padStart(2, '0')
  return `${seconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    // This system keeps its database elsewhere.
    return []
  }
}

function statSize(path: string): number | undefined {
  try {
    const stat = statSync(path)
    return stat.isFile() ? stat.size : undefined
  } catch {
    // A link to nothing.
    return undefined
  }
}

function describeFile(path: string): string | null {
  try {
    const { ino, size, mtimeMs } = statSync(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch {
    // Missing, or a link to nothing.
    return null
  }
}

function readBytes(path: string): Buffer | undefined {
  const size = statSize(path)
  if (size === undefined || size > MAX_BYTES) return undefined
  try {
    return readFileSync(path)
  } catch {
    // Unreadable for this agent.
    return undefined
  }
}

const readText = (path: string) => readBytes(path)?.toString('utf8') ?? ''
