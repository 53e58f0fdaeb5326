import { MachineRefused } from '../machine-refused.ts'
import { requireRoot, runInstaller } from '../run-installer.ts'
import { runTool } from '../run-tool.ts'
import { describeAptFailure } from './apt-failure.ts'

const ASK_LIMIT_MS = 60_000
/** How long apt waits for another package manager. */
const LOCK_SECONDS = 60

/** No prompts; changed configuration files are kept; services are not restarted. */
const NO_QUESTIONS = {
  DEBIAN_FRONTEND: 'noninteractive',
  APT_LISTCHANGES_FRONTEND: 'none',
  NEEDRESTART_MODE: 'l',
  NEEDRESTART_SUSPEND: '1',
}
const KEEP_SETTINGS = ['-o', 'Dpkg::Options::=--force-confdef', '-o', 'Dpkg::Options::=--force-confold']
const WAIT = ['-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`]
const COMMON = ['-y', '-q', '--no-remove', ...KEEP_SETTINGS, ...WAIT, '-o', 'APT::Status-Fd=3']

export async function installAptPatches(guids: readonly string[] | null): Promise<void> {
  requireRoot()
  await finishInterrupted()
  await install(
    guids === null ? ['--with-new-pkgs', 'upgrade'] : ['--only-upgrade', 'install', '--', ...guids],
  )
}

export async function installAptPackage(names: readonly string[]): Promise<void> {
  requireRoot()
  const name = await findKnown(names)
  if (name === undefined)
    throw new MachineRefused(
      `Package ${names.join(' or ')} was not found. Check that the package lists are up to date.`,
    )
  await finishInterrupted()
  await install(['--no-install-recommends', 'install', '--', name])
}

async function install(args: string[]): Promise<void> {
  const progress = new AptProgress((line) => process.stdout.write(`${line}\n`))
  const end = await runInstaller('apt-get', [...COMMON, ...args], {
    env: NO_QUESTIONS,
    onStatus: (text) => progress.take(text),
  })
  if (end.code !== 0) throw new MachineRefused(describeAptFailure(end))
}

/** Finishes an installation that was interrupted by a shutdown. */
async function finishInterrupted(): Promise<void> {
  const { stdout } = await runTool('dpkg', ['--audit'], {
    signal: AbortSignal.timeout(ASK_LIMIT_MS),
    timeoutMs: ASK_LIMIT_MS,
  })
  if (stdout.trim() === '') return
  process.stdout.write('Finishing an interrupted installation first.\n')
  const end = await runInstaller('dpkg', ['--force-confdef', '--force-confold', '--configure', '-a'], {
    env: NO_QUESTIONS,
  })
  if (end.code !== 0) throw new MachineRefused(describeAptFailure(end))
}

async function findKnown(names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const { stdout } = await runTool('apt-cache', ['policy', '--', name], {
      signal: AbortSignal.timeout(ASK_LIMIT_MS),
      timeoutMs: ASK_LIMIT_MS,
    })
    if (/^\s+Candidate: (?!\(none\))\S/m.test(stdout)) return name
  }
  return undefined
}

/** Downloads count as the first part of the progress, unpacking and setup as the rest. */
const FETCHING = 0.3
const STEP = 5

/** Prints apt's progress from time to time: `Progress: 45 %`. */
export class AptProgress {
  #say: (line: string) => void
  #rest = ''
  #told = 0

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
      this.#tell(kind === 'dlstatus' ? part * FETCHING : 100 * FETCHING + part * (1 - FETCHING))
    }
  }

  #tell(percent: number): void {
    const rounded = Math.floor(percent / STEP) * STEP
    if (rounded <= this.#told) return
    this.#told = rounded
    this.#say(`Progress: ${rounded} %`)
  }
}
