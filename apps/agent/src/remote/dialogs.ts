import { findProgram } from '../run/find-program.ts'

/** What a person is shown. Both texts are shown as they are, never as markup. */
export interface DialogText {
  title: string
  text: string
}

/** A program that shows windows to the person at the machine. */
export interface DialogProgram {
  path: string
  /** A question with "Allow" and "Refuse", and the exit code that means "Allow". */
  question: (dialog: DialogText) => { args: string[]; allowed: number }
  notice: (dialog: DialogText) => string[]
}

/** One that is installed; undefined where there is none. */
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
/** Qt takes what looks like markup for it, and kdialog makes a new line of a backslash and an n. */
const plain = (text: string) => text.replaceAll(/[<>&]/g, ' ').replaceAll('\\', String.raw`\\`)
