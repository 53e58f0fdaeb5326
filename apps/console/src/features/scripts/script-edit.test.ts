import type { ScriptDetail } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { beginEdit, hasChanges, isOutdated, markSaved, takeFile } from './script-edit.ts'
import { newDraft, toDraft } from './script-form.ts'
import { testScript } from './test-script.ts'

const script = (change: Partial<ScriptDetail> = {}): ScriptDetail => ({
  ...testScript(),
  script_body: 'echo one',
  script_hash: '',
  modified: '2026-11-21T10:00:00.000Z',
  ...change,
})
const START = beginEdit(toDraft(script()))

test('a reverted change is no change', () => {
  expect(hasChanges(START)).toBe(false)
  const typed = { ...START, code: 'echo two' }
  expect(hasChanges(typed)).toBe(true)
  expect(hasChanges({ ...typed, code: 'echo one' })).toBe(false)
  const named = { ...START, fields: { ...START.fields, name: 'Tidy' } }
  expect(hasChanges(named)).toBe(true)
  expect(hasChanges({ ...named, fields: { ...named.fields, name: 'Clean' } })).toBe(false)
})

test('a later version on the server is noticed, the own save is not', () => {
  const later = script({ modified: '2026-11-21T10:05:00.000Z' })
  expect(isOutdated(START, toDraft(script()))).toBe(false)
  expect(isOutdated(START, toDraft(later))).toBe(true)
  expect(isOutdated(markSaved(START, START, later), toDraft(script()))).toBe(false)
})

test('text typed while saving stays unsaved', () => {
  const sent = { ...START, fields: { ...START.fields, name: 'Tidy ' }, code: 'echo two' }
  const answer = script({ name: 'Tidy', script_body: 'echo two', modified: '2026-11-21T10:05:00.000Z' })
  const still = markSaved(sent, sent, answer)
  expect(hasChanges(still)).toBe(false)
  expect(still.fields.name).toBe('Tidy')
  const typed = markSaved({ ...sent, code: 'echo three' }, sent, answer)
  expect(hasChanges(typed)).toBe(true)
  expect(typed.code).toBe('echo three')
})

test('a file fills the empty fields', () => {
  const fresh = takeFile(beginEdit(newDraft('linux')), { name: 'clean-up.ps1', code: 'Get-Date' })
  expect(fresh).toMatchObject({
    code: 'Get-Date',
    start: 'Get-Date',
    edition: 1,
    fields: { name: 'clean-up', filename: 'clean-up.ps1', shell: 'powershell' },
  })
  const known = takeFile(START, { name: 'other.py', code: 'print()' })
  expect(known.fields).toMatchObject({ name: 'Clean', shell: 'shell', filename: 'other.py' })
  expect(hasChanges(known)).toBe(true)
})
