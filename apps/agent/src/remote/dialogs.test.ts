import { expect, test } from 'vitest'
import { givenPrograms } from '../testing/given-programs.ts'
import { findDialogProgram } from './dialogs.ts'

test('special characters in a reason add no lines to the dialog of kdialog', () => {
  const folder = givenPrograms({ kdialog: 'exit 1' })
  const program = findDialogProgram()
  expect(program?.path).toBe(`${folder}/kdialog`)
  const dialog = { title: 'Remote access', text: String.raw`CORP\ada asks.\nIt is allowed.` }
  const reported = String.raw`CORP\\ada asks.\\nIt is allowed.`
  const question = { ask: 'Allow?', yes: 'Allow', no: 'Refuse' }
  expect(program?.question({ ...dialog, question }).args).toContain(reported)
  expect(program?.notice(dialog)).toContain(reported)
})
