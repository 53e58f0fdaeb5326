import { describeError, type Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import type { Visit } from './consents.ts'
import { findDialogProgram } from './dialogs.ts'
import { findPersonAt } from './person-at.ts'
import { showDialog } from './show-dialog.ts'

/**
 * Tells the person at the machine who is there. The window carries the mark of the session, and ends with all else that
 * does when the session ends. Where nothing can be shown, nothing is.
 */
export async function showBanner(
  { session, tool, person, recorded }: Visit,
  { os, log, isOver }: { os: Pick<Os, 'findUser'>; log: Log; isOver: () => boolean },
): Promise<void> {
  const at = await findPersonAt(os)
  const program = findDialogProgram()
  if ('nobody' in at || program === undefined || isOver()) return
  const kept = recorded ? ', and what is shown is recorded' : ''
  const text = `${person} ${WORDS[tool]}${kept}. This note goes when that ends.`
  const args = program.notice({ title: 'Remote access', text })
  const child = showDialog({ path: program.path, args, marker: session }, at)
  child.once('error', (cause) => log.info({ cause: describeError(cause) }, 'no note could be shown'))
}

const WORDS = {
  terminal: 'has a terminal on this computer',
  desktop: 'sees the screen of this computer',
  vnc: 'sees a screen by way of this computer',
} as const
