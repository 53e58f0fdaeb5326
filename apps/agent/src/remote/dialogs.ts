import { findProgram } from '../run/find-program.ts'

/** Content of a dialog. Both texts are plain text, never markup. */
export interface DialogText {
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
