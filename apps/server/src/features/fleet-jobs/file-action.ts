import { createHash } from 'node:crypto'
import type { FoundText } from '@muster/contract/agent/files'
import type { AuditAction } from '@muster/contract/api/audit'
import type { JobAction } from '@muster/contract/fleet-jobs/job-draft'
import { AppError } from '@muster/contract/errors'
import { platformName } from '@muster/rules/agents/available-actions'
import { isWindowsPath, rawOfText } from '@muster/rules/agents/raw-path'
import { formatFileSize } from '@muster/rules/text/units'
import type { Context } from '../../context.ts'
import { type AgentRequest, requestAgent } from '../agents/request-agent.ts'
import { requireAgent } from '../agents/require-agent.ts'
import type { BeforeJob, Keep } from './kept-values.ts'

type Action = Extract<JobAction, { type: 'file' }>

export interface FileBefore {
  path: string
  /** Null = the file did not exist. */
  content: { text: string; mode: number | null; owner: string | null } | null
  /** The hash of what the job wrote. */
  written: string
}

/** Larger files are not kept. */
const MAX_KEPT_BYTES = 64 * 1024

export function describeFileAction({ path, text }: Action): string {
  return `Write the file "${path}" (${Buffer.byteLength(text)} B)`
}

/** Why a machine cannot have the file; undefined = it can. */
export function refuseFile(
  { path, mode, owner }: Pick<Action, 'path' | 'mode' | 'owner'>,
  plat: string,
): string | undefined {
  const isForWindows = isWindowsPath(path)
  if (isForWindows !== (plat === 'windows'))
    return `The path is for ${isForWindows ? 'Windows' : 'Linux and macOS'}, not ${platformName(plat)}.`
  return isForWindows && (mode !== null || owner !== null)
    ? 'Windows has access lists instead of modes and owners.'
    : undefined
}

/** Returns what was done, as words. */
export async function writeJobFile(
  ctx: Context,
  request: AgentRequest,
  { action: { path, text, mode, owner }, keep }: { action: Action; keep: Keep },
): Promise<string> {
  const found = await findText(ctx, request, path)
  await keep(keptOf(path, text, found), { isSet: found.state === 'text' && found.text === text })
  await putText(ctx, request, {
    path,
    text,
    mode,
    owner,
    ...(found.state !== 'other' && { hash: hashOf(found) }),
  })
  return found.state === 'missing' ? 'Created' : 'Replaced'
}

/** Throws if the file was changed after the job. */
export async function restoreFile(
  ctx: Context,
  request: AgentRequest,
  { path, content, written }: FileBefore,
): Promise<string> {
  // Undo that was interrupted and is tried again.
  if (content === null && (await findText(ctx, request, path)).state === 'missing') return 'Deleted'
  const { text, mode, owner } = content ?? { text: null, mode: null, owner: null }
  await putText(ctx, request, { path, text, mode, owner, hash: written })
  return text === null ? 'Deleted' : 'Restored'
}

async function findText(
  ctx: Context,
  { fleet, caller, agentId }: AgentRequest,
  path: string,
): Promise<FoundText> {
  const agent = await requireAgent(ctx.db, agentId, caller)
  return fleet.ask(agent, 'find-text', { input: { path: rawOfText(path) }, author: caller.username })
}

async function putText(
  ctx: Context,
  request: AgentRequest,
  {
    path,
    ...file
  }: { path: string; text: string | null; mode: number | null; owner: string | null; hash?: string | null },
): Promise<void> {
  const { text, mode, owner, hash } = file
  const action: AuditAction = text === null ? 'delete' : hash === null ? 'add' : 'modify'
  const bytes = text === null ? {} : { bytes: Buffer.byteLength(text) }
  const { state } = await requestAgent(ctx, request, {
    name: 'put-text',
    input: { path: rawOfText(path), ...file },
    action,
    object_type: 'file',
    describe: (answer) =>
      answer?.state === 'changed'
        ? `Failed to write "${path}": it was changed on the machine`
        : text === null
          ? `Deleted "${path}"`
          : `Wrote "${path}" (${bytes.bytes} B)`,
    keep: () => ({ shown_path: path, ...bytes, mode, owner }),
  })
  if (state === 'changed')
    throw new AppError('changed_meanwhile', `"${path}" was changed on the machine, so it was not replaced.`)
}

const hashOf = (found: Exclude<FoundText, { state: 'other' }>): string | null =>
  found.state === 'missing' ? null : found.hash

function keptOf(path: string, text: string, found: FoundText): BeforeJob {
  const written = createHash('sha256').update(text).digest('hex')
  if (found.state === 'missing') return { file: { path, content: null, written } }
  if (found.state === 'other') return { lost: `The previous content was not kept. ${found.reason}` }
  if (Buffer.byteLength(found.text) > MAX_KEPT_BYTES)
    return {
      lost: `The previous content was not kept. The file was larger than ${formatFileSize(MAX_KEPT_BYTES)}.`,
    }
  return { file: { path, content: { text: found.text, mode: found.mode, owner: found.owner }, written } }
}
