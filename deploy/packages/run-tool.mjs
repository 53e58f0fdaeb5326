import { spawnSync } from 'node:child_process'

/** A failure to print as one sentence. */
export class PackageError extends Error {}

/** Seconds. All files in packages have this time, so that the same input gives the same package. */
export const SOURCE_DATE_EPOCH = Number(process.env.SOURCE_DATE_EPOCH ?? Date.UTC(2026, 0, 1) / 1000)

/** Debian packages of the programs that build packages. */
const DEBIAN_PACKAGES = {
  wixl: 'wixl',
  msibuild: 'msitools',
  msiinfo: 'msitools',
  'dpkg-deb': 'dpkg',
  rpmbuild: 'rpm',
  tar: 'tar',
  xz: 'xz-utils',
  osslsigncode: 'osslsigncode',
  rpmsign: 'rpm',
  gpg: 'gnupg',
  npm: 'npm',
}

/** Runs a program to its end and returns what it printed. Throws PackageError. */
export function runTool(program, args, options = {}) {
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(SOURCE_DATE_EPOCH), LC_ALL: 'C', ...options.env }
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    ...options,
    env,
  })
  if (error?.code === 'ENOENT') {
    const name = DEBIAN_PACKAGES[program]
    throw new PackageError(
      name === undefined
        ? `${program} is missing.`
        : `${program} is missing. Install the Debian package ${name}.`,
    )
  }
  if (error !== undefined || status !== 0) {
    const detail = error?.message ?? `${stderr}${stdout}`.trim().slice(-500)
    throw new PackageError(`${program} failed: ${detail}`)
  }
  return stdout
}
