import type { InstalledPackage } from '@muster/contract/agent/software'
import { z } from 'zod'
import { MeasureError } from '../../errors.ts'
import { listHomebrew, type SoftwareTools } from '../package-tools.ts'
import { firstLine, runTool } from '../run-tool.ts'

/** The profiler reads the Info.plist of every program. */
const LIMIT_MS = 35_000

export const macosSoftware: SoftwareTools = {
  async list(signal) {
    const { stdout, stderr } = await runTool('system_profiler', ['-json', 'SPApplicationsDataType'], {
      signal,
      timeoutMs: LIMIT_MS,
    })
    const apps = parseApplications(stdout)
    if (apps === undefined)
      throw new MeasureError(`Failed to list the programs of this Mac: ${firstLine(stderr, stdout)}`)
    return [...apps, ...listHomebrew(['/opt/homebrew', '/usr/local'])]
  },
}

const Application = z.object({
  _name: z.string().min(1),
  version: z.string().nullish(),
  path: z.string(),
  lastModified: z.string().nullish(),
  signed_by: z.array(z.string()).nullish(),
})
const Profile = z.object({ SPApplicationsDataType: z.array(z.unknown()) })

/** Parses system_profiler; undefined if the output is invalid. Parts of the system itself are left out. */
export function parseApplications(output: string): InstalledPackage[] | undefined {
  const profile = Profile.safeParse(tryJson(output))
  if (!profile.success) return undefined
  return profile.data.SPApplicationsDataType.flatMap((found): InstalledPackage[] => {
    const app = Application.safeParse(found).data
    if (app === undefined || !/^\/(Applications|Users\/[^/]+\/Applications)\//.test(app.path)) return []
    const [, developer] =
      /^Developer ID Application: (.*?)(?: \(\w+\))?$/.exec(app.signed_by?.[0] ?? '') ?? []
    return [
      {
        name: app._name,
        version: app.version ?? '',
        publisher: developer ?? '',
        source: 'apps',
        size: null,
        install_date: /^\d{4}-\d\d-\d\d/.exec(app.lastModified ?? '')?.[0] ?? null,
        uninstall: null,
      },
    ]
  })
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
