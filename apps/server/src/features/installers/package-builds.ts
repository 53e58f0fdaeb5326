import {
  type AgentPackage,
  Architecture,
  PACKAGE_FORMATS,
  type PackageName,
} from '@muster/contract/api/installers'
import { Platform } from '@muster/contract/fields'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { withStartUmask } from '../../platform/files/private-files.ts'
import { serverEnvironment } from '../scripts/run-on-server.ts'
import { ROOT } from './install-files.ts'

/** The last line of a successful build. `file` is in the folder that was given. */
const Built = z.object({
  file: z
    .string()
    .min(1)
    .transform((path) => basename(path)),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(1),
  signed: z.boolean(),
})
type Built = z.infer<typeof Built>

const Line = z.union([z.object({ progress: z.string() }), z.object({ error: z.string() }), Built])

/** The index of the packages that a release carries. */
const ReleaseIndex = z.object({
  /** As `agentVersion` returns it: packages of other sources are ignored. */
  agent: z.string(),
  packages: z.array(Built.extend({ platform: Platform, arch: Architecture, format: z.string() })),
})

/** A package on disk. */
export interface StoredPackage extends Built {
  path: string
}

type Build = { state: 'building'; progress: string } | { state: 'failed'; error: string; atMs: number }

const BUILD_TIMEOUT_MS = 15 * 60_000
const RETRY_MS = 60_000
const MAX_TEXT = 500
const INDEX = 'package.json'
const STARTING = 'Starting'

/**
 * Packages of the agent in `packages/` of the data folder, by the version of the agent, which is built by a program of
 * its own. One build runs at a time, since each takes a processor for a minute. A build works in a folder that gets its final name after the hash was
 * compared, so a package is whole or absent. Progress is known to this process only.
 */
