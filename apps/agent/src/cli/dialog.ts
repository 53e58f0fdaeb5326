import { CliError } from '../errors.ts'
import { loadUser32 } from '../os/windows/desktop/user32.ts'
import { DIALOG_ALLOWED, WindowsDialog } from '../remote/windows-dialogs.ts'

/** MessageBoxW: yes and no, "no" by default; an information; above other windows. */
const QUESTION = 0x04 | 0x20 | 0x01_00
const NOTICE = 0x40
const IN_FRONT = 0x01_00_00 | 0x04_00_00
const YES = 6

/** Runs in the session of the signed-in user. Shows a dialog, and returns the exit code for its answer. */
export async function showDialog(): Promise<number> {
  const { MUSTER_DIALOG: given = '' } = process.env
  delete process.env.MUSTER_DIALOG
  if (given === '') throw new CliError('"dialog" is started by the agent')
  const { kind, title, text } = WindowsDialog.parse(JSON.parse(given))
  const { showMessage } = await loadUser32()
  const answer =
    kind === 'question'
      ? showMessage(null, text, title, QUESTION | IN_FRONT)
      : showMessage(null, text, title, NOTICE | IN_FRONT)
  return answer === YES ? DIALOG_ALLOWED : 1
}
