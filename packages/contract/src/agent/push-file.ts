import { z } from 'zod'
import { FileHash, FileMode, FileOwner, RawPath } from './files.ts'
import { MAX_PACKAGE_FILE_BYTES, PackageFileToken } from './package-files.ts'

/** A larger former file is not kept, so its machine has no undo. */
export const MAX_KEPT_FILE_BYTES = 64 * 1024 * 1024
/** How long an agent keeps a former file. */
export const KEPT_FILE_DAYS = 30

/** A file that the agent downloads from its server to this path. Links above it are followed; its folder must exist. */
export const PushFile = z.object({
  path: RawPath,
  bytes: z.int().min(1).max(MAX_PACKAGE_FILE_BYTES),
  sha256: FileHash,
  /** Allows the download until the run has ended. */
  token: PackageFileToken,
  /** Null = unchanged; for a new file 0644, and the user of the agent. Not on Windows. */
  mode: FileMode.nullable(),
  owner: FileOwner.nullable(),
  /** False = a file with other content stays. */
  overwrite: z.boolean(),
  /** The job that pushes it: `undo-push` restores the file by this number. */
  job: z.int().min(1),
})
export type PushFile = z.infer<typeof PushFile>

export const UndonePush = z.object({ state: z.enum(['restored', 'deleted']) })

/** The last line of a run of `push-file`. */
export const PUSHED = {
  created: 'Created.',
  replaced: 'Replaced. The former file is kept for undo.',
  /** Followed by the reason. */
  lost: 'Replaced. Undo is not possible: ',
  earlier: 'The file already has this content, from an earlier try of this job.',
  same: 'Unchanged. The file already has this content.',
  skipped: 'Skipped. The file exists with other content.',
} as const

/** Whether undo is possible, by the output of a run, or why not; undefined = the run has changed nothing. */
export function readPushed(
  output: string,
): { undo: 'restore' } | { undo: 'lost'; reason: string } | undefined {
  const line = output.trimEnd().split('\n').at(-1) ?? ''
  if (line.startsWith(PUSHED.lost)) return { undo: 'lost', reason: line.slice(PUSHED.lost.length, 400) }
  const isKept = line === PUSHED.created || line === PUSHED.replaced || line === PUSHED.earlier
  return isKept ? { undo: 'restore' } : undefined
}
