import type { InstalledPatch, Patch } from '@muster/contract/agent/patches'
import { AgentError, MeasureError } from '../../errors.ts'
import { findProgram } from '../../run/find-program.ts'
import {
  type InstallerEnd,
  makeInstalledPatch,
  makePatch,
  type PatchScan,
  type PatchTools,
  requireRoot,
  runInstaller,
} from '../package-tools.ts'
import { firstLine, runTool } from '../run-tool.ts'

const LIMIT_MS = 300_000
const UPDATES_CODE = 100
/** dnf would wait forever for another instance. */
const NO_WAIT = '--setopt=exit_on_lock=True'
const program = () => (findProgram('dnf') === undefined ? 'yum' : 'dnf')

export const dnf: PatchTools = {
  async scan({ refresh, signal }): Promise<PatchScan> {
    const ask = (tool: string, args: string[]) => runTool(tool, args, { signal, timeoutMs: LIMIT_MS })
    const fresh = refresh === 'now' ? ['--refresh'] : []
    const { code, stdout, stderr } = await ask(program(), ['-q', ...fresh, 'check-update'])
    if (code !== 0 && code !== UPDATES_CODE)
      throw new MeasureError(describeDnfFailure({ code, said: `${stdout}\n${stderr}` }))
    const installed = await ask('rpm', [
      '-qa',
      '--qf',
      '%{NAME}.%{ARCH}\\t%|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\\n',
    ])
    const security = await ask(program(), ['-q', 'updateinfo', 'list', '--security'])
    const reboot = await ask(program(), ['-q', 'needs-restarting', '-r'])
    return {
      patches: parseDnfUpdates(stdout, { installed: installed.stdout, security: security.stdout }),
      problem: null,
      // Older versions do not support this option and report no restart.
      ...(reboot.code === 0 || /reboot is required/i.test(reboot.stdout)
        ? { needsReboot: reboot.code === 1 }
        : {}),
    }
  },
  listInstalled: listRpmPatches,
  async install(guids) {
    requireRoot()
    await run(['upgrade', ...(guids ?? [])])
  },
}

/** Packages that were installed after the system itself. */
export async function listRpmPatches(signal: AbortSignal): Promise<InstalledPatch[]> {
  const format = '%{INSTALLTIME}\\t%{NAME}.%{ARCH}\\t%|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\\n'
  const { stdout } = await runTool('rpm', ['-qa', '--qf', format], { signal, timeoutMs: LIMIT_MS })
  return parseRpmTimes(stdout, findProgram('zypper') === undefined ? 'dnf' : 'zypper')
}

/** The installer of a system takes less time. */
const SETUP_SECONDS = 3600

/** rpm does not record whether a package was new or an upgrade. */
export function parseRpmTimes(output: string, source: 'dnf' | 'zypper'): InstalledPatch[] {
  const rows = output.split('\n').flatMap((line) => {
    const [seconds = '', guid = '', version = ''] = line.split('\t')
    return /^\d{1,11}$/.test(seconds) && guid !== '' ? [{ seconds: Number(seconds), guid, version }] : []
  })
  const first = rows.reduce((least, { seconds }) => Math.min(least, seconds), Infinity)
  return rows.flatMap(({ seconds, guid, version }) =>
    seconds - first < SETUP_SECONDS
      ? []
      : makeInstalledPatch({
          guid,
          source,
          title: guid.replace(/\.\w+$/, ''),
          version,
          at: new Date(seconds * 1000),
        }),
  )
}

async function run(args: string[]): Promise<void> {
  const end = await runInstaller(program(), ['-y', NO_WAIT, ...args])
  if (end.code !== 0) throw new AgentError(describeDnfFailure(end))
}

/** Combines `check-update`, the versions that rpm reports, and the security advisories of `updateinfo`. */
export function parseDnfUpdates(
  output: string,
  { installed, security }: { installed: string; security: string },
): Patch[] {
  const versions = new Map(
    installed.split('\n').map((line): [string, string] => {
      const [name = '', version = ''] = line.split('\t')
      return [name, version]
    }),
  )
  const severities = parseSecurity(security)
  // Below that line are packages that replace others; those are no updates.
  const [updates = ''] = output.split(/^Obsoleting Packages/m)
  return updates.split('\n').flatMap((line) => {
    const [, name = '', arch = '', version = '', repository = ''] =
      /^(\S+)\.(\w+)\s+(\S+)\s+(\S+)\s*$/.exec(line) ?? []
    if (name === '') return []
    const severity = severities.get(`${name}-${version.replace(/^\d+:/, '')}.${arch}`)
    return [
      makePatch({
        guid: `${name}.${arch}`,
        source: 'dnf',
        title: name,
        version,
        current_version: versions.get(`${name}.${arch}`) ?? '',
        severity: severity ?? '',
        security: severity !== undefined,
        categories: [repository],
        needs_reboot: /^(kernel|kernel-core|glibc|systemd)$/.test(name),
      }),
    ]
  })
}

/**
 * `RHSA-2024:3619 Important/Sec. kernel-5.14.0-427.el9.x86_64`; newer versions of dnf print type and severity
 * separately.
 */
function parseSecurity(output: string): Map<string, Patch['severity']> {
  const found = new Map<string, Patch['severity']>()
  for (const line of output.split('\n')) {
    const [, word] = /\b(Critical|Important|Moderate|Low)\b/i.exec(line) ?? []
    const name = line
      .trim()
      .split(/\s+/)
      .find((part) => /-[^-]+-[^-]+\.\w+$/.test(part) && !/^[A-Z]+[A-Z0-9-]*[-:]\d{4}/.test(part))
    if (name === undefined) continue
    const severity = SEVERITIES.find((known) => known.toLowerCase() === word?.toLowerCase())
    found.set(name.replace(/^(.*-)\d+:/, '$1'), severity ?? '')
  }
  return found
}

const SEVERITIES = ['Critical', 'Important', 'Moderate', 'Low'] as const

export function describeDnfFailure({ code, said }: InstallerEnd): string {
  if (code === 200 || /lock|another (app|copy|process)/i.test(said))
    return 'Another package manager is running. Try again when it has finished.'
  if (/No match for argument|Unable to find a match/.test(said))
    return `Package not found: ${firstLine(
      said
        .split('\n')
        .filter((line) => /match/.test(line))
        .join('\n'),
    )}`
  if (/No space left|At least \d+\w* more space needed/.test(said)) return 'Not enough free disk space.'
  const trouble = said.split('\n').find((line) => /^(Error|error|Failed)/.test(line))
  const how = code === null ? `${program()} was killed` : `${program()} exited with code ${code}`
  return trouble === undefined ? `${how}.` : `${how}: ${trouble}`
}
