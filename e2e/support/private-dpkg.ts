import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * The packages of this machine in a database of their own, which the machine's dpkg-query reads where `env` says so:
 * what is installed and removed there leaves the machine as it is.
 */
export class PrivateDpkg implements AsyncDisposable {
  #root: string

  private constructor(root: string) {
    this.#root = root
  }

  static async open(): Promise<PrivateDpkg> {
    const dpkg = new PrivateDpkg(await mkdtemp(join(tmpdir(), 'muster-e2e-dpkg-')))
    for (const folder of ['info', 'updates', 'triggers'])
      await mkdir(join(dpkg.#folder, folder), { recursive: true })
    await copyFile('/var/lib/dpkg/status', join(dpkg.#folder, 'status'))
    return dpkg
  }

  get env(): Record<string, string> {
    return { DPKG_ADMINDIR: this.#folder }
  }

  get #folder(): string {
    return join(this.#root, 'var/lib/dpkg')
  }

  /** Installs a package of this name that holds nothing. */
  async install(name: string, version: string): Promise<void> {
    const source = join(this.#root, `${name}-${version}`)
    await mkdir(join(source, 'DEBIAN'), { recursive: true })
    const control = [
      `Package: ${name}`,
      `Version: ${version}`,
      'Architecture: all',
      'Maintainer: Muster Tests <tests@example.org>',
      'Description: holds nothing',
      '',
    ]
    await writeFile(join(source, 'DEBIAN/control'), control.join('\n'))
    await run('dpkg-deb', ['--root-owner-group', '--build', source, `${source}.deb`])
    await this.#dpkg('--install', `${source}.deb`)
  }

  async remove(name: string): Promise<void> {
    await this.#dpkg('--purge', name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#root, { recursive: true, force: true })
  }

  async #dpkg(...args: string[]): Promise<void> {
    // It looks for programs of the administrator, which a user's path may lack.
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/local/sbin:/usr/sbin:/sbin` }
    await run('dpkg', [`--root=${this.#root}`, '--force-not-root', ...args], {
      env,
      maxBuffer: 64 * 1024 * 1024,
    })
  }
}
