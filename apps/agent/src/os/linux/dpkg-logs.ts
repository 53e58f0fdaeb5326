import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type InstalledPatch, MAX_INSTALLED_PATCHES } from '@muster/contract/agent/patches'
import { makeInstalledPatch } from '../package-tools.ts'

/** Rotated once a month, and kept for a year. */
const MAX_LOGS = 13
/** The unpacked size of one log. */
const MAX_LOG_BYTES = 50_000_000

/** The upgrades in the logs of dpkg, which apt and all other tools use. */
export function readDpkgLogs(folder = '/var/log'): InstalledPatch[] {
  const found: InstalledPatch[] = []
  for (let number = 0; number < MAX_LOGS && found.length < MAX_INSTALLED_PATCHES; number += 1)
    found.push(...parseDpkgLog(readLog(join(folder, 'dpkg.log'), number)))
  return found
}

/** Empty if it does not exist or cannot be read. */
function readLog(file: string, number: number): string {
  const maxOutputLength = MAX_LOG_BYTES
  try {
    if (number === 0) return readFileSync(file, 'utf8')
    // The newest rotated log is not compressed yet.
    if (number === 1) return readFileSync(`${file}.1`, 'utf8')
    return gunzipSync(readFileSync(`${file}.${number}.gz`), { maxOutputLength }).toString('utf8')
  } catch {
    return ''
  }
}

// 2026-11-20 10:00:00 upgrade libc6:amd64 2.36-9 2.36-10
// 2026-11-20 10:00:07 status installed libc6:amd64 2.36-10
const LINE = /^(\S+) (\S+) (upgrade|status installed) (\S+?) (?:(\S+) )?(\S+)$/

/** An upgrade counts when dpkg has configured its package. Times are those of the machine's zone. */
export function parseDpkgLog(log: string): InstalledPatch[] {
  const started = new Map<string, string>()
  return log.split('\n').flatMap((line) => {
    const [, day, time, what, name = '', , version = ''] = LINE.exec(line) ?? []
    if (what === 'upgrade') started.set(name, version)
    if (what !== 'status installed' || started.get(name) !== version) return []
    started.delete(name)
    const title = name.replace(NATIVE, '')
    return makeInstalledPatch({
      guid: title,
      source: 'apt',
      title,
      version,
      at: new Date(`${day}T${time}`),
    })
  })
}

const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm: 'armhf', ia32: 'i386' }
/** apt names only foreign architectures. */
const NATIVE = new RegExp(`:(all|${ARCHITECTURES[process.arch] ?? process.arch})$`)
