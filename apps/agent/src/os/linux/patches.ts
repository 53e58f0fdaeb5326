import { Unmeasurable } from '../../checks/unmeasurable.ts'
import { findProgram } from '../../run/find-program.ts'
import { MachineRefused } from '../machine-refused.ts'
import type { PatchTools } from '../patch-tools.ts'
import { installAptPackage, installAptPatches } from './apt-install.ts'
import { scanApt } from './apt-list.ts'
import { dnf } from './dnf.ts'

const NEITHER = 'There is neither apt nor dnf on this machine, so nothing keeps its packages up to date.'

const apt: PatchTools = { scan: scanApt, install: installAptPatches, installPackage: installAptPackage }

/** Those of the package manager that is there. */
export const linuxPatches: PatchTools = {
  async scan(options) {
    const manager = findManager()
    if (manager === undefined) throw new Unmeasurable(NEITHER)
    return manager.scan(options)
  },
  install: (guids) => requireManager().install(guids),
  installPackage: (names) => requireManager().installPackage(names),
}

function findManager(): PatchTools | undefined {
  if (findProgram('apt-get') !== undefined) return apt
  return findProgram('dnf', 'yum') === undefined ? undefined : dnf
}

function requireManager(): PatchTools {
  const manager = findManager()
  if (manager === undefined) throw new MachineRefused(NEITHER)
  return manager
}
