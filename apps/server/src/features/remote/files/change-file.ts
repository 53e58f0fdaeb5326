import type { FileChange, TextFile } from '@muster/contract/agent/files'
import type { AuditAction } from '@muster/contract/api/audit'
import { AppError } from '@muster/contract/errors'
import { showRaw } from '@muster/rules/agents/raw-path'
import type { Context } from '../../../context.ts'
import { type Asking, askMachine } from '../../../fleet/ask-machine.ts'

const ACTIONS: Record<FileChange['change'], AuditAction> = {
  'make-folder': 'add',
  move: 'modify',
  delete: 'delete',
  'set-mode': 'modify',
}

/** Has a machine change one thing among its files, and writes it down. */
export function changeMachineFile(
  ctx: Context,
  asking: Asking,
  change: FileChange,
): Promise<{ count: number }> {
  const path = showRaw(change.path)
  return askMachine(ctx, asking, {
    name: 'change-file',
    input: change,
    action: ACTIONS[change.change],
    object_type: 'file',
    describe: (answer) => tellChange(change, answer?.count ?? 1),
    keep: (answer) => ({ ...change, shown_path: path, ...answer }),
  })
}

function tellChange(change: FileChange, count: number): string {
  const path = showRaw(change.path)
  switch (change.change) {
    case 'make-folder':
      return `Made the folder "${path}"`
    case 'move':
      return `Moved "${path}" to "${showRaw(change.to)}"`
    case 'delete':
      return count > 1 ? `Deleted "${path}" with ${count - 1} more in it` : `Deleted "${path}"`
    case 'set-mode':
      return `Set the rights of "${path}" to ${change.mode.toString(8).padStart(4, '0')}`
  }
}

export function readTextFile(ctx: Context, asking: Asking, path: string): Promise<TextFile> {
  const shown = showRaw(path)
  return askMachine(ctx, asking, {
    name: 'read-text',
    input: { path },
    action: 'view',
    object_type: 'file',
    describe: () => `Looked at "${shown}"`,
    keep: (answer) => ({ shown_path: shown, path, ...bytesOf(answer?.text) }),
  })
}

/** Throws when somebody else has written it since it was read. */
export async function writeTextFile(
  ctx: Context,
  asking: Asking,
  input: { path: string; text: string; hash: string },
): Promise<{ hash: string }> {
  const shown = showRaw(input.path)
  const { state, hash } = await askMachine(ctx, asking, {
    name: 'write-text',
    input,
    action: 'modify',
    object_type: 'file',
    describe: (answer) =>
      answer?.state === 'changed'
        ? `Refused to edit "${shown}", which was changed meanwhile`
        : `Edited "${shown}" (${Buffer.byteLength(input.text)} B)`,
    keep: () => ({ shown_path: shown, path: input.path, ...bytesOf(input.text), hash_before: input.hash }),
  })
  if (state === 'changed')
    throw new AppError('changed_meanwhile', 'The file was changed on the machine since you opened it.')
  return { hash }
}

function bytesOf(text: string | undefined): { bytes?: number } {
  return text === undefined ? {} : { bytes: Buffer.byteLength(text) }
}
