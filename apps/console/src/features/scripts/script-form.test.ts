import type { ScriptDetail } from '@muster/contract/api/scripts'
import { ScriptForm } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import {
  checkCode,
  checkFields,
  checkVariable,
  newDraft,
  toClone,
  toDraft,
  toScriptBody,
} from './script-form.ts'

const FIELDS = { ...newDraft('linux').fields, name: 'Clean' }

const SCRIPT: ScriptDetail = {
  id: 7,
  name: 'Clean',
  description: 'Removes old files',
  category: 'Maintenance',
  shell: 'shell',
  script_type: 'userdefined',
  args: ['--days', '7'],
  env_vars: ['KEEP=yes'],
  parameters: [],
  filename: 'clean.sh',
  syntax: '--days N',
  default_timeout: 120,
  supported_platforms: ['linux'],
  favorite: true,
  hidden: false,
  run_as_user: false,
  server_approval: null,
  script_body: '#!/bin/sh\ntrue\n',
  script_hash: 'x',
  modified: '2026-11-21T10:00:00.000Z',
}

test('a new script needs a name only', () => {
  expect(checkFields(newDraft('linux').fields)).toEqual({ name: 'A name is needed.' })
  expect(checkFields(FIELDS)).toEqual({})
})

const PARAMETER = {
  name: 'Days',
  type: 'number' as const,
  description: '',
  required: false,
  default: '',
  choices: [],
}

test.each([
  [{ name: '  ' }, 'name'],
  [{ default_timeout: 4 }, 'default_timeout'],
  [{ default_timeout: 86_401 }, 'default_timeout'],
  [{ default_timeout: 7.5 }, 'default_timeout'],
  [{ default_timeout: '' }, 'default_timeout'],
  [{ env_vars: ['A=1', '1A=2'] }, 'env_vars'],
  [{ env_vars: ['NAME'] }, 'env_vars'],
  [{ parameters: [{ ...PARAMETER, name: 'my days' }] }, 'parameters'],
  [{ parameters: [{ ...PARAMETER, default: 'many' }] }, 'parameters'],
  [{ args: Array<string>(201).fill('x') }, 'args'],
])('%o is an error at its field', (change, field) => {
  expect(Object.keys(checkFields({ ...FIELDS, ...change }))).toEqual([field])
})

test.each([
  ['A=1', null],
  ['_a9=', null],
  ['', null],
  ['A =1', 'Write NAME=value.'],
  ['=1', 'Write NAME=value.'],
  ['ÄRGER=1', 'Write NAME=value.'],
])('the variable %j', (text, answer) => {
  expect(checkVariable(text)).toBe(answer)
})

test('the request fits the contract, without empty lines', () => {
  const body = toScriptBody({ ...FIELDS, args: ['', 'a b', ''], env_vars: ['', 'A=1'] }, 'echo')
  expect(body).toMatchObject({ args: ['a b'], env_vars: ['A=1'], default_timeout: 90, script_body: 'echo' })
  expect(ScriptForm.safeParse(body).success).toBe(true)
})

test('a script comes back as it was', () => {
  const { fields, code, saved } = toDraft(SCRIPT)
  expect(saved).toEqual({ id: 7, modified: SCRIPT.modified })
  expect(SCRIPT).toMatchObject(toScriptBody(fields, code))
})

test('a copy is a new script with another name and no file name', () => {
  const copy = toClone({ ...SCRIPT, name: 'x'.repeat(255) })
  expect(copy.saved).toBeUndefined()
  expect(copy.fields.name).toBe(`Copy of ${'x'.repeat(247)}`)
  expect(copy.fields.filename).toBe('')
  expect(copy.code).toBe(SCRIPT.script_body)
})

test('a million characters are enough', () => {
  expect(checkCode('x'.repeat(1_000_000))).toBeUndefined()
  expect(checkCode('x'.repeat(1_000_001))).toContain('1,000,000')
})
