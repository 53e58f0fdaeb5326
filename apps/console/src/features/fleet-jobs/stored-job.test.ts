import { JobDraft } from '@muster/contract/fleet-jobs/job-draft'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { findFormProblem, toDraft } from './job-form.ts'
import { changeDraft, checkedOf, formOfJob } from './stored-job.ts'

const ALL = { by: 'all' } as const
const stored = (draft: z.input<typeof JobDraft>) => ({
  draft: JobDraft.parse(draft),
  cron: '30 2 * * *',
  clock: 'server' as const,
})

test.each<z.input<typeof JobDraft>['action']>([
  {
    type: 'script',
    script: 7,
    args: ['-v'],
    env_vars: ['A=1'],
    timeout: 60,
    save_to_field: 3,
    save_all_output: true,
  },
  { type: 'command', shell: 'bash', cmd: 'uptime', timeout: 30 },
  { type: 'maintenance', on: false },
  { type: 'command', shell: 'custom', custom_shell: '/usr/bin/zsh', cmd: 'w', run_as_user: true },
  { type: 'power', action: 'reboot' },
  { type: 'power', action: 'shutdown', now: true },
  {
    type: 'power',
    action: 'reboot',
    warning: { message: 'Updates', delay_minutes: 20, may_postpone: false },
  },
  { type: 'software', do: 'upgrade', names: ['firefox', 'Mozilla.Firefox'] },
  { type: 'package_file', file: 3 },
  { type: 'run_checks' },
  { type: 'install_patches' },
  { type: 'tags', add: ['VIP'], remove: ['old'] },
  { type: 'move', site: 4 },
  { type: 'custom_field', field: 4, value: ['a'] },
  { type: 'custom_field', field: 4, value: true },
  { type: 'custom_field', field: 4, value: '2026-11-25T10:00:00.000Z' },
  { type: 'service', name: 'ssh', start_type: 'disabled' },
  { type: 'approve_patches', decision: 'ignore', severities: ['Low', ''] },
  {
    type: 'registry',
    path: 'HKLM\\SOFTWARE\\Acme',
    name: 'speed',
    value: { type: 'REG_DWORD', bytes: 'AgAAAA==' },
  },
  { type: 'registry', path: 'HKLM\\SOFTWARE\\Acme', name: '', value: null },
  { type: 'file', path: '/etc/motd', text: 'hi', mode: 0o640, owner: 'root:adm' },
  { type: 'push_file', file: 3, path: '/opt/app.bin', overwrite: false },
])('the form of a stored job makes the same draft: %j', (action) => {
  const target = { by: 'agents' as const, agents: ['a'.repeat(40)] }
  const job = stored({ name: 'Nightly', target, action })
  const form = formOfJob(job)
  expect(findFormProblem(form, 1)).toBeUndefined()
  expect(JobDraft.parse(toDraft(form, checkedOf(job)))).toEqual(job.draft)
  expect(changeDraft(job, form)).toEqual(job.draft)
})

test('waves, conditions, limits and the rollback script are in the form', () => {
  const job = stored({
    target: ALL,
    action: { type: 'run_checks' },
    rollout: {
      waves: [{ count: 2 }, { percent: 5 }, { percent: 50 }, { count: 100 }],
      pause_minutes: 10,
      watch_minutes: 30,
      conditions: { success_percent: 98, no_new_alerts: true, check: 'File shares' },
      halt: { failures: 5, percent: 20 },
      max_at_once: 25,
      max_per_minute: 60,
      max_per_site: 3,
    },
    rollback: { script: 9, args: ['-v'] },
  })
  const form = formOfJob(job)
  expect(form.waves).toEqual(['2', '5 %', '50 %', '100'])
  expect(JobDraft.parse(toDraft(form, []))).toEqual(job.draft)
  expect(changeDraft(job, { ...form, rollback: '4', rollbackArgs: [] }).rollback).toEqual({
    script: 4,
    args: [],
  })
})

test('what the form has no field for stays, whatever else is changed', () => {
  const job = stored({
    target: { by: 'client', id: 5 },
    plat: 'linux',
    rollback: { script: 9 },
    action: { type: 'command', shell: 'bash', cmd: 'uptime', run_as_user: true, env_vars: ['A=1'] },
    rollout: {
      waves: [{ percent: 5 }, { percent: 50 }],
      watch_minutes: 30,
      conditions: { success_percent: 90 },
      halt: { failures: 5, percent: 20 },
      max_per_minute: 10,
    },
  })
  const form = formOfJob(job)
  expect(form).toMatchObject({ target: 'client', client: '5' })
  expect(
    changeDraft(job, { ...form, name: 'New', cmd: 'w', haltAt: 3, inWindows: true, maxAtOnce: '' }),
  ).toEqual({
    ...job.draft,
    name: 'New',
    action: { ...job.draft.action, cmd: 'w' },
    schedule: { ...job.draft.schedule, in_windows: true },
    rollout: { ...job.draft.rollout, halt: { failures: 3, percent: 20 } },
  })
  expect(changeDraft(job, { ...form, target: 'all', action: 'run_checks' })).toMatchObject({
    target: ALL,
    plat: 'linux',
    action: { type: 'run_checks' },
  })
})

test('a value that is taken away is no longer in the draft', () => {
  const job = stored({ target: ALL, action: { type: 'command', shell: 'sh', cmd: 'w', timeout: 60 } })
  const form = { ...formOfJob(job), timeout: '' }
  expect(changeDraft(job, form).action).toEqual({ type: 'command', shell: 'sh', cmd: 'w' })
})