export class PackageBuilds implements AsyncDisposable {
  #ctx: Context
  #builds = new Map<string, Build>()
  #running = new Set<Promise<void>>()
  #stop = new AbortController()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  list(): AgentPackage[] {
    return Platform.options.flatMap((platform) =>
      Architecture.options.flatMap((arch) =>
        PACKAGE_FORMATS[platform].map((format) => this.view({ platform, arch, format })),
      ),
    )
  }

  view(name: PackageName): AgentPackage {
    const stored = this.find(name)
    const build = this.#builds.get(keyOf(name))
    if (stored !== undefined) {
      const { sha256, bytes, signed } = stored
      const { platform, arch, format } = name
      const path = `/agent/packages/${platform}/${arch}/${format}`
      return { ...name, build: { state: 'ready', file: fileName(name), path, sha256, bytes, signed } }
    }
    if (build?.state === 'building')
      return { ...name, build: { state: 'building', progress: build.progress } }
    if (build?.state === 'failed') return { ...name, build: { state: 'failed', error: build.error } }
    return { ...name, build: { state: 'absent' } }
  }

  /** The package of the release, else the built one. */
  find(name: PackageName): StoredPackage | undefined {
    const ofRelease = findInRelease(this.#ctx.config.releasePackages, name)
    if (ofRelease !== undefined) return ofRelease
    const folder = join(this.#folder(), keyOf(name))
    if (!existsSync(join(folder, INDEX))) return undefined
    const built = Built.parse(JSON.parse(readFileSync(join(folder, INDEX), 'utf8')))
    return { ...built, path: join(folder, built.file) }
  }

  /** Begins to build a package that is neither there nor being built. */
  start(name: PackageName): AgentPackage {
    const isBusy = this.#builds.get(keyOf(name))?.state === 'building'
    if (!isBusy && !this.#stop.signal.aborted && this.find(name) === undefined) {
      // Before the first await: a second request at the same moment must find it.
      const isNext = this.#running.size === 0
      this.#setProgress(name, isNext ? STARTING : 'Waiting for another build')
      const ended = Promise.all(this.#running).then(() => this.#build(name))
      this.#running.add(ended)
      void ended.finally(() => this.#running.delete(ended))
    }
    return this.view(name)
  }

  /** As `start`, for machines, which repeat their request: a build that just failed is not repeated at once. */
  startForMachine(name: PackageName): AgentPackage {
    const build = this.#builds.get(keyOf(name))
    const isFresh = build?.state === 'failed' && performance.now() - build.atMs < RETRY_MS
    return isFresh ? this.view(name) : this.start(name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  /** Packages of another version of the agent have another folder. */
  #folder(): string {
    return join(this.#ctx.config.dataFolder, 'packages', agentVersion())
  }

  async #build(name: PackageName): Promise<void> {
    const key = keyOf(name)
    const build = this.#builds.get(key)
    if (build?.state === 'building' && build.progress !== STARTING) this.#setProgress(name, STARTING)
    const draft = join(this.#ctx.config.dataFolder, 'packages', `.${key}-${this.#ctx.processId}`)
    try {
      if (this.#ctx.disk.isLow) throw new Error('The disk of the server is nearly full.')
      await mkdir(draft, { recursive: true })
      const built = await this.#run(name, draft)
      await comparePackage(join(draft, built.file), built)
      await writeFile(join(draft, INDEX), JSON.stringify(built))
      // The builder builds the agent as well, which may be another version than before.
      const folder = this.#folder()
      await mkdir(folder, { recursive: true })
      await removeOthers(folder)
      await rm(join(folder, key), { recursive: true, force: true })
      // From here on it is ready.
      await rename(draft, join(folder, key))
      this.#builds.delete(key)
    } catch (cause) {
      const error = cause instanceof Error ? cause.message : String(cause)
      // Before the state changes: the next build uses the same folder.
      await rm(draft, { recursive: true, force: true, maxRetries: 5 })
      this.#builds.set(key, { state: 'failed', error, atMs: performance.now() })
      if (this.#stop.signal.aborted) return
      this.#ctx.log.warn({ ...name, error }, 'package of the agent could not be built')
    }
    this.#emitChanged()
  }

  /** Runs the builder, and returns what its last line says. Throws the reason for people. */
  async #run({ platform, arch, format }: PackageName, folder: string): Promise<Built> {
    const builder = this.#ctx.config.packageBuilder ?? join(ROOT, 'deploy/packages.mjs')
    const system = platform === 'darwin' ? 'macos' : platform
    const args = ['--platform', system, '--arch', arch, '--format', format, '--out', folder]
    const child = withStartUmask(() =>
      spawn(process.execPath, [builder, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...serverEnvironment(), ...builderSettings() },
        // A process group of its own, to be killed as a whole.
        detached: process.platform !== 'win32',
        windowsHide: true,
      }),
    )
    let reason: string | undefined
    const end = (because: string) => {
      reason ??= because
      killGroup(child)
    }
    const timer = setTimeout(() => end('The build took longer than 15 minutes.'), BUILD_TIMEOUT_MS)
    const onStop = () => end('The server stopped during the build.')
    this.#stop.signal.addEventListener('abort', onStop, { once: true })
    if (this.#stop.signal.aborted) onStop()
    let built: Built | undefined
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-MAX_TEXT)))
    createInterface(child.stdout).on('line', (text) => {
      const line = readLine(text)
      if (line === undefined) return
      if ('sha256' in line) built = line
      else if ('error' in line) reason ??= line.error.slice(0, MAX_TEXT)
      else this.#setProgress({ platform, arch, format }, line.progress)
    })
    const code = await new Promise<number | null>((resolve) => {
      child.once('error', (error) => (reason ??= error.message))
      child.once('close', resolve)
    })
    clearTimeout(timer)
    this.#stop.signal.removeEventListener('abort', onStop)
    if (code === 0 && built !== undefined && reason === undefined) return built
    this.#ctx.log.info({ platform, arch, format, code, errors }, 'builder of packages ended')
    throw new Error(reason ?? `The build ended without a package (exit code ${code}).`)
  }

  #setProgress(name: PackageName, progress: string): void {
    this.#builds.set(keyOf(name), { state: 'building', progress: progress.slice(0, MAX_TEXT) })
    this.#emitChanged()
  }

  #emitChanged(): void {
    this.#ctx.emit({ type: 'package.changed', ids: [] })
  }
}

/** The package that installs on machines of this kind by their line. */
export function packageOfLine(platform: 'windows' | 'darwin', arch: Architecture): PackageName {
  return { platform, arch, format: PACKAGE_FORMATS[platform][0] }
}

/** `muster-agent-0.1.0-x64.msi`: the name of the downloaded file. */
export function fileName({ platform, arch, format }: PackageName): string {
  const system = platform === 'darwin' ? 'macos-' : ''
  return `muster-agent-${releaseVersion()}-${system}${arch}.${format}`
}

function keyOf({ platform, arch, format }: PackageName): string {
  return `${platform}-${arch}-${format}`
}

function releaseVersion(): string {
  // Our own package file.
  const { version } = JSON.parse(readFileSync(join(ROOT, 'apps/agent/package.json'), 'utf8')) as {
    version: string
  }
  return version
}

/** With the hash of the sources that the agent was built from: a clone changes without a new version. */
export function agentVersion(): string {
  const stamp = join(ROOT, 'apps/agent/dist/.sources')
  const sources = existsSync(stamp) ? readFileSync(stamp, 'utf8').slice(0, 12) : 'unbuilt'
  return `${releaseVersion()}-${sources}`
}

function findInRelease(folder: string, { platform, arch, format }: PackageName): StoredPackage | undefined {
  const index = join(folder, 'packages.json')
  if (!existsSync(index)) return undefined
  const { agent, packages } = ReleaseIndex.parse(JSON.parse(readFileSync(index, 'utf8')))
  if (agent !== agentVersion()) return undefined
  const found = packages.find(
    (entry) => entry.platform === platform && entry.arch === arch && entry.format === format,
  )
  if (found === undefined) return undefined
  const { file, sha256, bytes, signed } = found
  const path = join(folder, file)
  // One that was copied in part is built again.
  if (statSync(path, { throwIfNoEntry: false })?.size !== bytes) return undefined
  return { file, sha256, bytes, signed, path }
}

function readLine(text: string): z.infer<typeof Line> | undefined {
  try {
    return Line.safeParse(JSON.parse(text)).data
  } catch {
    // A builder may print other lines.
    return undefined
  }
}

async function comparePackage(file: string, { sha256, bytes }: Built): Promise<void> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  const { size } = await stat(file)
  if (size !== bytes || hash.digest('hex') !== sha256)
    throw new Error('The built package differs from its hash. Build it again.')
}

/**
 * Keeps the folder of this version, and drafts of builds that may still run, also in other processes. One that is older
 * than any build may be was left by a server that was killed.
 */
async function removeOthers(folder: string): Promise<void> {
  const parent = dirname(folder)
  for (const name of await readdir(parent)) {
    const path = join(parent, name)
    if (path !== folder && !(name.startsWith('.') && (await isRecent(path))))
      await rm(path, { recursive: true, force: true })
  }
}

/** False for a folder that is gone. */
async function isRecent(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }))
  return mtimeMs > Date.now() - 2 * BUILD_TIMEOUT_MS
}

/** Settings of npm, which fetches Node, and of the keys that sign packages. */
function builderSettings(): NodeJS.ProcessEnv {
  const known = /^(npm_config_|MUSTER_SIGN_|GNUPGHOME$|https?_proxy$|no_proxy$|XDG_CACHE_HOME$)/i
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => known.test(name)))
}

function killGroup(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-pid, 'SIGKILL')
  } catch (cause) {
    // Already ended.
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ESRCH')) throw cause
  }
}
