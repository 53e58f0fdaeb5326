import type { InstalledPackage } from '@muster/contract/agent/software'
import { z } from 'zod'
import { Unmeasurable } from '../../checks/unmeasurable.ts'
import { firstLine, runTool } from '../run-tool.ts'
import type { SoftwareTools } from '../software-tools.ts'

const LIMIT_MS = 35_000
const UNINSTALL = 'Microsoft\\Windows\\CurrentVersion\\Uninstall\\*'
/** Of the machine, of its 32-bit programs, and of everyone whose part of the registry is loaded. */
const KEYS = [
  `HKLM:\\SOFTWARE\\${UNINSTALL}`,
  `HKLM:\\SOFTWARE\\WOW6432Node\\${UNINSTALL}`,
  `Registry::HKEY_USERS\\*\\SOFTWARE\\${UNINSTALL}`,
]
const SOFTWARE_SCRIPT = [
  '[Console]::OutputEncoding = [Text.Encoding]::UTF8',
  `$all = Get-ItemProperty ${KEYS.map((key) => `'${key}'`).join(', ')} -ErrorAction SilentlyContinue | Where-Object DisplayName | Select-Object DisplayName, DisplayVersion, Publisher, InstallDate, EstimatedSize, UninstallString, SystemComponent, ParentKeyName`,
  'ConvertTo-Json -Compress -InputObject @($all)',
].join('; ')

export const windowsSoftware: SoftwareTools = {
  async list(signal) {
    const args = ['-NoProfile', '-NonInteractive', '-Command', SOFTWARE_SCRIPT]
    const { stdout, stderr } = await runTool('powershell', args, { signal, timeoutMs: LIMIT_MS })
    const found = parseUninstallKeys(stdout)
    if (found === undefined)
      throw new Unmeasurable(`The installed programs cannot be listed: ${firstLine(stderr, stdout)}`)
    return found
  },
}

/** Values of the registry have whatever type their installer gave them. */
const Value = z.union([z.string(), z.number()]).nullish().catch(null)
const Key = z.object({
  DisplayName: z.string().trim().min(1),
  DisplayVersion: Value,
  Publisher: Value,
  InstallDate: Value,
  EstimatedSize: Value,
  UninstallString: Value,
  SystemComponent: Value,
  ParentKeyName: Value,
})

/** What SOFTWARE_SCRIPT printed; undefined when that is no list. Parts of others and hidden ones are left out. */
export function parseUninstallKeys(output: string): InstalledPackage[] | undefined {
  const keys = z.array(z.unknown()).safeParse(tryJson(output))
  if (!keys.success) return undefined
  return keys.data.flatMap((found): InstalledPackage[] => {
    const key = Key.safeParse(found).data
    if (key === undefined || Number(key.SystemComponent) === 1 || key.ParentKeyName) return []
    const kilobytes = typeof key.EstimatedSize === 'number' ? key.EstimatedSize : 0
    const uninstall = String(key.UninstallString ?? '').trim()
    return [
      {
        name: key.DisplayName,
        version: String(key.DisplayVersion ?? '').trim(),
        publisher: String(key.Publisher ?? '').trim(),
        source: 'windows',
        size: kilobytes > 0 ? kilobytes * 1024 : null,
        install_date: toDay(String(key.InstallDate ?? '')),
        uninstall: uninstall === '' ? null : uninstall,
      },
    ]
  })
}

/** Installers are told to write 20261122; some write what they like. */
function toDay(text: string): string | null {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? []
  const date = new Date(`${year}-${month}-${day}T00:00:00.000Z`)
  return Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, 10)
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
