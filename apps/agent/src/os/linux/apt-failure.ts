import type { InstallerEnd } from '../run-installer.ts'

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
