import { z } from 'zod'
import { AgentError } from '../errors.ts'
import { findSignedInUser, startInSession } from '../os/windows/session-process.ts'
import type { ShownDialog } from './dialogs.ts'

/** Input of the dialog process, as JSON in the environment variable MUSTER_DIALOG. */
export const WindowsDialog = z.object({
  kind: z.enum(['question', 'notice']),
  title: z.string(),
  text: z.string(),
})
export type WindowsDialog = z.infer<typeof WindowsDialog>

export const DIALOG_ALLOWED = 10

/** Shows a dialog to the user who is signed in, by a process of this agent with the rights of that user. */
export async function showWindowsDialog(
  dialog: WindowsDialog,
  { program, marker }: { program: readonly string[]; marker: string },
): Promise<ShownDialog | { nobody: string }> {
  try {
    if ((await findSignedInUser()) === undefined) return { nobody: 'no user is signed in' }
    const started = await startInSession([...program, 'dialog'], {
      marker,
      account: 'user',
      env: { MUSTER_DIALOG: JSON.stringify(dialog) },
    })
    return { ...started, allowed: DIALOG_ALLOWED }
  } catch (cause) {
    if (cause instanceof AgentError) return { nobody: cause.message }
    throw cause
  }
}
