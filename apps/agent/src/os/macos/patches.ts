import { existsSync, writeFileSync } from 'node:fs'
import type { InstalledPatch, Patch } from '@muster/contract/agent/patches'
import { z } from 'zod'
import { AgentError, MeasureError } from '../../errors.ts'
import {
  makeInstalledPatch,
  makePatch,
  type PatchTools,
  requireRoot,
  runInstaller,
  sizeOf,
} from '../package-tools.ts'
import { firstLine, runTool } from '../run-tool.ts'
import { withStartUmask } from '../umask.ts'

/** It contacts Apple, which usually takes a minute. */
const LIMIT_MS = 600_000
const PROFILER_LIMIT_MS = 60_000

/** Removed with everything in this folder when the Mac starts. */
const RESTART_MARK = '/var/run/com.muster.agent.restart-needed'
const RESTART_NEEDED = /restart (your computer|immediately|is required)|requires? (that you |a )?restart/i

/** softwareupdate says only once, after an installation, that the Mac has to restart: a file keeps it until then. */
export const makeMacosPatches = (restartMark: string): PatchTools => ({
  async scan({ signal }) {
    const { code, stdout, stderr } = await runTool('softwareupdate', ['--list'], {
      signal,
      timeoutMs: LIMIT_MS,
    })
    if (code === null) throw new MeasureError('softwareupdate timed out after ten minutes.')
    if (code !== 0) throw new MeasureError(`softwareupdate failed: ${firstLine(stderr, stdout)}`)
    return {
      patches: parseSoftwareUpdates(stdout),
      problem: null,
      needsReboot: existsSync(restartMark),
    }
  },
  async listInstalled(signal) {
    // `softwareupdate --history` prints the same with dates in the format of the user.
    const { stdout, stderr } = await runTool('system_profiler', ['-json', 'SPInstallHistoryDataType'], {
      signal,
      timeoutMs: PROFILER_LIMIT_MS,
    })
    const installed = parseInstallHistory(stdout)
    if (installed === undefined)
      throw new MeasureError(`Failed to list the installed updates: ${firstLine(stderr, stdout)}`)
    return installed
  },
  async install(guids) {
    requireRoot()
    const { code, said } = await runInstaller('softwareupdate', [
      '--install',
      ...(guids ?? ['--all']),
      '--verbose',
      '--agree-to-license',
    ])
    if (RESTART_NEEDED.test(said)) withStartUmask(() => writeFileSync(restartMark, ''))
    // It exits with 0 after some failures too.
    if (code === 0 && !/^(Error|Failed|Not authenticated)|: No such update/m.test(said)) return
    throw new AgentError(describeFailure(said, code))
  },
})

export const macosPatches = makeMacosPatches(RESTART_MARK)

/** Parses `softwareupdate --list`: two lines per update, the label that selects it and the details. */
export function parseSoftwareUpdates(output: string): Patch[] {
  return output.split(/^\s*\* /m).flatMap((block, index): Patch[] => {
    const [first = '', second = ''] = block.split('\n')
    // Text before the first star is no update. Older systems print the label without the word.
    const label = index === 0 ? '' : first.replace(/^Label:\s*/, '').trim()
    if (label === '') return []
    const field = (name: string) => new RegExp(`(?:^|[,\\s])${name}: ([^,]*)`).exec(second)?.[1]?.trim() ?? ''
    const [, kilobytes = ''] = /^(\d+)Ki?B?$/i.exec(field('Size')) ?? []
    const title = field('Title') || label
    return [
      makePatch({
        guid: label,
        source: 'softwareupdate',
        title,
        version: field('Version'),
        security: /security/i.test(title),
        categories: field('Recommended') === 'YES' ? ['Recommended'] : [],
        size: sizeOf(kilobytes, 1024),
        needs_reboot: /restart/i.test(field('Action')),
      }),
    ]
  })
}

const Installation = z.object({
  _name: z.string().trim().min(1),
  install_date: z.string(),
  install_version: z.string().nullish(),
  package_source: z.string().nullish(),
})
const History = z.object({ SPInstallHistoryDataType: z.array(z.unknown()) })

/** Parses the installations of Apple; undefined if the output is invalid. */
export function parseInstallHistory(output: string): InstalledPatch[] | undefined {
  const history = History.safeParse(tryJson(output))
  if (!history.success) return undefined
  return history.data.SPInstallHistoryDataType.flatMap((row) => {
    const found = Installation.safeParse(row).data
    if (found === undefined || found.package_source !== 'package_source_apple') return []
    const version = found.install_version ?? ''
    return makeInstalledPatch({
      guid: version === '' ? found._name : `${found._name}-${version}`,
      source: 'softwareupdate',
      title: found._name,
      version,
      at: new Date(found.install_date),
    })
  })
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describeFailure(said: string, code: number | null): string {
  if (/Not authenticated|user.*authoriz|password/i.test(said))
    return 'This Mac installs macOS upgrades only with the password of an owner. Use System Settings on that Mac.'
  const trouble = said.split('\n').findLast((line) => /error|fail|not |no such/i.test(line))
  return `softwareupdate exited with code ${code ?? 'none'}: ${trouble?.trim().slice(0, 400) ?? 'no output'}`
}
