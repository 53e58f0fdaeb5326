import type { Script } from '@muster/contract/api/scripts'
import { describe, expect, test } from 'vitest'
import {
  type CommandForm,
  checkCommandForm,
  checkVariable,
  fitShell,
  groupScripts,
  newCommandForm,
  shellsOf,
  toCommandBody,
  toRunOptions,
  usersOf,
} from './run-form.ts'
import { testScript } from '../scripts/test-script.ts'

const FORM: CommandForm = {
  shell: 'bash',
  customShell: '',
  cmd: 'uptime',
  timeout: 30,
  runAs: 'agent',
  userName: '',
  expiresIn: '3600',
}

describe('a command', () => {
  test.each([
    [{}, []],
    [{ cmd: '  ' }, ['cmd']],
    [{ timeout: '' }, ['timeout']],
    [{ timeout: 0 }, ['timeout']],
    [{ timeout: 86_401 }, ['timeout']],
    [{ shell: 'custom' }, ['customShell']],
    [{ shell: 'custom', customShell: '/bin/zsh' }, []],
    [{ runAs: 'other' as const }, ['userName']],
    [{ runAs: 'other' as const, userName: 'anna' }, []],
  ])('with %j has errors at %j', (more, names) => {
    expect(Object.keys(checkCommandForm({ ...FORM, ...more }))).toEqual(names)
  })

  test('is sent without waiting for its end', () => {
    expect(toCommandBody(FORM, 'linux')).toEqual({
      shell: 'bash',
      custom_shell: null,
      cmd: 'uptime',
      timeout: 30,
      expires_in: 3600,
      wait: false,
      run_as_user: false,
    })
  })

  test('starts with a shell of the system, also when that becomes known later', () => {
    const machine = { plat: 'windows', default_shell: 'use_global', default_shell_custom: '' } as const
    expect(newCommandForm(machine).shell).toBe('cmd')
    expect(newCommandForm({ ...machine, default_shell: 'powershell' }).shell).toBe('powershell')
    const early = { ...newCommandForm({ ...machine, plat: 'linux' }), cmd: 'ver' }
    expect(early.shell).toBe('bash')
    expect(fitShell(early, machine)).toEqual({ ...early, shell: 'cmd' })
    expect(fitShell({ ...early, shell: 'custom' }, machine).shell).toBe('custom')
  })

  test('runs as another user on request', () => {
    const other = { ...FORM, runAs: 'other', userName: ' www-data ' } as const
    expect(toRunOptions(other)).toMatchObject({ run_as_user: 'www-data' })
    expect(toRunOptions({ ...FORM, runAs: 'signedIn' })).toMatchObject({ run_as_user: true })
    expect(toRunOptions({ ...other, runAs: 'agent' })).toMatchObject({ run_as_user: false })
  })

  test('can run as another user by name, except on Windows', () => {
    const labels = (plat: 'windows' | 'linux', logged_username: string) =>
      usersOf({ plat, logged_username, italic: logged_username === 'gone' }).map(({ label }) => label)
    expect(labels('windows', 'PC\\ada')).toEqual(['System', 'Signed-in user (PC\\ada)'])
    expect(labels('windows', 'gone')[1]).toBe('Signed-in user')
    expect(labels('linux', '')).toEqual(["Agent's user", 'Signed-in user', 'Another user'])
  })

  test('has the shells of its platform', () => {
    expect(shellsOf('windows').map(({ value }) => value)).toEqual(['cmd', 'powershell', 'custom'])
    expect(shellsOf('darwin').map(({ value }) => value)).toEqual(['bash', 'sh', 'custom'])
  })
})

test('scripts stand under their categories, as far as they fit the platform', () => {
  const script = (id: number, name: string, more: Partial<Script> = {}) => testScript({ id, name, ...more })
  const groups = groupScripts(
    [
      script(1, 'loose'),
      script(2, 'disk b', { category: 'Disks' }),
      script(3, 'disk a', { category: 'Disks', supported_platforms: ['linux'] }),
      script(4, 'registry', { category: 'Windows', supported_platforms: ['windows'] }),
      script(5, 'often', { category: 'Disks', favorite: true }),
    ],
    'linux',
  )
  expect(groups.map(({ group, items }) => [group, ...items.map(({ label }) => label)])).toEqual([
    ['Favourites', 'often'],
    ['Disks', 'disk a', 'disk b'],
    ['Unassigned', 'loose'],
  ])
})

test.each([
  ['', true],
  ['A=1', true],
  ['_x9=', true],
  ['9A=1', false],
  ['A', false],
  ['A B=1', false],
])('the variable %j is good: %s', (text, isGood) => {
  expect(checkVariable(text) === null).toBe(isGood)
})
