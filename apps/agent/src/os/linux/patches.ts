import { statSync } from 'node:fs'
import type { Patch } from '@muster/contract/agent/patches'
import { AgentError, MeasureError } from '../../errors.ts'
import { findProgram } from '../../run/find-program.ts'
import { makePatch, type PatchScan, type PatchTools } from '../package-tools.ts'
import { firstLine, runTool } from '../run-tool.ts'
import { describeAptFailure, installAptPatches } from './apt-install.ts'
import { dnf } from './dnf.ts'
import { readDpkgLogs } from './dpkg-logs.ts'
import { zypper } from './zypper.ts'

const NEITHER = 'This machine has neither apt nor dnf nor zypper, so its packages cannot be updated.'

const apt: PatchTools = {
  scan: scanApt,
  listInstalled: async () => readDpkgLogs(),
  install: installAptPatches,
}

/** The tools of the package manager that is installed. */
export const linuxPatches: PatchTools = {
  scan: async (options) => requireScanner().scan(options),
  listInstalled: async (signal) => requireScanner().listInstalled(signal),
  install: (guids) => requireManager().install(guids),
}

function findManager(): PatchTools | undefined {
  if (findProgram('apt-get') !== undefined) return apt
  if (findProgram('zypper') !== undefined) return zypper
  return findProgram('dnf', 'yum') === undefined ? undefined : dnf
}

function requireScanner(): PatchTools {
  const manager = findManager()
  if (manager === undefined) throw new MeasureError(NEITHER)
  return manager
}

function requireManager(): PatchTools {
  const manager = findManager()
  if (manager === undefined) throw new AgentError(NEITHER)
  return manager
}

const LIMIT_MS = 120_000
const REFRESH_LIMIT_MS = 300_000
/** Most systems refresh their lists once a day. */
const OLD_MS = 22 * 3_600_000
/** The list folder from apt's own configuration. */
const LISTS = '/var/lib/apt/lists'

/** Simulates `apt upgrade`: removes nothing, and leaves out packages on hold. */
export const APT_SIMULATION = ['-s', '-q', '-o', 'Debug::NoLocking=1', '--with-new-pkgs', 'upgrade']

async function scanApt({
  refresh,
  signal,
}: {
  refresh: 'now' | 'when old'
  signal: AbortSignal
}): Promise<PatchScan> {
  const problem = refresh === 'now' || areOld() ? await refreshLists(signal) : null
  const { code, stdout, stderr } = await runTool('apt-get', APT_SIMULATION, { signal, timeoutMs: LIMIT_MS })
  if (code !== 0) throw new MeasureError(describeAptFailure({ code, said: `${stdout}\n${stderr}` }))
  return { patches: parseAptSimulation(stdout), problem }
}

async function refreshLists(signal: AbortSignal): Promise<string | null> {
  if (process.getuid?.() !== 0)
    return 'The agent does not run as root, so it cannot refresh the package lists.'
  const { code, stdout, stderr } = await runTool(
    'apt-get',
    ['update', '-q', '-o', 'DPkg::Lock::Timeout=20'],
    {
      signal,
      timeoutMs: REFRESH_LIMIT_MS,
    },
  )
  if (code === null) return 'Failed to refresh the package lists: timed out after five minutes.'
  const said = `${stdout}\n${stderr}`
  // It exits with 0 if a list cannot be downloaded, and continues with the old one.
  const trouble = firstLine(
    said
      .split('\n')
      .filter((line) => /^(E|W): /.test(line))
      .join('\n'),
  )
  if (code !== 0) return `Failed to refresh the package lists. ${describeAptFailure({ code, said })}`
  return trouble === '' ? null : `The package lists may be outdated: ${trouble.replace(/^\w: /, '')}`
}

function areOld(): boolean {
  const read = statSync(LISTS, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return Date.now() - read > OLD_MS
}

// Inst libc6 [2.36-9] (2.36-9+deb12u9 Debian:12.9/stable, Debian-Security:12/stable-security [amd64]) [libc-bin:amd64 ]
const INST = /^Inst (\S+) \[([^\]]*)\] \((\S+) (.*) \[([^\]]*)\]\)/

/** Parses a simulated upgrade. New dependencies (no version in brackets) are no patches. */
export function parseAptSimulation(output: string): Patch[] {
  return output.split('\n').flatMap((line) => {
    const [, name, current = '', version = '', origins = ''] = INST.exec(line) ?? []
    if (name === undefined) return []
    const security = /security/i.test(origins)
    return [
      makePatch({
        guid: name,
        source: 'apt',
        title: name,
        version,
        current_version: current,
        security,
        categories: origins.split(', ').filter(Boolean),
        needs_reboot: /^linux-(image|generic)/.test(name),
      }),
    ]
  })
}
