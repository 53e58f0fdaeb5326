import type { InstallerEnd } from '../run-installer.ts'

/** What went wrong with apt or dpkg, as a sentence for the person who asked for it. */
export function describeAptFailure({ code, said }: InstallerEnd): string {
  const [, process, program] = /held by process (\d+) \(([^)\n]+)\)/.exec(said) ?? []
  if (process !== undefined)
    return `Another program is busy with the packages of this machine: ${program}, process ${process}. Try again when it has ended.`
  if (/Could not get lock|Unable to (lock|acquire)|is locked by another process/.test(said))
    return 'Another program is busy with the packages of this machine. Try again when it has ended.'
  if (/Packages need to be removed but remove is disabled/.test(said))
    return 'Other packages would have to be removed for it, so nothing was installed. Do this in a terminal.'
  if (/No space left on device|enough free space/.test(said))
    return 'There is not enough free space on the disk.'
  const [, missing] = /Unable to locate package (\S+)/.exec(said) ?? []
  if (missing !== undefined) return `No package ${missing} is known to this machine.`
  const trouble = said.split('\n').findLast((line) => /^E: |^dpkg: error/.test(line))
  if (/Failed to fetch/.test(said))
    return `Packages could not be fetched: ${trouble?.replace(/^E: /, '') ?? 'no answer'}`
  const how = code === null ? 'apt-get was ended' : `apt-get ended with code ${code}`
  return trouble === undefined ? `${how}.` : `${how}: ${trouble.replace(/^E: /, '')}`
}
