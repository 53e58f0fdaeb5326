import { AgentError } from '../../errors.ts'
import { ask, describeNeeded } from '../package-managers.ts'
import { type InstallerEnd, requireRoot, runInstaller } from '../package-tools.ts'
import { runTool } from '../run-tool.ts'

const LOCK_TIMEOUT_MS = 60_000
/** How long apt waits for another package manager. */
const LOCK_SECONDS = 60

/** No prompts; changed configuration files are kept; services are not restarted. */
const NO_PROMPTS = {
  DEBIAN_FRONTEND: 'noninteractive',
  APT_LISTCHANGES_FRONTEND: 'none',
  NEEDRESTART_MODE: 'l',
  NEEDRESTART_SUSPEND: '1',
}
const KEEP_SETTINGS = ['-o', 'Dpkg::Options::=--force-confdef', '-o', 'Dpkg::Options::=--force-confold']
const NO_LOCK = ['-o', 'Debug::NoLocking=1']
const WAIT = ['-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`]
const COMMON = ['-y', '-q', ...KEEP_SETTINGS, ...WAIT, '-o', 'APT::Status-Fd=3']

export async function installAptPatches(guids: readonly string[] | null): Promise<void> {
  requireRoot()
  await finishInterrupted()
  await install(
    guids === null
      ? ['--no-remove', '--with-new-pkgs', 'upgrade']
      : ['--no-remove', '--only-upgrade', 'install', '--', ...guids],
  )
}

export async function installAptPackage(name: string): Promise<void> {
  await finishInterrupted()
  await install(['--no-remove', '--no-install-recommends', 'install', '--', name])
}

/** Installs a package file with what it needs. */
export async function installAptFile(path: string): Promise<void> {
  await finishInterrupted()
  await install(['--no-remove', '--no-install-recommends', 'install', '--', path])
}

export async function upgradeAptPackage(name: string): Promise<void> {
  await finishInterrupted()
  await install(['--no-remove', '--only-upgrade', 'install', '--', name])
}

/** Refuses if apt would remove other packages too. */
export async function removeAptPackage(name: string): Promise<void> {
  await finishInterrupted()
  const { code, stdout, stderr } = await ask('apt-get', ['-s', '-q', ...NO_LOCK, 'remove', '--', name])
  if (code !== 0) throw new AgentError(describeAptFailure({ code, said: `${stdout}\n${stderr}` }))
  const others = Array.from(stdout.matchAll(/^(?:Remv|Purg) (\S+)/gm), ([, one = '']) => one)
  const needing = others.filter((one) => one.split(':')[0] !== name.split(':')[0])
  if (needing.length > 0) throw new AgentError(describeNeeded(name, needing))
  await install(['remove', '--', name])
}

async function install(args: string[]): Promise<void> {
  const progress = new AptProgress((line) => process.stdout.write(`${line}\n`))
  const end = await runInstaller('apt-get', [...COMMON, ...args], {
    env: NO_PROMPTS,
    onStatus: (text) => progress.take(text),
  })
  if (end.code !== 0) throw new AgentError(describeAptFailure(end))
}

/** Finishes an installation that was interrupted by a shutdown. */
async function finishInterrupted(): Promise<void> {
  const { stdout } = await runTool('dpkg', ['--audit'], {
    signal: AbortSignal.timeout(LOCK_TIMEOUT_MS),
    timeoutMs: LOCK_TIMEOUT_MS,
  })
  if (stdout.trim() === '') return
  process.stdout.write('Finishing an interrupted installation first.\n')
  const end = await runInstaller('dpkg', ['--force-confdef', '--force-confold', '--configure', '-a'], {
    env: NO_PROMPTS,
  })
  if (end.code !== 0) throw new AgentError(describeAptFailure(end))
}

/** Downloads count as the first part of the progress, unpacking and setup as the rest. */
const FETCHING = 0.3
const STEP = 5

/** Prints apt's progress from time to time: `Progress: 45 %`. */
export class AptProgress {
  #say: (line: string) => void
  #rest = ''
  #reported = 0

  constructor(say: (line: string) => void) {
    this.#say = say
  }

  /** Reads apt's status descriptor: `pmstatus:tzdata:40.0000:Unpacking tzdata`. */
  take(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()?.slice(-1000) ?? ''
    for (const line of lines) {
      const [, kind, percent] = /^(dlstatus|pmstatus):(?:.*?):(\d{1,3}(?:\.\d+)?):/.exec(line) ?? []
      if (kind === undefined) continue
      const part = Math.min(100, Number(percent))
      this.#print(kind === 'dlstatus' ? part * FETCHING : 100 * FETCHING + part * (1 - FETCHING))
    }
  }

  #print(percent: number): void {
    const rounded = Math.floor(percent / STEP) * STEP
    if (rounded <= this.#reported) return
    this.#reported = rounded
    this.#say(`Progress: ${rounded} %`)
  }
}

/** Describes why apt or dpkg failed, for users. */
export function describeAptFailure({ code, said }: InstallerEnd): string {
  const [, process, program] = /held by process (\d+) \(([^)\n]+)\)/.exec(said) ?? []
  if (process !== undefined)
    return `Another package manager is running: ${program}, process ${process}. Try again when it has finished.`
  if (/Could not get lock|Unable to (lock|acquire)|is locked by another process/.test(said))
    return 'Another package manager is running. Try again when it has finished.'
  if (/Packages need to be removed but remove is disabled/.test(said))
    return 'Nothing was installed, because other packages would have to be removed. Use a terminal.'
  if (/No space left on device|enough free space/.test(said)) return 'Not enough free disk space.'
  const [, missing] = /Unable to locate package (\S+)/.exec(said) ?? []
  if (missing !== undefined) return `Package ${missing} was not found.`
  const trouble = said.split('\n').findLast((line) => /^E: |^dpkg: error/.test(line))
  if (/Failed to fetch/.test(said))
    return `Failed to download packages: ${trouble?.replace(/^E: /, '') ?? 'no response'}`
  const how = code === null ? 'apt-get was killed' : `apt-get exited with code ${code}`
  return trouble === undefined ? `${how}.` : `${how}: ${trouble.replace(/^E: /, '')}`
}
