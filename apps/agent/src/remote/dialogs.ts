import { type ChildProcess, spawn } from 'node:child_process'
import { findProgram } from '../run/find-program.ts'
import { withStartUmask } from '../os/umask.ts'
import { makeEnvironment, workingFolder } from '../run/environment.ts'
import type { Os } from '../os/os.ts'
import { describeError, type Log } from '../log/log.ts'
import { findDesktopUser, type DesktopUser } from './desktop-user.ts'
import type { ConsentRequest } from './consents.ts'

/** Content of a dialog. Both texts are plain text, never markup. */
interface DialogText {
  title: string
  text: string
}

/** A program that shows dialogs to the user at the machine. */
export interface DialogProgram {
  path: string
  /** A question with "Allow" and "Refuse". `code` is the exit code for "Allow". */
  question: (dialog: DialogText) => { args: string[]; allowed: number }
  notice: (dialog: DialogText) => string[]
}

/** The installed dialog program; undefined if none. */
export function findDialogProgram(): DialogProgram | undefined {
  for (const [name, make] of Object.entries(PROGRAMS)) {
    const path = findProgram(name)
    if (path !== undefined) return { path, ...make }
  }
  return undefined
}

const PROGRAMS: Record<string, Omit<DialogProgram, 'path'>> = {
  zenity: {
    question: ({ title, text }) => ({
      args: ['--question', '--no-markup', ...zenityTexts(title, text), ...ZENITY_BUTTONS],
      allowed: 0,
    }),
    notice: ({ title, text }) => ['--info', '--no-markup', ...zenityTexts(title, text)],
  },
  kdialog: {
    question: ({ title, text }) => ({
      args: ['--title', title, '--yesno', plain(text), '--yes-label', 'Allow', '--no-label', 'Refuse'],
      allowed: 0,
    }),
    notice: ({ title, text }) => ['--title', title, '--msgbox', plain(text)],
  },
  xmessage: {
    question: ({ title, text }) => ({
      args: ['-center', '-title', title, '-buttons', 'Allow:10,Refuse:11', text],
      allowed: 10,
    }),
    notice: ({ title, text }) => ['-title', title, '-buttons', 'Close:0', text],
  },
}

const ZENITY_BUTTONS = ['--ok-label=Allow', '--cancel-label=Refuse']
const zenityTexts = (title: string, text: string) => [`--title=${title}`, `--text=${text}`]
/** Qt interprets markup, and kdialog turns a backslash and an n into a new line. */
const plain = (text: string) => text.replaceAll(/[<>&]/g, ' ').replaceAll('\\', String.raw`\\`)

/** Starts a dialog program as the user at the machine. */
function showDialog(
  { path, args, marker }: { path: string; args: string[]; marker: string },
  { display, user }: DesktopUser,
): ChildProcess {
  return withStartUmask(() =>
    spawn(path, args, {
      cwd: workingFolder(user),
      env: {
        ...makeEnvironment([], user),
        DISPLAY: display.name,
        ...(display.authority === undefined ? {} : { XAUTHORITY: display.authority }),
        MUSTER_RUN: marker,
      },
      stdio: 'ignore',
      detached: true,
      ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
    }),
  )
}

/**
 * Result of a consent request: `silent` = no response in time; `nobody` = the reason why the user could not be
 * asked.
 */
export type Answer = 'allowed' | 'refused' | 'silent' | 'cancelled' | { nobody: string }

/** Asks the user at the machine. The window is closed when this resolves. */
export async function askForConsent(
  dialog: DialogText,
  {
    seconds,
    marker,
    os,
    signal,
  }: { seconds: number; marker: string; os: Pick<Os, 'findUser' | 'killTree'>; signal: AbortSignal },
): Promise<Answer> {
  const person = await findDesktopUser(os)
  if ('nobody' in person) return person
  const program = findDialogProgram()
  if (program === undefined) return { nobody: 'neither zenity nor kdialog nor xmessage is installed' }
  if (signal.aborted) return 'cancelled'
  const { args, allowed } = program.question(dialog)
  const child = showDialog({ path: program.path, args, marker }, person)
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => resolve('silent'), seconds * 1000)
  const cancelConsent = () => resolve('cancelled')
  signal.addEventListener('abort', cancelConsent)
  child.once('error', ({ message }) => resolve({ nobody: `failed to start ${program.path}: ${message}` }))
  child.once('exit', (code, killed) => {
    // A window that was closed or could not be shown exits with a code that allows nothing.
    if (killed !== null) resolve({ nobody: 'the question could not be shown' })
    else resolve(code === allowed ? 'allowed' : 'refused')
  })
  const answer = await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', cancelConsent)
  await os.killTree(child.exitCode === null ? (child.pid ?? 0) : 0, marker)
  return answer
}

/**
 * Notifies the user at the machine of a remote session. The window carries the session's mark and is closed with it.
 * Does nothing if no window can be shown.
 */
export async function showBanner(
  { session, tool, person, recorded }: ConsentRequest,
  { os, log, isOver }: { os: Pick<Os, 'findUser'>; log: Log; isOver: () => boolean },
): Promise<void> {
  const at = await findDesktopUser(os)
  const program = findDialogProgram()
  if ('nobody' in at || program === undefined || isOver()) return
  const kept = recorded ? '. The session is recorded' : ''
  const text = `${person} ${TOOL_TEXTS[tool]}${kept}. This window closes when the session ends.`
  const args = program.notice({ title: 'Remote access', text })
  const child = showDialog({ path: program.path, args, marker: session }, at)
  child.once('error', (cause) => log.info({ cause: describeError(cause) }, 'failed to show the banner'))
}

const TOOL_TEXTS = {
  terminal: 'is using a terminal on this computer',
  desktop: 'is viewing the screen of this computer',
  vnc: 'is viewing a screen through this computer',
} as const
