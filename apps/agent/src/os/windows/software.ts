import type { InstalledPackage } from '@muster/contract/agent/software'
import { z } from 'zod'
import { MeasureError } from '../../errors.ts'
import { firstLine, runTool } from '../run-tool.ts'
import type { SoftwareTools } from '../package-tools.ts'

const LIMIT_MS = 35_000
const UNINSTALL = 'Microsoft\\Windows\\CurrentVersion\\Uninstall\\*'
/** Programs of the machine, 32-bit programs, and programs of signed-in users. */
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
      throw new MeasureError(`Failed to list the installed programs: ${firstLine(stderr, stdout)}`)
    return found
  },
}

/** Installers write registry values of any type. */
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

/** Parses the output of SOFTWARE_SCRIPT; undefined if it is invalid. Components and hidden programs are left out. */
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

/** Installers should write 20261122; some use other formats. */
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
