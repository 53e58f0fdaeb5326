import { statSync } from 'node:fs'
import type { PackageChange } from '@muster/rules/agents/package-change'
import { z } from 'zod'
import { MeasureError } from '../../errors.ts'
import { findProgram } from '../../run/find-program.ts'
import {
  ask,
  describeEnd,
  listWith,
  makePackageTools,
  type PackageManager,
  type PackageUpgrade,
  runManager,
} from '../package-managers.ts'

const NONE = 'This Mac has no Homebrew, and the agent supports no other package manager on macOS.'
const findBrew = () => findProgram('brew', '/opt/homebrew/bin/brew', '/usr/local/bin/brew')

const CHANGES: Record<PackageChange, string[]> = {
  install: ['install'],
  upgrade: ['upgrade'],
  remove: ['uninstall'],
}

const homebrew: PackageManager = {
  name: 'homebrew',
  isThere: () => findBrew() !== undefined,
  offers: async (name) => (await askBrew(['info', '--json=v2', name])).code === 0,
  has: async (name) => (await askBrew(['list', '--versions', name])).stdout.trim() !== '',
  change: (what, name) =>
    runManager(brewLine([...CHANGES[what], name]), {
      isDone: (code) => code === 0,
      describe: (end) =>
        /Refusing to uninstall/.test(end.said)
          ? `Nothing was removed, because other packages need ${name}.`
          : describeEnd('brew', end, /^Error: /),
    }),
  async listUpgrades(signal) {
    const [program = '', ...args] = brewLine(['outdated', '--json=v2'])
    const output = await listWith(program, args, { codes: [0, 1], signal, name: 'homebrew' })
    return parseBrewOutdated(output)
  },
}

const Outdated = z.object({
  name: z.string(),
  installed_versions: z.array(z.string()),
  current_version: z.string(),
})
const OutdatedLists = z.object({ formulae: z.array(Outdated), casks: z.array(Outdated) })

/** Parses `brew outdated --json=v2`. Throws MeasureError if it is no such list. */
export function parseBrewOutdated(output: string): PackageUpgrade[] {
  const lists = OutdatedLists.safeParse(tryJson(output))
  if (!lists.success)
    throw new MeasureError('homebrew failed to list newer versions: its list cannot be read.')
  return [...lists.data.formulae, ...lists.data.casks].map((one) => ({
    source: 'homebrew',
    // A formula of a tap has its name in front.
    name: one.name.split('/').at(-1) ?? one.name,
    version: one.installed_versions.at(-1) ?? '',
    available: one.current_version,
  }))
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function askBrew(args: string[]) {
  const [program = '', ...rest] = brewLine(args)
  return ask(program, rest)
}

/** Homebrew refuses to run as root: it runs as the user who owns it. */
function brewLine(args: string[]): string[] {
  const brew = findBrew() ?? 'brew'
  const line = ['env', 'NONINTERACTIVE=1', 'HOMEBREW_NO_ENV_HINTS=1', brew, ...args]
  const owner = statSync(brew, { throwIfNoEntry: false })?.uid ?? 0
  const isOther = process.getuid?.() === 0 && owner !== 0
  return isOther ? ['sudo', '-n', '-H', '-u', `#${owner}`, ...line] : line
}

export const macosPackages = makePackageTools([homebrew], NONE)
