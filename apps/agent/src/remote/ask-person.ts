import type { Os } from '../os/os.ts'
import { findDialogProgram, type DialogText } from './dialogs.ts'
import { findPersonAt } from './person-at.ts'
import { showDialog } from './show-dialog.ts'

/**
 * Result of a consent request: `silent` = no response in time; `nobody` = the reason why the user could not be
 * asked.
 */
export type Answer = 'allowed' | 'refused' | 'silent' | 'called off' | { nobody: string }

/** Asks the user at the machine. The window is closed when this resolves. */
export async function askPerson(
  dialog: DialogText,
  {
    seconds,
    marker,
    os,
    signal,
  }: { seconds: number; marker: string; os: Pick<Os, 'findUser' | 'killTree'>; signal: AbortSignal },
): Promise<Answer> {
  const person = await findPersonAt(os)
  if ('nobody' in person) return person
  const program = findDialogProgram()
  if (program === undefined) return { nobody: 'neither zenity nor kdialog nor xmessage is installed' }
  if (signal.aborted) return 'called off'
  const { args, allowed } = program.question(dialog)
  const child = showDialog({ path: program.path, args, marker }, person)
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => resolve('silent'), seconds * 1000)
  const callOff = () => resolve('called off')
  signal.addEventListener('abort', callOff)
  child.once('error', ({ message }) => resolve({ nobody: `failed to start ${program.path}: ${message}` }))
  child.once('exit', (code, killed) => {
    // A window that was closed or could not be shown exits with a code that allows nothing.
    if (killed !== null) resolve({ nobody: 'the question could not be shown' })
    else resolve(code === allowed ? 'allowed' : 'refused')
  })
  const answer = await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', callOff)
  await os.killTree(child.exitCode === null ? (child.pid ?? 0) : 0, marker)
  return answer
}
