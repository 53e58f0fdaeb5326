import { z } from 'zod'
import { type Patch, PatchSeverity } from '@muster/contract/agent/patches'
import { Unmeasurable } from '../../checks/unmeasurable.ts'
import { MachineRefused } from '../machine-refused.ts'
import { makePatch, type PatchTools } from '../patch-tools.ts'
import { runInstaller } from '../run-installer.ts'
import { firstLine, runTool } from '../run-tool.ts'
import { INSTALL_SCRIPT, SCAN_SCRIPT } from './patch-scripts.ts'

/** Windows contacts its update server, which may take minutes. */
const LIMIT_MS = 600_000
const POWERSHELL = ['-NoProfile', '-NonInteractive', '-Command']

export const windowsPatches: PatchTools = {
  async scan({ signal }) {
    const { code, stdout, stderr } = await runTool('powershell', [...POWERSHELL, SCAN_SCRIPT], {
      signal,
      timeoutMs: LIMIT_MS,
    })
    if (code === null) throw new Unmeasurable('Windows Update timed out after ten minutes.')
    const patches = parseWindowsUpdates(stdout)
    if (patches === undefined)
      throw new Unmeasurable(`Windows Update failed: ${describeHresult(firstLine(stderr, stdout))}`)
    return { patches, problem: null }
  },
  async install(guids) {
    const end = await runInstaller('powershell', [...POWERSHELL, INSTALL_SCRIPT], {
      env: { MUSTER_PATCHES: (guids ?? []).join(' ') },
    })
    if (end.code !== 0)
      throw new MachineRefused(
        `Windows Update failed to install some updates: ${describeHresult(end.said.trim().split(/\r?\n/).at(-1) ?? '')}`,
      )
  },
  installPackage: () =>
    Promise.reject(new MachineRefused('The agent supports no package manager on Windows.')),
}

/** Older versions of PowerShell write a list of one as a single value. */
const Words = z.union([z.array(z.string()), z.string().transform((one) => [one])]).catch([])
const Found = z.object({
  guid: z.uuid(),
  title: z.string().trim().min(1),
  description: z.string().nullish(),
  severity: z.string().nullish(),
  categories: Words,
  kbs: Words,
  urls: Words,
  size: z.number().nullish(),
  downloaded: z.boolean().nullish(),
  reboot: z.boolean().nullish(),
})

/** Parses the output of SCAN_SCRIPT; undefined if it is invalid. */
export function parseWindowsUpdates(output: string): Patch[] | undefined {
  const list = z.array(z.unknown()).safeParse(tryJson(output))
  if (!list.success) return undefined
  return list.data.flatMap((raw): Patch[] => {
    const found = Found.safeParse(raw).data
    if (found === undefined) return []
    const severity = PatchSeverity.safeParse(found.severity ?? '').data ?? ''
    return [
      makePatch({
        guid: found.guid,
        source: 'windows',
        title: found.title,
        kb: found.kbs[0] === undefined ? '' : `KB${found.kbs[0].replace(/^KB/i, '')}`,
        description: found.description ?? '',
        severity,
        security: severity !== '' || found.categories.includes('Security Updates'),
        categories: found.categories,
        more_info_urls: found.urls,
        size: found.size ?? null,
        downloaded: found.downloaded ?? false,
        needs_reboot: found.reboot ?? false,
      }),
    ]
  })
}

const KNOWN: Record<string, string> = {
  '80240016': 'another installation is running, or the machine has to restart first',
  '8024402C': 'the name of the update server cannot be resolved',
  '80072EE2': 'the update server timed out',
  '80072EFD': 'the update server cannot be reached',
  '80070422': 'the service Windows Update is disabled',
  '80070005': 'access is denied: the agent does not run as SYSTEM or as an administrator',
}

/** Describes Windows error numbers. */
export function describeHresult(text: string): string {
  const [, number = ''] = /0x([0-9A-F]{8})/i.exec(text) ?? []
  const known = KNOWN[number.toUpperCase()]
  if (known !== undefined) return `${known} (0x${number}).`
  return text.trim() === '' ? 'no output.' : text.trim().slice(0, 400)
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
