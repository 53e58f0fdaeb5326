import { readFileSync } from 'node:fs'
import type { InstalledPatch, Patch } from '@muster/contract/agent/patches'
import { AgentError, MeasureError } from '../../errors.ts'
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
import { listRpmPatches } from './dnf.ts'

const LIMIT_MS = 300_000
const QUIET = ['--non-interactive', '--xmlout']
/** Exit codes from zypper(8) that report something, not an error. */
const REBOOT_NEEDED = 102
const RESTART_NEEDED = 103
const GOOD_CODES: readonly (number | null)[] = [0, 100, 101, REBOOT_NEEDED, RESTART_NEEDED]
const LOCKED = 7
/** Patches of the distribution, in the words of zypper. */
const PATCH = 'patch:'

/**
 * SUSE and openSUSE. Their unit of an update is the patch, which has a severity and a category. Tumbleweed has none:
 * there the packages are listed, which `zypper dist-upgrade` updates as a whole.
 */
export const zypper: PatchTools = {
  async scan({ refresh, signal }): Promise<PatchScan> {
    const ask = async (args: string[]) => {
      const { code, stdout, stderr } = await runTool('zypper', [...QUIET, ...args], {
        signal,
        timeoutMs: LIMIT_MS,
      })
      return { code, stdout, said: `${stdout}\n${stderr}` }
    }
    const fresh = refresh === 'now' && process.getuid?.() === 0 ? await ask(['refresh']) : undefined
    const patches = await ask(['list-patches'])
    if (!GOOD_CODES.includes(patches.code)) throw new MeasureError(describeZypperFailure(patches))
    const found = parseZypperUpdates(patches.stdout)
    const packages = found.length > 0 ? undefined : await ask(['list-updates'])
    if (packages !== undefined && !GOOD_CODES.includes(packages.code))
      throw new MeasureError(describeZypperFailure(packages))
    const reboot = await ask(['needs-rebooting'])
    return {
      patches: packages === undefined ? found : parseZypperUpdates(packages.stdout),
      problem:
        fresh === undefined || GOOD_CODES.includes(fresh.code)
          ? null
          : `Failed to refresh the package lists. ${describeZypperFailure(fresh)}`,
      // Older versions do not know this command.
      ...(reboot.code === 0 || reboot.code === REBOOT_NEEDED
        ? { needsReboot: reboot.code === REBOOT_NEEDED }
        : {}),
    }
  },
  async listInstalled(signal) {
    const patches = parseZypperHistory(readHistory())
    return patches.length > 0 ? patches : listRpmPatches(signal)
  },
  async install(guids) {
    requireRoot()
    const accept = '--auto-agree-with-licenses'
    const named = guids ?? []
    const patches = named.filter((guid) => guid.startsWith(PATCH))
    const packages = named.filter((guid) => !guid.startsWith(PATCH))
    if (guids === null) {
      await run(['patch', accept])
      return run(['update', accept])
    }
    if (patches.length > 0) await run(['install', accept, ...patches])
    if (packages.length > 0) await run(['update', accept, ...packages])
  },
}

/** Empty if it cannot be read. */
function readHistory(): string {
  try {
    return readFileSync('/var/log/zypp/history', 'utf8')
  } catch {
    return ''
  }
}

/** `2026-11-20 10:00:00|patch  |SUSE-2026-4318|1|noarch|update|important|security|needed|applied|`. */
export function parseZypperHistory(history: string): InstalledPatch[] {
  return history.split('\n').flatMap((line) => {
    const [time = '', action = '', name = '', version = '', , , severity = '', , , state] = line.split('|')
    if (action.trim() !== 'patch' || state !== 'applied') return []
    return makeInstalledPatch({
      guid: `${PATCH}${name}`,
      source: 'zypper',
      title: name,
      version,
      severity: SEVERITIES.find((known) => known.toLowerCase() === severity) ?? '',
      at: new Date(time.replace(' ', 'T')),
    })
  })
}

/** A patch for zypper itself is installed first, and the others in a second run. */
async function run(args: string[]): Promise<void> {
  let end = await runInstaller('zypper', ['--non-interactive', ...args])
  if (end.code === RESTART_NEEDED) end = await runInstaller('zypper', ['--non-interactive', ...args])
  if (!GOOD_CODES.includes(end.code)) throw new AgentError(describeZypperFailure(end))
}

/** Parses the XML of `list-patches` and `list-updates`: one `update` element for each. */
export function parseZypperUpdates(output: string): Patch[] {
  return Array.from(output.matchAll(/<update\s([^>]*)>([\s\S]*?)<\/update>/g), ([, head = '', body = '']) => {
    const {
      name = '',
      edition = '',
      kind,
      severity = '',
      category = '',
      interactive = '',
      ...more
    } = attributesOf(head)
    if (name === '' || (more.status !== undefined && more.status !== 'needed')) return []
    const isPatch = kind === 'patch'
    const summary = textOf(body, 'summary')
    return [
      makePatch({
        guid: isPatch ? `${PATCH}${name}` : name,
        source: 'zypper',
        title: isPatch && summary !== '' ? summary : name,
        version: edition,
        current_version: more['edition-old'] ?? '',
        severity: SEVERITIES.find((known) => known.toLowerCase() === severity) ?? '',
        security: category === 'security',
        categories: category === '' ? [] : [category],
        description: textOf(body, 'description'),
        needs_reboot: interactive.includes('reboot') || /^kernel-(default|azure|rt)$/.test(name),
      }),
    ]
  }).flat()
}

const SEVERITIES = ['Critical', 'Important', 'Moderate', 'Low'] as const

function attributesOf(head: string): Record<string, string> {
  const found = Array.from(head.matchAll(/([\w-]+)="([^"]*)"/g), ([, name = '', value = '']) => [
    name,
    decode(value),
  ])
  return Object.fromEntries(found) as Record<string, string>
}

function textOf(body: string, element: string): string {
  const [, text = ''] = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(body) ?? []
  return decode(text).trim()
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

function decode(text: string): string {
  return text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? '')
}

export function describeZypperFailure({ code, said }: InstallerEnd): string {
  if (code === LOCKED || /System management is locked/.test(said))
    return 'Another package manager is running. Try again when it has finished.'
  if (code === 104) return `Package not found: ${firstLine(troubleOf(said))}`
  if (/No space left|not enough free space/i.test(said)) return 'Not enough free disk space.'
  const how = code === null ? 'zypper was killed' : `zypper exited with code ${code}`
  const trouble = firstLine(troubleOf(said))
  return trouble === '' ? `${how}.` : `${how}: ${trouble}`
}

/** Errors of the XML, or of the text of an installation. */
function troubleOf(said: string): string {
  const messages = Array.from(said.matchAll(/<message type="error">([^<]*)</g), ([, text = '']) =>
    decode(text),
  )
  return [
    ...messages,
    ...said.split('\n').filter((line) => /not found|problem|error/i.test(line) && !line.includes('<')),
  ].join('\n')
}
