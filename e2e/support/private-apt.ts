import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

const LOCKED_MS = 200

const REPOSITORIES = ['updates', 'security'] as const
type Repository = (typeof REPOSITORIES)[number]

const FOLDERS = [
  ...['info', 'updates', 'triggers'].map((name) => `var/lib/dpkg/${name}`),
  'var/lib/apt/lists/partial',
  'var/cache/apt/archives/partial',
  'var/log/apt',
  ...['preferences.d', 'apt.conf.d', 'trusted.gpg.d', 'sources.list.d'].map((name) => `etc/apt/${name}`),
  ...REPOSITORIES,
]

/**
 * The machine's apt and dpkg in a folder of their own, without packages at first, and two
 * repositories, of which one has security updates. An agent that finds `programs`
 * first (private-programs.ts) lists and changes its packages there, and leaves the machine as it is.
 */
export class PrivateApt implements AsyncDisposable {
  #root: string
  #entries: Record<Repository, Map<string, string>> = { updates: new Map(), security: new Map() }

  private constructor(root: string) {
    this.#root = root
  }

  static async open(): Promise<PrivateApt> {
    const root = await mkdtemp(join(tmpdir(), 'muster-e2e-apt-'))
    for (const folder of FOLDERS) await mkdir(join(root, folder), { recursive: true })
    const status = join(root, 'var/lib/dpkg/status')
    await writeFile(status, '')
    const sources = REPOSITORIES.map((name) => `deb [trusted=yes] file:${root}/${name} ./\n`)
    await writeFile(join(root, 'etc/apt/sources.list'), sources.join(''))
    const settings = `Dir "${root}"; Dir::State::status "${status}"; Dir::State::lists "${root}/var/lib/apt/lists"; Dir::Etc "etc/apt";
APT::Sandbox::User "root"; DPkg::Options { "--root=${root}"; "--force-not-root"; };\n`
    await writeFile(join(root, 'apt.conf'), settings)
    const apt = new PrivateApt(root)
    for (const name of REPOSITORIES) await apt.#writeLists(name)
    return apt
  }

  /** Bodies of scripts: an agent runs installations without variables of its own. */
  get programs(): Record<string, string> {
    const programs = {
      'apt-get': this.#apt,
      'apt-cache': this.#apt,
      'dpkg-query': this.#admin,
      dpkg: this.#dpkg,
    }
    return Object.fromEntries(
      Object.entries(programs).map(([name, args]) => [name, `exec /usr/bin/${name} ${args.join(' ')} "$@"`]),
    )
  }

  /** Adds a version of a package that holds nothing to a repository, and has apt read its list. */
  async offer(name: string, version: string, repository: Repository = 'updates'): Promise<void> {
    const data = await readFile(await this.#build(repository, name, version))
    const where = `Filename: ./${fileOf(name, version)}\nSize: ${data.length}\nSHA256: ${digestOf(data)}\n`
    this.#entries[repository].set(name, `${controlOf(name, version)}${where}`)
    await this.#writeLists(repository)
    await this.#update()
  }

  /** Once the agent, which reads the lists as well, has released their lock. */
  async #update(): Promise<void> {
    for (;;) {
      try {
        return void (await run('apt-get', [...this.#apt, 'update', '-q']))
      } catch (error) {
        if (!String(error).includes('Could not get lock')) throw error
        await setTimeout(LOCKED_MS)
      }
    }
  }

  /** The list goes on offering the package, whose file is missing. */
  async loseFile(name: string, version: string): Promise<void> {
    await rm(join(this.#root, 'updates', fileOf(name, version)))
  }

  async install(name: string, version: string): Promise<void> {
    await this.#runDpkg('-i', await this.#build('.', name, version))
  }

  async remove(name: string): Promise<void> {
    await this.#runDpkg('--purge', name)
  }

  /** Undefined if it is not installed. */
  async versionOf(name: string): Promise<string | undefined> {
    const status = await readFile(join(this.#root, 'var/lib/dpkg/status'), 'utf8')
    const entry = status.split('\n\n').find((text) => text.startsWith(`Package: ${name}\n`)) ?? ''
    return entry.includes('\nStatus: install ok installed') ? /^Version: (.*)$/m.exec(entry)?.[1] : undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#root, { recursive: true, force: true, maxRetries: 5 })
  }

  async #build(folder: Repository | '.', name: string, version: string): Promise<string> {
    const source = join(this.#root, 'source')
    await mkdir(join(source, 'DEBIAN'), { recursive: true })
    await writeFile(join(source, 'DEBIAN/control'), controlOf(name, version))
    const file = join(this.#root, folder, fileOf(name, version))
    await run('dpkg-deb', ['--root-owner-group', '-Znone', '-b', source, file])
    return file
  }

  async #writeLists(repository: Repository): Promise<void> {
    const packages = [...this.#entries[repository].values()].join('\n')
    const date = new Date().toUTCString()
    const release = `Label: Muster-${repository}\nDate: ${date}\nSHA256:\n ${digestOf(packages)} ${packages.length} Packages\n`
    await writeFile(join(this.#root, repository, 'Packages'), packages)
    await writeFile(join(this.#root, repository, 'Release'), release)
  }

  async #runDpkg(...args: string[]): Promise<void> {
    // It looks for programs of the administrator, which a user's path may lack.
    const PATH = `${process.env['PATH']}:/usr/local/sbin:/usr/sbin:/sbin`
    await run('dpkg', [...this.#dpkg, ...args], { env: { ...process.env, PATH } })
  }

  get #apt(): string[] {
    return ['-c', join(this.#root, 'apt.conf')]
  }

  get #dpkg(): string[] {
    return [`--root=${this.#root}`, '--force-not-root']
  }

  get #admin(): string[] {
    return [`--admindir=${this.#root}/var/lib/dpkg`]
  }
}

const digestOf = (data: Buffer | string) => createHash('sha256').update(data).digest('hex')

const fileOf = (name: string, version: string) => `${name}_${version}_all.deb`

const controlOf = (name: string, version: string) =>
  `Package: ${name}
Version: ${version}
Architecture: all
Maintainer: Muster Tests <tests@example.org>
Description: holds nothing
`
