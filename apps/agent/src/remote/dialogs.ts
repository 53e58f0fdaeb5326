import { type ChildProcess, spawn } from 'node:child_process'
import { findProgram } from '../run/find-program.ts'
import { withStartUmask } from '../os/umask.ts'
import { makeEnvironment } from '../run/environment.ts'
import type { Os } from '../os/os.ts'
import { describeError, type Log } from '../log/log.ts'
import { findDesktopUser, type DesktopUser } from './desktop-user.ts'
import type { ConsentRequest } from './consents.ts'

/** Content of a dialog. All texts are plain text, never markup. */
interface DialogText {
  title: string
  text: string
}
interface YesNoDialog extends DialogText {
  /** The question itself, for dialogs with "Yes" and "No", and two buttons for the others. */
  question: { ask: string; yes: string; no: string }
}

/** A program that shows dialogs to the user at the machine. */
export interface DialogProgram {
  path: string
  /** `allowed` is the exit code for "yes". */
  question: (dialog: YesNoDialog) => { args: string[]; allowed: number }
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
    question: ({ title, text, question: { yes, no } }) => ({
      args: [
        '--question',
        '--no-markup',
        ...zenityTexts(title, text),
        `--ok-label=${yes}`,
        `--cancel-label=${no}`,
      ],
      allowed: 0,
    }),
    notice: ({ title, text }) => ['--info', '--no-markup', ...zenityTexts(title, text)],
  },
  kdialog: {
    question: ({ title, text, question: { yes, no } }) => ({
      args: ['--title', title, '--yesno', plain(text), '--yes-label', yes, '--no-label', no],
      allowed: 0,
    }),
    notice: ({ title, text }) => ['--title', title, '--msgbox', plain(text)],
  },
  xmessage: {
    question: ({ title, text, question: { yes, no } }) => ({
      args: ['-center', '-title', title, '-buttons', `${yes}:10,${no}:11`, text],
      allowed: 10,
    }),
    notice: ({ title, text }) => ['-title', title, '-buttons', 'Close:0', text],
  },
}

const zenityTexts = (title: string, text: string) => [`--title=${title}`, `--text=${text}`]
/** Qt interprets markup, and kdialog turns a backslash and an n into a new line. */
const plain = (text: string) => text.replaceAll(/[<>&]/g, ' ').replaceAll('\\', String.raw`\\`)

/** A dialog on the screen of the machine. */
export interface ShownDialog {
  pid: number
  /** Resolves with its exit code; null = it was ended. Rejects if it could not be started. */
  exited: Promise<number | null>
  /** The exit code for "yes". */
  allowed: number
}

interface DialogOptions {
  marker: string
  os: Pick<Os, 'findUser'>
  /** Command line that starts this agent. */
  program: readonly string[]
}

/** Shows a dialog to the user at the machine, or returns why that is not possible, as part of a sentence. */
export async function openDialog(
  dialog: DialogText & Partial<YesNoDialog>,
  { marker, os, program }: DialogOptions,
): Promise<ShownDialog | { nobody: string }> {
  if (process.platform === 'win32') {
    const { showWindowsDialog } = await import('./windows-dialogs.ts')
    const { title, text, question } = dialog
    return showWindowsDialog(
      question === undefined
        ? { kind: 'notice', title, text }
        : { kind: 'question', title, text: `${text}\n\n${question.ask}` },
      { program, marker },
    )
  }
  const person = await findDesktopUser(os)
  if ('nobody' in person) return person
  const found = findDialogProgram()
  if (found === undefined) return { nobody: 'neither zenity nor kdialog nor xmessage is installed' }
  const { question } = dialog
  const { args, allowed } =
    question === undefined
      ? { args: found.notice(dialog), allowed: 0 }
      : found.question({ ...dialog, question })
  const child = startDialog({ path: found.path, args, marker }, person)
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('exit', resolve)
    child.once('error', ({ message }) => reject(new Error(`failed to start ${found.path}: ${message}`)))
  })
  return { pid: child.pid ?? 0, exited, allowed }
}

/** Starts a dialog program as the user at the machine. */
function startDialog(
  { path, args, marker }: { path: string; args: string[]; marker: string },
  { display, user }: DesktopUser,
): ChildProcess {
  return withStartUmask(() =>
    spawn(path, args, {
      cwd: '/',
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

const CONSENT = { ask: 'Allow access?', yes: 'Allow', no: 'Refuse' }

/** Asks the user at the machine. The window is closed when this resolves. */
export async function askForConsent(
  dialog: DialogText,
  {
    seconds,
    os,
    signal,
    ...options
  }: {
    seconds: number
    marker: string
    os: Pick<Os, 'findUser' | 'killTree'>
    program: readonly string[]
    signal: AbortSignal
  },
): Promise<Answer> {
  if (signal.aborted) return 'cancelled'
  const shown = await openDialog({ ...dialog, question: CONSENT }, { ...options, os })
  if ('nobody' in shown) return shown
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => resolve('silent'), seconds * 1000)
  const cancelConsent = () => resolve('cancelled')
  if (signal.aborted) cancelConsent()
  signal.addEventListener('abort', cancelConsent)
  let hasExited = false
  shown.exited.then(
    (code) => {
      hasExited = true
      // A window that was closed or could not be shown exits with a code that allows nothing.
      if (code === null) resolve({ nobody: 'the question could not be shown' })
      else resolve(code === shown.allowed ? 'allowed' : 'refused')
    },
    ({ message }: Error) => resolve({ nobody: message }),
  )
  const answer = await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', cancelConsent)
  await os.killTree(hasExited ? 0 : shown.pid, options.marker)
  return answer
}

/**
 * Notifies the user at the machine of a remote session. The window carries the session's mark and is closed with it.
 * Does nothing if no window can be shown.
 */
export async function showBanner(
  { session, tool, person, recorded }: ConsentRequest,
  {
    os,
    log,
    program,
    isOver,
  }: { os: Pick<Os, 'findUser' | 'killTree'>; log: Log; program: readonly string[]; isOver: () => boolean },
): Promise<void> {
  const kept = recorded ? '. The session is recorded' : ''
  const text = `${person} ${TOOL_TEXTS[tool]}${kept}. This window closes when the session ends.`
  if (isOver()) return
  const shown = await openDialog({ title: 'Remote access', text }, { marker: session, os, program })
  if ('nobody' in shown) return
  shown.exited.catch((cause: unknown) =>
    log.info({ cause: describeError(cause) }, 'failed to show the banner'),
  )
  // The session ended meanwhile, and with it what carried its mark.
  if (isOver()) await os.killTree(shown.pid, session)
}

const TOOL_TEXTS = {
  terminal: 'is using a terminal on this computer',
  desktop: 'is viewing the screen of this computer',
  vnc: 'is viewing a screen through this computer',
} as const
