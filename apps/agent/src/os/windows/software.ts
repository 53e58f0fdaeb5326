import type { InstalledPackage } from '@muster/contract/agent/software'
import { MeasureError } from '../../errors.ts'
import type { SoftwareTools } from '../package-tools.ts'
import { listChocolatey } from './packages.ts'
import { findValue, listSubkeys } from './registry/read-values.ts'
import { findKey } from './registry/registry-key.ts'

const UNINSTALL = 'Microsoft\\Windows\\CurrentVersion\\Uninstall'
const MACHINE_KEY = `HKLM\\SOFTWARE\\${UNINSTALL}`
/** 32-bit programs. */
const MACHINE_32_KEY = `HKLM\\SOFTWARE\\WOW6432Node\\${UNINSTALL}`

export const windowsSoftware: SoftwareTools = {
  async list(signal) {
    const machine = await readPrograms(MACHINE_KEY, signal)
    if (machine === undefined)
      throw new MeasureError('Failed to list the installed programs: the registry has no list of them.')
    const others = [MACHINE_32_KEY, ...(await listUserKeys())]
    const found = [...machine]
    for (const path of others) found.push(...((await readPrograms(path, signal)) ?? []))
    return [...found, ...listChocolatey()]
  },
}

/** The lists of users whose registry is loaded. */
async function listUserKeys(): Promise<string[]> {
  const users = (await listSubkeys('HKEY_USERS')) ?? []
  return users
    .filter((user) => !user.toLowerCase().endsWith('_classes'))
    .map((user) => `HKEY_USERS\\${user}\\SOFTWARE\\${UNINSTALL}`)
}

/** Programs below a key; undefined if it does not exist. A program that is removed meanwhile is left out. */
async function readPrograms(path: string, signal: AbortSignal): Promise<InstalledPackage[] | undefined> {
  const names = await listSubkeys(path)
  if (names === undefined) return undefined
  const programs: InstalledPackage[] = []
  for (const name of names) {
    signal.throwIfAborted()
    using key = await findKey(`${path}\\${name}`)
    if (key === undefined) continue
    const program = describeProgram((value) => findValue(key, value))
    if (program !== undefined) programs.push(program)
  }
  return programs
}

/** An uninstall key, whose values installers write in any type. Components and hidden programs are left out. */
export function describeProgram(
  find: (name: string) => string | number | undefined,
): InstalledPackage | undefined {
  const text = (name: string) => String(find(name) ?? '').trim()
  const name = text('DisplayName')
  if (name === '' || Number(find('SystemComponent')) === 1 || text('ParentKeyName') !== '') return undefined
  const kilobytes = find('EstimatedSize')
  return {
    name,
    version: text('DisplayVersion'),
    publisher: text('Publisher'),
    source: 'windows',
    size: typeof kilobytes === 'number' && kilobytes > 0 ? kilobytes * 1024 : null,
    install_date: toDay(text('InstallDate')),
    uninstall: text('UninstallString') || null,
  }
}

/** Installers should write 20261122; some use other formats. */
function toDay(text: string): string | null {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? []
  const date = new Date(`${year}-${month}-${day}T00:00:00.000Z`)
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, 10)
}
