import { describeError, type Log } from '../log/log.ts'
import type { Os } from '../os/os.ts'
import type { Visit } from './consents.ts'
import { findDialogProgram } from './dialogs.ts'
import { findPersonAt } from './person-at.ts'
import { showDialog } from './show-dialog.ts'

/**
 * Notifies the user at the machine of a remote session. The window carries the session's mark and is closed with it.
 * Does nothing if no window can be shown.
 */
export async function showBanner(
  { session, tool, person, recorded }: Visit,
  { os, log, isOver }: { os: Pick<Os, 'findUser'>; log: Log; isOver: () => boolean },
): Promise<void> {
  const at = await findPersonAt(os)
  const program = findDialogProgram()
  if ('nobody' in at || program === undefined || isOver()) return
  const kept = recorded ? '. The session is recorded' : ''
  const text = `${person} ${WORDS[tool]}${kept}. This window closes when the session ends.`
  const args = program.notice({ title: 'Remote access', text })
  const child = showDialog({ path: program.path, args, marker: session }, at)
  child.once('error', (cause) => log.info({ cause: describeError(cause) }, 'failed to show the banner'))
}

const WORDS = {
  terminal: 'is using a terminal on this computer',
  desktop: 'is viewing the screen of this computer',
  vnc: 'is viewing a screen through this computer',
} as const
