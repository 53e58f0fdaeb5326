import type { StoredFileFormat } from '@muster/contract/api/package-files'
import type { PatchSource } from '@muster/contract/agent/patches'
import type { PackageSource } from '@muster/contract/agent/software'
import type { PatchAction } from '@muster/contract/api/patches'
import type { Generated } from 'kysely'

/** One version of a package on any number of machines. Packages without machines are deleted every night. */
export interface SoftwarePackagesTable {
  id: Generated<number>
  /** Hash of name, publisher, source and version: reported texts are too long for an index. */
  digest: string
  /** Shared by all of its versions, see features/software. */
  title: string
  name: string
  publisher: string
  source: PackageSource
  version: string
  /** Name and publisher in lower case. */
  search_text: string
  /** Computed by rules/sort-key. */
  sort_name: string
}

export interface MachineSoftwareTable {
  /** `id` of the agent. */
  agent: number
  package: number
  size: number | null
  /** YYYY-MM-DD. */
  install_date: string | null
  uninstall: string | null
  /** A newer version that a package manager of the machine offers. */
  available: string | null
  /** Its name in that package manager, if that is another one. */
  package_id: string | null
  /** The contract's PackageStates, separated by blanks; NULL = installed as usual. */
  states: string | null
}

/** There is no row before the first list of a machine. */
export interface SoftwareInventoriesTable {
  agent: number
  /** Hash of the whole list, computed by the agent. */
  hash: string
  left_out: number
  looked_at: string
  changed_at: string
  /** JSON list of package managers; NULL = the agent does not report them. */
  managers: string | null
  /** Why newer versions may be missing. */
  upgrades_problem: string | null
}

/** Installers that users have uploaded. */
export interface PackageFilesTable {
  id: Generated<number>
  name: string
  file_name: string
  format: StoredFileFormat
  bytes: number
  /** NULL = the upload has not finished. */
  sha256: string | null
  args: string
  /** JSON of the contract's Detection. */
  detection: string | null
  created_by: string
  created_at: string
  modified: string
}

/** Written by features/policies, enforced by features/software. */
export interface MachineSoftwarePoliciesTable {
  /** `id` of the agent. */
  agent: number
  /** JSON list of the contract's PolicySoftware. */
  policy: string
  /** When the machine is compared next. */
  check_at: string
}

/** Bytes of a package file, in order from 1. */
export interface PackageFilePartsTable {
  file: number
  number: number
  data: Uint8Array
}

/** Available patches of a machine. There is no row before its first scan. */
export interface MachinePatchesTable {
  /** `id` of the agent. */
  agent: number
  /** Hash of the whole list, computed by the agent. */
  hash: string
  /** JSON list of the feature's StoredPatch. */
  patches: string
  /** The highest number assigned so far. Numbers are never reused. */
  last_number: Generated<number>
  pending: number
  left_out: number
  problem: string | null
  looked_at: string
  /** NULL = every scan has failed so far. */
  changed_at: string | null
}

/** Installed patches of a machine. There is no row before its first report. */
export interface InstalledPatchesTable {
  /** `id` of the agent. */
  agent: number
  /** JSON list of InstalledPatch, newest first. */
  patches: string
}

/** One version of a patch that any machine can install. Versions without machines are deleted every night. */
export interface PatchVersionsTable {
  id: Generated<number>
  /** Hash of all that is shown. */
  digest: string
  guid: string
  source: PatchSource
  title: string
  kb: string
  version: string
  severity: string
  security: number
  needs_reboot: number
  /** Title, KB and guid in lower case. */
  search_text: string
  /** 0 = most severe. */
  severity_rank: number
  first_seen: string
}

/** The index of `machine_patches` by patch, written together with it. */
export interface MachinePatchVersionsTable {
  /** `id` of the agent. */
  agent: number
  patch: number
  action: PatchAction
  current_version: string
}

/** How many machines of a client had no pending patch on a day, as of its last record. */
export interface PatchDaysTable {
  /** YYYY-MM-DD. */
  day: string
  client_id: number
  scanned: number
  up_to_date: number
}

/** The patch policy of a machine: what its policies give it, and what is its own. */
export interface MachinePatchPoliciesTable {
  /** `id` of the agent. */
  agent: number
  /** The effective sections with their sources: EffectivePatchPolicy of features/patches as JSON. */
  policy: Generated<string>
  /** OwnPatchPolicy as JSON. */
  own: Generated<string>
  /** When its patches are judged again; null = nothing changes with time. */
  judge_at: string | null
  /** The next installation, and when nothing is started any more. */
  next_at: string | null
  next_until: string | null
}

/** An installation by a policy: one for each machine and time. */
export interface PatchInstallsTable {
  id: Generated<number>
  /** `id` of the agent. */
  agent: number
  due_at: string
  /** Nothing is started after it. */
  until: string
  /** The policy at that time, as in machine_patch_policies. */
  policy: string
  step: 'before' | 'install' | 'after' | 'reboot'
  /** The run of the step; null = it has not started. */
  history_id: number | null
  tries: Generated<number>
  /** The patches that it installs: InstalledPatch of features/patches as JSON. */
  patches: Generated<string>
  /** When something is to be done; null = a run is to end first, or all is done. */
  next_at: string | null
  /** When it gives up the restart. */
  ends_at: string | null
  state: 'running' | 'succeeded' | 'failed' | 'missed'
  /** The result as a sentence. */
  reason: string | null
  /** A patch that it installed asks for a restart. */
  needs_reboot: Generated<0 | 1>
  finished_at: string | null
}

/** Results of a version of a patch on the machines of one ring of a policy. */
export interface RingPatchesTable {
  /** That approved it. */
  policy: number
  ring: number
  digest: string
  /** The first success. */
  succeeded_at: string | null
  /** Machines on which it failed, after all tries. */
  failed: Generated<number>
  changed_at: string
}
